"""Draws the visible part of a graph picture with one painter; knows colours and fonts, no compiler and no events."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from PySide6.QtCore import QLineF, QPointF, QRectF, Qt
from PySide6.QtGui import QBrush, QColor, QFontMetricsF, QPainterPath, QPen, QPolygonF

from profviz.ui.widgets.graph_brush import DETAIL_SCALE, LEFT, RIGHT, ROUND, TEXT_SCALE, Brush
from profviz.ui.widgets.graph_frames import paint_counts, paint_cut, paint_frame_titles, paint_frames, paint_group
from profviz.ui.widgets.graph_picture import F8, I8, Picture, Role, Shape

CURVE_SCALE = 0.3
BACK = 0.3  # opacity of what is not on the path


@dataclass(frozen=True, slots=True)
class Marks:
    """What stands out: what is `selected` in all views, where the keyboard is (`current`), what a search `found`.

    Where there is a `path`, all that is not on it steps back; `lit` is what runs at the play-head, and
    `kin` are the counterparts of what the mouse is at in another picture.
    """

    selected: frozenset[int] = frozenset()
    found: frozenset[int] = frozenset()
    current: int = -1
    hover: int = -1
    path: frozenset[int] = frozenset()
    lit: frozenset[int] = frozenset()
    kin: frozenset[int] = frozenset()


def paint_picture(brush: Brush, picture: Picture, marks: Marks, window: tuple[float, float, float, float]) -> None:
    """`window` is the visible scene rectangle as left, top, right, bottom; nothing outside it costs anything."""
    frames = picture.frames_within(*window)
    paint_frames(brush, picture, frames)
    _paint_hulls(brush, picture, picture.hulls_within(*window))
    _paint_edges(brush, picture, picture.edges_within(*window), marks)
    shapes = picture.shapes_within(*window)
    if brush.scale < TEXT_SCALE:
        _paint_blocks(brush, picture, shapes)
    else:
        for index in shapes.tolist():
            brush.painter.setOpacity(BACK if marks.path and index not in marks.path else 1.0)
            _paint_shape(brush, picture, index)
        brush.painter.setOpacity(1.0)
    if brush.scale >= TEXT_SCALE * 0.8:
        _paint_hull_titles(brush, picture, picture.hulls_within(*window))
    if brush.scale >= TEXT_SCALE * 0.6:
        paint_frame_titles(brush, picture, frames)
    if brush.scale >= TEXT_SCALE:
        paint_counts(brush, picture, picture.edges_within(*window))
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
    if marks.path and len(edges):
        bright = np.isin(ends, list(marks.path)).all(axis=1)
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
    groups: dict[tuple[Role, int, float], list[QRectF]] = {}
    for index in shapes:
        shape = picture.shapes[index]
        groups.setdefault((shape.role, shape.colour, round(shape.heat, 1)), []).append(_rect(picture.rects[index]))
    brush.painter.setPen(Qt.PenStyle.NoPen)
    for (role, colour, heat), rects in groups.items():
        share = 0.75 if role is Role.BOX else 0.5 if role is Role.GROUP else 0.4
        ink = QColor(brush.palette.bad) if role is Role.CUT else brush.kind(colour)
        brush.painter.setBrush(brush.heat(heat) if heat >= 0 else brush.mix(ink, share))
        brush.painter.drawRects(rects)


def _paint_shape(brush: Brush, picture: Picture, index: int) -> None:
    shape, rect = picture.shapes[index], _rect(picture.rects[index])
    if shape.role in (Role.CHIP, Role.FAR):
        _paint_chip(brush, shape, rect)
    elif shape.role is Role.CUT:
        paint_cut(brush, shape, rect, downwards=picture.downwards)
    elif shape.role is Role.GROUP:
        paint_group(brush, shape, rect)
    else:
        _paint_box(brush, shape, rect)


def _paint_box(brush: Brush, shape: Shape, rect: QRectF) -> None:
    painter, palette = brush.painter, brush.palette
    warm = shape.heat >= 0
    colour = QColor(palette.warn) if warm else brush.kind(shape.colour)
    pale = shape.role is Role.PALE
    fill = brush.mix(colour, 0.26 if palette.dark else 0.20)
    painter.setPen(QPen(brush.mix(colour, 0.5 if pale else 0.85), 1.0 if pale else 1.4))
    painter.setBrush(QBrush(brush.heat(shape.heat) if warm else QColor(palette.raised) if pale else fill))
    painter.drawRoundedRect(rect, ROUND, ROUND)
    detailed = bool(shape.detail) and brush.scale >= DETAIL_SCALE
    inner = rect.adjusted(9, 0, -7, 0)
    title = QRectF(inner.left(), rect.top() + (4 if detailed else 0), inner.width(), 17 if detailed else rect.height())
    if shape.tag:
        _paint_tag(brush, shape, title)
        title.setWidth(title.width() - 7 * len(shape.tag))
    painter.setPen(QColor(palette.muted if pale else palette.text))
    brush.write(title, brush.fonts.title, shape.title)
    if detailed:
        painter.setPen(QColor(palette.text if warm else palette.muted))
        brush.write(QRectF(inner.left(), rect.top() + 21, inner.width(), 14), brush.fonts.detail, shape.detail)


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
    brush.write(rect.adjusted(8, 0, -6, 0), brush.fonts.chip, text)


def _paint_marks(brush: Brush, picture: Picture, marks: Marks, visible: set[int]) -> None:
    palette = brush.palette
    brush.painter.setBrush(Qt.BrushStyle.NoBrush)
    glow = QPen(QColor(palette.good), 3.0)
    glow.setCosmetic(True)
    brush.painter.setPen(glow)
    for index in visible & marks.lit:
        brush.painter.setBrush(
            brush.mix(QColor(palette.good), 0.45) if brush.scale < TEXT_SCALE else Qt.BrushStyle.NoBrush
        )
        brush.painter.drawRoundedRect(_rect(picture.rects[index]).adjusted(-2, -2, 2, 2), ROUND + 2, ROUND + 2)
    brush.painter.setBrush(Qt.BrushStyle.NoBrush)
    rings = (
        (marks.found, palette.warn, 1.6, 3.0),
        (marks.kin, palette.accent, 1.6, 2.5),
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
