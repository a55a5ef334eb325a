"""The tape's nodes in the order of the backward pass, the memory they keep over it, and all that is known of one."""

from __future__ import annotations

from functools import partial
from typing import Any

from PySide6.QtCore import Qt
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QHBoxLayout, QSplitter, QVBoxLayout, QWidget

from profviz.model.questions import Question, Unanswered
from profviz.model.results import Results
from profviz.model.tape import EagerTape, TapeTimes
from profviz.ui.view_state import Pick, Selection, ViewState
from profviz.ui.views.spec import Area, ViewSpec
from profviz.ui.views.tape import layout
from profviz.ui.widgets.order_plot import OrderPlot
from profviz.ui.widgets.palette import Palette
from profviz.ui.widgets.panel_facts import FactTree
from profviz.ui.widgets.panel_text import Panel, TextLabel, ToggleRow
from profviz.ui.widgets.table_view import TableView

ID = "tape"
FACTS_FROM = 190
"""Pixels of height; in a lower panel the curve has the room, and the selection's own panel says what a node is."""


class TapeView(Panel):
    """Times are asked for, and come into the table when they are known."""

    def __init__(self, state: ViewState, palette: Palette) -> None:
        super().__init__(name="Autograd tape")
        self._state = state
        self._results: Results | None = None
        self._numbers: tuple[int, ...] = ()
        self._number = 0
        self._times: TapeTimes | None = None
        self._why = ""
        self._rows: tuple[layout.TapeRow, ...] = ()
        self._chosen = -1
        self.switch = ToggleRow(name="Which tape", chosen=self._switch)
        self.summary = TextLabel(wrap=False)
        self.notes = TextLabel(role="muted")
        self.table = TableView(palette, name="Nodes of the tape")
        self.plot = OrderPlot(palette, name="Saved memory over the backward pass")
        self.facts = FactTree(palette, name="Node of the tape", key_width=88, wrap=True)
        self._build()
        self.set_palette(palette)
        state.selection_changed.connect(self._show_selection)

    def show_results(self, results: Results) -> None:
        self._results = results
        self._numbers = layout.shown(results)
        self.show_message(layout.empty(results))
        titles = [results.report_title(results.tapes[number].label) for number in self._numbers]
        self.switch.show_choices(titles, current=0)
        self.switch.setVisible(len(titles) > 1)
        self._switch(0)

    def set_palette(self, palette: Palette) -> None:
        self.apply(palette)
        self.table.apply(palette)
        self.plot.apply(palette)
        self.facts.apply(palette)

    def widget(self) -> TapeView:
        return self

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self.facts.setVisible(self.height() >= FACTS_FROM)

    @property
    def tape(self) -> EagerTape | None:
        known = self._results is not None and self._number < len(self._numbers)
        return self._results.tapes[self._numbers[self._number]] if known and self._results is not None else None

    def _build(self) -> None:
        top = QHBoxLayout()
        top.setSpacing(12)
        top.addWidget(self.switch)
        top.addWidget(self.summary)
        top.addWidget(self.notes, 1)
        self.summary.setMinimumWidth(1)
        parts = QSplitter(Qt.Orientation.Horizontal)
        parts.setChildrenCollapsible(False)
        parts.addWidget(self.table)
        parts.addWidget(self._beside())
        parts.setSizes([800, 400])
        parts.setStretchFactor(0, 3)
        parts.setStretchFactor(1, 2)
        self.table.chosen.connect(lambda row: self._pick(row.node))
        self.plot.chosen.connect(self._pick)
        self.facts.followed.connect(lambda target: self._state.pick(Pick(**target)))
        self.column.setSpacing(4)
        self.column.addLayout(top)
        self.column.addWidget(parts, 1)

    def _beside(self) -> QWidget:
        beside = QWidget()
        column = QVBoxLayout(beside)
        column.setContentsMargins(8, 0, 0, 0)
        column.setSpacing(4)
        column.addWidget(self.plot)
        column.addWidget(self.facts, 1)
        return beside

    def _switch(self, index: int) -> None:
        self._number, self._times, self._why, self._chosen = index, None, "", -1
        tape = self.tape
        if tape is None or self._results is None:
            self._rows = ()
            return
        self.summary.show_text(layout.summary(tape))
        self.summary.setToolTip(self.summary.text())
        self.plot.show_data(layout.curve(tape.tape))
        self._list()
        question = Question(ID, -1, (self._numbers[index],))
        self._state.ask(question, partial(self._answered, self._results, index))

    def _answered(self, results: Results, index: int, _question: Question, found: Any) -> None:
        if results is not self._results or index != self._number:
            return
        if isinstance(found, Unanswered):
            self._why = found.why
        else:
            self._times = found
        self._list()

    def _list(self) -> None:
        tape = self.tape
        if tape is None:
            return
        self.notes.show_text(layout.sentences(tape.tape, self._times, self._why))
        self._rows = layout.rows(tape.tape, self._times)
        self.table.show_table(layout.columns(has_gpu=bool(self._times and self._times.has_gpu)), self._rows)
        self._show_selection(self._state.selection)
        if self._chosen < 0:
            self._explain(0)

    # the shared selection

    @property
    def _report(self) -> int:
        """The number that stands for the tape where a node is named."""
        return len(self._results.reports) + self._numbers[self._number] if self._results is not None else -1

    def _pick(self, node: int) -> None:
        self._state.pick(Pick(report=self._report, graph=0, node=node))

    def _show_selection(self, selection: Selection) -> None:
        if self.tape is None:
            return
        own = [node for report, _, node in selection.nodes if report == self._report and node < len(self._rows)]
        picked = selection.pick.node if selection.pick.report == self._report else -1
        self.table.mark(set(own))
        self._explain(picked if picked in own else own[0] if own else -1)

    def _explain(self, node: int) -> None:
        """All that is known of a node; the one before stays where there is none."""
        self._chosen = node if node >= 0 else self._chosen
        tape = self.tape
        if tape is None or not self._rows:
            return
        self.plot.mark(node if 0 <= node < tape.tape.ran else -1)
        if node >= 0:
            self.facts.show_facts(layout.facts(tape, self._rows[node]))


SPEC = ViewSpec(id="tape", title="Autograd tape", area=Area.BOTTOM, factory=TapeView, empty=layout.empty)
