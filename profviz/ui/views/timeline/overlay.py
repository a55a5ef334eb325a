"""Paints what changes without the rows: the selection and its connectors, the pointer's time, a range and its sums."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QFontMetricsF, QPainter, QPainterPath, QPen

from profviz.ui.view_state import TimeRange
from profviz.ui.views.timeline.marks import Mark, MarkRow
from profviz.ui.views.timeline.painting import LEFT_MIDDLE
from profviz.ui.views.timeline.scene import Scene
from profviz.ui.widgets.timeline_look import Look

MOST_CONNECTORS, MOST_MARKS = 64, 4_000
LEAST_MARK_PX = 2.0
OVERHANG = 4.0
"""So far beyond the time a frame may reach, so that its end is not taken for the slice's."""

LINE = 20


def mark_rect(scene: Scene, mark: Mark) -> QRectF | None:
    """Where a mark shows, at least a few px wide; None where time, folding, scrolling or a hidden side hides it."""
    one = scene.placed.of(mark.track)
    if one is None or mark.row >= one.shown or not scene.shows_row(one, mark.row):
        return None
    left, right = scene.scale.x(mark.start_ns), scene.scale.x(mark.end_ns)
    if right < scene.pane.time_left or left > scene.pane.time_left + scene.pane.time_width:
        return None
    if right - left < LEAST_MARK_PX:
        left, right = (left + right - LEAST_MARK_PX) / 2, (left + right + LEAST_MARK_PX) / 2
    left = max(left, scene.pane.time_left - OVERHANG)
    right = min(right, scene.pane.time_left + scene.pane.time_width + OVERHANG)
    return QRectF(left, scene.row_top(one, mark.row), right - left, one.row_height - 1)


def row_rects(scene: Scene, row: MarkRow) -> list[QRectF]:
    """Where the marks of a row show; none where it does not."""
    one = scene.placed.of(row.track)
    if row.side != scene.pane.side or one is None or row.row >= one.shown or not scene.shows_row(one, row.row):
        return []
    scale, top, height = scene.scale, scene.row_top(one, row.row), one.row_height - 1
    spans = row.spans(scale.start_ns, scale.span_ns, scale.width, least_px=LEAST_MARK_PX)
    left = np.maximum(spans[:, 0], -OVERHANG) + scale.left
    width = np.minimum(spans[:, 1], scale.width + OVERHANG) + scale.left - left
    return [QRectF(x, top, wide, height) for x, wide in zip(left.tolist(), width.tolist(), strict=True)]


def paint_marks(painter: QPainter, scene: Scene, rows: Sequence[MarkRow], picked: Mark | None, look: Look) -> None:
    """Thin slices are filled, wide ones outlined; the picked one is drawn last and strongest."""
    if not rows:
        return
    painter.save()
    pane = scene.pane
    painter.setClipRect(QRectF(pane.time_left, pane.body_top, pane.time_width, pane.body_height))
    painter.setBrush(Qt.BrushStyle.NoBrush)
    rects = [rect for row in rows for rect in row_rects(scene, row)]
    _paint_rects(painter, rects, 1.5, look)
    own = mark_rect(scene, picked) if picked is not None and picked.side == pane.side else None
    _paint_rects(painter, [own] if own is not None else [], 2.0, look)
    painter.restore()


def _paint_rects(painter: QPainter, rects: Sequence[QRectF], width: float, look: Look) -> None:
    half = width / 2
    painter.setPen(QPen(look.selection, width))
    painter.drawRects([rect.adjusted(half, half, -half, -half) for rect in rects if rect.width() >= 5])
    for rect in rects:
        if rect.width() < 5:
            painter.fillRect(rect, look.selection)


def paint_connectors(painter: QPainter, pairs: Sequence[tuple[QRectF, QRectF]], look: Look) -> None:
    """Curves from each first to its second rectangle, from facing edges."""
    if not pairs:
        return
    painter.save()
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    painter.setBrush(Qt.BrushStyle.NoBrush)
    for first, second in pairs[:MOST_CONNECTORS]:
        path = connector(first, second)
        painter.setPen(QPen(look.panel, 3.0))
        painter.drawPath(path)
        painter.setPen(QPen(look.accent, 1.4))
        painter.drawPath(path)
    painter.restore()


