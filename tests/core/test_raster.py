"""Pixels of a row against brute force over every nanosecond, at small and at epoch-sized times."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from row_samples import EPOCH_NS, LONG, PIECES, long_row, row_of, scattered

from profviz.core.raster import Pixels, Row, pixel_edges, plain_raster


def everyhow(row: Row, edges: np.ndarray) -> list[Pixels]:
    """In place, and gathered."""
    return [plain_raster(one.detail, edges) for one in (row, scattered(row))]


def same(first: Pixels, second: Pixels) -> bool:
    return all(np.array_equal(getattr(first, name), getattr(second, name)) for name in ("busy", "kind", "touched"))


@settings(deadline=None)
@given(PIECES, st.integers(-5, 30), st.integers(1, 90), st.integers(1, 40), st.sampled_from([0, EPOCH_NS]))
def test_pixels_are_what_counting_every_nanosecond_gives(
    pieces: list[tuple[int, int, int]], start: int, span: int, width: int, origin: int
) -> None:
    assume(pieces)
    row = row_of(pieces, at=origin)
    edges = pixel_edges(origin + start, span, width)
    pixels, *others = everyhow(row, edges)
    assert all(same(pixels, other) for other in others)
    for at in range(width):
        first = int(edges[at])
        last = max(int(edges[at + 1]), first + 1)  # narrower than a nanosecond: what shows in that one
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


@settings(deadline=None)
@given(PIECES, st.integers(-5, 80), st.integers(1, 40))
def test_visible_slices_are_those_that_meet_the_window(
    pieces: list[tuple[int, int, int]], start: int, span: int
) -> None:
    row = row_of(pieces)
    spans = list(zip(row.start_ns.tolist(), row.end_ns.tolist(), strict=True))
    meets = [i for i, (a, b) in enumerate(spans) if a < start + span and (b > start or a == b == start)]
    for one in (row, scattered(row)):
        assert list(one.visible(start, start + span)) == meets
        assert list(one.plainly_visible(start, start + span)) == meets


def test_edges_split_the_window_without_overflow() -> None:
    edges = pixel_edges(EPOCH_NS, 10**18 + 7, 3_000)
    assert edges[0] == EPOCH_NS
    assert int(edges[-1]) == EPOCH_NS + 10**18 + 7
    assert edges[1_000].item() == EPOCH_NS + (10**18 + 7) * 1_000 // 3_000


def plain_pixels(row: Row, edges: np.ndarray) -> tuple[list[dict[int, int]], list[list[int]]]:
    """Of each pixel the busy time by kind and the kinds that begin, slice by slice."""
    bounds = [(first, max(last, first + 1)) for first, last in pairwise(edges.tolist())]
    busy: list[dict[int, int]] = [{} for _ in bounds]
    begun: list[list[int]] = [[] for _ in bounds]
    for start, end, kind in zip(row.start_ns.tolist(), row.end_ns.tolist(), row.kind.tolist(), strict=True):
        for at, (first, last) in enumerate(bounds):
            time = min(end, last) - max(start, first)
            if time > 0:
                busy[at][kind] = busy[at].get(kind, 0) + time
            if first <= start < last:
                begun[at].append(kind)
    return busy, begun


@settings(max_examples=60, deadline=None)
@given(LONG, st.integers(1, 40), st.floats(0, 1), st.floats(0, 1.2))
def test_long_rows_at_every_zoom(described: tuple[int, ...], width: int, first: float, share: float) -> None:
    row = long_row(described)
    start, span = row.start_ns[0], row.end_ns[len(row) - 1] - row.start_ns[0]
    edges = pixel_edges(int(start + int(span * first)), int(span * share) + 1, width)
    pixels, *others = everyhow(row, edges)
    assert all(same(pixels, other) for other in others)
    busy, begun = plain_pixels(row, edges)
    for at in range(width):
        total = sum(busy[at].values())
        assert pixels.busy[at] == np.float64(total) / max(1, int(edges[at + 1] - edges[at]))
        assert pixels.touched[at] == bool(total or begun[at])
        if total:
            assert pixels.kind[at] == min(busy[at], key=lambda kind: (-busy[at][kind], kind))
        elif begun[at]:
            assert pixels.kind[at] == begun[at][0]


def test_a_window_far_outside_the_row() -> None:
    row = row_of([(5, 10, 1)] * 100)
    for start in (-(2**62), 2**62):
        pixels, *others = everyhow(row, pixel_edges(start, 10**6, 30))
        assert not pixels.touched.any()
        assert all(same(pixels, other) for other in others)
    whole = plain_raster(row.detail, np.array([-(2**63), 2**63 - 1]))
    assert (whole.touched.tolist(), whole.kind.tolist()) == ([True], [1])


def test_pixels_between_edges_that_coincide_show_the_moment_there() -> None:
    row = row_of([(0, 12, 1), (6, 100, 2)])
    for pixels in everyhow(row, np.array([10, 10, 10, 12, 18, 18, 18], dtype=np.int64)):
        assert pixels.touched.tolist() == [True, True, True, False, False, False]
        assert pixels.busy[:3].tolist() == [1.0, 1.0, 1.0]
    for pixels in everyhow(row, pixel_edges(8, 20, 200)):
        assert np.flatnonzero(np.diff(pixels.touched)).tolist() == [39, 99]
        assert pixels.kind[[0, 39, 100, 199]].tolist() == [1, 1, 2, 2]


def test_a_row_knows_where_a_slice_stands() -> None:
    row = row_of([(0, 1, 0), (1, 1, 0)])
    assert (row.place_of(8), row.place_of(6)) == (1, -1)
