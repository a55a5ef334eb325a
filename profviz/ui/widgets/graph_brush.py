"""What painters of a graph share: fonts, colours, and text cut to its room; knows no picture."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import lru_cache

from PySide6.QtCore import QRectF, Qt
from PySide6.QtGui import QColor, QFont, QFontMetricsF, QPainter, QPainterPath

from profviz.ui.widgets.palette import Palette

LEFT = int(Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignLeft) | int(Qt.TextFlag.TextSingleLine)
RIGHT = int(Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignRight)
ROUND = 6.0
TEXT_SCALE = 0.55  # below this the words are too small to read and are left out


@dataclass(frozen=True, slots=True)
class Fonts:
    """Pixel-sized fonts of a picture at 100 %."""

    title: QFont
    detail: QFont
    chip: QFont


def graph_fonts(base: QFont) -> Fonts:
    """Three sizes of the application's own font."""
    made = []
    for pixels, weight in ((12, QFont.Weight.Medium), (10, QFont.Weight.Normal), (10, QFont.Weight.Normal)):
        font = QFont(base)
        font.setPixelSize(pixels)
        font.setWeight(weight)
        made.append(font)
    return Fonts(*made)


@dataclass(slots=True)
class Brush:
    """One frame's painter with what it needs; `scale` is screen pixels a scene unit.

    `elided` and `paths` keep what was worked out for a picture, as long as their owner wants.
    """

    painter: QPainter
    palette: Palette
    fonts: Fonts
    scale: float
    elided: dict[tuple[str, int, int], str] = field(default_factory=dict)
    paths: dict[int, QPainterPath] = field(default_factory=dict)  # of edges, by index
    fused: float = 1.0  # how much of what groups boxes is there

    def elide(self, text: str, font: QFont, width: float) -> str:
        key = (text, font.pixelSize(), int(width))
        if key not in self.elided:
            self.elided[key] = QFontMetricsF(font).elidedText(text, Qt.TextElideMode.ElideRight, width)
        return self.elided[key]

    def write(self, room: QRectF, font: QFont, text: str) -> None:
        self.painter.setFont(font)
        self.painter.drawText(room, LEFT, self.elide(text, font, room.width()))

    def mix(self, colour: QColor, share: float, ground: str | None = None) -> QColor:
        """`share` of the colour over the panel (or another ground), opaque."""
        return mixed(colour.rgb(), share, ground or self.palette.panel)

    def heat(self, share: float) -> QColor:
        """From the panel to a warm colour that text stays legible on."""
        return self.mix(QColor(self.palette.warn), 0.08 + (0.52 if self.palette.dark else 0.62) * share)

    def kind(self, index: int) -> QColor:
        kinds = self.palette.kinds
        return QColor(kinds[index]) if 0 <= index < len(kinds) else QColor(self.palette.muted)

    def shade(self, colour: int, plain: int) -> QColor:
        """Between what a box is by itself and what it is in its group."""
        if colour == plain or self.fused >= 1.0:
            return self.kind(colour)
        return mixed(self.kind(colour).rgb(), round(self.fused, 2), self.kind(plain).name())


@lru_cache(maxsize=512)
def mixed(colour: int, share: float, ground: str) -> QColor:
    over, under = QColor(colour).getRgb()[:3], QColor(ground).getRgb()[:3]
    return QColor(*(round(a * share + b * (1 - share)) for a, b in zip(over, under, strict=True)))
