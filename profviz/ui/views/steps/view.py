"""The plot of measured steps beside the table of profiled ones; pyqtgraph is loaded when there is something to plot."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QHBoxLayout, QSplitter, QVBoxLayout, QWidget

from profviz.model.results import Results
from profviz.ui.view_state import TimeWindow, ViewState
from profviz.ui.views.spec import Area, ViewSpec
from profviz.ui.views.steps import layout
from profviz.ui.widgets.palette import Palette
from profviz.ui.widgets.panel_text import Panel, TextLabel
from profviz.ui.widgets.table_view import TableView

if TYPE_CHECKING:
    from profviz.ui.widgets.plot_samples import SamplePlot


class StepsView(Panel):
    """A chosen profiled step becomes the visible time window of the timelines."""

    def __init__(self, state: ViewState, palette: Palette) -> None:
        super().__init__(name="Steps")
        self._state = state
        self._colours = palette
        self._results: Results | None = None
        self.plot: SamplePlot | None = None
        self._left = QWidget()
        self._plot_column = QVBoxLayout(self._left)
        self._legend = QVBoxLayout()
        self.legend_labels: list[tuple[TextLabel, int]] = []
        self.table = TableView(palette, name="Profiled steps")
        self._build()
        self.set_palette(palette)

    def show_results(self, results: Results) -> None:
        self._results = results
        self.show_message(layout.empty(results))
        self.table.show_table(layout.COLUMNS, layout.rows(results))
        self.table.setVisible(bool(layout.rows(results)))
        series = layout.series(results)
        self._left.setVisible(bool(series))
        if series:
            self._show_plot(results)

    def set_palette(self, palette: Palette) -> None:
        self._colours = palette
        self.apply(palette)
        self.table.apply(palette)
        if self.plot is not None:
            self.plot.apply(palette)
        self._colour_legend()

    def widget(self) -> StepsView:
        return self

    def _build(self) -> None:
        self._plot_column.setContentsMargins(0, 0, 8, 0)
        self._plot_column.setSpacing(2)
        self._legend.setSpacing(0)
        self._plot_column.addLayout(self._legend)
        parts = QSplitter(Qt.Orientation.Horizontal)
        parts.addWidget(self._left)
        parts.addWidget(self.table)
        parts.setStretchFactor(0, 1)
        parts.setStretchFactor(1, 1)
        parts.setSizes([560, 640])
        parts.setChildrenCollapsible(False)
        self.table.chosen.connect(self._show_step)
        self.column.addWidget(parts, 1)

    def _show_plot(self, results: Results) -> None:
        if self.plot is None:
            from profviz.ui.widgets.plot_samples import SamplePlot  # slow to import: only when a run is shown

            self.plot = SamplePlot(self._colours, name="Measured step times")
            self._plot_column.addWidget(self.plot, 1)
        self.plot.show_series(layout.series(results), dividers=layout.round_starts(results))
        self._fill_legend(results)

    def _fill_legend(self, results: Results) -> None:
        while self._legend.count():
            self._legend.takeAt(0).widget().deleteLater()
        self.legend_labels = []
        for symbol, kind, text in layout.legend(results):
            line = QWidget()
            row = QHBoxLayout(line)
            row.setContentsMargins(0, 0, 0, 0)
            sign = TextLabel(symbol, wrap=False)
            self.legend_labels.append((sign, kind))
            row.addWidget(sign)
            row.addWidget(TextLabel(text, role="muted"), 1)
            self._legend.addWidget(line)
        self._colour_legend()

    def _colour_legend(self) -> None:
        for sign, kind in self.legend_labels:
            sign.setStyleSheet(f"color: {self._colours.kinds[kind]};")

    def _show_step(self, row: Any) -> None:
        step = row.step
        end_ns = max(step.end_ns, step.gpu_last_ns or 0)
        offsets_ns = self._state.offsets_ns
        offset_ns = offsets_ns[row.side] if row.side < len(offsets_ns) else 0
        self._state.show_window(TimeWindow(step.start_ns - offset_ns, end_ns - offset_ns), remember=True)


SPEC = ViewSpec(id="steps", title="Steps", area=Area.BOTTOM, factory=StepsView, empty=layout.empty)
