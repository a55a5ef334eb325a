"""One line of colours and what they stand for; what does not fit is counted at the end and in the tool tip."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QRectF, QSize, Qt
from PySide6.QtGui import QColor, QPainter, QPaintEvent
from PySide6.QtWidgets import QSizePolicy, QWidget

from profviz.ui.widgets.paint_faults import told
from profviz.ui.widgets.palette import Palette
from profviz.ui.widgets.panel_style import plain_tip
from profviz.ui.widgets.timeline_look import TEXT_PX, sized

SWATCH, GAP, SPACE, HEIGHT = 11.0, 6.0, 16.0, 24


class ColourLegend(QWidget):
    """`entries` are (index into `Palette.kinds`, text)."""

    def __init__(self, palette: Palette) -> None:
        super().__init__()
        self._palette = palette
        self.entries: tuple[tuple[int, str], ...] = ()
        self.setAccessibleName("Legend")
        self.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Fixed)

    def show_entries(self, entries: Sequence[tuple[int, str]]) -> None:
        self.entries = tuple(entries)
        text = ", ".join(text for _, text in self.entries)
        self.setAccessibleDescription(text)
        self.setToolTip(plain_tip(text))
        self.update()

    def set_palette(self, palette: Palette) -> None:
        self._palette = palette
        self.update()

    def sizeHint(self) -> QSize:
        return QSize(200, HEIGHT)

    @told
    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setFont(sized(self.font(), TEXT_PX))
        metrics = painter.fontMetrics()
        left = 2.0
        for number, (kind, text) in enumerate(self.entries):
            width = metrics.horizontalAdvance(text) + 2
            rest = len(self.entries) - number
            room = self.width() - left - (metrics.horizontalAdvance(f"+{rest}") + SPACE if rest > 1 else 0)
            if SWATCH + GAP + width > room:
                self._write(painter, left, f"+{rest}")
                return
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(QColor(self._palette.kinds[kind]))
            painter.drawRoundedRect(QRectF(left, (self.height() - SWATCH) / 2, SWATCH, SWATCH), 3, 3)
            self._write(painter, left + SWATCH + GAP, text)
            left += SWATCH + GAP + width + SPACE

    def _write(self, painter: QPainter, left: float, text: str) -> None:
        painter.setPen(QColor(self._palette.muted))
        room = QRectF(left, 0, self.width() - left, self.height())
        painter.drawText(room, int(Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignLeft), text)
