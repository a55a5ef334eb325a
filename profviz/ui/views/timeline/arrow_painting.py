"""Paints arrows between slices: curves with a head at the effect, dashed where they cross to the backward pass."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QPainter, QPainterPath, QPen, QPolygonF

from profviz.ui.views.timeline.marks import Mark
from profviz.ui.views.timeline.overlay import mark_rect
from profviz.ui.views.timeline.scene import Scene
from profviz.ui.widgets.timeline_look import Look

MOST_ARROWS = 64
HEAD, HALF_HEAD = 7.0, 3.5
LEAST_BEND = 18.0


@dataclass(frozen=True, slots=True)
class Arrow:
    """From one slice to another of the same side."""

    cause: Mark
    effect: Mark
    dashed: bool


def arrow_rects(scenes: Sequence[Scene], arrows: Sequence[Arrow]) -> list[tuple[QRectF, QRectF, bool]]:
    """Where the arrows begin and end, and whether they are dashed; those of which no end shows are left out.

    An end that time or scrolling hides is at the border of the pane it is behind. Calls that stand below their operator
    need no arrow from it, and a side that is hidden has none.
    """
    found = []
    for one in arrows:
        if is_below(one):
            continue
        ends = [(mark_rect(scenes[mark.side], mark), mark) for mark in (one.cause, one.effect)]
        if all(rect is None for rect, _ in ends):
            continue
        cause, effect = (rect or border_rect(scenes[mark.side], mark) for rect, mark in ends)
        if cause is not None and effect is not None:
            found.append((cause, effect, one.dashed))
    return found


def is_below(one: Arrow) -> bool:
    """Whether the effect is nested in the cause on the same track."""
    cause, effect = one.cause, one.effect
    inside = cause.start_ns <= effect.start_ns and effect.end_ns <= cause.end_ns
    return inside and (cause.side, cause.track) == (effect.side, effect.track)


def border_rect(scene: Scene, mark: Mark) -> QRectF | None:
    """The nearest place on the pane to a mark that does not show; None where its track is hidden."""
    one = scene.placed.of(mark.track)
    if one is None or not one.shown:
        return None
    pane, (first, last) = scene.pane, scene.room(one)
    left, right = float(pane.time_left), float(pane.time_left + pane.time_width)
    x = min(max(scene.scale.x((mark.start_ns + mark.end_ns) // 2), left), right)
    y = scene.row_top(one, min(mark.row, one.shown - 1))
    return QRectF(x, min(max(y, first), last), 0, 0)


def paint_arrows(painter: QPainter, arrows: Sequence[tuple[QRectF, QRectF, bool]], look: Look) -> None:
    """Each from the first rectangle to the second, over a line of the background so that slices below stay apart."""
    painter.save()
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    for first, second, dashed in arrows[:MOST_ARROWS]:
        path, head = arrow(first, second)
        painter.setBrush(Qt.BrushStyle.NoBrush)
        painter.setPen(QPen(look.panel, 3.0))
        painter.drawPath(path)
        style = Qt.PenStyle.DashLine if dashed else Qt.PenStyle.SolidLine
        painter.setPen(QPen(look.accent, 1.4, style))
        painter.drawPath(path)
        painter.setPen(QPen(look.panel, 1.0))
        painter.setBrush(look.accent)
        painter.drawPolygon(head)
    painter.restore()


def arrow(first: QRectF, second: QRectF) -> tuple[QPainterPath, QPolygonF]:
    """A curve between the facing edges and the head on the effect; beside each other it bends below both."""
    apart = first.bottom() <= second.top() or second.bottom() <= first.top()
    down = second.top() >= first.bottom()
    way = 1.0 if down or not apart else -1.0
    begin = QPointF(first.center().x(), first.bottom() if way > 0 else first.top())
    end_y = (second.top() if way > 0 else second.bottom()) if apart else second.bottom()
    end = QPointF(second.center().x(), end_y)
    arrives = way if apart else -1.0  # between slices of one row it comes from below
    neck = QPointF(end.x(), end.y() - arrives * HEAD)
    bend = max(LEAST_BEND, abs(neck.y() - begin.y()) / 2)
    path = QPainterPath(begin)
    path.cubicTo(begin + QPointF(0, way * bend), neck - QPointF(0, arrives * bend), neck)
    head = QPolygonF([end, neck + QPointF(-HALF_HEAD, 0), neck + QPointF(HALF_HEAD, 0)])
    return path, head
