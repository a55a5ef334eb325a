"""How much busier one of two sides is than the other, as steps up and down from a middle line, straight into pixels."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from PySide6.QtCore import QRectF, Qt
from PySide6.QtGui import QColor, QFontMetricsF, QPainter

from profviz.core.columns import U32
from profviz.core.raster import pixel_edges
from profviz.model.overview import Busy
from profviz.model.trace import F64
from profviz.ui.views.timeline.difference import busy_fraction
from profviz.ui.views.timeline.layout import Arrangement, Pane, Scale
from profviz.ui.views.timeline.painting import LEFT_MIDDLE
from profviz.ui.views.timeline.scene import Scene
from profviz.ui.widgets.timeline_look import Look, number_of

HEIGHT, MARGIN = 36, 2


@dataclass(frozen=True, slots=True)
class Strip:
    """The first of two sides less the second, at `top`, as wide as `pane`; what is compared decides what it shows."""

    top: int
    pane: Pane
    titles: tuple[str, str]
    busy: tuple[Busy, Busy]
    scales: tuple[Scale, Scale]

    def values(self, ratio: float) -> F64:
        """Busy part of the first side less that of the second, for each device pixel; shape (w,), from -1 to 1."""
        width = round(self.pane.time_width * ratio)
        edges = [pixel_edges(scale.start_ns, scale.span_ns, width) for scale in self.scales]
        first, second = (busy_fraction(own, times) for own, times in zip(self.busy, edges, strict=True))
        return first - second

    @property
    def room(self) -> QRectF:
        """Where the words stand; the values begin at its right."""
        return QRectF(self.pane.left, self.top, self.pane.right - self.pane.left, HEIGHT)


def strip_of(made: Arrangement, scenes: Sequence[Scene], busy: Mapping[int, Busy]) -> Strip | None:
    """Of the first two sides that show, once it is known of both when they are busy."""
    pair = made.order[:2]
    if made.strip is None or any(side not in busy for side in pair):
        return None
    first, second = (scenes[side] for side in pair)
    titles, scales = (first.side.title, second.side.title), (first.scale, second.scale)
    return Strip(made.strip[0], first.pane, titles, (busy[pair[0]], busy[pair[1]]), scales)


def strip_pixels(values: F64, height: int, look: Look) -> U32:
    """Shape (height, w): up from the middle where the first side is busier, down where the second one is."""
    ground, line, up, down = (
        number_of(QColor(colour))
        for colour in (look.palette.lane, look.palette.border, look.palette.warn, look.palette.accent)
    )
    middle = height // 2
    made = np.full((height, len(values)), ground, dtype=np.uint32)
    above = np.arange(middle, 0, -1)[:, None] <= np.ceil(values * middle)
    below = np.arange(1, height - middle)[:, None] <= np.ceil(-values * (height - middle - 1))
    made[:middle][above] = up
    made[middle + 1 :][below] = down
    made[middle] = line
    return made


def paint_words(painter: QPainter, strip: Strip, look: Look) -> None:
    """Which side is meant by up and by down, in the gutter."""
    painter.setFont(look.small)
    painter.setPen(look.muted)
    metrics = QFontMetricsF(look.small)
    half, width = HEIGHT / 2, strip.pane.gutter - 12.0
    for at, (sign, title) in enumerate(zip("▲▼", strip.titles, strict=True)):
        text = f"{sign} busier: {title}"
        if metrics.horizontalAdvance(text) > width:
            room = width - metrics.horizontalAdvance(f"{sign} ")
            text = f"{sign} {metrics.elidedText(title, Qt.TextElideMode.ElideLeft, room)}"  # ends tell sides apart
        painter.drawText(QRectF(strip.pane.left + 4, strip.top + at * half, width, half), LEFT_MIDDLE, text)
