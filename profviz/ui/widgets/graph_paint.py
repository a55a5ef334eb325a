"""Draws the visible part of a graph picture with one painter; knows colours and fonts, no compiler and no events."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from functools import lru_cache
from itertools import pairwise

import numpy as np
from PySide6.QtCore import QLineF, QPointF, QRectF, Qt
from PySide6.QtGui import QBrush, QColor, QFont, QFontMetricsF, QPainter, QPainterPath, QPen, QPolygonF

from profviz.ui.widgets.graph_picture import F8, I8, Picture, Role, Shape
from profviz.ui.widgets.palette import Palette

TEXT_SCALE = 0.55  # below this the words are too small to read and are left out
DETAIL_SCALE = 0.72
CURVE_SCALE = 0.3
ROUND = 6.0
LEFT = int(Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignLeft) | int(Qt.TextFlag.TextSingleLine)
RIGHT = int(Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignRight)


@dataclass(frozen=True, slots=True)
class Marks:
    """What stands out: what is `selected` in all views, where the keyboard is (`current`), what a search `found`."""

    selected: frozenset[int] = frozenset()
    found: frozenset[int] = frozenset()
    current: int = -1
    hover: int = -1


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
    """One frame's painter with what it needs; `scale` is screen pixels a scene unit."""

    painter: QPainter
    palette: Palette
    fonts: Fonts
    scale: float
    elided: dict[tuple[str, int, int], str] = field(default_factory=dict)

    def elide(self, text: str, font: QFont, width: float) -> str:
        key = (text, font.pixelSize(), int(width))
        if key not in self.elided:
            self.elided[key] = QFontMetricsF(font).elidedText(text, Qt.TextElideMode.ElideRight, width)
        return self.elided[key]

    def mix(self, colour: QColor, share: float, ground: str | None = None) -> QColor:
        """`share` of the colour over the panel (or another ground), opaque."""
        return mixed(colour.rgb(), share, ground or self.palette.panel)

    def kind(self, index: int) -> QColor:
        kinds = self.palette.kinds
        return QColor(kinds[index]) if 0 <= index < len(kinds) else QColor(self.palette.muted)


@lru_cache(maxsize=512)
def mixed(colour: int, share: float, ground: str) -> QColor:
    over, under = QColor(colour).getRgb()[:3], QColor(ground).getRgb()[:3]
    return QColor(*(round(a * share + b * (1 - share)) for a, b in zip(over, under, strict=True)))


def paint_picture(brush: Brush, picture: Picture, marks: Marks, window: tuple[float, float, float, float]) -> None:
    """`window` is the visible scene rectangle as left, top, right, bottom; nothing outside it costs anything."""
    _paint_hulls(brush, picture, picture.hulls_within(*window))
    _paint_edges(brush, picture, picture.edges_within(*window), marks)
    shapes = picture.shapes_within(*window)
    if brush.scale < TEXT_SCALE:
        _paint_blocks(brush, picture, shapes)
    else:
        for index in shapes:
            _paint_shape(brush, picture.shapes[index], _rect(picture.rects[index]))
    if brush.scale >= TEXT_SCALE * 0.8:
        _paint_hull_titles(brush, picture, picture.hulls_within(*window))
    _paint_marks(brush, picture, marks, set(shapes.tolist()))


def _rect(row: F8) -> QRectF:
    x, y, width, height = row.tolist()
    return QRectF(x, y, width, height)


def _paint_hulls(brush: Brush, picture: Picture, hulls: Iterable[int]) -> None:
    for index in hulls:
        colour = brush.kind(picture.hulls[index].colour)
        pen = QPen(brush.mix(colour, 0.75), 1.3)
        pen.setCosmetic(True)
        pen.setStyle(Qt.PenStyle.DashLine)
        brush.painter.setPen(pen)
        brush.painter.setBrush(brush.mix(colour, 0.09))
        brush.painter.drawRoundedRect(_rect(picture.hull_rects[index]), 9, 9)


