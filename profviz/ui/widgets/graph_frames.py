"""Draws the frames of open groups, closed groups, and how many edges a line stands for; knows no compiler."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
from PySide6.QtCore import QLineF, QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QFont, QFontMetricsF, QPen

from profviz.ui.widgets.graph_brush import LEFT, RIGHT, TEXT_SCALE, Brush
from profviz.ui.widgets.graph_picture import F8, I8, Picture, Shape, count_rects

TITLE_HEIGHT = 20.0
SIGN = 14.0  # the square with plus or minus
CORNER = 8.0
TINT = 0.035  # of a frame's ground
CUT_REACH = 90.0  # how far a cut's line goes on beside its box


def sign_rect(row: F8) -> QRectF:
    """Where a frame's minus stands: left in its title."""
    x, y, _, _ = row.tolist()
    return QRectF(x + 6, y + (TITLE_HEIGHT - SIGN) / 2 + 1, SIGN, SIGN)


def plus_rect(row: F8) -> QRectF:
    """Where a closed group's plus stands: at its right."""
    x, y, width, _ = row.tolist()
    return QRectF(x + width - SIGN - 6, y + 5, SIGN, SIGN)


def paint_frames(brush: Brush, picture: Picture, frames: Iterable[int]) -> None:
    tint = QColor(brush.palette.text)
    for index in frames:
        pen = QPen(brush.mix(tint, 0.28), 1.0)
        pen.setCosmetic(True)
        brush.painter.setPen(pen)
        tint.setAlphaF(TINT)  # nested frames add up
        brush.painter.setBrush(tint)
        brush.painter.drawRoundedRect(QRectF(*picture.frame_rects[index].tolist()), CORNER, CORNER)


def paint_frame_titles(brush: Brush, picture: Picture, frames: Iterable[int]) -> None:
    for index in frames:
        frame, row = picture.frames[index], picture.frame_rects[index]
        sign = sign_rect(row)
        _paint_sign(brush, sign, plus=False)
        room = QRectF(sign.right() + 6, row[1] + 1, row[2] - SIGN - 22, TITLE_HEIGHT)
        metrics = QFontMetricsF(brush.fonts.title)
        title = brush.elide(frame.title, brush.fonts.title, room.width())
        used = metrics.horizontalAdvance(title) + 10
        told = brush.scale >= TEXT_SCALE and room.width() - used > 60
        ends = used + QFontMetricsF(brush.fonts.detail).horizontalAdvance(frame.detail) if told else used - 6
        ground = QRectF(room.left() - 3, room.top() + 2, min(ends + 6, room.width()), TITLE_HEIGHT - 3)
        brush.painter.fillRect(ground, _ground(brush, picture, row))  # lines that cross it would be in the words
        brush.painter.setPen(QColor(brush.palette.text))
        brush.write(room, brush.fonts.title, title)
        if told:
            brush.painter.setPen(QColor(brush.palette.muted))
            brush.write(room.adjusted(used, 0, 0, 0), brush.fonts.detail, frame.detail)


def _ground(brush: Brush, picture: Picture, row: F8) -> QColor:
    """What a frame's ground looks like, over those around it."""
    around = len(picture.frames_within(row[0] + 1, row[1] + 1, row[0] + 1, row[1] + 1))
    return brush.mix(QColor(brush.palette.text), 1 - (1 - TINT) ** around)


def _paint_sign(brush: Brush, rect: QRectF, *, plus: bool) -> None:
    pen = QPen(brush.mix(QColor(brush.palette.muted), 0.8), 1.0)
    brush.painter.setPen(pen)
    brush.painter.setBrush(QColor(brush.palette.raised))
    brush.painter.drawRoundedRect(rect, 3, 3)
    middle, reach = rect.center(), SIGN / 2 - 3.5
    pen = QPen(QColor(brush.palette.text), 1.3)
    brush.painter.setPen(pen)
    brush.painter.drawLine(QLineF(middle.x() - reach, middle.y(), middle.x() + reach, middle.y()))
    if plus:
        brush.painter.drawLine(QLineF(middle.x(), middle.y() - reach, middle.x(), middle.y() + reach))


