"""Level of detail of a value over time: what is lowest and highest between any two moments, at a cost of pixels.

It knows no trace, no unit and no Qt.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from profviz.core.columns import F64, I64

FOLD = 16
"""So many points of one level are one of the next."""


@dataclass(frozen=True, slots=True, eq=False)
class Extremes:
    """What shows between neighbouring edges: `low` and `high` have shape (w,), NaN where the value is not known."""

    low: F64
    high: F64


class Series:
    """k moments, sorted, and the value from each of them on; before the first it is not known.

    `time_ns` is int64 ns, `value` float64, both of shape (k,).
    """

    def __init__(self, time_ns: I64, value: F64) -> None:
        if len(time_ns) != len(value):
            raise ValueError(f"{len(time_ns)} moments, but {len(value)} values")
        self.time_ns = np.ascontiguousarray(time_ns, dtype=np.int64)
        self.value = np.ascontiguousarray(value, dtype=np.float64)

    def __len__(self) -> int:
        return len(self.time_ns)

    @property
    def lowest(self) -> float:
        return float(np.nanmin(self._levels[-1][0])) if self._is_known else float("nan")

    @property
    def highest(self) -> float:
        return float(np.nanmax(self._levels[-1][1])) if self._is_known else float("nan")

    @property
    def _is_known(self) -> bool:
        return len(self) > 0 and not bool(np.isnan(self._levels[-1][0]).all())

    @cached_property
    def _levels(self) -> list[tuple[F64, F64]]:
        """The lowest and the highest of each `FOLD` of the level before; the first is the values themselves."""
        levels = [(self.value, self.value)]
        while len(levels[-1][0]) > FOLD:
            low, high = levels[-1]
            firsts = np.arange(0, len(low), FOLD)
            levels.append((np.fmin.reduceat(low, firsts), np.fmax.reduceat(high, firsts)))
        return levels

    def at(self, time_ns: int) -> float:
        """The value at a moment, NaN before the first."""
        place = int(self.time_ns.searchsorted(np.int64(time_ns), "right")) - 1
        return float(self.value[place]) if place >= 0 else float("nan")

    def extremes(self, edges_ns: I64) -> Extremes:
        """Between neighbours of ascending `edges_ns`, shape (w + 1,): with the value that held when it began.

        Where many points fall on a pixel whole blocks are looked at, so that one at its border counts for both pixels:
        no extreme is ever lost.
        """
        width = len(edges_ns) - 1
        if not len(self) or width < 1:
            return Extremes(np.full(max(0, width), np.nan), np.full(max(0, width), np.nan))
        last = self.time_ns.searchsorted(edges_ns[1:], "left") - 1  # the last that begins before the pixel ends
        first = np.minimum(self.time_ns.searchsorted(edges_ns[:-1], "right") - 1, last)  # what holds as it begins
        level = self._level(int(last[-1] - first[0]), width)
        low, high = self._levels[level]
        size = FOLD**level
        found = _between(low, high, np.maximum(first, 0) // size, np.maximum(last, 0) // size)
        found.low[last < 0] = found.high[last < 0] = np.nan
        return found

    def _level(self, points: int, width: int) -> int:
        level = 0
        while level + 1 < len(self._levels) and points // FOLD ** (level + 1) > width:
            level += 1
        return level


def _between(low: F64, high: F64, first: I64, last: I64) -> Extremes:
    """From `first` to `last`, both within, of ascending places."""
    begin, end = int(first[0]), int(last[-1]) + 1
    pairs = np.stack([first, last + 1], axis=1).reshape(-1) - begin
    # one more, so that the end of the last pair is a place too; the rest of a long column is not touched
    parts = (np.append(column[begin:end], np.nan) for column in (low, high))
    found = [reduced.reduceat(part, pairs)[::2] for reduced, part in zip((np.fmin, np.fmax), parts, strict=True)]
    return Extremes(*found)
