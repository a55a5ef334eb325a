"""Paints tracks that hold no slices: values over time as filled steps with their bounds, and moments as ticks."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
from PySide6.QtCore import QLineF, QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QFontMetricsF, QPainter, QPen, QPolygonF

from profviz.core.raster import pixel_edges
from profviz.core.series import Extremes
from profviz.ui.views.timeline.placing import Placed
from profviz.ui.views.timeline.scene import Scene
from profviz.ui.views.timeline.texts import short_name, value_text
from profviz.ui.views.timeline.tracks import Line, Ticks
from profviz.ui.widgets.panel_style import with_alpha
from profviz.ui.widgets.timeline_look import Look

PAD = 3.0
LABEL_GAP = 4.0


def bounds_of(lines: Sequence[Line]) -> tuple[float, float]:
    """The lowest and highest value of the axis: from zero on, or from the lowest where one is below it."""
    lows = [line.series.lowest for line in lines]
    highs = [line.series.highest for line in lines]
    low = min([0.0, *(low for low in lows if not math.isnan(low))])
    high = max([low, *(high for high in highs if not math.isnan(high))])
    return low, high if high > low else low + 1.0


def paint_lines(painter: QPainter, scene: Scene, one: Placed, look: Look) -> None:
    """Each line filled from the axis up; later ones over earlier ones, the last one strongest."""
    pane, top = scene.pane, scene.row_top(one, 0)
    body = QRectF(pane.time_left, top + PAD, pane.time_width, one.row_height - 1 - 2 * PAD)
    low, high = bounds_of(one.track.lines)
    edges = pixel_edges(scene.scale.start_ns, scene.scale.span_ns, pane.time_width)
    for number, line in enumerate(one.track.lines):
        is_last = number == len(one.track.lines) - 1
        colour = QColor(look.accent) if is_last else QColor(look.muted)
        _paint_area(painter, body, line.series.extremes(edges), (low, high), colour)
    _paint_bounds(painter, scene, one, (low, high), look)


def _paint_area(painter: QPainter, body: QRectF, found: Extremes, bounds: tuple[float, float], colour: QColor) -> None:
    """Filled up to the highest of each pixel, with a line from its lowest to its highest."""
    known = np.flatnonzero(~np.isnan(found.high))
    if not len(known):
        return
    scale = body.height() / (bounds[1] - bounds[0])
    fill = with_alpha(colour.name(), 0.28)
    for part in np.split(known, np.flatnonzero(np.diff(known) > 1) + 1):
        first, last = int(part[0]), int(part[-1]) + 1
        highs = body.bottom() - (found.high[first:last] - bounds[0]) * scale
        lows = body.bottom() - (found.low[first:last] - bounds[0]) * scale
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(fill)
        painter.drawPolygon(QPolygonF(_outline(body.left() + first, highs, body.bottom())))
        painter.setPen(QPen(colour, 1))
        painter.drawPolyline(QPolygonF(_steps(body.left() + first, highs, lows)))


def _outline(left: float, highs: np.ndarray, bottom: float) -> list[QPointF]:
    """Where the height changes, from the bottom left to the bottom right."""
    cuts = np.append(np.flatnonzero(np.diff(highs)) + 1, len(highs))
    points, begin = [QPointF(left, bottom)], 0
    for cut in cuts.tolist():
        points += [QPointF(left + begin, highs[begin]), QPointF(left + cut, highs[begin])]
        begin = cut
    return [*points, QPointF(left + len(highs), bottom)]


def _steps(left: float, highs: np.ndarray, lows: np.ndarray) -> list[QPointF]:
    changed = (np.diff(highs) != 0) | (np.diff(lows) != 0)
    cuts = np.append(np.flatnonzero(changed) + 1, len(highs))
    points, begin = [], 0
    for cut in cuts.tolist():
        points += [QPointF(left + begin, lows[begin]), QPointF(left + begin, highs[begin])]
        points.append(QPointF(left + cut, highs[begin]))
        begin = cut
    return points


def _paint_bounds(painter: QPainter, scene: Scene, one: Placed, bounds: tuple[float, float], look: Look) -> None:
    """The axis: its highest and lowest value, at the left of the area."""
    painter.setFont(look.small)
    metrics = QFontMetricsF(look.small)
    unit, top = one.track.lines[0].unit, scene.row_top(one, 0)
    painter.setPen(look.muted)
    left, ascent = scene.pane.time_left + LABEL_GAP, metrics.ascent()
    painter.drawText(QPointF(left, top + 1 + ascent), value_text(bounds[1], unit))
    if one.row_height >= 2 * metrics.height():
        painter.drawText(QPointF(left, top + one.row_height - 3 - metrics.descent()), value_text(bounds[0], unit))


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
