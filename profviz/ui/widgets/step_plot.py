"""One plot of step functions over time with the visible window on it; costs pixels, and knows no profiler."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from PySide6.QtCore import QEvent, QLineF, QPointF, QRectF, QSize, Qt, Signal
from PySide6.QtGui import (
    QColor,
    QFontMetrics,
    QHelpEvent,
    QKeyEvent,
    QMouseEvent,
    QPainter,
    QPaintEvent,
    QPen,
    QPolygonF,
)
from PySide6.QtWidgets import QSizePolicy, QToolTip, QWidget

from profviz.model.units import format_ns
from profviz.ui.widgets.paint_faults import told
from profviz.ui.widgets.palette import Palette
from profviz.ui.widgets.panel_style import plain_tip, tabular, verbatim, with_alpha
from profviz.ui.widgets.panel_text import bold_font
from profviz.ui.widgets.step_columns import column_edges, step_extremes, value_at
from profviz.ui.widgets.step_values import StepMark, StepPlotData, StepSeries

HEAD, HEIGHT, AXIS = 22, 96, 72
DASH = 4
SAMPLE, GAP = 22, 16
MIDDLE = int(Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignLeft)


class StepPlot(QWidget):
    """`moved` carries the time under the mouse when it is pressed or dragged; Left and Right ask for a move, too."""

    moved = Signal(object)

    def __init__(self, palette: Palette, data: StepPlotData) -> None:
        super().__init__()
        self._colours = palette
        self._span = (0, 1)
        self._window = (0, 1)
        self._drawn: tuple[object, list[tuple[StepSeries, np.ndarray, np.ndarray]]] | None = None
        self.setFixedHeight(HEIGHT)
        self.setMinimumWidth(200)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.show_data(data)

    def show_data(self, data: StepPlotData) -> None:
        self.data = data
        self._drawn = None
        self.setAccessibleName(data.title)
        self.setAccessibleDescription("; ".join(mark.text for mark in data.marks))
        self.update()

    def show_span(self, span: tuple[int, int], window: tuple[int, int]) -> None:
        """The time from left to right, and the part of it that the timelines show."""
        self._span, self._window = span, window
        self.update()

    def apply(self, palette: Palette) -> None:
        self._colours = palette
        self.update()

    def sizeHint(self) -> QSize:
        return QSize(400, HEIGHT)

    def time_at(self, x: float) -> int:
        area = self._area()
        start, end = self._span
        share = min(1.0, max(0.0, (x - area.left()) / max(1.0, area.width())))
        return start + round((end - start) * share)

    def x_of(self, time_ns: int) -> float:
        area = self._area()
        start, end = self._span
        return area.left() + area.width() * (time_ns - start) / max(1, end - start)

    def event(self, event: QEvent) -> bool:
        if event.type() == QEvent.Type.ToolTip and isinstance(event, QHelpEvent):
            QToolTip.showText(event.globalPos(), plain_tip(self.told_at(self.time_at(event.pos().x()))), self)
            return True
        return super().event(event)

    def told_at(self, time_ns: int) -> str:
        """The values at a moment, as the tool tip says them."""
        found = [(one.title, value_at(one.time_ns, one.value, time_ns)) for one in self.data.series]
        texts = [f"{title}: {'unknown' if value is None else self.data.read(value)}" for title, value in found]
        return "\n".join([f"at {format_ns(time_ns, digits=6)}", *texts])

    def mousePressEvent(self, event: QMouseEvent) -> None:
        if event.button() == Qt.MouseButton.LeftButton:
            self.moved.emit(self.time_at(event.position().x()))

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        if event.buttons() & Qt.MouseButton.LeftButton:
            self.moved.emit(self.time_at(event.position().x()))

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        event.accept()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() not in (Qt.Key.Key_Left, Qt.Key.Key_Right):
            super().keyPressEvent(event)
            return
        start, end = self._window
        step = max(1, (end - start) // 4) * (1 if event.key() == Qt.Key.Key_Right else -1)
        self.moved.emit((start + end) // 2 + step)

    @told
    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        font = tabular(verbatim(self.font()))
        painter.setFont(font)
        self._paint_head(painter)
        area = self._area()
        painter.fillRect(area, QColor(self._colours.lane))
        self._paint_scale(painter, area)
        for one, low, high in self._columns(area):
            self._paint_series(painter, area, one, low, high)
        for mark in self.data.marks:
            self._paint_mark(painter, area, mark)
        self._paint_window(painter, area)
        if self.hasFocus():
            painter.setPen(QColor(self._colours.accent))
            painter.drawRect(area.adjusted(0, 0, -1, -1))

    def _area(self) -> QRectF:
        return QRectF(AXIS, HEAD, max(1, self.width() - AXIS - 4), HEIGHT - HEAD - 6)

    def _y(self, area: QRectF, value: float) -> float:
        return area.bottom() - area.height() * value / (self.data.top * 1.08 or 1.0)

    def _columns(self, area: QRectF) -> list[tuple[StepSeries, np.ndarray, np.ndarray]]:
        """Worked out once for a width and a span, however often it is painted."""
        key = (self._span, int(area.width()))
        if self._drawn is None or self._drawn[0] != key:
            edges = column_edges(*self._span, int(area.width()))
            found = [(one, *step_extremes(one.time_ns, one.value, edges)) for one in self.data.series]
            self._drawn = (key, found)
        return self._drawn[1]

    def _paint_head(self, painter: QPainter) -> None:
        """The title, then what its lines and pointers stand for."""
        plain, bold = painter.font(), bold_font(painter.font())
        width = QFontMetrics(plain).horizontalAdvance
        shown = self.data.series if len(self.data.series) > 1 else ()
        entries = sum(SAMPLE + GAP + width(text) for text in (*(one.title for one in shown), *self._mark_texts()))
        room = max(80, self.width() - entries - GAP)
        title = QFontMetrics(bold).elidedText(self.data.title, Qt.TextElideMode.ElideMiddle, room)
        painter.setFont(bold)
        painter.setPen(QColor(self._colours.text))
        painter.drawText(QRectF(0, 0, room, HEAD), MIDDLE, title)
        painter.setFont(plain)
        x = QFontMetrics(bold).horizontalAdvance(title) + float(GAP)
        for one in shown:
            self._paint_sample(painter, x, one)
            x = self._write(painter, x, one.title)
        for text in self._mark_texts():
            self._paint_pointer(painter, x + 8, HEAD / 2 + 4)
            x = self._write(painter, x, text)

    def _mark_texts(self) -> tuple[str, ...]:
        return tuple(mark.text for mark in self.data.marks)

    def _write(self, painter: QPainter, x: float, text: str) -> float:
        """Beside a sample at `x`; returns where the next one begins."""
        painter.setPen(QColor(self._colours.muted))
        painter.drawText(QRectF(x + SAMPLE, 0, self.width(), HEAD), MIDDLE, text)
        return x + SAMPLE + GAP + painter.fontMetrics().horizontalAdvance(text)

    def _paint_sample(self, painter: QPainter, x: float, one: StepSeries) -> None:
        colour = self._colour(one)
        if not one.dashed:
            painter.fillRect(QRectF(x, HEAD / 2 - 4, 16, 8), with_alpha(colour.name(), 0.3))
            painter.fillRect(QRectF(x, HEAD / 2 - 4, 16, 2), colour)
            return
        for dash in (0, 6, 12):
            painter.fillRect(QRectF(x + dash, HEAD / 2 - 1, 4, 2), colour)

    def _colour(self, one: StepSeries) -> QColor:
        return QColor(self._colours.text if one.dashed else self._colours.accent)

    def _paint_scale(self, painter: QPainter, area: QRectF) -> None:
        painter.setPen(QColor(self._colours.muted))
        right = int(Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignRight)
        for value in (0.0, self.data.top):
            y = self._y(area, value)
            painter.fillRect(QRectF(area.left(), y, area.width(), 1), with_alpha(self._colours.border, 0.8))
            label = QRectF(0, min(area.bottom() - 14, y - 8), AXIS - 8, 16)
            painter.drawText(label, right, self.data.read(value))

    def _paint_series(
        self, painter: QPainter, area: QRectF, one: StepSeries, low: np.ndarray, high: np.ndarray
    ) -> None:
        colour = self._colour(one)
        if not one.dashed:
            filled = [
                QRectF(area.left() + at, self._y(area, value), 1, area.bottom() - self._y(area, value))
                for at, value in _known(low)
            ]
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(with_alpha(colour.name(), 0.28))
            painter.drawRects(filled)
        painter.setPen(QPen(colour, 1.0))
        painter.drawLines(self._outline(area, low, high, dashed=one.dashed))

    def _outline(self, area: QRectF, low: np.ndarray, high: np.ndarray, *, dashed: bool) -> list[QLineF]:
        """A line a column, from its lowest value to its highest, drawn on to where the column before ended."""
        lines, before = [], None
        for at, top in _known(high):
            bottom = float(low[at])
            reach = (bottom, top) if before is None else (min(bottom, before[1]), max(top, before[0]))
            x = area.left() + at + 0.5
            if not dashed or at // DASH % 2 == 0 or reach[0] != reach[1]:
                lines.append(QLineF(x, self._y(area, reach[0]) + 0.5, x, self._y(area, reach[1]) - 0.5))
            before = (bottom, top)
        return lines

    def _paint_mark(self, painter: QPainter, area: QRectF, mark: StepMark) -> None:
        self._paint_pointer(painter, self.x_of(mark.time_ns), self._y(area, mark.value))

    def _paint_pointer(self, painter: QPainter, x: float, y: float) -> None:
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(QColor(self._colours.warn))
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.drawPolygon(QPolygonF([QPointF(x, y), QPointF(x - 5, y - 8), QPointF(x + 5, y - 8)]))
        painter.setRenderHint(QPainter.RenderHint.Antialiasing, False)

    def _paint_window(self, painter: QPainter, area: QRectF) -> None:
        """What the timelines do not show stands back."""
        left = min(area.right(), max(area.left(), self.x_of(self._window[0])))
        right = min(area.right(), max(area.left(), self.x_of(self._window[1])))
        shade = with_alpha(self._colours.panel, 0.55)
        painter.fillRect(QRectF(area.left(), area.top(), left - area.left(), area.height()), shade)
        painter.fillRect(QRectF(right, area.top(), area.right() - right, area.height()), shade)
        for x in (left, max(left, right - 1)):
            painter.fillRect(QRectF(x, area.top(), 1, area.height()), QColor(self._colours.accent))


def _known(values: np.ndarray) -> Iterator[tuple[int, float]]:
    return ((at, value) for at, value in enumerate(values.tolist()) if value == value)
