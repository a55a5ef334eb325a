"""Graph breaks, and apart from them skipped frames, with all that is known of the chosen one beside."""

from __future__ import annotations

from functools import partial
from typing import Any

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QHBoxLayout, QSplitter

from profviz.model.break_cost import BreakAccount
from profviz.model.graph import at_lines
from profviz.model.questions import Question, Unanswered
from profviz.model.ranks import job_ranks
from profviz.model.results import Results
from profviz.ui.view_state import Pick, Selection, ViewState
from profviz.ui.views.breaks import layout
from profviz.ui.views.breaks.costs import total_cost
from profviz.ui.views.breaks.layout import What
from profviz.ui.views.spec import Area, ViewSpec
from profviz.ui.widgets.palette import Palette
from profviz.ui.widgets.panel_facts import FactTree
from profviz.ui.widgets.panel_text import Panel, TextLabel, ToggleRow
from profviz.ui.widgets.table_view import TableView

ID = "breaks"
LISTS = (What.BREAK, What.SKIPPED)


class BreaksView(Panel):
    """The facts follow the chosen row. Costs and fixes are asked for, and come into the list when they are known."""

    def __init__(self, state: ViewState, palette: Palette) -> None:
        super().__init__(name="Graph breaks")
        self._state = state
        self._results: Results | None = None
        self._accounts: dict[int, BreakAccount] = {}
        self._what = What.BREAK
        self._rows: tuple[layout.BreakRow, ...] = ()
        self._chosen: tuple[int, int] | None = None
        self.switch = ToggleRow(name="What to list", chosen=self._switch)
        self.summary = TextLabel()
        self.cost = TextLabel(role="muted", wrap=False)
        self.table = TableView(palette, name="Graph breaks")
        self.facts = FactTree(palette, name="Explanation, cost and fix", key_width=96, wrap=True)
        self._build()
        self.set_palette(palette)
        state.selection_changed.connect(self._show_selection)

    def show_results(self, results: Results) -> None:
        self._results = results
        self._accounts, self._what, self._chosen = {}, What.BREAK, None
        self.show_message(layout.empty(results))
        text, tone = layout.summary(results)
        self.summary.show_text(text, role=tone)
        counts = {what: len(layout.rows(results, what, {})) for what in LISTS}
        self.switch.show_choices([f"{what.value.capitalize()}s ({counts[what]})" for what in LISTS], current=0)
        self._list()
        for position in range(len(results.reports)):
            self._state.ask(Question(ID, -1, (position,)), partial(self._answered, results))

    def set_palette(self, palette: Palette) -> None:
        self.apply(palette)
        self.table.apply(palette)
        self.facts.apply(palette)

    def widget(self) -> BreaksView:
        return self

    def _build(self) -> None:
        top = QHBoxLayout()
        top.setSpacing(12)
        top.addWidget(self.switch)
        top.addWidget(self.summary, 1)
        top.addWidget(self.cost)
        parts = self._parts = QSplitter(Qt.Orientation.Horizontal)
        parts.addWidget(self.table)
        parts.addWidget(self.facts)
        parts.setSizes([800, 400])
        parts.setStretchFactor(0, 3)
        parts.setStretchFactor(1, 2)
        parts.setChildrenCollapsible(False)
        self.table.chosen.connect(self._pick)
        self.facts.followed.connect(lambda target: self._state.pick(Pick(**target)))
        self.column.setSpacing(4)
        self.column.addLayout(top)
        self.column.addWidget(parts, 1)

    def _answered(self, results: Results, question: Question, found: Any) -> None:
        if results is not self._results or isinstance(found, Unanswered):
            return
        self._accounts[int(question.args[0])] = found  # type: ignore[call-overload]
        self._list()

    def _switch(self, index: int) -> None:
        self._what = LISTS[index]
        self._chosen = None
        self._list()

    def _list(self) -> None:
        """Keeps the row that the user chose, else the first is shown."""
        if self._results is None:
            return
        self._rows = layout.rows(self._results, self._what, self._accounts)
        reports = self._results.reports
        ranks = job_ranks(reports)
        columns = layout.columns(self._what, several_reports=len(reports) > 1, of_ranks=bool(ranks))
        self.table.setAccessibleName(f"{self._what.value.capitalize()}s")
        self.table.show_table(columns, self._rows)
        self._parts.setVisible(bool(self._rows))
        self.cost.show_text(total_cost(self._accounts, ranks) if self._what is What.BREAK else "")
        at = next((at for at, row in enumerate(self._rows) if self._chosen in row.places), 0)
        self._explain(self._rows[at] if self._rows else None)
        self.table.mark({at} if self._rows else set())
        if self._chosen is None:
            self._show_selection(self._state.selection)

    def _pick(self, row: layout.BreakRow) -> None:
        self._chosen = row.report, row.index
        self._explain(row)
        if row.source is not None:
            self._state.pick(Pick(report=row.report, source=row.source))

    def _explain(self, row: layout.BreakRow | None) -> None:
        self.facts.show_facts(layout.all_facts(row) if row else ())

    def _show_selection(self, selection: Selection) -> None:
        found = at_lines([row.source for row in self._rows], layout.places(selection))
        if found:
            self.table.mark(found)
            self._explain(self._rows[min(found)])


SPEC = ViewSpec(id="breaks", title="Graph breaks", area=Area.BOTTOM, factory=BreaksView, empty=layout.empty)
