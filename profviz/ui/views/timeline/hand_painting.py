"""Paints what the hands leave on the timelines: hits, kept marks, the range being measured, a title on its way."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from PySide6.QtCore import QLineF, QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QFontMetricsF, QPainter, QPen, QPolygonF

from profviz.core.raster import pixel_edges
from profviz.model.units import format_exact_ns
from profviz.ui.views.timeline import layout, overlay
from profviz.ui.views.timeline.canvas import TimelineCanvas
from profviz.ui.views.timeline.keeping import words
from profviz.ui.views.timeline.marking import FLAG_HEIGHT, FLAG_WIDTH, Marking
from profviz.ui.views.timeline.marks import Mark
from profviz.ui.views.timeline.scene import Scene
from profviz.ui.views.timeline.searching import Search
from profviz.ui.views.timeline.texts import length_text
from profviz.ui.widgets.panel_style import with_alpha
from profviz.ui.widgets.timeline_look import Look

OUTLINED = 300
"""So many hits in view are outlined one by one; more of them show as a strip above the tracks."""
STRIP = 3.0
LABEL_WIDTH = 120.0


def paint_hits(
    painter: QPainter, scenes: Sequence[Scene], search: Search, mark_of: Callable[[int, int], Mark | None], look: Look
) -> None:
    """A strip above the tracks where hits begin, and an outline round each while they are few."""
    if not len(search.hits):
        return
    colour = QColor(look.palette.warn)
    for scene in scenes:
        pane, scale = scene.pane, scene.scale
        if pane.time_width <= 1:
            continue
        hits = search.of_side(pane.side)
        edges = pixel_edges(scale.start_ns, scale.span_ns, pane.time_width)
        top = pane.body_top - STRIP - 1
        painter.setPen(QPen(colour, 1))
        xs = (pane.time_left + hits.begun(edges) + 0.5).tolist()
        painter.drawLines([QLineF(x, top, x, top + STRIP) for x in xs])
        shown = hits.shown(scale.start_ns, scale.start_ns + scale.span_ns, most=OUTLINED)
        marks = (mark_of(pane.side, index) for index in shown.tolist())
        _outline(painter, scene, [mark for mark in marks if mark is not None], colour)


def _outline(painter: QPainter, scene: Scene, marks: Sequence[Mark], colour: QColor) -> None:
    painter.save()
    pane = scene.pane
    painter.setClipRect(QRectF(pane.time_left, pane.body_top, pane.time_width, pane.body_height))
    painter.setBrush(Qt.BrushStyle.NoBrush)
    painter.setPen(QPen(colour, 1.5))
    for mark in marks:
        rect = overlay.mark_rect(scene, mark)
        if rect is not None:
            painter.drawRect(rect.adjusted(0.5, 0.5, -0.5, -0.5))
    painter.restore()


def paint_touched(painter: QPainter, scenes: Sequence[Scene], touched: tuple[int, str] | None, look: Look) -> None:
    """A bar beside the title of the track that keys act on."""
    if touched is None or touched[0] >= len(scenes):
        return
    scene = scenes[touched[0]]
    one = scene.placed.of(touched[1])
    if one is None:
        return
    first, last = scene.room(one)
    top = max(scene.row_top(one, 0), first)
    bottom = min(scene.row_top(one, 0) + one.height - 1, last)
    if bottom > top:
        painter.fillRect(QRectF(scene.pane.left, top, 2, bottom - top), look.accent)


def paint_kept(painter: QPainter, scenes: Sequence[Scene], marking: Marking, look: Look) -> None:
    """A flag on the axis for each mark, with its words where there is room, a line through its side's tracks."""
    painter.save()
    painter.setFont(look.small)
    metrics = QFontMetricsF(look.small)
    colour = QColor(look.palette.warn)
    taken: list[QRectF] = []
    for mark in marking.kept:
        scene = scenes[mark.side]
        if not scene.pane.shows:
            continue
        _paint_extent(painter, scene, mark.start_ns, mark.end_ns, colour)
        flag = marking.flag(scene, mark)
        if flag is None:
            continue
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(colour)
        painter.drawRect(QRectF(flag.left(), flag.top(), 1.5, flag.height()))
        tip = QPointF(flag.left() + FLAG_WIDTH, flag.top() + FLAG_HEIGHT / 2)
        painter.drawPolygon(QPolygonF([flag.topLeft(), tip, QPointF(flag.left(), flag.top() + FLAG_HEIGHT)]))
        text = metrics.elidedText(words(mark, marking.sides), Qt.TextElideMode.ElideRight, LABEL_WIDTH)
        room = QRectF(flag.left() + FLAG_WIDTH + 2, flag.top(), metrics.horizontalAdvance(text) + 6, flag.height())
        if room.right() < scene.pane.right and not any(room.intersects(other) for other in taken):
            taken.append(room)
            painter.fillRect(room, look.panel)
            painter.setPen(colour)
            painter.drawText(room, int(Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignLeft), text)
    painter.restore()


