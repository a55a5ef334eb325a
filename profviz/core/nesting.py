"""Rows and parents of slices on a lane: exact integers in, exact integers out; knows no trace."""

from __future__ import annotations

from dataclasses import dataclass
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
    """Fills rows and parents of one lane; `active` holds the slices still open, oldest first."""
    active: list[int] = []
    row_ends: list[int] = []
    for i in lane:
        start, end = starts[i], ends[i]
        while active and ends[active[-1]] <= start:
            active.pop()
        row = 0
        if active:
            parent, crossed = _find_parent(ends, active, start, end - tolerance)
            if crossed >= 0:
                pairs.append((i, crossed))
            if parent >= 0:
                parents[i] = parent
                row = rows[parent] + 1
        while row < len(row_ends) and row_ends[row] > start:
            row += 1
        if row == len(row_ends):
            row_ends.append(end)
        else:
            row_ends[row] = end
        rows[i] = row
        active.append(i)


def _find_parent(ends: list[int], active: list[int], start: int, least_end: int) -> tuple[int, int]:
    """The innermost open slice that ends late enough, and the innermost one that does not (-1: none)."""
    crossed = -1
    stale = False
    parent = -1
    for j in reversed(active):
        if ends[j] <= start:
            stale = True
        elif ends[j] >= least_end:
            parent = j
            break
        elif crossed < 0:
            crossed = j
    if stale:
        active[:] = [j for j in active if ends[j] > start]
    return parent, crossed
