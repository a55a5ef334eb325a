"""Paints what stands on tracks that hold no slices: the bounds of values over time, and moments as ticks."""

from __future__ import annotations

import numpy as np
from PySide6.QtCore import QLineF, QPointF, QRectF, Qt
from PySide6.QtGui import QFontMetricsF, QPainter, QPen

from profviz.model.short_names import short_name
from profviz.ui.views.timeline.areas import bounds_of
from profviz.ui.views.timeline.placing import Placed
from profviz.ui.views.timeline.scene import Scene
from profviz.ui.views.timeline.texts import value_text
from profviz.ui.views.timeline.tracks import Ticks
from profviz.ui.widgets.timeline_look import Look

LABEL_GAP = 4.0


def paint_bounds(painter: QPainter, scene: Scene, one: Placed, look: Look) -> None:
    """The axis: its highest and lowest value, at the left of the area."""
    bounds = bounds_of(one.track.lines)
    painter.setFont(look.small)
    metrics = QFontMetricsF(look.small)
    unit, top = one.track.lines[0].unit, scene.row_top(one, 0)
    places = [(value_text(bounds[1], unit), top + 2.0)]
    if one.row_height >= 2 * metrics.height():
        places.append((value_text(bounds[0], unit), top + one.row_height - 3 - metrics.height()))
    for text, y in places:
        box = QRectF(scene.pane.time_left + 2, y, metrics.horizontalAdvance(text) + 2 * LABEL_GAP, metrics.height())
        painter.fillRect(box, look.behind_text)
        painter.setPen(look.text)
        painter.drawText(QPointF(box.left() + LABEL_GAP, y + metrics.ascent()), text)


def paint_ticks(painter: QPainter, scene: Scene, one: Placed, ticks: Ticks, look: Look) -> None:
    """One tick a pixel at most, named where there is room up to the next."""
    scale, top = scene.scale, scene.row_top(one, 0)
    first, last = (
        int(ticks.time_ns.searchsorted(edge)) for edge in (scale.start_ns, scale.start_ns + scale.span_ns + 1)
    )
    xs = np.floor(scale.xs(ticks.time_ns[first:last]))
    pixels, at = np.unique(xs, return_index=True)
    painter.setPen(QPen(look.accent, 1))
    painter.drawLines([QLineF(x + 0.5, top + 2, x + 0.5, top + one.row_height - 3) for x in pixels.tolist()])
    painter.setFont(look.small)
    metrics = QFontMetricsF(look.small)
    base = top + (one.row_height - 1 + metrics.ascent() - metrics.descent()) / 2
    painter.setPen(look.muted)
    rooms = np.append(np.diff(pixels), scale.left + scale.width - pixels[-1:])
    trace = scene.side.trace
    for number in np.flatnonzero(rooms > 30).tolist():
        name = short_name(trace.names[int(trace.instants.name[int(ticks.item[first + int(at[number])])])])
        text = metrics.elidedText(name, Qt.TextElideMode.ElideRight, rooms[number] - 8)
        painter.drawText(QPointF(pixels[number] + 5, base), text)
