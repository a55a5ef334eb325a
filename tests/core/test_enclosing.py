"""The innermost slice at a moment against climbing one by one, native and twin."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from profviz.core import columns
from profviz.core.enclosing import enclosing, plain_enclosing
from profviz.core.nesting import nest_lengths

SLICES = st.lists(st.tuples(st.integers(0, 2), st.integers(0, 30), st.integers(0, 30)), max_size=40)
POINTS = st.lists(st.tuples(st.integers(-1, 3), st.integers(-2, 65)), max_size=60)


def nested(
    slices: list[tuple[int, int, int]], tolerance: int = 0, lane_type: type = np.int32
) -> tuple[np.ndarray, ...]:
    slices = sorted(slices, key=lambda item: (item[0], item[1], -item[2]))
    lane = np.array([item[0] for item in slices], dtype=lane_type)
    start, dur = (np.array([item[k] for item in slices], dtype=np.int64) for k in (1, 2))
    return start, dur, lane, nest_lengths(start, dur, lane, tolerance_ns=tolerance).parent


def by_definition(slices: tuple[np.ndarray, ...], lane: int, time: int) -> int:
    start, dur, lanes, parent = (values.tolist() for values in slices)
    at = max((i for i in range(len(start)) if lanes[i] == lane and start[i] <= time), default=-1)
    while at >= 0 and start[at] != time and start[at] + dur[at] <= time:
        at = parent[at]
    return at


def both(slices: tuple[np.ndarray, ...], points: list[tuple[int, int]], lane_type: type = np.int32) -> list[list[int]]:
    at_lane = np.array([lane for lane, _ in points], dtype=lane_type)
    at_ns = np.array([time for _, time in points], dtype=np.int64)
    made = [of(*slices, at_lane=at_lane, at_ns=at_ns) for of in (enclosing, plain_enclosing)]
    assert all(found.dtype == np.int64 for found in made)
    return [found.tolist() for found in made]


@settings(deadline=None)
@given(SLICES, POINTS, st.integers(0, 4))
def test_agrees_with_climbing_one_by_one(
    slices: list[tuple[int, int, int]], points: list[tuple[int, int]], tolerance: int
) -> None:
    columns_of = nested(slices, tolerance)
    wanted = [by_definition(columns_of, lane, time) for lane, time in points]
    assert both(columns_of, points) == [wanted, wanted]


@settings(deadline=None)
@given(st.lists(st.tuples(st.integers(0, 1), st.integers(0, 400)), max_size=30), st.integers(0, 3))
def test_points_that_have_far_to_climb(points: list[tuple[int, int]], tolerance: int) -> None:
    """Deep stacks that end before the point, inside slices that hold it."""
    outer = [(0, 0, 390), (0, 1, 300), (1, 0, 200)]
    deep = [(lane, 10 + k + 80 * part, 60 - k) for lane in (0, 1) for part in (0, 1) for k in range(50)]
    columns_of = nested(outer + deep, tolerance)
    wanted = [by_definition(columns_of, lane, time) for lane, time in points]
    assert both(columns_of, points) == [wanted, wanted]


def test_a_hundred_thousand_deep_and_as_many_points_behind_it() -> None:
    deep = 100_000
    at = np.arange(deep, dtype=np.int64)
    lane = np.zeros(deep, dtype=np.int32)
    dur = np.append(10 * deep, 2 * deep - 2 * at[1:])
    parent = nest_lengths(at, dur, lane, tolerance_ns=0).parent
    assert parent.tolist() == [-1, *range(deep - 1)]
    for of in (enclosing, plain_enclosing):
        found = of(at, dur, lane, parent, at_lane=lane, at_ns=at + 3 * deep)
        assert (found == 0).all()


def test_lanes_of_unlike_types_meet_by_number() -> None:
    columns_of = nested([(7, 0, 10), (60_000, 0, 10)], lane_type=np.uint16)
    assert both(columns_of, [(-1, 3), (60_000, 3), (7, 3), (70_000, 3), (7, 10)]) == [[-1, 1, 0, -1, -1]] * 2
    assert both(columns_of, [(7, 0), (2**32 - 1, 3)], np.uint32) == [[0, -1]] * 2


def test_epochs_and_nothing() -> None:
    far = 2**62 - 100
    columns_of = nested([(0, far, 50), (0, far + 10, 5), (1, -far, 50)])
    assert both(columns_of, [(0, far + 12), (0, far + 15), (1, 5 - far), (0, far + 50)]) == [[2 - 1, 0, 2, -1]] * 2
    assert both(nested([]), [(0, 1)]) == [[-1]] * 2
    assert both(columns_of, []) == [[], []]


@settings(deadline=None)
@given(st.integers(0, 2**32), st.integers(1, 60))
def test_unsorted_slices_with_any_parents_do_no_harm(seed: int, count: int) -> None:
    chance = np.random.default_rng(seed)
    start, dur, at_ns = (chance.integers(-(2**63), 2**63 - 1, count) for _ in range(3))
    lane, at_lane = (chance.integers(-2, 3, count).astype(np.int32) for _ in range(2))
    for parent in (np.arange(count) - 1, chance.integers(-3, count + 3, count)):
        try:
            found = enclosing(start, dur, lane, parent.astype(np.int32), at_lane=at_lane, at_ns=at_ns)
        except ValueError:
            continue
        assert -1 <= found.min() <= found.max() < count


def test_wrong_arrays_are_refused() -> None:
    start, dur, lane, parent = nested([(0, 0, 9), (0, 1, 2)])
    points = {"at_lane": lane, "at_ns": start}
    with pytest.raises(TypeError, match="parent"):
        enclosing(start, dur, lane, parent.astype(np.int64), **points)
    with pytest.raises(ValueError, match="shape"):
        enclosing(start, dur[:1], lane, parent, **points)
    with pytest.raises(ValueError, match="shape"):
        enclosing(start, dur, lane, parent, at_lane=lane, at_ns=start[:1])
    for wrong in (5, -7):
        with pytest.raises(ValueError):
            enclosing(start, dur, lane, np.full(2, wrong, dtype=np.int32), at_lane=lane, at_ns=start + 20)


@pytest.mark.skipif(not columns.NATIVE, reason="the extension profviz.core._columns is not built")
def test_the_extension_itself_refuses_what_would_crash_it() -> None:
    start, dur, lane, parent = nested([(0, 0, 9), (0, 1, 2)])
    with pytest.raises(ValueError, match="found"):
        columns.native.enclosing(start, dur, lane, parent, lane, start, start[:1])
    with pytest.raises(TypeError, match="parent"):
        columns.native.enclosing(start, dur, lane, start, lane, start, start)
