"""The table of the readers' notes with the whole note beside it."""

from __future__ import annotations

from typing import Any

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QHBoxLayout, QPlainTextEdit, QSplitter

from profviz.model.results import Results
from profviz.ui.view_state import ViewState
from profviz.ui.views.health import layout
from profviz.ui.views.spec import Area, ViewSpec
from profviz.ui.widgets.palette import Palette
from profviz.ui.widgets.panel_text import Panel, TextLabel
from profviz.ui.widgets.table_view import TableView


class HealthView(Panel):
    def __init__(self, state: ViewState, palette: Palette) -> None:
        super().__init__(name="Trace health")
        self.summary = TextLabel()
        self.read = TextLabel(role="muted", wrap=False)
        self.table = TableView(palette, name="Notes of the readers")
        self.more = QPlainTextEdit()
        self._build()
        self.set_palette(palette)

    def show_results(self, results: Results) -> None:
        rows = layout.rows(results)
        self.show_message(layout.empty(results))
        text, tone = layout.summary(rows)
        self.summary.show_text(text, role=tone)
        self.read.show_text(layout.read_text(results))
        self.table.show_table(layout.COLUMNS, rows)
        for part in (self.table, self.more):
            part.setVisible(bool(rows))
        self.more.setPlainText(rows[0].more if rows else "")
        self.table.mark({0} if rows else set())

    def set_palette(self, palette: Palette) -> None:
        self.apply(palette)
        self.table.apply(palette)

    def widget(self) -> HealthView:
        return self

    def _build(self) -> None:
        self.more.setReadOnly(True)
        self.more.setAccessibleName("The chosen note in full")
        self.more.setTabChangesFocus(True)
        self.more.document().setDocumentMargin(8)
        self.table.chosen.connect(self._explain)
        parts = QSplitter(Qt.Orientation.Horizontal)
        parts.addWidget(self.table)
        parts.addWidget(self.more)
        parts.setStretchFactor(0, 3)
        parts.setStretchFactor(1, 1)
        parts.setSizes([840, 320])
        parts.setChildrenCollapsible(False)
        top = QHBoxLayout()
        top.addWidget(self.summary, 1)
        top.addWidget(self.read)
        self.column.addLayout(top)
        self.column.addWidget(parts, 1)

    def _explain(self, row: Any) -> None:
        self.more.setPlainText(row.more)


SPEC = ViewSpec(id="health", title="Trace health", area=Area.BOTTOM, factory=HealthView, empty=layout.empty)
