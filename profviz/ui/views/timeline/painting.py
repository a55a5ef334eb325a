"""Paints what stands around the rows: headers, titles, axes, and what tracks say in words."""

from __future__ import annotations

import math

from PySide6.QtCore import QLineF, QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QFont, QFontMetricsF, QPainter, QPen

from profviz.ui.views.timeline.layout import AXIS, HEADER, Axis
from profviz.ui.views.timeline.line_painting import paint_bounds, paint_ticks
from profviz.ui.views.timeline.placing import Placed
from profviz.ui.views.timeline.scene import Scene
from profviz.ui.views.timeline.tracks import Group
from profviz.ui.widgets.timeline_look import Look

LEFT_MIDDLE = int(Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignLeft)
RIGHT_MIDDLE = int(Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignRight)
TRIANGLE_ROOM = 14
TITLE_SHARE = 0.45
WIDEST_TIME = 160
"""No label of the axis is wider, in px."""


class GutterPainter:
    """Paints the titles of one pane's tracks with one painter."""

    def __init__(self, painter: QPainter, scene: Scene, look: Look) -> None:
        self._painter = painter
        self._scene = scene
        self._look = look

    def paint(self) -> None:
        pane = self._scene.pane
        for place, tracks in self._scene.parts():
            self._painter.save()
            self._painter.setClipRect(place)
            for one in tracks:
                self._paint_gutter(one)
            self._painter.restore()
        paint_pinned_edge(self._painter, self._scene, self._look, pane.left, pane.time_left)

    def _paint_gutter(self, one: Placed) -> None:
        pane, painter, look = self._scene.pane, self._painter, self._look
        top, height = self._scene.row_top(one, 0), one.row_height
        room = QRectF(pane.left + 4, top, pane.gutter - 12, height)
        hidden = one.track.row_count - one.shown
        if one.track.foldable:
            paint_triangle(painter, room.left() + 4, room.center().y(), look.muted, down=one.shown > 1 or hidden <= 0)
        text_room = room.adjusted(TRIANGLE_ROOM, 0, 0, 0)
        painter.setFont(look.small)
        metrics = QFontMetricsF(look.small)
        if hidden > 0:
            more = f"+{hidden}" if one.shown < 2 else f"{hidden} row{'s' if hidden > 1 else ''} more"
            painter.setPen(look.accent)
            painter.drawText(text_room.translated(0, height if one.shown > 1 else 0), RIGHT_MIDDLE, more)
            if one.shown < 2:
                text_room.adjust(0, 0, -metrics.horizontalAdvance(more) - 6, 0)
        painter.setPen(look.muted)
        width = text_room.width()
        title = metrics.elidedText(_title(one, metrics, width), Qt.TextElideMode.ElideRight, width)
        painter.drawText(text_room, LEFT_MIDDLE, title)


def paint_pinned_edge(painter: QPainter, scene: Scene, look: Look, left: float, right: float) -> None:
    """A line below what is pinned, where anything is."""
    if scene.scrolled_top > scene.pane.body_top:
        painter.setPen(QPen(look.muted, 1))
        y = scene.scrolled_top - 2.5
        painter.drawLine(QLineF(left, y, right, y))


def paint_header(painter: QPainter, scene: Scene, look: Look) -> None:
    """A side's title, and beside it what shows."""
    pane = scene.pane
    room = QRectF(pane.left + 4, pane.top, pane.right - pane.left - 12, HEADER)
    text_width = QFontMetricsF(look.font).horizontalAdvance(scene.header)
    wanted = QFontMetricsF(look.bold).horizontalAdvance(scene.side.title) + 2
    title_width = title_room(wanted, text_width, room=room.width(), gutter=pane.gutter)
    painter.setPen(look.text)
    _write(painter, QRectF(room.left(), room.top(), title_width, HEADER), scene.side.title, look.bold)
    left = max(room.left() + title_width + 12, float(pane.time_left))
    painter.setPen(look.muted)
    _write(painter, QRectF(left, room.top(), max(0.0, room.right() - left), HEADER), scene.header, look.font)