def connector(first: QRectF, second: QRectF) -> QPainterPath:
    """Downwards where the rectangles stand over each other, else across."""
    if first.bottom() > second.top() and second.bottom() <= first.top():
        first, second = second, first
    over = first.bottom() <= second.top()
    begin = QPointF(first.center().x(), first.bottom() if over else first.center().y())
    end = QPointF(second.center().x(), second.top() if over else second.center().y())
    path = QPainterPath(begin)
    if over:
        half = (end.y() - begin.y()) / 2
        path.cubicTo(begin + QPointF(0, half), end - QPointF(0, half), end)
    else:
        half = (end.x() - begin.x()) / 2
        path.cubicTo(begin + QPointF(half, 0), end - QPointF(half, 0), end)
    return path


def paint_range(painter: QPainter, scene: Scene, chosen: TimeRange, offset_ns: int, look: Look) -> None:
    """Over all tracks, or over those alone that it names."""
    pane = scene.pane
    left = max(scene.scale.x(chosen.start_ns + offset_ns), float(pane.time_left))
    right = min(scene.scale.x(chosen.end_ns + offset_ns), float(pane.time_left + pane.time_width))
    if right < left or not pane.shows:
        return
    for top, bottom in _bands(scene, chosen):
        body = QRectF(left, top, right - left, bottom - top)
        painter.fillRect(body, look.range)
        painter.setPen(QPen(look.accent, 1))
        painter.drawLine(body.topLeft(), body.bottomLeft())
        painter.drawLine(body.topRight(), body.bottomRight())


def _bands(scene: Scene, chosen: TimeRange) -> list[tuple[float, float]]:
    """From where to where a range reaches on one pane."""
    if not chosen.tracks:
        return [(scene.pane.body_top, scene.pane.bottom)]
    found = []
    for side, track in chosen.tracks:
        one = scene.placed.of(track) if side == scene.pane.side else None
        if one is not None:
            first, last = scene.room(one)
            top = scene.row_top(one, 0)
            found.append((max(first, top), min(last, top + one.height)))
    return [(top, bottom) for top, bottom in found if bottom > top]


def paint_strip(painter: QPainter, lines: Sequence[str], room: QRectF, look: Look) -> None:
    """A box of lines at the bottom of `room`, the first one strong; what does not fit is elided."""
    metrics = QFontMetricsF(look.font)
    strong = QFontMetricsF(look.bold)
    widths = [(strong if number == 0 else metrics).horizontalAdvance(line) for number, line in enumerate(lines)]
    width = min(room.width() - 16, max(widths) + 28)
    box = QRectF(room.right() - width - 8, room.bottom() - LINE * len(lines) - 20, width, LINE * len(lines) + 12)
    painter.save()
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    painter.setPen(QPen(look.border, 1))
    painter.setBrush(QColor(look.palette.raised))
    painter.drawRoundedRect(box.adjusted(0.5, 0.5, -0.5, -0.5), 6, 6)
    painter.setPen(look.text)
    for number, line in enumerate(lines):
        painter.setFont(look.bold if number == 0 else look.font)
        row = QRectF(box.left() + 12, box.top() + 6 + number * LINE, width - 24, LINE)
        chosen = strong if number == 0 else metrics
        painter.drawText(row, LEFT_MIDDLE, chosen.elidedText(line, Qt.TextElideMode.ElideRight, row.width() + 1))
    painter.restore()


def paint_bar(painter: QPainter, place: QRectF | None, look: Look) -> None:
    """The thumb of a pane's scroll bar, where it has one."""
    if place is not None:
        painter.fillRect(place, look.border)


def paint_pointer(painter: QPainter, x: float, top: int, bottom: int, look: Look) -> None:
    colour = QColor(look.muted)
    colour.setAlphaF(0.55)
    painter.setPen(QPen(colour, 1))
    painter.drawLine(QPointF(round(x) + 0.5, top), QPointF(round(x) + 0.5, bottom))


def paint_time(painter: QPainter, x: float, top: int, height: int, text: str, right: float, look: Look) -> None:
    """The pointer's exact time, over the axis."""
    painter.setFont(look.small)
    width = QFontMetricsF(look.small).horizontalAdvance(text) + 12
    box = QRectF(min(x - width / 2, right - width), top + 3, width, height - 6)
    painter.setPen(QPen(look.border, 1))
    painter.setBrush(QColor(look.palette.raised))
    painter.drawRect(box)
    painter.setPen(look.text)
    painter.drawText(box, int(Qt.AlignmentFlag.AlignCenter), text)
