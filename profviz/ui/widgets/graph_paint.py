"""Draws the visible part of a graph picture with one painter; knows colours and fonts, no compiler and no events."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QLineF, QPointF, QRectF, Qt
from PySide6.QtGui import QBrush, QColor, QFontMetricsF, QPainter, QPainterPath, QPen, QPolygonF

from profviz.ui.widgets.graph_brush import LEFT, RIGHT, ROUND, TEXT_SCALE, Brush
from profviz.ui.widgets.graph_frames import (
    paint_badge,
    paint_counts,
    paint_cut,
    paint_frame_titles,
    paint_frames,
    paint_group,
)
from profviz.ui.widgets.graph_picture import F8, I8, Picture, Role, Shape

CURVE_SCALE = 0.3
SMOOTH_SCALE = 0.12  # below this lines are so many that smoothing them costs more than it shows
BACK = 0.3  # opacity of what is not on the path
FINE = 2  # steps a pixel that far lines are drawn at

Window = tuple[float, float, float, float]


@dataclass(frozen=True, slots=True)
class Marks:
    """What stands out: what is `selected` in all views, where the keyboard is (`current`), what a search `found`.

    Where there is a `path`, all that is not on it steps back; `lit` is what runs at the play-head, and
    `kin` are the counterparts of what the mouse is at in another picture. `edge` is the one that the mouse is at;
    `counts` says how much of what stands out is inside closed groups.
    """

    selected: frozenset[int] = frozenset()
    found: frozenset[int] = frozenset()
    current: int = -1
    hover: int = -1
    path: frozenset[int] = frozenset()
    lit: frozenset[int] = frozenset()
    kin: frozenset[int] = frozenset()
    edge: int = -1
    counts: Mapping[int, int] = field(default_factory=dict)


def paint_picture(brush: Brush, picture: Picture, marks: Marks, window: Window) -> None:
    """`window` is the visible scene rectangle as left, top, right, bottom; nothing outside it costs anything."""
    paint_ground(brush, picture, window, marks)
    _paint_marks(brush, picture, marks, set(picture.shapes_within(*window).tolist()))


def paint_over(brush: Brush, picture: Picture, marks: Marks, window: Window) -> None:
    """The marks alone, with their edges, over a ground that was painted without them."""
    if marks == Marks():
        return
    edges = picture.edges_within(*window)
    bright = edges[_bright(picture, edges, marks)]
    _draw_edges(brush, picture, bright, QPen(QColor(brush.palette.accent), 1.8))
    _paint_marks(brush, picture, marks, set(picture.shapes_within(*window).tolist()))


def paint_ground(brush: Brush, picture: Picture, window: Window, marks: Marks | None = None) -> None:
    """Everything but the rings of marks."""
    marks = marks or Marks()
    brush.fused = picture.fused
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
        paint_frame_titles(brush, picture, frames)
    if brush.scale >= TEXT_SCALE:
        _paint_hull_titles(brush, picture, picture.hulls_within(*window))
        _paint_labels(brush, picture, picture.labels_within(*window))
        paint_counts(brush, picture, picture.edges_within(*window))


def _paint_labels(brush: Brush, picture: Picture, labels: I8) -> None:
    brush.painter.setPen(QColor(brush.palette.muted))
    brush.painter.setFont(brush.fonts.chip)
    for place in labels.tolist():
        brush.painter.drawText(_rect(picture.label_rects[place]), LEFT, picture.words[int(picture.labels[place])])


def _rect(row: F8) -> QRectF:
    x, y, width, height = row.tolist()
    return QRectF(x, y, width, height)


def _paint_hulls(brush: Brush, picture: Picture, hulls: Iterable[int]) -> None:
    brush.painter.setOpacity(picture.fused)
    for index in hulls:
        colour = brush.kind(picture.hulls[index].colour)
        pen = QPen(brush.mix(colour, 0.75), 1.3)
        pen.setCosmetic(True)
        pen.setStyle(Qt.PenStyle.DashLine)
        brush.painter.setPen(pen)
        brush.painter.setBrush(brush.mix(colour, 0.09))
        brush.painter.drawRoundedRect(_rect(picture.hull_rects[index]), 9, 9)
    brush.painter.setOpacity(1.0)


def _paint_hull_titles(brush: Brush, picture: Picture, hulls: Iterable[int]) -> None:
    brush.painter.setOpacity(picture.fused)
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
    brush.painter.setOpacity(1.0)


def _bright(picture: Picture, edges: I8, marks: Marks) -> NDArray[np.bool_]:
    """Which of the edges belong to a mark: both ends on the path, or an end selected, current or hovered."""
    ends = picture.ends[edges]
    lit = list({*marks.selected, marks.current, marks.hover} - {-1})
    hit = edges == marks.edge
    if marks.path:
        found: NDArray[np.bool_] = np.isin(ends, list(marks.path)).all(axis=1)
        return found
    return (np.isin(ends, lit).any(axis=1) | hit) if lit else hit


def _paint_edges(brush: Brush, picture: Picture, edges: I8, marks: Marks) -> None:
    bright = _bright(picture, edges, marks)
    _draw_edges(brush, picture, edges[~bright], QPen(brush.mix(QColor(brush.palette.muted), 0.62), 1.1))
    _draw_edges(brush, picture, edges[bright], QPen(QColor(brush.palette.accent), 1.8))


def _draw_edges(brush: Brush, picture: Picture, edges: I8, pen: QPen) -> None:
    pen.setCosmetic(True)
    brush.painter.setPen(pen)
    brush.painter.setBrush(Qt.BrushStyle.NoBrush)
    if brush.scale < CURVE_SCALE:
        brush.painter.setRenderHint(QPainter.RenderHint.Antialiasing, brush.scale >= SMOOTH_SCALE)
        brush.painter.drawLines(_straight(picture, edges, brush.scale))
        brush.painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        return
    for index in edges.tolist():
        brush.painter.drawPath(_kept_path(brush, picture, index))
    _paint_heads(brush, picture, edges, pen.color())


def _kept_path(brush: Brush, picture: Picture, index: int) -> QPainterPath:
    if index not in brush.paths:
        brush.paths[index] = edge_path(picture, index)
    return brush.paths[index]


def _straight(picture: Picture, edges: I8, scale: float) -> list[QLineF]:
    """Edges as lines between pixels' corners; what falls on the same pixels is drawn once."""
    starts, lengths = picture.offsets[edges], picture.offsets[edges + 1] - picture.offsets[edges]
    if not len(edges):
        return []
    within = np.arange(int(lengths.sum())) - np.repeat(np.cumsum(lengths) - lengths, lengths)
    places = np.round(picture.points[np.repeat(starts, lengths) + within] * (scale * FINE)).astype(np.int64)
    joined = np.flatnonzero(within[1:] > 0)  # a point and the next of the same edge
    segments = np.hstack([places[joined], places[joined + 1]])
    segments = np.unique(segments[(segments[:, :2] != segments[:, 2:]).any(axis=1)], axis=0)
    return [QLineF(*row) for row in (segments / (scale * FINE)).tolist()]


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
    groups: dict[tuple[Role, int, int, float], list[QRectF]] = {}
    for index in shapes:
        shape = picture.shapes[index]
        key = (shape.role, shape.colour, shape.plain, round(shape.heat, 1))
        groups.setdefault(key, []).append(_rect(picture.rects[index]))
    brush.painter.setPen(Qt.PenStyle.NoPen)
    for (role, colour, plain, heat), rects in groups.items():
        share = 0.75 if role is Role.BOX else 0.5 if role is Role.GROUP else 0.4
        ink = QColor(brush.palette.bad) if role is Role.CUT else brush.shade(colour, plain)
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
    colour = QColor(palette.warn) if warm else brush.shade(shape.colour, shape.plain)
    pale = shape.role is Role.PALE
    fill = brush.mix(colour, 0.26 if palette.dark else 0.20)
    painter.setPen(QPen(brush.mix(colour, 0.5 if pale else 0.85), 1.0 if pale else 1.4))
    painter.setBrush(QBrush(brush.heat(shape.heat) if warm else QColor(palette.raised) if pale else fill))
    painter.drawRoundedRect(rect, ROUND, ROUND)
    detailed = bool(shape.detail) and brush.scale >= TEXT_SCALE
    inner = rect.adjusted(9, 0, -7, 0)
    title = QRectF(inner.left(), rect.top() + (4 if detailed else 0), inner.width(), 17 if detailed else rect.height())
    if shape.tag and brush.fused > 0.5:
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
    if brush.scale < TEXT_SCALE:
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
    for index in visible & marks.counts.keys():
        paint_badge(brush, _rect(picture.rects[index]), marks.counts[index])
