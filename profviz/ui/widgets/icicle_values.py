"""Nested spans on a time axis as values, and which boxes of a window are to be painted; no Qt, no profiler."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

I64 = npt.NDArray[np.int64]
F64 = npt.NDArray[np.float64]
Mask = npt.NDArray[np.bool_]

LEAST_SPAN_NS = 1_000
"""No window is shorter."""
HOLLOW = -1
"""In place of a colour: time that nobody accounts for, drawn as an outline."""


def _no_text(index: int) -> tuple[str, ...]:
    return ()


def _none() -> I64:
    return np.zeros(0, dtype=np.int64)


@dataclass(frozen=True, slots=True, eq=False)
class Icicle:
    """All arrays have shape (n,): times in ns from the axis' zero, in order of start, an outer span before its inner.

    `colour` indexes the palette's kinds or is HOLLOW. `texts(i)` are what may be written into span i, the longest
    first; made when it is painted. `marked` spans are hatched. `lines` are moments with a word each, such as where
    something ended.
    """

    start_ns: I64 = field(default_factory=_none)
    end_ns: I64 = field(default_factory=_none)
    depth: I64 = field(default_factory=_none)
    colour: I64 = field(default_factory=_none)
    marked: Mask = field(default_factory=lambda: np.zeros(0, dtype=np.bool_))
    texts: Callable[[int], tuple[str, ...]] = _no_text
    lines: tuple[tuple[int, str], ...] = ()

    def __len__(self) -> int:
        return len(self.start_ns)

    @property
    def rows(self) -> int:
        return int(self.depth.max()) + 1 if len(self) else 0

    @property
    def whole(self) -> tuple[int, int]:
        """First begin and last end, at least LEAST_SPAN_NS apart."""
        start = int(self.start_ns.min()) if len(self) else 0
        end = int(self.end_ns.max()) if len(self) else 0
        return start, max(end, start + LEAST_SPAN_NS)

    def parent(self, index: int) -> int:
        """The span right around one, or itself where there is none."""
        outer = np.flatnonzero(self.depth[:index] == self.depth[index] - 1)
        return int(outer[-1]) if len(outer) else index

    def child(self, index: int) -> int:
        """The first span right within one, or itself where there is none."""
        inside = (self.depth == self.depth[index] + 1) & (self.start_ns >= self.start_ns[index])
        found = np.flatnonzero(inside & (self.start_ns < self.end_ns[index]))
        return int(found[0]) if len(found) else index

    def beside(self, index: int, by: int) -> int:
        """The next span of the same depth (`by` 1) or the one before (-1), or itself at the ends."""
        level = np.flatnonzero(self.depth == self.depth[index])
        at = int(np.searchsorted(level, index)) + by
        return int(level[at]) if 0 <= at < len(level) else index

    def at(self, time_ns: int, depth: int) -> int:
        """The last span of a depth that holds a moment, or -1."""
        found = np.flatnonzero((self.depth == depth) & (self.start_ns <= time_ns) & (self.end_ns > time_ns))
        return int(found[-1]) if len(found) else -1


@dataclass(frozen=True, slots=True, eq=False)
class Boxes:
    """What to paint: spans by index with their edges in pixels from the window's left, all of shape (m,)."""

    index: I64
    left: F64
    right: F64


def boxes(icicle: Icicle, window: tuple[int, int], width: float) -> Boxes:
    """The spans that a window shows; of those thinner than a pixel one for each pixel of a row."""
    start, end = window
    seen = np.flatnonzero((icicle.end_ns >= start) & (icicle.start_ns <= end))
    scale = width / max(1, end - start)
    left = np.clip((icicle.start_ns[seen] - start) * scale, -1.0, width + 1.0)
    right = np.clip((icicle.end_ns[seen] - start) * scale, -1.0, width + 1.0)
    thin = right - left < 1.0
    place = icicle.depth[seen] * (int(width) + 4) + np.floor(left).astype(np.int64) + 1
    first = np.zeros(len(seen), dtype=np.bool_)
    first[np.unique(np.where(thin, place, -1 - np.arange(len(seen))), return_index=True)[1]] = True
    keep = ~thin | first
    return Boxes(seen[keep], left[keep], right[keep])


def zoomed(
    window: tuple[int, int], whole: tuple[int, int], *, factor: float, at_ns: int | None = None
) -> tuple[int, int]:
    """A window `factor` times as long; `at_ns`, else the middle, stays in its place. It never leaves the whole."""
    start, end = window
    span = min(max(LEAST_SPAN_NS, round((end - start) * factor)), whole[1] - whole[0])
    middle = (start + end) // 2 if at_ns is None else at_ns
    share = (middle - start) / max(1, end - start)
    return kept((middle - round(span * share), middle - round(span * share) + span), whole)


def moved(window: tuple[int, int], whole: tuple[int, int], by_ns: int) -> tuple[int, int]:
    return kept((window[0] + by_ns, window[1] + by_ns), whole)


def kept(window: tuple[int, int], whole: tuple[int, int]) -> tuple[int, int]:
    """A window of the same length within the whole."""
    span = min(window[1] - window[0], whole[1] - whole[0])
    start = max(whole[0], min(window[0], whole[1] - span))
    return start, start + span


def around(icicle: Icicle, index: int) -> tuple[int, int]:
    """A span with a little room beside it."""
    start, end = int(icicle.start_ns[index]), int(icicle.end_ns[index])
    spare = max(LEAST_SPAN_NS // 2, (end - start) // 20)
    low, high = icicle.whole
    return kept((start - spare, end + spare), (min(low, start), max(high, end)))


def fitting(texts: Sequence[str], room: float, widths: Sequence[float]) -> str:
    """The first text that fits, else none."""
    return next((text for text, width in zip(texts, widths, strict=True) if width <= room), "")
