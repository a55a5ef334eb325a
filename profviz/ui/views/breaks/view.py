"""The table of graph breaks with the whole explanation beside it; a chosen row opens its source line."""

from __future__ import annotations

from typing import Any

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QPlainTextEdit, QSplitter

from profviz.model.results import Results
from profviz.ui.view_state import Pick, Selection, ViewState
from profviz.ui.views.breaks import layout
from profviz.ui.views.spec import Area, ViewSpec
from profviz.ui.widgets.palette import Palette
from profviz.ui.widgets.panel_text import Panel, TextLabel
from profviz.ui.widgets.table_view import TableView


class BreaksView(Panel):
    """The explanation follows the chosen row and stays away while there is none."""

    def __init__(self, state: ViewState, palette: Palette) -> None:
        super().__init__(name="Graph breaks")
        self._state = state
        self._rows: tuple[layout.BreakRow, ...] = ()
        self.summary = TextLabel()
        self.table = TableView(palette, name="Graph breaks, skipped frames and recompiles")
        self.more = QPlainTextEdit()
        self._build()
        self.set_palette(palette)
        state.selection_changed.connect(self._show_selection)

    def show_results(self, results: Results) -> None:
        self._rows = layout.rows(results)
        self.show_message(layout.empty(results))
        text, tone = layout.summary(results)
        self.summary.show_text(text, role=tone)
        self.table.show_table(layout.columns(several_reports=len(results.reports) > 1), self._rows)
        self.table.setVisible(bool(self._rows))
        self.more.setVisible(bool(self._rows))
        self._explain(self._rows[0] if self._rows else None)
        self.table.mark({0} if self._rows else set())
        if layout.places(self._state.selection):
            self._show_selection(self._state.selection)

    def set_palette(self, palette: Palette) -> None:
        self.apply(palette)
        self.table.apply(palette)

    def widget(self) -> BreaksView:
        return self

    def _build(self) -> None:
        self.more.setReadOnly(True)
        self.more.setAccessibleName("Explanation and hints")
        self.more.setTabChangesFocus(True)
        self.more.document().setDocumentMargin(8)
        parts = QSplitter(Qt.Orientation.Horizontal)
        parts.addWidget(self.table)
        parts.addWidget(self.more)
        parts.setSizes([840, 320])
        parts.setStretchFactor(0, 3)
        parts.setStretchFactor(1, 1)
        parts.setChildrenCollapsible(False)
        self.table.chosen.connect(self._pick)
        self.column.addWidget(self.summary)
        self.column.addWidget(parts, 1)

    def _pick(self, row: Any) -> None:
        self._explain(row)
        if row.source is not None:
            self._state.pick(Pick(report=row.report, source=row.source))

    def _explain(self, row: layout.BreakRow | None) -> None:
        self.more.setPlainText(row.more if row else "")

    def _show_selection(self, selection: Selection) -> None:
        found = layout.selected(self._rows, layout.places(selection))
        self.table.mark(found)
        if found:
            self._explain(self._rows[min(found)])


SPEC = ViewSpec(id="breaks", title="Graph breaks", area=Area.BOTTOM, factory=BreaksView, empty=layout.empty)
