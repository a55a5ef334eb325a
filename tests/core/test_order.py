"""The order of slices against Python's own sort of tuples, native and twin."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from profviz.core import columns
from profviz.core.order import plain_order, sort_order

FAR = 2**62
TIMES = st.one_of(st.integers(0, 9), st.integers(-FAR, FAR), st.sampled_from([-(2**63), 2**63 - 1]))
SLICES = st.lists(st.tuples(st.integers(0, 3), TIMES, TIMES), max_size=200)
LANES = st.sampled_from([np.uint16, np.uint32, np.int32])


def by_definition(slices: list[tuple[int, int, int]]) -> list[int]:
    return sorted(range(len(slices)), key=lambda i: (slices[i][0], slices[i][1], -slices[i][2], i))


def arrays(slices: list[tuple[int, int, int]], lane_type: type = np.int32) -> tuple[np.ndarray, ...]:
    types = (lane_type, np.int64, np.int64)
    return tuple(np.array([item[k] for item in slices], dtype=kind) for k, kind in enumerate(types))


def test_the_native_core_is_here() -> None:
    if not columns.NATIVE:
        pytest.skip("the extension profviz.core._columns is not built")
    order = np.empty(2, dtype=np.uint32)
    columns.native.sort_order(*arrays([(0, 7, 1), (0, 5, 1)]), order)
    assert order.tolist() == [1, 0]


@settings(deadline=None)
@given(SLICES, LANES, st.sampled_from([1, 21_000]))
def test_agrees_with_a_sort_of_tuples(slices: list[tuple[int, int, int]], lane_type: type, apart: int) -> None:
    slices = [(lane * apart, start, dur) for lane, start, dur in slices]
    given_arrays = arrays(slices, lane_type)
    assert sort_order(*given_arrays).tolist() == by_definition(slices)
    assert plain_order(*given_arrays).tolist() == by_definition(slices)


@settings(deadline=None)
@given(st.lists(st.tuples(st.integers(-(2**31), 2**31 - 1), st.integers(0, 3), st.integers(0, 3)), max_size=40))
def test_lanes_far_apart_and_below_zero(slices: list[tuple[int, int, int]]) -> None:
    assert sort_order(*arrays(slices)).tolist() == by_definition(slices)
    assert plain_order(*arrays(slices)).tolist() == by_definition(slices)


@pytest.mark.parametrize("shape", ["sorted", "descending", "runs", "chaos", "sawtooth", "one late", "equal"])
@pytest.mark.parametrize("count", [23, 24, 25, 1_000, 20_000])
def test_every_kind_of_disorder(shape: str, count: int) -> None:
    at = np.arange(count, dtype=np.int64)
    chance = np.random.default_rng(count)
    start = {
        "sorted": at,
        "descending": -at,
        "runs": (at % 700) * 50 + at // 700,
        "chaos": chance.integers(0, count, count),
        "sawtooth": at ^ 7,
        "one late": np.append(at[1:], -1),
        "equal": at * 0,
    }[shape]
    dur, lane = chance.integers(0, 3, count), chance.integers(0, 2, count).astype(np.uint32)
    wanted = np.lexsort((-dur, start, lane))
    assert np.array_equal(sort_order(lane, start, dur), wanted)
    assert np.array_equal(plain_order(lane, start, dur), wanted)


def test_takes_read_only_and_strided_arrays_and_leaves_them_alone() -> None:
    lane, start, dur = arrays([(1, 5, 1), (0, 9, 1), (0, 3, 1)])
    both = np.stack([start, dur], axis=1)
    both.flags.writeable = lane.flags.writeable = False
    order = sort_order(lane, both[:, 0], both[:, 1])
    assert order.dtype == np.uint32
    assert order.tolist() == [2, 1, 0]
    assert both[:, 0].tolist() == [5, 9, 3]


def test_wrong_arrays_are_refused() -> None:
    lane, start, dur = arrays([(0, 0, 0), (0, 1, 1)])
    with pytest.raises(ValueError, match="shape"):
        sort_order(lane, start[:1], dur)
    with pytest.raises(ValueError, match="dimension"):
        sort_order(lane.reshape(1, 2), start, dur)
    for wrong in (start.astype(np.float64), start.astype(">i8"), start.astype(np.uint64), start.tolist()):
        with pytest.raises(TypeError, match="int64"):
            sort_order(lane, wrong, dur)
    with pytest.raises(TypeError, match="lane"):
        sort_order(start, start, dur)


@pytest.mark.skipif(not columns.NATIVE, reason="the extension profviz.core._columns is not built")
def test_the_extension_itself_refuses_what_would_crash_it() -> None:
    lane, start, dur = arrays([(0, 0, 0), (0, 1, 1)])
    order = np.empty(2, dtype=np.uint32)
    native = columns.native
    with pytest.raises(ValueError, match="1 elements, not 2"):
        native.sort_order(lane, start, dur, order[:1])
    with pytest.raises(TypeError, match="order"):
        native.sort_order(lane, start, dur, order.astype(np.int32))
    with pytest.raises(TypeError, match="start_ns"):
        native.sort_order(lane, start.astype(">i8"), dur, order)
    with pytest.raises(ValueError, match="contiguous"):
        native.sort_order(lane, np.arange(4)[::2], dur, order)
    order.flags.writeable = False
    with pytest.raises(ValueError, match="read-only"):
        native.sort_order(lane, start, dur, order)
    with pytest.raises(TypeError):
        native.sort_order(lane, start, dur)
    with pytest.raises(TypeError):
        native.sort_order(None, start, dur, order)
