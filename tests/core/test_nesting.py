"""Rows and parents against the plainest definition there is, on any slices."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from profviz.core import columns
from profviz.core.nesting import Nesting, nest, nest_lengths, plain_nest

FAR = 2**62
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


def nestings(slices: list[tuple[int, int, int]], tolerance: int, lane_type: type = np.int32) -> list[Nesting]:
    """From the native function by ends and by lengths, and from the twin."""
    lane = np.array([item[0] for item in slices], dtype=lane_type)
    start, dur = (np.array([item[k] for item in slices], dtype=np.int64) for k in (1, 2))
    return [
        nest(start, start + dur, lane, tolerance_ns=tolerance),
        nest_lengths(start, dur, lane, tolerance_ns=tolerance),
        plain_nest(start, start + dur, lane, tolerance_ns=tolerance),
    ]


def lists(made: Nesting) -> list[list[int]]:
    assert made.row.dtype == made.parent.dtype == np.int32
    return [column.tolist() for column in (made.row, made.parent, made.overlaps, made.crossed)]


@settings(deadline=None)
@given(SLICES, st.integers(0, 3), st.sampled_from([0, FAR, -FAR]))
def test_agrees_with_the_definition(slices: list[tuple[int, int, int]], tolerance: int, origin: int) -> None:
    slices = sorted(((lane, origin + start, dur) for lane, start, dur in slices), key=lambda x: (x[0], x[1], -x[2]))
    for made in nestings(slices, tolerance):
        crossing = set(made.overlaps.tolist())
        got = [(int(made.row[i]), int(made.parent[i]), i in crossing) for i in range(len(slices))]
        assert got == by_definition(slices, tolerance)
        for later, earlier in zip(made.overlaps.tolist(), made.crossed.tolist(), strict=True):
            assert slices[later][1] < sum(slices[earlier][1:]) < sum(slices[later][1:])


@settings(deadline=None)
@given(st.integers(0, 2**32), st.integers(1, 400), st.integers(1, 500), st.integers(1, 300))
def test_many_rows_agree_with_the_definition(seed: int, spread: int, longest: int, count: int) -> None:
    chance = np.random.default_rng(seed)
    start, dur = chance.integers(0, spread, count).tolist(), chance.integers(0, longest, count).tolist()
    slices = sorted(zip([0] * count, start, dur, strict=True), key=lambda item: (item[1], -item[2]))
    wanted = by_definition(slices, 2)
    for made in nestings(slices, 2, np.uint16):
        assert list(zip(made.row.tolist(), made.parent.tolist(), strict=True)) == [item[:2] for item in wanted]


@settings(deadline=None)
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


@pytest.mark.parametrize("shape", ["identical", "deep", "ladder", "fan", "comb", "short after long"])
def test_hostile_shapes_are_the_same_natively_and_take_no_square_of_time(shape: str) -> None:
    """A hundred thousand slices each: what grows with the square of that does not end within the test's time."""
    count = 100_000
    at = np.arange(count, dtype=np.int64)
    start, end = {
        "identical": (at * 0, at * 0 + 10),
        "deep": (at, 3 * count - at),
        "ladder": (at * 2_000, at * 2_000 + 10**8),
        "fan": (at * 0, 10**9 - at * 2_000),
        "comb": (at // 2 * 3_000, at // 2 * 3_000 + np.where(at % 2, 10**9 - at * 2_000, 2_000)),
        "short after long": (np.append(at[1:] * 0, 10**9), np.append(5_000 * at[1:] + 1, 10**9 + 5)),
    }[shape]
    order = np.lexsort((start - end, start))
    lane = np.zeros(count, dtype=np.uint32)
    made = nest(start[order], end[order], lane)
    assert lists(made) == lists(plain_nest(start[order], end[order], lane, tolerance_ns=1_000))


def test_a_row_freed_long_ago_is_found_again_on_each_lane() -> None:
    """More rows than one step of the search sees, all free later; the next lane begins with none."""
    lane = np.repeat(np.array([0, 1, 1], dtype=np.int32), [2_000, 2_000, 5])
    start = np.concatenate([np.zeros(2_000), np.zeros(2_000), np.full(5, 10**7)]).astype(np.int64)
    end = np.concatenate([10**6 - np.arange(2_000) * 2, 10**6 - np.arange(2_000) * 2, 10**7 + 10 - np.arange(5)])
    for made in (nest(start, end, lane), plain_nest(start, end, lane, tolerance_ns=1_000)):
        assert made.row.tolist() == [*range(2_000), *range(2_000), *range(5)]


def test_ends_at_the_limit_of_int64_and_any_tolerance() -> None:
    low, high = -(2**63), 2**63 - 1
    start = np.array([low, low, 0, high], dtype=np.int64)
    end = np.array([high, low, high, high], dtype=np.int64)
    lane = np.zeros(4, dtype=np.int32)
    for tolerance in (0, high):
        made = nest(start, end, lane, tolerance_ns=tolerance)
        assert lists(made) == lists(plain_nest(start, end, lane, tolerance_ns=tolerance))


def test_unsorted_slices_of_negative_length_do_no_harm() -> None:
    chance = np.random.default_rng(5)
    start, end = (chance.integers(-(2**63), 2**63 - 1, 3_000) for _ in range(2))
    made = nest(start, end, chance.integers(0, 2, 3_000).astype(np.int32))
    assert made.row.min() >= 0
    assert made.parent.max() < 3_000


def test_nothing_and_wrong_arrays() -> None:
    none, lane = np.zeros(0, dtype=np.int64), np.zeros(0, dtype=np.int32)
    assert lists(nest(none, none, lane)) == [[], [], [], []]
    assert lists(plain_nest(none, none, lane, tolerance_ns=0)) == [[], [], [], []]
    one = np.zeros(1, dtype=np.int64)
    with pytest.raises(ValueError, match="shape"):
        nest(one, none, lane)
    with pytest.raises(ValueError, match="shape"):
        nest(none, none, np.zeros(1, dtype=np.int32))
    with pytest.raises(TypeError, match="end_ns"):
        nest(none, none.astype(np.float64), lane)
    with pytest.raises(ValueError, match="negative"):
        nest(none, none, lane, tolerance_ns=-1)


@pytest.mark.skipif(not columns.NATIVE, reason="the extension profviz.core._columns is not built")
def test_the_extension_itself_refuses_what_would_crash_it() -> None:
    start, lane, row = np.zeros(3, dtype=np.int64), np.zeros(3, dtype=np.int32), np.zeros(3, dtype=np.int32)
    with pytest.raises(ValueError, match="row"):
        columns.native.nest(start, start, False, lane, 0, row[:2], row)
    with pytest.raises(TypeError, match="parent"):
        columns.native.nest(start, start, False, lane, 0, row, start)
    with pytest.raises(OverflowError):
        columns.native.nest(start, start, False, lane, 2**63, row, row)
