"""Where everything stands: panes, rows, ticks, and from a point back to a slice; pure, no Qt.

Times are int64 ns; a window's start is taken off as an integer before anything becomes a float.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from profviz.core.raster import F64, I64, Row
from profviz.ui.views.timeline.placing import Placed, Placing
from profviz.ui.views.timeline.tracks import Ticks

HEADER, AXIS, GUTTER, RIGHT, PANE_GAP = 26, 24, 128, 10, 12
TICK_PX = 92
NEAR_PX = 3.0
NARROW, WIDE = 560, 1_100
GUTTER_WIDE = 156


@dataclass(frozen=True, slots=True)
class Scale:
    """Time to x and back, for one pane: `left` and `width` in px, `start_ns` and `span_ns` in the side's own time."""

    left: float
    width: float
    start_ns: int
    span_ns: int

    @property
    def px_per_ns(self) -> float:
        return self.width / self.span_ns

    def x(self, time_ns: int) -> float:
        return self.left + (time_ns - self.start_ns) * self.width / self.span_ns

    def xs(self, times_ns: I64) -> F64:
        return self.left + (times_ns - self.start_ns) * self.px_per_ns

    def time_ns(self, x: float) -> int:
        return self.start_ns + int((x - self.left) * self.span_ns // self.width)


@dataclass(frozen=True, slots=True)
class Pane:
    """The place of one side: its header from `top`, its tracks from `body_top` to `bottom`; all in whole px."""

    side: int
    left: int
    right: int
    top: int
    bottom: int

    @property
    def body_top(self) -> int:
        return self.top + HEADER

    @property
    def shows(self) -> bool:
        return self.right > self.left

    @property
    def body_height(self) -> int:
        return max(0, self.bottom - self.body_top)

    @property
    def gutter(self) -> int:
        width = self.right - self.left
        return GUTTER_WIDE if width > WIDE else GUTTER if width > NARROW else 100

    @property
    def has_time(self) -> bool:
        """Whether there is room for more than titles."""
        return self.right - RIGHT > self.time_left

    @property
    def time_left(self) -> int:
        return self.left + self.gutter

    @property
    def time_width(self) -> int:
        return max(1, self.right - RIGHT - self.time_left)

    def scale(self, start_ns: int, span_ns: int) -> Scale:
        return Scale(float(self.time_left), float(self.time_width), start_ns, max(1, span_ns))


@dataclass(frozen=True, slots=True)
class Axis:
    """A place for tick labels, as wide as the pane of `side`."""

    side: int
    top: int


@dataclass(frozen=True, slots=True)
class Arrangement:
    """All panes and axes of one size of the widget.

    `panes` has one a side, without any room for a side that does not show; `order` are those that do. `strip` is top
    and height of what compares the first two of them, None where nothing does.
    """

    panes: tuple[Pane, ...]
    axes: tuple[Axis, ...]
    order: tuple[int, ...] = ()
    strip: tuple[int, int] | None = None


@dataclass(frozen=True, slots=True)
class Hit:
    """What is under a point: a slice of the trace (or -1) on a row of a track.

    `item` is what the track's rows or ticks name where they are no slices, or -1.
    """

    side: int
    placed: Placed
    row: int
    slice: int
    item: int = -1


def arrange(
    width: int,
    height: int,
    contents: Sequence[int],
    *,
    beside: bool,
    shown: Sequence[int] = (),
    strip: int = 0,
    apart: bool = False,
) -> Arrangement:
    """Panes for tracks of the heights `contents`: below each other around one axis, or each with its own axis.

    They have axes of their own where they stand beside each other, or are `apart` because they show other times.

    `shown` are the sides that show, from the top down or the left on, all of them where it is empty; `strip` is the
    height of what compares the first two, where there are two.
    """
    order = tuple(shown) or tuple(range(len(contents)))
    if not order:
        return Arrangement((), ())
    strip = strip if len(order) > 1 else 0
    made = _beside(width, height, order, strip) if beside and len(order) > 1 else None
    made = made or _stacked(width, height, [contents[side] for side in order], order, strip, 1 if not apart else None)
    panes = {pane.side: pane for pane in made.panes}
    every = tuple(panes.get(side, Pane(side, 0, 0, 0, 0)) for side in range(len(contents)))
    return Arrangement(every, made.axes, order, made.strip)


def _stacked(
    width: int, height: int, contents: Sequence[int], order: Sequence[int], strip: int, axis_count: int | None
) -> Arrangement:
    """The first `axis_count` panes have an axis below them, or all."""
    count = len(order)
    gaps = [PANE_GAP // 2, *[PANE_GAP] * (count - 2), 0] if count > 1 else [0]
    with_axis = order[:axis_count]
    room = height - AXIS * len(with_axis) - strip - sum(gaps)
    tops = _shares(room, [HEADER + content for content in contents])
    panes, axes, y = [], [], 0
    for place, (side, own) in enumerate(zip(order, tops, strict=True)):
        panes.append(Pane(side, 0, width, y, y + own))
        y += own
        if side in with_axis:
            axes.append(Axis(side, y))
            y += AXIS + (strip if place == 0 else 0)
        y += gaps[place]
    return Arrangement(tuple(panes), tuple(axes), strip=(axes[0].top + AXIS, strip) if strip else None)


def _beside(width: int, height: int, order: Sequence[int], strip: int) -> Arrangement:
    count = len(order)
    own = (width - PANE_GAP * (count - 1)) // count  # the same for all, or their scales would differ
    lefts = [place * (own + PANE_GAP) for place in range(count)]
    bottom = max(0, height - AXIS - strip)
    panes = tuple(Pane(side, left, left + own, 0, bottom) for side, left in zip(order, lefts, strict=True))
    axes = tuple(Axis(pane.side, pane.bottom) for pane in panes)
    return Arrangement(panes, axes, strip=(bottom + AXIS, strip) if strip else None)


def _shares(room: int, wanted: Sequence[int]) -> list[int]:
    """Each gets what it wants where that fits, those that want more share the rest; nobody less than its header."""
    given = [0] * len(wanted)
    left = room
    for number, index in enumerate(sorted(range(len(wanted)), key=lambda i: wanted[i])):
        given[index] = max(HEADER, min(wanted[index], left // (len(wanted) - number)))
        left -= given[index]
    return given


def hit(side: int, placed: Placing, scale: Scale, x: float, y: float) -> Hit | None:
    """What is at x and at y below the top of the tracks; None between tracks."""
    one = placed.at(y)
    if one is None:
        return None
    row, track = int(y - one.y) // one.row_height, one.track
    if track.ticks is not None:
        return Hit(side, one, row, -1, nearest_tick(track.ticks, scale, x))
    found = nearest(track.rows[row], scale, x) if row < min(one.shown, len(track.rows)) else -1
    return Hit(side, one, row, found) if track.names is None else Hit(side, one, row, -1, found)


def nearest_tick(ticks: Ticks, scale: Scale, x: float) -> int:
    """The moment within a few px that is nearest to x, or -1."""
    at = scale.time_ns(x)
    place = int(ticks.time_ns.searchsorted(np.int64(at)))
    near = [one for one in (place - 1, place) if 0 <= one < len(ticks)]
    best = min(near, key=lambda one: abs(int(ticks.time_ns[one]) - at), default=-1)
    if best < 0 or abs(scale.x(int(ticks.time_ns[best])) - x) > NEAR_PX:
        return -1
    return int(ticks.item[best])


def nearest(row: Row, scale: Scale, x: float) -> int:
    """The slice at x; where there is none the longest one that is within a few px; else -1."""
    at = scale.time_ns(x)
    here = row.visible(at, at + 1)
    if len(here) == 1 and scale.px_per_ns * int(row.end_ns[here[0]] - row.start_ns[here[0]]) >= 1:
        return int(row.slice[here[0]])
    shown = row.visible(scale.time_ns(x - NEAR_PX), scale.time_ns(x + NEAR_PX) + 1)
    if not len(shown):
        return -1
    lengths = row.end_ns[shown.start : shown.stop] - row.start_ns[shown.start : shown.stop]
    return int(row.slice[shown.start + int(lengths.argmax())])


@dataclass(frozen=True, slots=True)
class Tick:
    """A labelled moment: `time_ns` in the shared time, its exact distance from the axis' zero as text."""

    time_ns: int
    text: str


_UNITS = ((9, "s"), (6, "ms"), (3, "µs"), (0, "ns"))


def ticks(start_ns: int, end_ns: int, *, zero_ns: int, width: float) -> list[Tick]:
    """Round distances from `zero_ns` within the window, far enough apart to be read."""
    step, power = tick_step((end_ns - start_ns) * TICK_PX / max(1.0, width))
    first = -((zero_ns - start_ns) // step)
    last = (end_ns - zero_ns) // step
    far = max(abs(first), abs(last)) * step
    digits, unit = next(((d, u) for d, u in _UNITS if far >= 10**d and d - power <= 3), _UNITS[-1])
    return [
        Tick(zero_ns + number * step, f"{exact(number * step, digits, digits - power)} {unit}")
        for number in range(first, last + 1)
    ]


def tick_step(least_ns: float) -> tuple[int, int]:
    """The smallest of 1, 2, 5 times ten to some power that is at least `least_ns`, and the power."""
    power = 0
    while True:
        for factor in (1, 2, 5):
            if factor * 10**power >= least_ns:
                return factor * 10**power, power
        power += 1


def exact(value: int, digits: int, decimals: int) -> str:
    """`value` / 10**`digits` with so many decimals, from integers: exact where the rest is zero."""
    whole, rest = divmod(abs(value), 10**digits)
    sign = "−" if value < 0 else ""
    fraction = f"{rest:0{digits}d}"[: max(0, decimals)] if digits else ""
    return f"{sign}{whole:,}".replace(",", " ") + (f".{fraction}" if fraction else "")
