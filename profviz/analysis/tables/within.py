"""Some ranges of a trace's time: how much of each slice lies in them; no range at all means the whole trace."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import pairwise

import numpy as np

from profviz.analysis.linking import Mask
from profviz.model.trace import I64


class Within:
    """Ranges as (start, end) in ns of the trace; where they overlap they count once."""

    def __init__(self, ranges: Iterable[tuple[int, int]] = ()) -> None:
        merged = _merged(ranges)
        self._starts = np.array([start for start, _ in merged], dtype=np.int64)
        self._ends = np.array([end for _, end in merged], dtype=np.int64)
        lengths = self._ends - self._starts
        self._before = np.cumsum(lengths) - lengths
        self.is_whole = not merged

    def covered(self, time_ns: I64) -> I64:
        """How much of the ranges lies before each time: differences of it are durations trimmed to the ranges."""
        if self.is_whole:
            return time_ns
        at = np.maximum(self._starts.searchsorted(time_ns, side="right") - 1, 0)
        return np.asarray(self._before[at] + np.maximum(np.minimum(time_ns, self._ends[at]) - self._starts[at], 0))

    def held(self, time_ns: I64) -> Mask:
        """Which moments lie in a range."""
        if self.is_whole:
            return np.ones(len(time_ns), dtype=bool)
        at = np.maximum(self._starts.searchsorted(time_ns, side="right") - 1, 0)
        return np.asarray((time_ns >= self._starts[at]) & (time_ns < self._ends[at]))

    def reached(self, start_ns: I64, end_ns: I64) -> Mask:
        """Which intervals have a part in a range; one without a length where its moment lies in one."""
        if self.is_whole:
            return np.ones(len(start_ns), dtype=bool)
        return np.asarray(
            (self.covered(end_ns) > self.covered(start_ns)) | ((start_ns == end_ns) & self.held(start_ns))
        )

    def note(self, what: str) -> str:
        """What a footer says of the ranges: `what` was done with things that reach over an end."""
        return "" if self.is_whole else f" · only in the range, {what}"


def _merged(ranges: Iterable[tuple[int, int]]) -> list[tuple[int, int]]:
    ordered = sorted((start, end) for start, end in ranges if end > start)
    bounds: list[tuple[int, int]] = ordered[:1]
    for _, (start, end) in pairwise(ordered):
        if start <= bounds[-1][1]:
            bounds[-1] = (bounds[-1][0], max(bounds[-1][1], end))
        else:
            bounds.append((start, end))
    return bounds