def title_room(wanted: float, text_width: float, *, room: float, gutter: float) -> float:
    """How wide a title may be: it tells sides apart, so the text beside it gives way until little room is left."""
    return min(wanted, max(gutter - 8.0, room - text_width - 16, room * TITLE_SHARE))


def _write(painter: QPainter, room: QRectF, text: str, font: QFont) -> None:
    painter.setFont(font)
    elide = Qt.TextElideMode.ElideMiddle if font.bold() else Qt.TextElideMode.ElideRight
    painter.drawText(room, LEFT_MIDDLE, QFontMetricsF(font).elidedText(text, elide, room.width()))


def paint_others(painter: QPainter, scene: Scene, look: Look) -> None:
    """What stands on rows besides slices: moments, the bounds of values, and in words what is missing."""
    pane = scene.pane
    for place, tracks in scene.parts():
        painter.save()
        painter.setClipRect(place.adjusted(pane.gutter, 0, pane.time_left + pane.time_width - pane.right, 0))
        for one in tracks:
            if one.track.lines:
                paint_bounds(painter, scene, one, look)
            elif one.track.ticks is not None:
                paint_ticks(painter, scene, one, one.track.ticks, look)
            elif not one.track.row_count:
                _say_missing(painter, scene, one, look)
        painter.restore()
    paint_pinned_edge(painter, scene, look, pane.time_left, pane.time_left + pane.time_width)


def _say_missing(painter: QPainter, scene: Scene, one: Placed, look: Look) -> None:
    painter.setFont(look.small)
    painter.setPen(look.muted)
    said = one.track.missing or "being worked out"
    room = QRectF(scene.pane.time_left + 6, scene.row_top(one, 0), scene.pane.time_width - 6, one.row_height)
    painter.drawText(
        room, LEFT_MIDDLE, QFontMetricsF(look.small).elidedText(said, Qt.TextElideMode.ElideRight, room.width())
    )


def _title(one: Placed, metrics: QFontMetricsF, width: float) -> str:
    """A stream's title without its device where there is no room for both."""
    title = one.track.title
    fits = one.track.group is not Group.GPU or metrics.horizontalAdvance(title) <= width
    return title if fits else title.rpartition(" · ")[2]


def paint_triangle(painter: QPainter, x: float, y: float, colour: QColor, *, down: bool) -> None:
    """The sign that more rows can be shown, or fewer."""
    painter.save()
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    painter.setPen(Qt.PenStyle.NoPen)
    painter.setBrush(colour)
    points = [(-3.5, -2), (3.5, -2), (0, 3)] if down else [(-2, -3.5), (-2, 3.5), (3, 0)]
    painter.drawPolygon([QPointF(x + dx, y + dy) for dx, dy in points])
    painter.restore()


def paint_axis(painter: QPainter, axis: Axis, scene: Scene, look: Look, note: str) -> None:
    """Tick labels beside their lines; those that would be cut off are left out."""
    pane, scale = scene.pane, scene.scale
    painter.setFont(look.small)
    metrics = QFontMetricsF(look.small)
    painter.setPen(look.muted)
    painter.drawText(QRectF(pane.left + 4 + TRIANGLE_ROOM, axis.top, pane.gutter - 22, AXIS), LEFT_MIDDLE, note)
    base = axis.top + (AXIS + metrics.ascent() - metrics.descent()) / 2
    shown = [(scale.x(mark.time_ns), mark.text) for mark in scene.marks]
    shown = [(math.floor(x) + 0.5, text) for x, text in shown if pane.time_left - 0.5 <= x <= pane.right - 4]
    painter.setPen(QPen(look.border, 1))
    painter.drawLines([QLineF(x, axis.top + 2, x, axis.top + AXIS - 2) for x, _ in shown])
    painter.setPen(look.muted)
    for x, text in shown:
        if x + WIDEST_TIME <= pane.right or x + 5 + metrics.horizontalAdvance(text) <= pane.right:
            painter.drawText(QPointF(x + 5, base), text)
