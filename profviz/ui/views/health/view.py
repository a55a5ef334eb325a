"""The table of the readers' notes with the whole note and its examples beside it; an example leads to its slice."""

from __future__ import annotations

from typing import Any

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QHBoxLayout, QPlainTextEdit, QSplitter

from profviz.model.results import Results
from profviz.ui.view_state import Pick, TimeWindow, ViewState
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
        self.examples = TableView(palette, name="Examples of the chosen note")
        self._state = state
        self._results: Results | None = None
        self._build()
        self.set_palette(palette)

    def show_results(self, results: Results) -> None:
        self._results = results
        rows = layout.rows(results)
        self.show_message(layout.empty(results))
        text, tone = layout.summary(rows)
        self.summary.show_text(text, role=tone)
        self.read.show_text(layout.read_text(results))
        self.table.show_table(layout.COLUMNS, rows)
        self._parts.setVisible(bool(rows))
        self.table.mark({0} if rows else set())
        if rows:
            self._explain(rows[0])

    def set_palette(self, palette: Palette) -> None:
        self.apply(palette)
        self.table.apply(palette)
        self.examples.apply(palette)

    def widget(self) -> HealthView:
        return self

    def _build(self) -> None:
        self.more.setReadOnly(True)
        self.more.setAccessibleName("The chosen note in full")
        self.more.setTabChangesFocus(True)
        self.more.document().setDocumentMargin(8)
        self.table.chosen.connect(self._explain)
        self.examples.chosen.connect(self._show_example)
        about = QSplitter(Qt.Orientation.Vertical)
        about.addWidget(self.more)
        about.addWidget(self.examples)
        about.setSizes([80, 160])
        about.setChildrenCollapsible(False)
        parts = self._parts = QSplitter(Qt.Orientation.Horizontal)
        parts.addWidget(self.table)
        parts.addWidget(about)
        parts.setStretchFactor(0, 3)
        parts.setStretchFactor(1, 2)
        parts.setSizes([720, 480])
        parts.setChildrenCollapsible(False)
        top = QHBoxLayout()
        top.addWidget(self.summary, 1)
        top.addWidget(self.read)
        self.column.addLayout(top)
        self.column.addWidget(parts, 1)

    def _explain(self, row: Any) -> None:
        self.more.setPlainText(row.more)
        found = layout.examples(self._results, row) if self._results is not None else ()
        self.examples.show_table(layout.EXAMPLE_COLUMNS, found)
        self.examples.setVisible(bool(found))

    def _show_example(self, row: Any) -> None:
        """Selects the example's slice and brings it into sight with as much again on both sides."""
        if row.slice < 0 or self._results is None:
            return
        slices = self._results.sides[row.side].trace.slices
        start_ns, dur_ns = int(slices.start_ns[row.slice]), max(1, int(slices.dur_ns[row.slice]))
        offsets_ns = self._state.offsets_ns
        shift_ns = offsets_ns[row.side] if row.side < len(offsets_ns) else 0
        self._state.pick(Pick(side=row.side, slice=row.slice))
        window = TimeWindow(start_ns - dur_ns - shift_ns, start_ns + 2 * dur_ns - shift_ns)
        self._state.show_window(window, remember=True)


SPEC = ViewSpec(id="health", title="Trace health", area=Area.BOTTOM, factory=HealthView, empty=layout.empty)
