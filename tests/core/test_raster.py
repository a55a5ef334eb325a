"""Pixels of a row against brute force over every nanosecond, at small and at epoch-sized times."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from profviz.core.raster import LEVELS, Row, paint_row, pixel_edges, rasterise

EPOCH_NS = 1_764_400_000_000_000_007


def row_of(pieces: list[tuple[int, int, int]], *, at: int = 0) -> Row:
    """From (gap before, length, kind) triples."""
    starts, ends, kinds = [], [], []
    for gap, length, kind in pieces:
        starts.append(at + gap)
        ends.append(at + gap + length)
        kinds.append(kind)
        at = ends[-1]
    return Row(
        start_ns=np.array(starts, dtype=np.int64),
        end_ns=np.array(ends, dtype=np.int64),
        kind=np.array(kinds, dtype=np.uint8),
        slice=np.arange(len(starts), dtype=np.int64) * 3 + 5,
    )


PIECES = st.lists(st.tuples(st.integers(0, 9), st.integers(0, 12), st.integers(0, 3)), max_size=12)


@given(PIECES, st.integers(-5, 30), st.integers(1, 90), st.integers(1, 40), st.sampled_from([0, EPOCH_NS]))
def test_pixels_are_what_counting_every_nanosecond_gives(
    pieces: list[tuple[int, int, int]], start: int, span: int, width: int, origin: int
) -> None:
    row = row_of(pieces, at=origin)
    edges = pixel_edges(origin + start, span, width)
    pixels = rasterise(row, edges)
    for at in range(width):
        first, last = int(edges[at]), int(edges[at + 1])
        busy = np.zeros(4, dtype=int)
        for begin, end, kind in zip(row.start_ns.tolist(), row.end_ns.tolist(), row.kind.tolist(), strict=True):
            busy[kind] += max(0, min(end, last) - max(begin, first))
        begun = [kind for begin, kind in zip(row.start_ns.tolist(), row.kind, strict=True) if first <= begin < last]
        assert abs(float(pixels.busy[at]) * max(1, last - first) - busy.sum()) < 1e-6
        assert bool(pixels.touched[at]) == bool(busy.sum() or begun)
        if busy.sum():
            assert busy[int(pixels.kind[at])] == busy.max()
        elif begun:
            assert int(pixels.kind[at]) == int(begun[0])


@given(PIECES, st.integers(1, 50))
def test_no_slice_vanishes_however_far_away(pieces: list[tuple[int, int, int]], width: int) -> None:
    row = row_of(pieces, at=1_000)
    colours = np.arange(1, 4 * LEVELS + 1, dtype=np.uint32).reshape(4, LEVELS)
    edges = pixel_edges(0, 10**12, width)
    line = paint_row(row, edges, colours=colours, ground=0)
    assert line.dtype == np.uint32
    for begin in row.start_ns.tolist():
        assert line[int(np.searchsorted(edges, begin, "right")) - 1] != 0


@given(PIECES, st.integers(-5, 80), st.integers(1, 40))
def test_visible_slices_are_those_that_meet_the_window(
    pieces: list[tuple[int, int, int]], start: int, span: int
) -> None:
    row = row_of(pieces)
    spans = list(zip(row.start_ns.tolist(), row.end_ns.tolist(), strict=True))
    meets = [i for i, (a, b) in enumerate(spans) if a < start + span and (b > start or a == b == start)]
    assert list(row.visible(start, start + span)) == meets


def test_edges_split_the_window_without_overflow() -> None:
    edges = pixel_edges(EPOCH_NS, 10**18 + 7, 3_000)
    assert edges[0] == EPOCH_NS
    assert int(edges[-1]) == EPOCH_NS + 10**18 + 7
    assert edges[1_000].item() == EPOCH_NS + (10**18 + 7) * 1_000 // 3_000


def test_neighbours_of_some_width_are_kept_apart() -> None:
    row = row_of([(0, 10, 1), (0, 10, 1)])
    colours = np.full((2, LEVELS), 9, dtype=np.uint32)
    line = paint_row(row, pixel_edges(0, 20, 20), colours=colours, ground=0)
    assert np.flatnonzero(line == 0).tolist() == [9]


def test_a_row_knows_where_a_slice_stands() -> None:
    row = row_of([(0, 1, 0), (1, 1, 0)])
    assert (row.place_of(8), row.place_of(6)) == (1, -1)
    assert rasterise(row_of([]), pixel_edges(0, 10, 4)).touched.tolist() == [False] * 4
