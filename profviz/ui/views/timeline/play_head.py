"""Paints the play-head that the graphs move over the timelines."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from PySide6.QtCore import QPointF, Qt
from PySide6.QtGui import QColor, QPainter, QPen, QPolygonF

from profviz.ui.views.timeline.scene import Scene
from profviz.ui.widgets.timeline_look import Look

HEAD = 6.0


def paint_play_head(painter: QPainter, scenes: Sequence[Scene], play: Mapping[int, int], look: Look) -> None:
    """A line with a handle on each side that has a moment in `play` (ns of its trace), where it is in view."""
    colour = QColor(look.palette.good)
    for scene in scenes:
        pane = scene.pane
        if pane.side not in play:
            continue
        x = scene.scale.x(play[pane.side])
        if not pane.time_left <= x <= pane.right:
            continue
        painter.setPen(QPen(colour, 2))
        painter.drawLine(QPointF(x, pane.body_top), QPointF(x, pane.bottom))
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(colour)
        top = float(pane.body_top)
        painter.drawPolygon(QPolygonF([QPointF(x - HEAD, top), QPointF(x + HEAD, top), QPointF(x, top + 2 * HEAD)]))
