"""The plot of measured steps; pyqtgraph is loaded when there is something to plot."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QBoxLayout, QHBoxLayout, QWidget

from profviz.model.results import Results
from profviz.ui.view_state import ViewState
from profviz.ui.views.spec import Area, ViewSpec
from profviz.ui.views.steps import layout
from profviz.ui.widgets.palette import Palette
from profviz.ui.widgets.panel_text import Panel, TextLabel

if TYPE_CHECKING:
    from profviz.ui.widgets.plot_samples import SamplePlot


LOW = 200


class StepsView(Panel):
    """Each variant's steady steps in the order they were measured, with the figures in a legend."""

    def __init__(self, state: ViewState, palette: Palette) -> None:
        super().__init__(name="Step times")
        self._colours = palette
        self.plot: SamplePlot | None = None
        self._legend = QBoxLayout(QBoxLayout.Direction.TopToBottom)
        self.legend_labels: list[tuple[TextLabel, int]] = []
        self._legend.setSpacing(0)
        self._legend.setContentsMargins(0, 0, 0, 0)
        self.column.setSpacing(2)
        self.column.addLayout(self._legend)
        self.set_palette(palette)

    def show_results(self, results: Results) -> None:
        self.show_message(layout.empty(results))
        if layout.series(results):
            self._show_plot(results)

    def set_palette(self, palette: Palette) -> None:
        self._colours = palette
        self.apply(palette)
        if self.plot is not None:
            self.plot.apply(palette)
        self._colour_legend()

    def widget(self) -> StepsView:
        return self

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._arrange()

    def _arrange(self) -> None:
        """In a low panel the legend is one line, and the plot does without what its axes are called."""
        low = self.height() < LOW
        self._legend.setDirection(QBoxLayout.Direction.LeftToRight if low else QBoxLayout.Direction.TopToBottom)
        self._legend.setSpacing(16 if low else 0)
        if self.plot is not None:
            self.plot.name_axes(named=not low)

    def _show_plot(self, results: Results) -> None:
        if self.plot is None:
            from profviz.ui.widgets.plot_samples import SamplePlot  # slow to import: only when a run is shown

            self.plot = SamplePlot(self._colours, name="Measured step times")
            self.column.addWidget(self.plot, 1)
        self.plot.show_series(layout.series(results), dividers=layout.round_starts(results))
        self._fill_legend(results)
        self._arrange()

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


SPEC = ViewSpec(id="steps", title="Step times", area=Area.BOTTOM, factory=StepsView, empty=layout.empty)
