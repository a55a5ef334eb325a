"""Rows and parents of slices on a lane: exact integers in, exact integers out; knows no trace."""

from __future__ import annotations

from bisect import bisect_left, bisect_right, insort
from dataclasses import dataclass
from heapq import heappop, heappush
from itertools import pairwise

import numpy as np
import numpy.typing as npt

I64 = npt.NDArray[np.int64]
I32 = npt.NDArray[np.int32]

TOLERANCE_NS = 1_000
"""A child may end this much after its parent and still nests: clocks are read one after the other."""


@dataclass(frozen=True, slots=True, eq=False)
class Nesting:
    """`row` and `parent` have shape (n,); `overlaps` lists the slices that cross the end of an earlier one.

    `crossed` has the shape of `overlaps` and gives that earlier slice.
    """

    row: I32
    parent: I32
    overlaps: I64
    crossed: I64


def nest(start_ns: I64, end_ns: I64, lane: npt.NDArray[np.int32], *, tolerance_ns: int = TOLERANCE_NS) -> Nesting:
    """Nests slices sorted by (lane, start, -duration); times are int64 ns, all arrays of shape (n,).

    The parent of a slice is the last earlier slice of its lane that holds its start and ends no more than
    `tolerance_ns` before it. Its row is the first one below its parent's that is free at its start, so that no two
    slices of a row overlap.
    """
    bounds = [0, *(np.flatnonzero(np.diff(lane)) + 1).tolist(), len(lane)]
    starts, ends = start_ns.tolist(), end_ns.tolist()
    rows, parents = [0] * len(starts), [-1] * len(starts)
    pairs: list[tuple[int, int]] = []
    for first, last in pairwise(bounds):
        _nest_lane(starts, ends, rows, parents, pairs, range(first, last), tolerance_ns)
    found = np.array(pairs, dtype=np.int64).reshape(-1, 2)
    return Nesting(np.array(rows, dtype=np.int32), np.array(parents, dtype=np.int32), found[:, 0], found[:, 1])


def _nest_lane(
    starts: list[int],
    ends: list[int],
    rows: list[int],
    parents: list[int],
    pairs: list[tuple[int, int]],
    lane: range,
    tolerance: int,
) -> None:
    """Fills rows and parents of one lane.

    `holders` are open slices whose end lies behind that of every later one, oldest first: no other slice can be a
    parent any more. `reach` holds their ends, negated so that it ascends.
    """
    holders: list[int] = []
    reach: list[int] = []
    places = _Places()
    for i in lane:
        start, end = starts[i], ends[i]
        while reach and -reach[-1] <= start:
            holders.pop()
            reach.pop()
        row = 0
        if holders:
            at = len(reach) - 1 if -reach[-1] >= end - tolerance else bisect_right(reach, tolerance - end) - 1
            if at < len(reach) - 1:
                pairs.append((i, holders[-1]))
            if at >= 0:
                parents[i] = holders[at]
                row = rows[holders[at]] + 1
        rows[i] = places.take(row, start, end)
        while reach and -reach[-1] <= end:
            holders.pop()
            reach.pop()
        holders.append(i)
        reach.append(-end)


class _Places:
    """Gives out the first row at or below a wanted one that is free."""

    FEW = 32

    def __init__(self) -> None:
        self._ends: list[int] = []
        self._busy: list[tuple[int, int]] = []
        self._free: list[int] = []

    def take(self, row: int, start: int, end: int) -> int:
        """`start` never goes back. Looks row by row among the first ones, then by order of their becoming free."""
        ends = self._ends
        few = min(len(ends), self.FEW)
        while row < few and ends[row] > start:
            row += 1
        if row >= self.FEW:
            return self._take_far(row, start, end)
        if row == len(ends):
            ends.append(end)
        else:
            ends[row] = end
        return row

    def _take_far(self, row: int, start: int, end: int) -> int:
        while self._busy and self._busy[0][0] <= start:
            insort(self._free, heappop(self._busy)[1])
        at = bisect_left(self._free, row)
        if at < len(self._free):
            row = self._free.pop(at)
        else:
            row = len(self._ends)
            self._ends.append(end)
        heappush(self._busy, (end, row))
        return row
