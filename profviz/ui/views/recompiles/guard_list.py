"""The guards of one compilation: kinds with their counts beside the guards themselves, and a search over them."""

from __future__ import annotations

from PySide6.QtCore import QSignalBlocker, Qt, Signal
from PySide6.QtWidgets import QComboBox, QHBoxLayout, QLineEdit, QSplitter, QVBoxLayout, QWidget

from profviz.model.results import Results
from profviz.ui.views.recompiles import guards
from profviz.ui.widgets.palette import Palette
from profviz.ui.widgets.panel_text import TextLabel
from profviz.ui.widgets.table_view import TableView


class GuardList(QWidget):
    """`line_chosen` carries the report's position and the source line of the guard that was chosen."""

    line_chosen = Signal(int, object)

    def __init__(self, palette: Palette) -> None:
        super().__init__()
        self._sets: tuple[guards.Chosen, ...] = ()
        self.which = QComboBox()
        self.search = QLineEdit()
        self.sentence = TextLabel(role="muted")
        self.kinds = TableView(palette, name="Kinds of guards")
        self.table = TableView(palette, name="Guards")
        self._build()

    def show_results(self, results: Results) -> None:
        self._sets = guards.sets(results)
        with QSignalBlocker(self.which):
            self.which.clear()
            self.which.addItems([one.title for one in self._sets])
        for part in (self.which, self.search, self._parts):
            part.setVisible(bool(self._sets))
        self._show_set(0)

    def choose(self, report: int, compile_id: str) -> None:
        """Lists a compilation's guards, where it has any."""
        at = guards.place_of(self._sets, report, compile_id)
        if at >= 0:
            self.which.setCurrentIndex(at)
            self._show_set(at)

    def apply(self, palette: Palette) -> None:
        self.kinds.apply(palette)
        self.table.apply(palette)

    def _build(self) -> None:
        self.which.setAccessibleName("Compilation whose guards are listed")
        self.which.setMinimumContentsLength(20)
        self.search.setPlaceholderText("Search guards")
        self.search.setAccessibleName("Search guards")
        self.search.setClearButtonEnabled(True)
        self.search.setMaximumWidth(240)
        top = QHBoxLayout()
        top.setSpacing(8)
        top.addWidget(self.which)
        top.addWidget(self.search)
        top.addWidget(self.sentence, 1)
        parts = self._parts = QSplitter(Qt.Orientation.Horizontal)
        parts.addWidget(self.kinds)
        parts.addWidget(self.table)
        parts.setSizes([260, 900])
        parts.setStretchFactor(1, 1)
        parts.setChildrenCollapsible(False)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(4)
        column.addLayout(top)
        column.addWidget(parts, 1)
        self.which.activated.connect(self._show_set)
        self.search.textChanged.connect(self.table.set_filter)
        self.kinds.chosen.connect(self._show_kind)
        self.table.chosen.connect(self._choose_line)

    def _show_set(self, at: int) -> None:
        if not self._sets:
            self.sentence.show_text(guards.NO_GUARDS)
            return
        chosen = self._sets[at].guards
        self.sentence.show_text(guards.sentence(chosen))
        self.kinds.show_table(guards.kind_columns(), guards.kinds(chosen))
        self.kinds.mark({0})
        self._show_kind(guards.KindRow("", len(chosen.guards)))

    def _show_kind(self, row: guards.KindRow) -> None:
        chosen = self._sets[self.which.currentIndex()].guards
        self.table.show_table(guards.columns(), guards.rows(chosen, row.kind))
        self.table.set_filter(self.search.text())

    def _choose_line(self, row: guards.GuardRow) -> None:
        if row.guard.source is not None:
            self.line_chosen.emit(self._sets[self.which.currentIndex()].report, row.guard.source)
