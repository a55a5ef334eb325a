"""How long steps, or slices of one name, take on each side: histograms over each other and their figures beside."""

from __future__ import annotations

from typing import Any

from PySide6.QtCore import QSignalBlocker, Qt
from PySide6.QtWidgets import QComboBox, QHBoxLayout, QSizePolicy, QSplitter, QVBoxLayout, QWidget

from profviz.model.durations import Durations
from profviz.model.questions import Question, Unanswered
from profviz.model.results import Results
from profviz.ui.view_state import Pick, Selection, ViewState
from profviz.ui.views.histograms import layout
from profviz.ui.views.spec import Area, ViewSpec
from profviz.ui.widgets.histogram import Histogram
from profviz.ui.widgets.histogram_values import nothing
from profviz.ui.widgets.palette import Palette
from profviz.ui.widgets.panel_style import plain_tip
from profviz.ui.widgets.panel_text import Panel, TextLabel, ToggleRow
from profviz.ui.widgets.table_view import TableView


class HistogramsView(Panel):
    """The name of the selected slice is the first of the names, and shows until another one is chosen."""

    def __init__(self, state: ViewState, palette: Palette) -> None:
        super().__init__(name="Histograms")
        self._state = state
        self._results: Results | None = None
        self._choices: tuple[str, ...] = ()
        self._what, self._scale = "", layout.SCALES[0][0]
        self._names: tuple[layout.Named, ...] = ()
        self._selected: tuple[layout.Named, int] | None = None
        self._asked: Question | None = None
        self._shown: Question | None = None
        self.what = ToggleRow(name="What is drawn", chosen=self._choose_what)
        self.scale = ToggleRow(name="Width of the bins", chosen=self._choose_scale)
        self.scale.show_choices([title for _, title in layout.SCALES], current=0)
        self.name = QComboBox()
        self.histogram = Histogram(palette, name="Durations")
        self.table = TableView(palette, name="Figures of the durations")
        self.summary = TextLabel(role="muted")
        self._build()
        self.set_palette(palette)
        self.seen.connect(self._ask)
        state.selection_changed.connect(self._selection_changed)

    def show_results(self, results: Results) -> None:
        self._results = results
        self._asked = self._shown = None
        self._choices = layout.choices(results)
        self.show_message(layout.empty(results))
        if self._what not in self._choices:
            self._what = self._choices[0] if self._choices else ""
        current = self._choices.index(self._what) if self._choices else 0
        self.what.show_choices([layout.TITLES[what] for what in self._choices], current=current)
        self._names = layout.names(results)
        self._selected = layout.selected(results, self._state.selection)
        self._fill_names(0)
        self._ask()

    def set_palette(self, palette: Palette) -> None:
        self.apply(palette)
        self.histogram.apply(palette)
        self.table.apply(palette)

    def widget(self) -> HistogramsView:
        return self

    @property
    def named(self) -> layout.Named | None:
        """The name whose slices are drawn."""
        at = self.name.currentIndex()
        if at == 0:
            return self._selected[0] if self._selected is not None else None
        return self._names[at - 1] if 0 < at <= len(self._names) else None

    def _build(self) -> None:
        self.name.setAccessibleName("Name whose slices are drawn")
        self.name.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Fixed)
        self.name.setMaxVisibleItems(20)
        self.name.currentIndexChanged.connect(lambda _: self._ask())
        top = QHBoxLayout()
        top.setSpacing(8)
        top.addWidget(self.what)
        top.addWidget(self.name, 1)
        top.addStretch()
        top.addWidget(self.scale)
        self.column.setSpacing(4)
        self.column.addLayout(top)
        beside = QWidget()
        column = QVBoxLayout(beside)
        column.setContentsMargins(8, 0, 0, 0)
        column.addWidget(self.table, 1)
        column.addWidget(self.summary)
        parts = QSplitter(Qt.Orientation.Horizontal)
        parts.addWidget(self.histogram)
        parts.addWidget(beside)
        parts.setSizes([560, 560])
        parts.setStretchFactor(0, 1)
        parts.setStretchFactor(1, 1)
        parts.setChildrenCollapsible(False)
        self.column.addWidget(parts, 1)
        self.table.chosen.connect(self._pick)

    def _fill_names(self, current: int) -> None:
        first = self._selected[0].name if self._selected is not None else "nothing selected"
        with QSignalBlocker(self.name):
            self.name.clear()
            self.name.addItem(f"Selected: {first}")
            self.name.addItems([named.name for named in self._names])
            self.name.setCurrentIndex(current)

    # What is asked

    def _choose_what(self, choice: int) -> None:
        self._what = self._choices[choice]
        self._ask()

    def _choose_scale(self, choice: int) -> None:
        self._scale = layout.SCALES[choice][0]
        self._ask()

    def _selection_changed(self, selection: Selection) -> None:
        if self._results is None:
            return
        self._selected = layout.selected(self._results, selection)
        with QSignalBlocker(self.name):
            first = self._selected[0].name if self._selected is not None else "nothing selected"
            self.name.setItemText(0, f"Selected: {first}")
        self._shown = None  # the mark is another one, even where the name is the same
        self._ask()

    def _ask(self) -> None:
        """Only while someone sees it."""
        self.name.setVisible(self._what == layout.SLICES)
        self.name.setToolTip(plain_tip(self.named.name if self.named is not None else ""))
        if self._results is None or not self._what or not self.is_seen:
            return
        named = self.named
        if self._what == layout.SLICES and named is None:
            self._asked = None
            self._show_none(layout.NO_NAME)
            return
        self._asked = layout.question(self._what, self._scale, named)
        if self._asked != self._shown:
            self._state.ask(self._asked, self._answered)

    def _answered(self, question: Question, found: Any) -> None:
        """Answers to what is no longer asked come late and are let go."""
        if question != self._asked:
            return
        self._shown = question
        if isinstance(found, Unanswered):
            self._show_none(found.why)
            return
        assert isinstance(found, Durations)
        self.histogram.show_data(layout.data(found, marked_ns=self._marked_ns()))
        self.table.show_table(layout.COLUMNS, found.series)
        self.summary.show_text(layout.summary(found))

    def _show_none(self, why: str) -> None:
        self._shown = None
        self.histogram.show_data(nothing())
        self.table.show_table(layout.COLUMNS, ())
        self.summary.show_text(why)

    def _marked_ns(self) -> int | None:
        if self._what != layout.SLICES or self._selected is None or self._selected[0] != self.named:
            return None
        return self._selected[1]

    def _pick(self, row: Any) -> None:
        if row.first >= 0:
            self._state.pick(Pick(side=row.side, slice=row.first))


SPEC = ViewSpec(id="histograms", title="Histograms", area=Area.BOTTOM, factory=HistogramsView, empty=layout.empty)
