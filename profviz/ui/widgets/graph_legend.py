"""One line that explains the marks of a picture: what fits is shown, the rest is left out from the end."""

from __future__ import annotations

from dataclasses import dataclass

from PySide6.QtCore import QPointF, QRectF, QSize, Qt
from PySide6.QtGui import QColor, QLinearGradient, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QSizePolicy, QWidget

from profviz.ui.widgets.graph_picture import Picture, Role
from profviz.ui.widgets.paint_faults import told
from profviz.ui.widgets.palette import Palette

SWATCH, GAP, SPACE = 11.0, 6.0, 18.0
HEIGHT = 20


HEAT = -2


@dataclass(frozen=True, slots=True)
class LegendEntry:
    """`colour` indexes `Palette.kinds`, -1 is neutral, `HEAT` the colour of time."""

    role: Role
    colour: int
    text: str


def entries_of(pictures: list[Picture], names: dict[int, str], roles: dict[Role, str]) -> list[LegendEntry]:
    """Colours that full boxes have, in order of their index, then the other roles that occur."""
    shapes = [shape for picture in pictures for shape in picture.shapes]
    colours = sorted({shape.colour for shape in shapes if shape.role is Role.BOX and shape.colour in names})
    made = [LegendEntry(Role.BOX, colour, names[colour]) for colour in colours]
    present = {shape.role for shape in shapes}
    return made + [LegendEntry(role, -1, text) for role, text in roles.items() if role in present]


class GraphLegend(QWidget):
    """Painted, so that it never asks for more width than there is."""

    def __init__(self, palette: Palette) -> None:
        super().__init__()
        self._palette = palette
        self._entries: list[LegendEntry] = []
        self.setAccessibleName("Legend")
        self.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Fixed)

    @property
    def entries(self) -> list[LegendEntry]:
        return self._entries

    def show_entries(self, entries: list[LegendEntry]) -> None:
        self._entries = entries
        self.setAccessibleDescription(", ".join(entry.text for entry in entries))
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
        font = self.font()
        font.setPixelSize(11)
        painter.setFont(font)
        left = 8.0
        for entry in self._entries:
            width = painter.fontMetrics().horizontalAdvance(entry.text)
            if left + SWATCH + GAP + width > self.width() - 4:
                return
            self._paint_swatch(painter, entry, QRectF(left, (self.height() - SWATCH) / 2, SWATCH, SWATCH))
            painter.setPen(QColor(self._palette.muted))
            room = QRectF(left + SWATCH + GAP, 0, width + 4, self.height())
            painter.drawText(room, int(Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignLeft), entry.text)
            left += SWATCH + GAP + width + SPACE

    def _heat(self, rect: QRectF) -> QLinearGradient:
        """From no time to the most."""
        made = QLinearGradient(rect.topLeft(), rect.topRight())
        made.setColorAt(0.0, QColor(self._palette.raised))
        made.setColorAt(1.0, QColor(self._palette.warn))
        return made

    def _paint_swatch(self, painter: QPainter, entry: LegendEntry, rect: QRectF) -> None:
        muted, accent = QColor(self._palette.muted), QColor(self._palette.accent)
        if entry.role is Role.BOX:
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(self._heat(rect) if entry.colour == HEAT else QColor(self._palette.kinds[entry.colour]))
            painter.drawRoundedRect(rect, 3, 3)
            return
        if entry.role is Role.CUT:
            painter.setPen(QPen(QColor(self._palette.bad), 1.4, Qt.PenStyle.DashLine))
            painter.drawLine(QPointF(rect.left(), rect.center().y()), QPointF(rect.right(), rect.center().y()))
            return
        if entry.role is Role.GROUP:
            painter.setPen(QPen(muted, 1.0))
            painter.setBrush(QColor(self._palette.raised))
            painter.drawRoundedRect(rect.adjusted(3, 4, 2, 1), 2, 2)
            painter.drawRoundedRect(rect.adjusted(0, 1, -1, -2), 2, 2)
            return
        pen = QPen(accent if entry.role is Role.FAR else muted, 1.0)
        if entry.role is Role.FAR:
            pen.setStyle(Qt.PenStyle.DashLine)
        painter.setPen(pen)
        painter.setBrush(Qt.BrushStyle.NoBrush)
        chip = entry.role is not Role.PALE
        painter.drawRoundedRect(rect.adjusted(0, 2.5, 0, -2.5) if chip else rect, 3, 3)