def paint_group(brush: Brush, shape: Shape, rect: QRectF) -> None:
    """A closed group: a sheet behind it says that there is more inside."""
    painter, palette = brush.painter, brush.palette
    colour = brush.kind(shape.colour) if shape.colour >= 0 else QColor(palette.text)
    painter.setPen(QPen(brush.mix(colour, 0.35), 1.0))
    painter.setBrush(brush.mix(colour, 0.05, palette.raised))
    painter.drawRoundedRect(rect.translated(4, 4), CORNER - 2, CORNER - 2)
    painter.setPen(QPen(brush.mix(colour, 0.6), 1.4))
    painter.setBrush(brush.heat(shape.heat) if shape.heat >= 0 else brush.mix(colour, 0.10, palette.raised))
    painter.drawRoundedRect(rect, CORNER - 2, CORNER - 2)
    row = np.array([rect.x(), rect.y(), rect.width(), rect.height()])
    _paint_sign(brush, plus_rect(row), plus=True)
    room = QRectF(rect.left() + 9, rect.top() + 4, rect.width() - SIGN - 22, 17)
    painter.setPen(QColor(palette.text))
    if shape.tag:
        brush.painter.setFont(brush.fonts.detail)
        brush.painter.drawText(room, RIGHT, shape.tag)
        room.setWidth(room.width() - 7 * len(shape.tag))
    brush.write(room, brush.fonts.title, shape.title)
    painter.setPen(QColor(palette.text if shape.heat >= 0 else palette.muted))
    brush.write(QRectF(rect.left() + 9, rect.top() + 21, rect.width() - 16, 14), brush.fonts.detail, shape.detail)


def paint_cut(brush: Brush, shape: Shape, rect: QRectF, *, downwards: bool) -> None:
    """A break: a torn line across, and on it the code that runs between."""
    painter, palette = brush.painter, brush.palette
    colour = QColor(palette.bad)
    pen = QPen(colour, 1.6)
    pen.setStyle(Qt.PenStyle.DashLine)
    painter.setPen(pen)
    middle = rect.center()
    if downwards:
        painter.drawLine(QLineF(rect.left() - CUT_REACH, middle.y(), rect.right() + CUT_REACH, middle.y()))
    else:
        painter.drawLine(QLineF(middle.x(), rect.top() - CUT_REACH, middle.x(), rect.bottom() + CUT_REACH))
    painter.setPen(QPen(colour, 1.4))
    painter.setBrush(brush.mix(colour, 0.14, palette.panel))
    painter.drawRoundedRect(rect, 3, 3)
    painter.setPen(QColor(palette.text))
    brush.write(QRectF(rect.left() + 9, rect.top() + 4, rect.width() - 16, 17), brush.fonts.title, shape.title)
    painter.setPen(brush.mix(colour, 0.75, palette.text))
    brush.write(QRectF(rect.left() + 9, rect.top() + 21, rect.width() - 16, 14), brush.fonts.detail, shape.detail)


def paint_counts(brush: Brush, picture: Picture, edges: I8) -> None:
    """How many edges a line bundles, where it is more than one, near its end."""
    if not len(picture.counts):
        return
    bundled = edges[picture.counts[edges] > 1]
    brush.painter.setPen(QColor(brush.palette.muted))
    brush.painter.setFont(brush.fonts.chip)
    for index, row in zip(bundled.tolist(), count_rects(picture, bundled).tolist(), strict=True):
        brush.painter.drawText(QRectF(*row), LEFT, str(picture.counts[index]))


def paint_badge(brush: Brush, rect: QRectF, count: int) -> None:
    """How much of what stands out is inside a closed group, on its upper left corner, as large on all scales."""
    painter, text = brush.painter, str(count)
    grow = max(1.0, 0.8 / brush.scale)
    wide, high = (7.0 * len(text) + 10) * grow, 15 * grow
    place = QRectF(rect.left() - wide / 3, rect.top() - high / 2, wide, high)
    painter.setPen(Qt.PenStyle.NoPen)
    painter.setBrush(QColor(brush.palette.warn))
    painter.drawRoundedRect(place, high / 2, high / 2)
    font = QFont(brush.fonts.detail)
    font.setPixelSize(round(10 * grow))
    painter.setFont(font)
    painter.setPen(QColor(brush.palette.on_accent))
    painter.drawText(place, int(Qt.AlignmentFlag.AlignCenter), text)
    painter.setBrush(Qt.BrushStyle.NoBrush)


def is_in_title(row: F8, point: QPointF) -> bool:
    """Whether a scene point is in a frame's title strip."""
    x, y, width, _ = row.tolist()
    return QRectF(x, y, width, TITLE_HEIGHT).contains(point)


def sign_at(picture: Picture, scene: QPointF) -> str:
    """The id of the group whose plus or minus is at a scene point, empty for none."""
    shape = picture.shape_at(scene.x(), scene.y())
    if shape >= 0:
        id_ = picture.shapes[shape].opens
        return id_ if id_ and plus_rect(picture.rects[shape]).contains(scene) else ""
    frame = picture.frame_at(scene.x(), scene.y())
    found = frame >= 0 and sign_rect(picture.frame_rects[frame]).contains(scene)
    return picture.frames[frame].id if found else ""


def group_corner(picture: Picture, id_: str) -> tuple[float, float] | None:
    """The upper left corner of a group, open or closed."""
    for frame, row in zip(picture.frames, picture.frame_rects.tolist(), strict=True):
        if frame.id == id_:
            return row[0], row[1]
    for shape, row in zip(picture.shapes, picture.rects.tolist(), strict=True):
        if shape.opens == id_:
            return row[0], row[1]
    return None