def _paint_hull_titles(brush: Brush, picture: Picture, hulls: Iterable[int]) -> None:
    for index in hulls:
        hull, rect = picture.hulls[index], _rect(picture.hull_rects[index])
        room = QRectF(rect.left() + 8, rect.top() + 2, rect.width() - 14, 15)
        brush.painter.setFont(brush.fonts.detail)
        colour = brush.kind(hull.colour)
        brush.painter.setPen(brush.mix(colour, 0.8, brush.palette.text))
        whole = f"{hull.title} · {hull.detail}"
        text = brush.elide(whole, brush.fonts.detail, room.width())
        used = QRectF(room.left() - 3, room.top(), QFontMetricsF(brush.fonts.detail).horizontalAdvance(text) + 6, 14)
        brush.painter.fillRect(used, brush.mix(colour, 0.09))
        brush.painter.drawText(room, LEFT, text)


def _paint_edges(brush: Brush, picture: Picture, edges: I8, marks: Marks) -> None:
    lit = set(marks.selected) | {marks.current, marks.hover}
    ends = picture.ends[edges]
    bright = np.isin(ends, list(lit)).any(axis=1) if len(edges) else np.zeros(0, bool)
    plain = QPen(brush.mix(QColor(brush.palette.muted), 0.62), 1.1)
    strong = QPen(QColor(brush.palette.accent), 1.8)
    for pen, group in ((plain, edges[~bright]), (strong, edges[bright])):
        pen.setCosmetic(True)
        brush.painter.setPen(pen)
        brush.painter.setBrush(Qt.BrushStyle.NoBrush)
        if brush.scale < CURVE_SCALE:
            brush.painter.drawLines(_straight(picture, group))
            continue
        for index in group:
            brush.painter.drawPath(edge_path(picture, int(index)))
        _paint_heads(brush, picture, group, pen.color())


def _straight(picture: Picture, edges: Iterable[int]) -> list[QLineF]:
    lines = []
    for index in edges:
        points = picture.points[picture.offsets[index] : picture.offsets[index + 1]].tolist()
        lines += [QLineF(*a, *b) for a, b in pairwise(points)]
    return lines


def edge_path(picture: Picture, index: int) -> QPainterPath:
    """A smooth line through the edge's points that leaves and arrives along the graph's direction."""
    points = picture.points[picture.offsets[index] : picture.offsets[index + 1]].tolist()
    path = QPainterPath(QPointF(*points[0]))
    for (x0, y0), (x1, y1) in pairwise(points):
        if picture.downwards:
            half = (y1 - y0) / 2
            path.cubicTo(x0, y0 + half, x1, y1 - half, x1, y1)
        else:
            half = (x1 - x0) / 2
            path.cubicTo(x0 + half, y0, x1 - half, y1, x1, y1)
    return path


def _paint_heads(brush: Brush, picture: Picture, edges: I8, colour: QColor) -> None:
    brush.painter.setPen(Qt.PenStyle.NoPen)
    brush.painter.setBrush(colour)
    for index in edges:
        x, y = picture.points[picture.offsets[index + 1] - 1].tolist()
        if picture.downwards:
            corners = [QPointF(x, y), QPointF(x - 3.4, y - 6.5), QPointF(x + 3.4, y - 6.5)]
        else:
            corners = [QPointF(x, y), QPointF(x - 6.5, y - 3.4), QPointF(x - 6.5, y + 3.4)]
        brush.painter.drawPolygon(QPolygonF(corners))


def _paint_blocks(brush: Brush, picture: Picture, shapes: I8) -> None:
    """Far out: plain rectangles, one call a colour."""
    groups: dict[tuple[bool, int], list[QRectF]] = {}
    for index in shapes:
        shape = picture.shapes[index]
        groups.setdefault((shape.role is Role.BOX, shape.colour), []).append(_rect(picture.rects[index]))
    brush.painter.setPen(Qt.PenStyle.NoPen)
    for (strong, colour), rects in groups.items():
        brush.painter.setBrush(brush.mix(brush.kind(colour), 0.75 if strong else 0.4))
        brush.painter.drawRects(rects)


