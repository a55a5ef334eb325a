"""Samples in order with median and interquartile band, one colour a series; imports pyqtgraph, so load it late."""

from __future__ import annotations

from collections.abc import Sequence

import pyqtgraph as pg
from PySide6.QtCore import Qt
from PySide6.QtGui import QColor

from profviz.ui.widgets.palette import Palette
from profviz.ui.widgets.panel_style import with_alpha
from profviz.ui.widgets.plot_values import SampleSeries

SYMBOLS = ("o", "s", "t", "d", "p", "h")
"""The shape says the series too, so that colour is never the only sign."""


AXES = (("left", "step time (ms)"), ("bottom", "step in order of measurement"))


class SamplePlot(pg.PlotWidget):
    """A plot that zooms with Ctrl+wheel only, so that scrolling past it changes nothing; a double click shows all."""

    def __init__(self, palette: Palette, *, name: str) -> None:
        super().__init__()
        self._colours = palette
        self._series: tuple[SampleSeries, ...] = ()
        self._dividers: tuple[float, ...] = ()
        self.setAccessibleName(name)
        self.viewport().setAccessibleName(name)  # it is what the mouse and the keyboard reach
        self.setFrameShape(pg.QtWidgets.QFrame.Shape.NoFrame)
        self.hideButtons()
        self.setMenuEnabled(False)
        self.setToolTip("Ctrl+wheel zooms, dragging moves, a double click shows all")
        self.getPlotItem().setContentsMargins(0, 4, 8, 0)
        self.apply(palette)

    def show_series(self, series: Sequence[SampleSeries], *, dividers: Sequence[float] = ()) -> None:
        """`dividers` are positions of faint vertical lines (a new round)."""
        self._series, self._dividers = tuple(series), tuple(dividers)
        self.clear()
        for position in self._dividers:
            self.addItem(pg.InfiniteLine(position, angle=90, pen=pg.mkPen(self._colours.border)))
        for index, one in enumerate(self._series):
            self._draw(one, SYMBOLS[index % len(SYMBOLS)])
        top = max((value for one in self._series for value in (*one.values_ms, *one.apart_ms)), default=1.0)
        self.setYRange(0.0, top * 1.05, padding=0)
        self.getPlotItem().getViewBox().enableAutoRange(axis="x")

    def apply(self, palette: Palette) -> None:
        self._colours = palette
        self.setBackground(palette.panel)
        for side, label in AXES:
            axis = self.getPlotItem().getAxis(side)
            axis.setPen(pg.mkPen(palette.border))
            axis.setTextPen(pg.mkPen(palette.muted))
            axis.enableAutoSIPrefix(False)
            axis.setLabel(label, color=palette.muted)
        self.getPlotItem().showGrid(y=True, alpha=0.12)
        self.show_series(self._series, dividers=self._dividers)

    def name_axes(self, *, named: bool) -> None:
        """What the axes are called takes room that a low plot needs itself."""
        for side, _ in AXES:
            self.getPlotItem().getAxis(side).showLabel(named)

    def wheelEvent(self, event: pg.QtGui.QWheelEvent) -> None:
        if event.modifiers() & Qt.KeyboardModifier.ControlModifier:
            super().wheelEvent(event)
        else:
            event.ignore()

    def mouseDoubleClickEvent(self, event: pg.QtGui.QMouseEvent) -> None:
        self.show_series(self._series, dividers=self._dividers)

    def _draw(self, one: SampleSeries, symbol: str) -> None:
        colour = QColor(self._colours.kinds[one.kind])
        if one.low_ms is not None and one.high_ms is not None:
            band = pg.LinearRegionItem((one.low_ms, one.high_ms), orientation="horizontal", movable=False)
            band.setBrush(with_alpha(colour.name(), 0.18))
            for line in band.lines:
                line.setPen(pg.mkPen(None))
            self.addItem(band)
        if one.median_ms is not None:
            self.addItem(pg.InfiniteLine(one.median_ms, angle=0, pen=pg.mkPen(colour, width=1.5)))
        self.addItem(self._points(one.positions, one.values_ms, symbol, brush=colour))
        if one.apart_ms:
            self.addItem(self._points(one.apart_positions, one.apart_ms, "x", brush=colour))

    def _points(
        self, positions: Sequence[float], values: Sequence[float], symbol: str, *, brush: QColor
    ) -> pg.ScatterPlotItem:
        return pg.ScatterPlotItem(
            x=list(positions),
            y=list(values),
            symbol=symbol,
            size=7,
            pen=pg.mkPen(None),
            brush=pg.mkBrush(brush),
            hoverable=True,
            tip=_tip,
        )


def _tip(x: float, y: float, data: object) -> str:
    place = f"step {x:.0f}" if x >= 0 else "left out"
    return f"{place}: {y:.3f} ms"
