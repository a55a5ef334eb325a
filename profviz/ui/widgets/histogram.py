"""A painted histogram of one or several series; the rows above it are its legend and say what the bin in hand holds."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QPointF, QRectF, QSize, Qt
from PySide6.QtGui import (
    QBrush,
    QColor,
    QFocusEvent,
    QFont,
    QFontMetricsF,
    QKeyEvent,
    QMouseEvent,
    QPainter,
    QPainterPath,
    QPaintEvent,
    QPen,
    QPolygonF,
)
from PySide6.QtWidgets import QSizePolicy, QWidget

from profviz.ui.widgets import histogram_values as values
from profviz.ui.widgets.histogram_values import F64, HistogramData, HistogramSeries
from profviz.ui.widgets.paint_faults import told
from profviz.ui.widgets.palette import Palette
from profviz.ui.widgets.panel_style import tabular, verbatim, with_alpha

ROW, AXIS, LEFT, RIGHT, MARK = 18, 20, 8, 12, 12
SWATCH = 22
LEAST_PLOT, GOOD_PLOT = 24, 72
LEAST_TITLE = 128
_LINES = (Qt.PenStyle.SolidLine, Qt.PenStyle.DashLine, Qt.PenStyle.DotLine, Qt.PenStyle.DashDotLine)
_FILLS = (
    Qt.BrushStyle.SolidPattern,
    Qt.BrushStyle.BDiagPattern,
    Qt.BrushStyle.FDiagPattern,
    Qt.BrushStyle.DiagCrossPattern,
)
"""Outline and pattern say the series too, so that colour is never the only sign."""

_LEFT = int(Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter | Qt.TextFlag.TextSingleLine)
_RIGHT = int(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter | Qt.TextFlag.TextSingleLine)
_CENTRE = int(Qt.AlignmentFlag.AlignCenter | Qt.TextFlag.TextSingleLine)


class Histogram(QWidget):
    """Left and Right walk over the bins, Home and End go to the first and last, Escape lets go; so does the mouse."""

    def __init__(self, palette: Palette, *, name: str) -> None:
        super().__init__()
        self._colours = palette
        self._data = values.nothing()
        self._bin = -1
        self.setFont(tabular(verbatim(self.font())))
        self.setAccessibleName(name)
        self.setMouseTracking(True)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Expanding)

    @property
    def data(self) -> HistogramData:
        return self._data

    @property
    def bin(self) -> int:
        """The bin in hand, or -1."""
        return self._bin

    def show_data(self, data: HistogramData) -> None:
        self._data = data
        self._take(-1)
        self.setMinimumHeight(self.minimumSizeHint().height())
        self.updateGeometry()

    def apply(self, palette: Palette) -> None:
        self._colours = palette
        self.update()

    def plot_rect(self) -> QRectF:
        """Where the bars stand."""
        top = self._top()
        return QRectF(LEFT, top, max(1, self.width() - LEFT - RIGHT), max(1, self.height() - top - AXIS))

    def sizeHint(self) -> QSize:
        return QSize(280, self._top_of(len(self._data.series)) + 100 + AXIS)

    def minimumSizeHint(self) -> QSize:
        return QSize(160, self._top_of(1) + LEAST_PLOT + AXIS)

    def _top(self) -> int:
        return self._top_of(1 if self._is_flat() else len(self._data.series))

    def _top_of(self, rows: int) -> int:
        return ROW * (rows + 1) + (MARK if self._data.marked_ns is not None else 4)

    def _is_flat(self) -> bool:
        """Whether the series stand beside each other, so that bars get room where it is wide and low."""
        count = len(self._data.series)
        low = self.height() < self._top_of(count) + GOOD_PLOT + AXIS
        return count > 1 and low and self.width() >= count * LEAST_TITLE

    def _take(self, index: int) -> None:
        self._bin = index
        self.setAccessibleDescription(values.spoken(self._data, index))
        self.update()

    # Events

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        plot, at = self.plot_rect(), event.position()
        inside = self._data.series and plot.left() <= at.x() <= plot.right() and at.y() >= plot.top()
        self._take(values.bin_at(self._data, at.x(), left=plot.left(), width=plot.width()) if inside else -1)

    def leaveEvent(self, event: QEvent) -> None:
        super().leaveEvent(event)
        self._take(-1)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        last = self._data.bins - 1
        key = event.key()
        moves = {
            Qt.Key.Key_Left: self._bin - 1 if self._bin >= 0 else last,
            Qt.Key.Key_Right: self._bin + 1,
            Qt.Key.Key_Home: 0,
            Qt.Key.Key_End: last,
        }
        if last >= 0 and key in moves:
            self._take(max(0, min(last, moves[Qt.Key(key)])))
        elif key == Qt.Key.Key_Escape and self._bin >= 0:
            self._take(-1)
        else:
            super().keyPressEvent(event)

    def focusInEvent(self, event: QFocusEvent) -> None:
        super().focusInEvent(event)
        self.update()

    def focusOutEvent(self, event: QFocusEvent) -> None:
        super().focusOutEvent(event)
        self._take(-1)

    # Painting

    @told
    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        if self._data.series:
            self._paint_rows(painter)
            self._paint_plot(painter, self.plot_rect())
        if self.hasFocus():
            painter.setPen(QPen(QColor(self._colours.accent), 1))
            painter.setBrush(Qt.BrushStyle.NoBrush)
            painter.drawRoundedRect(QRectF(self.rect()).adjusted(0.5, 0.5, -0.5, -0.5), 3, 3)

    def _paint_rows(self, painter: QPainter) -> None:
        """A line about the bins, then one a series: its sign, title and how many, in all or in the bin in hand."""
        data, width = self._data, self.width() - LEFT - RIGHT
        head = values.bin_text(data, self._bin) if self._bin >= 0 else values.about_text(data)
        self._write(painter, QRectF(LEFT, 0, width, ROW), head, right=f"tallest {values.top_text(data)}")
        among, flat = len(data.series), self._is_flat()
        for number, one in enumerate(data.series):
            row = QRectF(LEFT, ROW * (number + 1), width, ROW)
            if flat:
                row = QRectF(LEFT + width * number / among, ROW, width / among - (number < among - 1) * 16, ROW)
            swatch = QRectF(row.left(), row.center().y() - 5, 14, 10)
            painter.setPen(self._pen(number, one))
            painter.setBrush(self._brush(number, one))
            painter.drawRect(swatch)
            count = values.count_text(data, one, self._bin) if self._bin >= 0 else f"{one.total:,}".replace(",", " ")
            self._write(painter, row.adjusted(SWATCH, 0, 0, 0), one.title, right=count, strong=True)

    def _write(self, painter: QPainter, area: QRectF, text: str, *, right: str, strong: bool = False) -> None:
        metrics = QFontMetricsF(self.font())
        room = area.width() - metrics.horizontalAdvance(right) - 12
        painter.setFont(self.font())
        painter.setPen(QColor(self._colours.text if strong or self._bin >= 0 else self._colours.muted))
        painter.drawText(area, _LEFT, metrics.elidedText(text, Qt.TextElideMode.ElideRight, max(0.0, room)))
        painter.setPen(QColor(self._colours.text if strong else self._colours.muted))
        painter.drawText(area, _RIGHT, right)

    def _paint_plot(self, painter: QPainter, plot: QRectF) -> None:
        data = self._data
        borders = values.xs_of(data, data.edges, left=plot.left(), width=plot.width())
        if self._bin >= 0:
            left, right = float(borders[self._bin]), float(borders[self._bin + 1])
            painter.fillRect(
                QRectF(left, plot.top(), right - left, plot.height()), with_alpha(self._colours.accent, 0.16)
            )
        self._paint_axis(painter, plot)
        for number, (one, tall) in enumerate(zip(data.series, values.heights(data), strict=True)):
            path = _bars(borders, tall, plot)
            painter.fillPath(path, self._brush(number, one))
            painter.strokePath(path, self._pen(number, one))
        if data.marked_ns is not None:
            self._paint_mark(painter, plot, data.marked_ns)

    def _paint_axis(self, painter: QPainter, plot: QRectF) -> None:
        small = QFont(self.font())
        small.setPixelSize(max(9, self.fontInfo().pixelSize() - 1))
        painter.setFont(small)
        metrics = QFontMetricsF(small)
        free = plot.left() - 40
        for value, text in values.ticks(self._data, width=plot.width()):
            x = float(values.xs_of(self._data, [value], left=plot.left(), width=plot.width())[0])
            painter.setPen(QPen(with_alpha(self._colours.border, 0.7), 1))
            painter.drawLine(QPointF(x, plot.top()), QPointF(x, plot.bottom() + 3))
            width = metrics.horizontalAdvance(text)
            left = max(0.0, min(x - width / 2, self.width() - width - 1))
            if left >= free:
                painter.setPen(QColor(self._colours.muted))
                painter.drawText(QRectF(left - 1, plot.bottom() + 3, width + 2, AXIS - 4), _CENTRE, text)
                free = left + width + 8
        painter.setPen(QPen(QColor(self._colours.muted), 1))
        painter.drawLine(plot.bottomLeft(), plot.bottomRight())

    def _paint_mark(self, painter: QPainter, plot: QRectF, marked_ns: int) -> None:
        """A line with a flag on top, where the marked value lies."""
        x = float(values.xs_of(self._data, [marked_ns], left=plot.left(), width=plot.width())[0])
        colour = QColor(self._colours.selection)
        painter.setPen(QPen(colour, 1.5))
        painter.drawLine(QPointF(x, plot.top()), QPointF(x, plot.bottom()))
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(colour)
        top = plot.top()
        painter.drawPolygon(QPolygonF([QPointF(x - 5, top - 8), QPointF(x + 5, top - 8), QPointF(x, top)]))

    def _pen(self, number: int, one: HistogramSeries) -> QPen:
        pen = QPen(QColor(self._colours.kinds[one.kind]), 1.4, _LINES[number % len(_LINES)])
        pen.setJoinStyle(Qt.PenJoinStyle.MiterJoin)
        return pen

    def _brush(self, number: int, one: HistogramSeries) -> QBrush:
        style = _FILLS[number % len(_FILLS)]
        alpha = 0.35 if style is Qt.BrushStyle.SolidPattern else 0.8
        return QBrush(with_alpha(self._colours.kinds[one.kind], alpha), style)


def _bars(borders: F64, tall: F64, plot: QRectF) -> QPainterPath:
    """The outline of all bars that stand beside each other; one that is not empty is at least a pixel high."""
    path = QPainterPath()
    down = True
    for left, right, part in zip(borders[:-1].tolist(), borders[1:].tolist(), tall.tolist(), strict=True):
        if part <= 0:
            if not down:
                path.lineTo(left, plot.bottom())
            down = True
            continue
        y = plot.bottom() - max(1.5, part * plot.height())
        if down:
            path.moveTo(left, plot.bottom())
        path.lineTo(left, y)
        path.lineTo(right, y)
        down = False
    if not down:
        path.lineTo(float(borders[-1]), plot.bottom())
    return path
