"""Signed bars with a label and a value each, painted on one scale from a common zero; knows no profiler."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QRect, QRectF, QSize, Qt
from PySide6.QtGui import QColor, QFontMetrics, QPainter, QPaintEvent
from PySide6.QtWidgets import QSizePolicy, QWidget

from profviz.ui.widgets.paint_faults import told
from profviz.ui.widgets.palette import Palette
from profviz.ui.widgets.panel_style import tabular, tone_colour
from profviz.ui.widgets.panel_values import SignedBar

ROW_HEIGHT = 40
BAR_HEIGHT = 6


class SignedBars(QWidget):
    """Rows of label, value and bar; the longest bar gives the scale."""

    def __init__(self, palette: Palette, *, name: str) -> None:
        super().__init__()
        self._colours = palette
        self._name = name
        self._bars: tuple[SignedBar, ...] = ()
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)

    def show_bars(self, bars: Sequence[SignedBar]) -> None:
        self._bars = tuple(bars)
        self.setAccessibleName(f"{self._name}: " + "; ".join(f"{bar.label} {bar.text}" for bar in bars))
        self.setFixedHeight(max(1, len(bars)) * ROW_HEIGHT)
        self.update()

    def apply(self, palette: Palette) -> None:
        self._colours = palette
        self.update()

    def sizeHint(self) -> QSize:
        return QSize(200, max(1, len(self._bars)) * ROW_HEIGHT)

    @told
    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        low = min((0.0, *(bar.amount for bar in self._bars)))
        high = max((0.0, *(bar.amount for bar in self._bars)))
        scale = self.width() / ((high - low) or 1.0)
        for position, bar in enumerate(self._bars):
            row = QRect(0, position * ROW_HEIGHT, self.width(), ROW_HEIGHT)
            self._paint_text(painter, row, bar)
            self._paint_bar(painter, row, bar, zero=-low * scale, scale=scale)

    def _paint_text(self, painter: QPainter, row: QRect, bar: SignedBar) -> None:
        font = tabular(self.font())
        painter.setFont(font)
        line = row.adjusted(0, 4, 0, -(ROW_HEIGHT - 24))
        width = QFontMetrics(font).horizontalAdvance(bar.text)
        painter.setPen(QColor(tone_colour(self._colours, bar.tone)))
        painter.drawText(line, int(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter), bar.text)
        left = line.adjusted(0, 0, -width - 8, 0)
        if bar.dot >= 0:
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(QColor(self._colours.kinds[bar.dot]))
            painter.drawRoundedRect(QRectF(left.left(), left.center().y() - 4, 9, 9), 2, 2)
            left = left.adjusted(16, 0, 0, 0)
        painter.setPen(QColor(self._colours.text))
        shown = QFontMetrics(font).elidedText(bar.label, Qt.TextElideMode.ElideRight, left.width())
        painter.drawText(left, int(Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter), shown)

    def _paint_bar(self, painter: QPainter, row: QRect, bar: SignedBar, *, zero: float, scale: float) -> None:
        top = row.top() + 27.0
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(QColor(self._colours.raised))
        painter.drawRect(QRectF(0, top, row.width(), BAR_HEIGHT))
        length = max(2.0, abs(bar.amount) * scale)
        left = zero if bar.amount >= 0 else zero - length
        left = min(max(0.0, left), row.width() - length)
        painter.setBrush(QColor(tone_colour(self._colours, bar.tone)))
        painter.drawRoundedRect(QRectF(left, top, length, BAR_HEIGHT), 2, 2)
        painter.fillRect(QRectF(zero - 0.5, top - 2, 1, BAR_HEIGHT + 4), QColor(self._colours.muted))
