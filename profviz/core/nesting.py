"""Rows and parents of slices on a lane: exact integers in, exact integers out; knows no trace."""

from __future__ import annotations

from bisect import bisect_right
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from profviz.core import columns
from profviz.core.columns import I32, I64, LANES, NS, Lanes, column, places

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


def nest(start_ns: I64, end_ns: I64, lane: Lanes, *, tolerance_ns: int = TOLERANCE_NS) -> Nesting:
    """Nests slices sorted by (lane, start, -duration); times are int64 ns, all arrays of shape (n,).

    The parent of a slice is the last earlier slice of its lane that holds its start and ends no more than
    `tolerance_ns` before it. Its row is the first one below its parent's that is free at its start, so that no two
    slices of a row overlap.
    """
    return _nest(start_ns, end_ns, lane, tolerance_ns=tolerance_ns, lengths=False)


def nest_lengths(start_ns: I64, dur_ns: I64, lane: Lanes, *, tolerance_ns: int = TOLERANCE_NS) -> Nesting:
    """The same from durations, which spares a column of ends."""
    return _nest(start_ns, dur_ns, lane, tolerance_ns=tolerance_ns, lengths=True)


def _nest(start_ns: I64, stop_ns: I64, lane: Lanes, *, tolerance_ns: int, lengths: bool) -> Nesting:
    start_ns = column(start_ns, "start_ns", NS)
    stop_ns = column(stop_ns, "dur_ns" if lengths else "end_ns", NS, count=len(start_ns))
    lane = column(lane, "lane", LANES, count=len(start_ns))
    if tolerance_ns < 0:
        raise ValueError("the tolerance is negative")
    if not columns.NATIVE:
        return plain_nest(start_ns, start_ns + stop_ns if lengths else stop_ns, lane, tolerance_ns=tolerance_ns)
    row, parent = np.empty(len(lane), dtype=np.int32), np.empty(len(lane), dtype=np.int32)
    pairs = places(columns.native.nest(start_ns, stop_ns, lengths, lane, tolerance_ns, row, parent)).reshape(-1, 2)
    return Nesting(row, parent, pairs[:, 0], pairs[:, 1])


def plain_nest(start_ns: I64, end_ns: I64, lane: Lanes, *, tolerance_ns: int) -> Nesting:
    bounds = [0, *(np.flatnonzero(lane[1:] != lane[:-1]) + 1).tolist(), len(lane)]
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
    """Gives out the first row at or below a wanted one that is free.

    `_levels[0]` holds when each row's last slice ends, the levels above lower bounds over `FAN` entries each. A bound
    is mended only when a search found nothing below it: ends only grow, so an old bound is still one.
    """

    FAN = 32
    FREE = -(1 << 64)

    def __init__(self) -> None:
        self._levels: list[list[int]] = [[]]

    def take(self, row: int, start: int, end: int) -> int:
        """`start` never goes back."""
        ends = self._levels[0]
        if row < len(ends) and ends[row] > start:
            row = self._first_free(row + 1, start)
        if row < len(ends):
            ends[row] = end
        else:
            self._append(end)
        return row

    def _append(self, end: int) -> None:
        self._levels[0].append(end)
        count = len(self._levels[0])
        for level in self._levels[1:]:
            count = -(-count // self.FAN)
            if len(level) < count:
                level.append(self.FREE)
        if len(self._levels[-1]) > self.FAN:
            self._levels.append([self.FREE] * -(-len(self._levels[-1]) // self.FAN))

    def _first_free(self, at: int, start: int) -> int:
        """The number of rows where none is free."""
        depth = 0
        while at < len(self._levels[depth]):
            level = self._levels[depth]
            stop = min((at // self.FAN + 1) * self.FAN, len(level))
            while at < stop and level[at] > start:
                at += 1
            if at < stop and not depth:
                return at
            if at < stop:
                at, depth = at * self.FAN, depth - 1
            else:
                at, depth = self._climb(at, depth)
        return len(self._levels[0])

    def _climb(self, at: int, depth: int) -> tuple[int, int]:
        """To the entry above that follows the exhausted block before `at`; one that is not full may still get less."""
        while depth + 1 < len(self._levels) and at % self.FAN == 0:
            block = at // self.FAN - 1
            self._levels[depth + 1][block] = min(self._levels[depth][block * self.FAN : (block + 1) * self.FAN])
            at, depth = block + 1, depth + 1
        return at, depth
