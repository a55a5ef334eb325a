"""Fills areas with a colour and a pattern of the palette; knows no profiler."""

from __future__ import annotations

from PySide6.QtCore import QRectF, Qt
from PySide6.QtGui import QBrush, QColor, QPainter

from profviz.ui.widgets.palette import Palette
from profviz.ui.widgets.panel_style import tone_colour, with_alpha
from profviz.ui.widgets.stack_values import Fill, Pattern

_BRUSHES = {
    Pattern.FALLING: Qt.BrushStyle.FDiagPattern,
    Pattern.RISING: Qt.BrushStyle.BDiagPattern,
    Pattern.CROSSED: Qt.BrushStyle.DiagCrossPattern,
    Pattern.DOTTED: Qt.BrushStyle.Dense5Pattern,
    Pattern.UPRIGHT: Qt.BrushStyle.VerPattern,
}
GROUND = 0.26
"""How strongly the colour tints the ground under a pattern."""
NARROW = 3.0
"""Up to this many pixels a pattern would not be seen: the plain colour is."""


def fill_colour(palette: Palette, fill: Fill) -> QColor:
    return QColor(palette.kinds[fill.kind] if fill.kind >= 0 else tone_colour(palette, fill.tone))


def paint_fill(painter: QPainter, area: QRectF, fill: Fill, palette: Palette) -> None:
    """Without antialiasing, so that neighbours share an edge; the caller's pen and brush are changed."""
    colour = fill_colour(palette, fill)
    if fill.pattern is Pattern.SOLID or area.width() <= NARROW:
        painter.fillRect(area, colour)
        return
    if fill.pattern is not Pattern.EMPTY:
        painter.fillRect(area, with_alpha(colour.name(), GROUND))
        painter.fillRect(area, QBrush(colour, _BRUSHES[fill.pattern]))
    for edge in (
        QRectF(area.left(), area.top(), area.width(), 1),
        QRectF(area.left(), area.bottom() - 1, area.width(), 1),
        QRectF(area.left(), area.top(), 1, area.height()),
        QRectF(area.right() - 1, area.top(), 1, area.height()),
    ):
        painter.fillRect(edge, colour)


def paint_swatch(painter: QPainter, left: float, middle: float, fill: Fill, palette: Palette) -> float:
    """A sample of the fill, 20 pixels wide; returns where a text beside it begins."""
    paint_fill(painter, QRectF(left, middle - 6, 20, 12), fill, palette)
    return left + 28