def _paint_shape(brush: Brush, shape: Shape, rect: QRectF) -> None:
    if shape.role in (Role.CHIP, Role.FAR):
        _paint_chip(brush, shape, rect)
    else:
        _paint_box(brush, shape, rect)


def _paint_box(brush: Brush, shape: Shape, rect: QRectF) -> None:
    painter, palette = brush.painter, brush.palette
    colour = brush.kind(shape.colour)
    pale = shape.role is Role.PALE
    painter.setPen(QPen(brush.mix(colour, 0.5 if pale else 0.85), 1.0 if pale else 1.4))
    painter.setBrush(QBrush(QColor(palette.raised) if pale else brush.mix(colour, 0.26 if palette.dark else 0.20)))
    painter.drawRoundedRect(rect, ROUND, ROUND)
    detailed = bool(shape.detail) and brush.scale >= DETAIL_SCALE
    inner = rect.adjusted(9, 0, -7, 0)
    title = QRectF(inner.left(), rect.top() + (4 if detailed else 0), inner.width(), 17 if detailed else rect.height())
    if shape.tag:
        _paint_tag(brush, shape, title)
        title.setWidth(title.width() - 7 * len(shape.tag))
    painter.setPen(QColor(palette.muted if pale else palette.text))
    _text(brush, title, brush.fonts.title, shape.title)
    if detailed:
        painter.setPen(QColor(palette.muted))
        _text(brush, QRectF(inner.left(), rect.top() + 21, inner.width(), 14), brush.fonts.detail, shape.detail)


def _paint_tag(brush: Brush, shape: Shape, room: QRectF) -> None:
    brush.painter.setFont(brush.fonts.detail)
    brush.painter.setPen(brush.mix(brush.kind(shape.colour), 0.8, brush.palette.text))
    brush.painter.drawText(room, RIGHT, shape.tag)


def _paint_chip(brush: Brush, shape: Shape, rect: QRectF) -> None:
    far = shape.role is Role.FAR
    accent = QColor(brush.palette.accent)
    pen = QPen(brush.mix(accent, 0.6) if far else brush.mix(QColor(brush.palette.muted), 0.4), 1.0)
    pen.setStyle(Qt.PenStyle.DashLine if far else Qt.PenStyle.SolidLine)
    brush.painter.setPen(pen)
    brush.painter.setBrush(Qt.BrushStyle.NoBrush if far else QBrush(QColor(brush.palette.raised)))
    brush.painter.drawRoundedRect(rect, rect.height() / 2, rect.height() / 2)
    if brush.scale < DETAIL_SCALE:
        return
    brush.painter.setPen(brush.mix(accent, 0.8, brush.palette.text) if far else QColor(brush.palette.muted))
    text = f"{shape.title}  {shape.detail}" if shape.detail else shape.title
    _text(brush, rect.adjusted(8, 0, -6, 0), brush.fonts.chip, text)


def _text(brush: Brush, room: QRectF, font: QFont, text: str) -> None:
    brush.painter.setFont(font)
    brush.painter.drawText(room, LEFT, brush.elide(text, font, room.width()))


def _paint_marks(brush: Brush, picture: Picture, marks: Marks, visible: set[int]) -> None:
    palette = brush.palette
    brush.painter.setBrush(Qt.BrushStyle.NoBrush)
    rings = (
        (marks.found, palette.warn, 1.6, 3.0),
        (marks.selected, palette.selection, 2.2, 2.0),
        ({marks.current}, palette.accent, 2.2, 3.5),
    )
    for shapes, colour, width, grow in rings:
        pen = QPen(QColor(colour), width)
        pen.setCosmetic(True)
        brush.painter.setPen(pen)
        for index in visible & set(shapes):
            rect = _rect(picture.rects[index]).adjusted(-grow, -grow, grow, grow)
            brush.painter.drawRoundedRect(rect, ROUND + grow, ROUND + grow)
