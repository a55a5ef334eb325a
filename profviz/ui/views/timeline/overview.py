"""Where everything stands on the minimap, and what of the whole it shows at each pixel; pure, no Qt."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from profviz.core.raster import F64, I64

LANE, ALONE, GAP, TOP = 13, 20, 3, 3
"""How high the lanes of several sides are, and the one of a side alone, in px."""


@dataclass(frozen=True, slots=True)
class MiniScale:
    """Shared time to x and back: `left` and `width` in px for [start_ns, end_ns)."""

    left: float
    width: float
    start_ns: int
    end_ns: int

    @property
    def span_ns(self) -> int:
        return max(1, self.end_ns - self.start_ns)

    def x(self, time_ns: int) -> float:
        return self.left + (time_ns - self.start_ns) * self.width / self.span_ns

    def time_ns(self, x: float) -> int:
        return self.start_ns + int((x - self.left) * self.span_ns // max(1.0, self.width))


def lane_height(sides: int) -> int:
    return LANE if sides > 1 else ALONE


def height(sides: int) -> int:
    return 2 * TOP + max(1, sides) * lane_height(sides) + max(0, sides - 1) * GAP


def lane_top(side: int) -> int:
    return TOP + side * (LANE + GAP)


def shares(values: I64, bin_ns: int, *, start_ns: int, span_ns: int, width: int) -> F64:
    """How much of each of `width` pixels is busy, from busy ns in equal parts of `bin_ns`; shape (width,), 0 to 1.

    `start_ns` is where the first pixel begins in the side's own time.
    """
    sums = np.concatenate([[0], np.cumsum(values)]).astype(np.float64)
    edges = start_ns + np.arange(width + 1) * (span_ns / width)
    before = np.interp(edges, np.arange(len(sums)) * float(bin_ns), sums)
    return np.clip(np.diff(before) / max(1.0, span_ns / width), 0.0, 1.0)


def dragged(window: tuple[int, int], *, by_ns: int) -> tuple[int, int]:
    return window[0] + by_ns, window[1] + by_ns


def centred(window: tuple[int, int], at_ns: int) -> tuple[int, int]:
    """A window as long as it is, around a moment."""
    span = window[1] - window[0]
    begin = at_ns - span // 2
    return begin, begin + span
