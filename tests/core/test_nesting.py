"""Rows and parents against the plainest definition there is, on any slices."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from profviz.core.nesting import nest

SLICES = st.lists(st.tuples(st.integers(0, 2), st.integers(0, 30), st.integers(0, 20)), max_size=30)


def by_definition(slices: list[tuple[int, int, int]], tolerance: int) -> list[tuple[int, int, bool]]:
    """(row, parent, crosses an earlier slice's end) of each, by looking at every pair."""
    found: list[tuple[int, int, bool]] = []
    for i, (lane, start, dur) in enumerate(slices):
        end = start + dur
        earlier = [j for j in range(i) if slices[j][0] == lane]
        holding = [j for j in earlier if slices[j][1] <= start < slices[j][1] + slices[j][2]]
        parent = max((j for j in holding if end <= sum(slices[j][1:]) + tolerance), default=-1)
        row = found[parent][0] + 1 if parent >= 0 else 0
        while any(found[j][0] == row and sum(slices[j][1:]) > start for j in earlier):
            row += 1
        found.append((row, parent, any(j > parent for j in holding)))
    return found


@given(SLICES, st.integers(0, 3))
def test_agrees_with_the_definition(slices: list[tuple[int, int, int]], tolerance: int) -> None:
    slices = sorted(slices, key=lambda item: (item[0], item[1], -item[2]))
    lane, start, dur = (
        (np.array(column, dtype=np.int64) for column in zip(*slices, strict=True))
        if slices
        else (np.zeros(0, dtype=np.int64),) * 3
    )
    made = nest(start, start + dur, lane.astype(np.int32), tolerance_ns=tolerance)
    crossing = set(made.overlaps.tolist())
    got = [(int(made.row[i]), int(made.parent[i]), i in crossing) for i in range(len(slices))]
    assert got == by_definition(slices, tolerance)


@given(SLICES)
def test_no_two_slices_of_a_row_overlap(slices: list[tuple[int, int, int]]) -> None:
    slices = sorted(slices, key=lambda item: (item[0], item[1], -item[2]))
    start = np.array([s for _, s, _ in slices], dtype=np.int64)
    end = np.array([s + d for _, s, d in slices], dtype=np.int64)
    lane = np.array([k for k, _, _ in slices], dtype=np.int32)
    row = nest(start, end, lane, tolerance_ns=2).row
    for key in set(zip(lane.tolist(), row.tolist(), strict=True)):
        mine = np.flatnonzero((lane == key[0]) & (row == key[1]))
        assert (start[mine][1:] >= end[mine][:-1]).all()


def test_proper_nesting_gives_the_depth() -> None:
    start = np.array([0, 0, 1, 5, 10], dtype=np.int64)
    end = np.array([10, 8, 4, 8, 12], dtype=np.int64)
    made = nest(start, end, np.zeros(5, dtype=np.int32))
    assert made.row.tolist() == [0, 1, 2, 2, 0]
    assert made.parent.tolist() == [-1, 0, 1, 1, -1]
    assert len(made.overlaps) == 0


def test_thousands_of_overlapping_slices_each_get_the_first_free_row() -> None:
    count = 3_000
    start = np.repeat(np.arange(count, dtype=np.int64), 2)
    end = start + np.where(np.arange(2 * count) % 2 == 0, 500, 2 * count)
    order = np.lexsort((start - end, start))
    made = nest(start[order], end[order], np.zeros(2 * count, dtype=np.int32), tolerance_ns=0)
    row_end = np.zeros(2 * count, dtype=np.int64)
    for i, index in enumerate(order.tolist()):
        least = made.row[made.parent[i]] + 1 if made.parent[i] >= 0 else 0
        first_free = least + int(np.argmax(row_end[least:] <= start[index]))
        assert made.row[i] == first_free
        row_end[first_free] = end[index]
