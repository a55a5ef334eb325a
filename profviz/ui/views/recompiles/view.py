"""Two lists behind one switch: what was compiled again and why, and the guards of a compilation."""

from __future__ import annotations

from typing import Any

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QHBoxLayout, QSizePolicy, QSplitter, QStackedWidget

from profviz.model.graph import at_lines
from profviz.model.questions import Question, Unanswered
from profviz.model.ranks import job_ranks
from profviz.model.results import Results
from profviz.ui.view_state import Pick, Selection, ViewState
from profviz.ui.views.recompiles import layout
from profviz.ui.views.recompiles.guard_list import GuardList
from profviz.ui.views.spec import Area, ViewSpec
from profviz.ui.widgets.palette import Palette
from profviz.ui.widgets.panel_facts import FactTree
from profviz.ui.widgets.panel_text import Panel, TextLabel, ToggleRow
from profviz.ui.widgets.table_view import TableView

CURES = "cures"
RECOMPILES, GUARDS = 0, 1


class RecompilesView(Panel):
    """The facts follow the chosen row; a line in them leads to the source view."""

    def __init__(self, state: ViewState, palette: Palette) -> None:
        super().__init__(name="Recompiles")
        self._state = state
        self._results: Results | None = None
        self._rows: tuple[layout.Row, ...] = ()
        self._cures: dict[int, tuple[tuple[str, ...], ...]] = {}
        self._row: layout.Row | None = None
        self.switch = ToggleRow(name="What to list", chosen=self._switch)
        self.summary = TextLabel()
        self.table = TableView(palette, name="Recompiles and CUDA graphs")
        self.facts = FactTree(palette, name="Why it was compiled again", key_width=112, wrap=True)
        self.guards = GuardList(palette)
        self._pages = QStackedWidget()
        self._build()
        self.set_palette(palette)
        state.selection_changed.connect(self._show_selection)

    def show_results(self, results: Results) -> None:
        self._results = results
        self._cures = {}
        self._rows = layout.rows(results)
        self.show_message(layout.empty(results))
        self.guards.show_results(results)
        self.switch.show_choices([f"Recompiles ({len(self._rows)})", "Guards"], current=RECOMPILES)
        self.summary.show_text(layout.summary(results)[0], role=layout.summary(results)[1])
        of_ranks, several = bool(job_ranks(results.reports)), len(results.reports) > 1
        self.table.show_table(layout.columns(several_reports=several, of_ranks=of_ranks), self._rows)
        self._pages.widget(RECOMPILES).setVisible(bool(self._rows))
        self._switch(RECOMPILES)
        self._explain(self._rows[0] if self._rows else None)
        self.table.mark({0} if self._rows else set())
        for position, (_, report) in enumerate(results.reports):
            if report.recompiles:
                self._state.ask(Question(CURES, -1, (position,)), self._answered)

    def set_palette(self, palette: Palette) -> None:
        self.apply(palette)
        for painted in (self.table, self.facts, self.guards):
            painted.apply(palette)

    def widget(self) -> RecompilesView:
        return self

    def _build(self) -> None:
        parts = QSplitter(Qt.Orientation.Horizontal)
        parts.addWidget(self.table)
        parts.addWidget(self.facts)
        parts.setSizes([760, 400])
        parts.setStretchFactor(0, 3)
        parts.setStretchFactor(1, 2)
        parts.setChildrenCollapsible(False)
        self._pages.addWidget(parts)
        self._pages.addWidget(self.guards)
        self.switch.setSizePolicy(QSizePolicy.Policy.Maximum, QSizePolicy.Policy.Fixed)
        top = QHBoxLayout()
        top.setSpacing(12)
        top.addWidget(self.switch)
        top.addWidget(self.summary, 1)
        top.addStretch()
        self.column.setSpacing(4)
        self.column.addLayout(top)
        self.column.addWidget(self._pages, 1)
        self.table.chosen.connect(self._pick)
        self.facts.followed.connect(lambda target: self._state.pick(Pick(**target)))
        self.guards.line_chosen.connect(lambda report, source: self._state.pick(Pick(report=report, source=source)))

    def _switch(self, page: int) -> None:
        self.switch.set_current(page)
        self._pages.setCurrentIndex(page)
        self.summary.setVisible(page == RECOMPILES)

    def _answered(self, question: Question, found: Any) -> None:
        if not isinstance(found, Unanswered):
            self._cures[int(question.args[0])] = found  # type: ignore[call-overload]
            self._explain(self._row)

    def _pick(self, row: layout.Row) -> None:
        """Also makes its guards the ones to be listed."""
        self._explain(row)
        self.guards.choose(row.report, row.compile_id)

    def _explain(self, row: layout.Row | None) -> None:
        self._row = row
        cures = self._cures.get(row.report, ()) if row else ()
        own = cures[row.cure] if row is not None and 0 <= row.cure < len(cures) else ()
        self.facts.show_facts(layout.facts(row, own) if row is not None else ())

    def _show_selection(self, selection: Selection) -> None:
        lines = (*selection.sources, *((selection.pick.source,) if selection.pick.source else ()))
        found = at_lines([row.source for row in self._rows], lines)
        if found:
            self.table.mark(found)
            self._explain(self._rows[min(found)])


SPEC = ViewSpec(id="recompiles", title="Recompiles", area=Area.BOTTOM, factory=RecompilesView, empty=layout.empty)
