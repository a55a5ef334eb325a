"""Values over places in an order, with the place that is looked at; costs pixels, and knows no profiler."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
from PySide6.QtCore import QEvent, QLineF, QPointF, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QColor, QHelpEvent, QKeyEvent, QMouseEvent, QPainter, QPaintEvent, QPen, QPolygonF
from PySide6.QtWidgets import QSizePolicy, QToolTip, QWidget

from profviz.ui.widgets.paint_faults import told
from profviz.ui.widgets.palette import Palette
from profviz.ui.widgets.panel_style import plain_tip, tabular, verbatim, with_alpha
from profviz.ui.widgets.panel_text import bold_font
from profviz.ui.widgets.step_columns import step_extremes

HEAD, LEAST, WANTED, AXIS = 24, 72, 104, 72
DASH = 4
_STEPS = {Qt.Key.Key_Left: -1, Qt.Key.Key_Right: 1, Qt.Key.Key_PageUp: -10, Qt.Key.Key_PageDown: 10}
_RIGHT = int(Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignRight)
_LEFT = int(Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignLeft)


@dataclass(frozen=True, slots=True, eq=False)
class OrderSeries:
    """`values[i]` holds from place i until the next; a `dashed` one is a bare line, the other has its area filled."""

    title: str
    values: npt.NDArray[Any]
    dashed: bool = False


@dataclass(frozen=True, slots=True, eq=False)
class OrderPlotData:
    """`read` writes a value for people, `told` says in words what a place is; `places` is how many there are."""

    title: str
    series: tuple[OrderSeries, ...] = ()
    places: int = 0
    read: Callable[[float], str] = str
    told: Callable[[int], str] = str

    @property
    def top(self) -> float:
        return max((float(one.values.max()) for one in self.series if len(one.values)), default=0.0)


class OrderPlot(QWidget):
    """`chosen` carries the place that was pressed, dragged to, or reached with the arrow keys."""

    chosen = Signal(int)

    def __init__(self, palette: Palette, *, name: str) -> None:
        super().__init__()
        self._colours = palette
        self.data = OrderPlotData(name)
        self.place = -1
        self.setMinimumSize(160, LEAST)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Preferred)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setAccessibleName(name)

    def show_data(self, data: OrderPlotData) -> None:
        self.data, self.place = data, -1
        self._describe()
        self.update()

    def mark(self, place: int) -> None:
        """Shows where one is, -1 for nowhere."""
        self.place = place
        self._describe()
        self.update()

    def apply(self, palette: Palette) -> None:
        self._colours = palette
        self.update()

    def sizeHint(self) -> QSize:
        return QSize(320, WANTED)

    def place_at(self, x: float) -> int:
        area = self._area()
        share = (x - area.left()) / max(1.0, area.width())
        return min(max(0, int(share * self.data.places)), self.data.places - 1)

    def event(self, event: QEvent) -> bool:
        if event.type() == QEvent.Type.ToolTip and isinstance(event, QHelpEvent):
            QToolTip.showText(event.globalPos(), plain_tip(self.told_at(self.place_at(event.pos().x()))), self)
            return True
        return super().event(event)

    def told_at(self, place: int) -> str:
        """What a place is and the values before it, as the tool tip says them."""
        if not 0 <= place < self.data.places:
            return ""
        lines = [f"{one.title}: {self.data.read(float(one.values[place]))}" for one in self.data.series]
        return "\n".join([self.data.told(place), *lines])

    def mousePressEvent(self, event: QMouseEvent) -> None:
        if event.button() == Qt.MouseButton.LeftButton:
            self._choose(self.place_at(event.position().x()))

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        if event.buttons() & Qt.MouseButton.LeftButton:
            self._choose(self.place_at(event.position().x()))

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        event.accept()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        ends = {Qt.Key.Key_Home: 0, Qt.Key.Key_End: self.data.places - 1}
        key = Qt.Key(event.key())
        if key in _STEPS and not event.modifiers() & ~Qt.KeyboardModifier.KeypadModifier:
            self._choose(min(max(0, self.place + _STEPS[key]), self.data.places - 1))
        elif key in ends:
            self._choose(ends[key])
        else:
            super().keyPressEvent(event)

    def _choose(self, place: int) -> None:
        if 0 <= place < self.data.places and place != self.place:
            self.chosen.emit(place)

    def _describe(self) -> None:
        self.setAccessibleDescription(self.told_at(self.place).replace("\n", "; "))

    @told
    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.setFont(tabular(verbatim(self.font())))
        area = self._area()
        painter.fillRect(area, QColor(self._colours.lane))
        self._paint_head(painter)
        self._paint_scale(painter, area)
        if self.data.places:
            for one in self.data.series:
                self._paint_series(painter, area, one)
            self._paint_place(painter, area)
        if self.hasFocus():
            painter.setPen(QColor(self._colours.accent))
            painter.drawRect(area.adjusted(0, 0, -1, -1))

    def _area(self) -> QRectF:
        return QRectF(AXIS, HEAD, max(1, self.width() - AXIS - 4), max(1, self.height() - HEAD - 6))

    def _y(self, area: QRectF, value: float) -> float:
        return area.bottom() - area.height() * value / (self.data.top * 1.08 or 1.0)

    def _x(self, area: QRectF, place: float) -> float:
        return area.left() + area.width() * place / max(1, self.data.places)

    def _paint_head(self, painter: QPainter) -> None:
        plain, bold = painter.font(), bold_font(painter.font())
        painter.setFont(bold)
        painter.setPen(QColor(self._colours.text))
        painter.drawText(QRectF(0, 0, self.width(), HEAD), _LEFT, self.data.title)
        x = painter.fontMetrics().horizontalAdvance(self.data.title) + 16.0
        painter.setFont(plain)
        for one in self.data.series if len(self.data.series) > 1 else ():
            colour = QColor(self._colour(one))
            for dash in (0, 6, 12):
                painter.fillRect(QRectF(x + dash, HEAD / 2, 4 if one.dashed else 6, 2), colour)
            painter.setPen(QColor(self._colours.muted))
            painter.drawText(QRectF(x + 22, 0, self.width(), HEAD), _LEFT, one.title)
            x += 38 + painter.fontMetrics().horizontalAdvance(one.title)

    def _paint_scale(self, painter: QPainter, area: QRectF) -> None:
        painter.setPen(QColor(self._colours.muted))
        for value in (0.0, self.data.top) if self.data.top else (0.0,):
            y = self._y(area, value)
            painter.fillRect(QRectF(area.left(), y, area.width(), 1), with_alpha(self._colours.border, 0.8))
            label = QRectF(0, min(area.bottom() - 14, y - 8), AXIS - 8, 16)
            painter.drawText(label, _RIGHT, self.data.read(value))

    def _colour(self, one: OrderSeries) -> str:
        return self._colours.text if one.dashed else self._colours.accent

    def _paint_series(self, painter: QPainter, area: QRectF, one: OrderSeries) -> None:
        """A line a column of pixels, from its lowest value to its highest, drawn on to where the one before ended."""
        columns = int(area.width())
        edges = np.arange(columns + 1, dtype=np.int64) * self.data.places
        low, high = step_extremes(np.arange(len(one.values), dtype=np.int64) * columns, one.values, edges)
        lines, before, fill = [], None, with_alpha(self._colour(one), 0.28)
        for at, (bottom, top) in enumerate(zip(low.tolist(), high.tolist(), strict=True)):
            reach = (bottom, top) if before is None else (min(bottom, before[1]), max(top, before[0]))
            x = area.left() + at
            if not one.dashed:
                painter.fillRect(QRectF(x, self._y(area, bottom), 1, area.bottom() - self._y(area, bottom)), fill)
            if not one.dashed or at // DASH % 2 == 0 or reach[0] != reach[1]:
                lines.append(QLineF(x + 0.5, self._y(area, reach[0]) + 0.5, x + 0.5, self._y(area, reach[1]) - 0.5))
            before = (bottom, top)
        painter.setPen(QPen(QColor(self._colour(one)), 1.0))
        painter.drawLines(lines)

    def _paint_place(self, painter: QPainter, area: QRectF) -> None:
        if not 0 <= self.place < self.data.places:
            return
        left, right = self._x(area, self.place), self._x(area, self.place + 1)
        painter.fillRect(QRectF(left, area.top(), max(1.0, right - left), area.height()), _shade(self._colours))
        middle, y = (left + right) / 2, area.top()
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(QColor(self._colours.warn))
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.drawPolygon(QPolygonF([QPointF(middle, y + 8), QPointF(middle - 5, y), QPointF(middle + 5, y)]))
        painter.setRenderHint(QPainter.RenderHint.Antialiasing, False)


def _shade(palette: Palette) -> QColor:
    return with_alpha(palette.warn, 0.55)
