"""Slices grouped by depth against picking each depth by a mask."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from profviz.core import columns
from profviz.core.rows import plain_split, rows_of, split

DEPTHS = st.lists(st.sampled_from([0, 1, 2, 3, 40, 2**31 - 1]), max_size=60)


def parts(found: tuple[np.ndarray, np.ndarray]) -> list[list[int]]:
    order, bounds = found
    assert order.dtype == np.uint32
    return [part.tolist() for part in np.split(order, bounds[1:-1]) if len(part)]


@settings(deadline=None)
@given(DEPTHS, st.integers(0, 5), st.integers(0, 3))
def test_every_depth_gets_its_slices_in_order(depths: list[int], first: int, apart: int) -> None:
    depth = np.array(depths, dtype=np.int32)
    slices = np.arange(len(depth), dtype=np.uint32) * apart + 1 if apart else None
    names = slices if slices is not None else np.arange(len(depth)) + first
    wanted = [names[depth == own].tolist() for own in sorted(set(depths))]
    assert parts(split(depth, first=first, slices=slices)) == wanted
    assert parts(plain_split(depth, first=first, slices=slices)) == wanted


@settings(deadline=None)
@given(st.lists(st.tuples(st.integers(0, 3), st.integers(0, 3)), min_size=1, max_size=40), st.integers(0, 3))
def test_rows_look_at_the_columns_of_the_trace(pieces: list[tuple[int, int]], first: int) -> None:
    depth = np.array([item[0] for item in pieces], dtype=np.int32)
    start = np.arange(len(pieces) + first, dtype=np.int64) * 10
    dur = np.full(len(start), 7)
    kind = np.array([0] * first + [item[1] for item in pieces], dtype=np.uint8)
    rows = rows_of(start, dur, kind, depth=depth, first=first)
    assert [row.slice.tolist() for row in rows] == [
        (np.flatnonzero(depth == own) + first).tolist() for own in np.unique(depth)
    ]
    for row in rows:
        assert row.start_ns.tolist() == start[row.slice].tolist()
        assert row.end_ns[0] == start[row.slice[0]] + 7
        assert row.end_ns[np.array([0])].tolist() == [start[row.slice[0]] + 7]
        assert list(row.kind) == kind[row.slice].tolist()
        assert len(row.kind) == len(row.start_ns) == len(row)
        assert [row.place_of(index) for index in row.slice.tolist()] == list(range(len(row)))
        assert row.place_of(-1) == row.place_of(2**32) == -1


def test_nothing_and_wrong_arrays() -> None:
    start, kind = np.zeros(3, dtype=np.int64), np.zeros(3, dtype=np.uint8)
    depth = np.zeros(3, dtype=np.int32)
    assert rows_of(start, start, kind, depth=depth[:0]) == ()
    assert parts(plain_split(depth[:0], first=0, slices=None)) == []
    with pytest.raises(ValueError, match="not in the columns"):
        rows_of(start, start, kind, depth=depth, first=1)
    with pytest.raises(ValueError, match="shape"):
        rows_of(start, start, kind, depth=depth, slices=np.zeros(2, dtype=np.uint32))
    with pytest.raises(TypeError, match="depth"):
        rows_of(start, start, kind, depth=start)
    with pytest.raises(ValueError, match="first"):
        split(depth, first=-1)
    assert parts(split(np.array([3, -1, 3], dtype=np.int32))) == [[1], [0, 2]]


@pytest.mark.skipif(not columns.NATIVE, reason="the extension profviz.core._columns is not built")
def test_the_extension_itself_refuses_what_would_crash_it() -> None:
    depth = np.zeros(3, dtype=np.int32)
    with pytest.raises(ValueError, match="order"):
        columns.native.group(depth, None, 0, np.zeros(2, dtype=np.uint32))
    with pytest.raises(TypeError, match="slices"):
        columns.native.group(depth, depth, 0, np.zeros(3, dtype=np.uint32))
    assert columns.native.group(depth - 1, None, 0, np.zeros(3, dtype=np.uint32)) is None