def _paint_extent(painter: QPainter, scene: Scene, start_ns: int, end_ns: int, colour: QColor) -> None:
    pane, scale = scene.pane, scene.scale
    left, right = float(pane.time_left), float(pane.time_left + pane.time_width)
    painter.setPen(QPen(colour, 1, Qt.PenStyle.DashLine))
    for time in {start_ns, end_ns}:
        x = scale.x(time)
        if left <= x <= right:
            painter.drawLine(QPointF(x, pane.body_top), QPointF(x, pane.bottom))
    first, last = max(left, scale.x(start_ns)), min(right, scale.x(end_ns))
    if last > first + 1:
        painter.fillRect(QRectF(first, pane.body_top, last - first, pane.body_height), with_alpha(colour.name(), 0.08))


def paint_measures(painter: QPainter, canvas: TimelineCanvas, scene: Scene, look: Look, *, ends: bool) -> None:
    """The exact length of each range between two arrow heads; of the last one, with `ends`, both exact ends as well."""
    pane, offset = scene.pane, canvas.stage.offset_ns(scene.pane.side)
    left, right = float(pane.time_left), float(pane.time_left + pane.time_width)
    for number, chosen in enumerate(canvas.state.ranges):
        first, last = (scene.scale.x(time + offset) for time in (chosen.start_ns, chosen.end_ns))
        if last >= left and first <= right:
            text = length_text(chosen.end_ns - chosen.start_ns)
            _paint_length(painter, scene, max(first, left), min(last, right), text, look)
        if ends and number == len(canvas.state.ranges) - 1:
            _paint_ends(painter, canvas, scene, (first, last), look)


def _paint_length(painter: QPainter, scene: Scene, left: float, right: float, text: str, look: Look) -> None:
    pane = scene.pane
    y = float(min(pane.body_top + 12, pane.bottom - 8))
    painter.save()
    painter.setFont(look.bold)
    width = QFontMetricsF(look.bold).horizontalAdvance(text) + 14
    painter.setPen(QPen(look.accent, 1.5))
    painter.drawLine(QPointF(left, y), QPointF(right, y))
    for x, way in ((left, 1), (right, -1)) if right - left > 14 else ():
        painter.drawLine(QPointF(x, y), QPointF(x + way * 5, y - 4))
        painter.drawLine(QPointF(x, y), QPointF(x + way * 5, y + 4))
    middle = (left + right) / 2 if right - left > width + 16 else right + width / 2 + 8
    if middle + width / 2 > pane.right:
        middle = left - width / 2 - 8
    box = QRectF(middle - width / 2, y - 10, width, 20)
    painter.setPen(QPen(look.border, 1))
    painter.setBrush(QColor(look.palette.raised))
    painter.drawRoundedRect(box, 4, 4)
    painter.setPen(look.text)
    painter.drawText(box, int(Qt.AlignmentFlag.AlignCenter), text)
    painter.restore()


def _paint_ends(painter: QPainter, canvas: TimelineCanvas, scene: Scene, ends: tuple[float, float], look: Look) -> None:
    axes = canvas.arrangement().axes
    axis = next((one for one in axes if one.side == scene.pane.side), axes[0])
    chosen, anchor = canvas.state.ranges[-1], canvas.alignment.anchor_ns
    for x, time in zip(ends, (chosen.start_ns, chosen.end_ns), strict=True):
        text = format_exact_ns(time - anchor)
        overlay.paint_time(painter, x, axis.top, layout.AXIS, text, scene.pane.right, look)


def paint_drop(painter: QPainter, width: int, y: float, look: Look) -> None:
    """Where a track would go."""
    painter.setPen(QPen(look.accent, 2))
    painter.drawLine(QPointF(4, y), QPointF(width - 4, y))
