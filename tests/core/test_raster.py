"""Pixels of a row against brute force over every nanosecond, at small and at epoch-sized times."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from profviz.core import columns
from profviz.core.raster import (
    LEVELS,
    Pixels,
    Row,
    paint_row,
    pixel_edges,
    plain_paint,
    plain_raster,
    rasterise,
)

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


def scattered(row: Row) -> Row:
    """The same row, picked from columns in which other slices stand between its own."""
    at = np.arange(len(row), dtype=np.uint32) * 3 + 5
    start, dur = np.full(3 * len(row) + 5, -(2**62)), np.full(3 * len(row) + 5, 2**61)
    kind = np.full(3 * len(row) + 5, 3, dtype=np.uint8)
    start[at], dur[at], kind[at] = row.start_ns[:], row.end_ns[:] - row.start_ns[:], row.kind[:]
    return Row.picked(start, dur, kind, at)


def everyhow(row: Row, edges: np.ndarray) -> list[Pixels]:
    """Native where it is built, and by the twin; in place, and gathered."""
    if not len(row):
        return [rasterise(row, edges)]
    return [made for one in (row, scattered(row)) for made in (rasterise(one, edges), plain_raster(one.detail, edges))]


def same(first: Pixels, second: Pixels) -> bool:
    return all(np.array_equal(getattr(first, name), getattr(second, name)) for name in ("busy", "kind", "touched"))


PIECES = st.lists(st.tuples(st.integers(0, 9), st.integers(0, 12), st.integers(0, 3)), max_size=12)


@settings(deadline=None)
@given(PIECES, st.integers(-5, 30), st.integers(1, 90), st.integers(1, 40), st.sampled_from([0, EPOCH_NS]))
def test_pixels_are_what_counting_every_nanosecond_gives(
    pieces: list[tuple[int, int, int]], start: int, span: int, width: int, origin: int
) -> None:
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
@given(PIECES, st.integers(1, 50))
def test_no_slice_vanishes_however_far_away(pieces: list[tuple[int, int, int]], width: int) -> None:
    row = row_of(pieces, at=1_000)
    colours = np.arange(1, 4 * LEVELS + 1, dtype=np.uint32).reshape(4, LEVELS)
    edges = pixel_edges(0, 10**12, width)
    line = paint_row(row, edges, colours=colours, ground=0)
    assert line.dtype == np.uint32
    for begin in row.start_ns.tolist():
        assert line[int(np.searchsorted(edges, begin, "right")) - 1] != 0


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


def test_neighbours_of_some_width_are_kept_apart() -> None:
    row = row_of([(0, 10, 1), (0, 10, 1)])
    colours = np.full((2, LEVELS), 9, dtype=np.uint32)
    line = paint_row(row, pixel_edges(0, 20, 20), colours=colours, ground=0)
    assert np.flatnonzero(line == 0).tolist() == [9]


LONG = st.tuples(
    st.integers(0, 2**32), st.integers(1, 700), st.integers(1, 5), st.integers(0, 40), st.integers(0, 40),
    st.sampled_from([0, EPOCH_NS, -(2**62)]), st.sampled_from([1, 1000, 2**40]),
)  # fmt: skip


def long_row(described: tuple[int, ...]) -> Row:
    """Hundreds of slices in many blocks: any of the kinds, gaps and lengths, also such as are not narrow."""
    seed, count, kinds, gap, length, at, unit = described
    chance = np.random.default_rng(seed)
    gaps, lengths = chance.integers(0, gap + 1, count) * unit, chance.integers(0, length + 1, count) * unit
    pieces = zip(gaps.tolist(), lengths.tolist(), (chance.integers(0, kinds, count) * 7).tolist(), strict=True)
    return row_of(list(pieces), at=at)


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


@settings(max_examples=60, deadline=None)
@given(LONG, st.integers(1, 900), st.floats(0, 1), st.floats(0, 1.2))
def test_lines_are_the_same_natively(described: tuple[int, ...], width: int, first: float, share: float) -> None:
    row = long_row(described)
    start, span = row.start_ns[0], row.end_ns[len(row) - 1] - row.start_ns[0]
    edges = pixel_edges(int(start + int(span * first)), int(span * share) + 1, width)
    colours = np.arange(1, 29 * LEVELS + 1, dtype=np.uint32).reshape(29, LEVELS)
    for one in (row, scattered(row)):
        line = paint_row(one, edges, colours=colours, ground=0)
        assert np.array_equal(line, plain_paint(one, edges, colours=colours, ground=0))


def test_a_window_far_outside_the_row() -> None:
    row = row_of([(5, 10, 1)] * 100)
    for start in (-(2**62), 2**62):
        pixels, *others = everyhow(row, pixel_edges(start, 10**6, 30))
        assert not pixels.touched.any()
        assert all(same(pixels, other) for other in others)
    whole = rasterise(row, np.array([-(2**63), 2**63 - 1]))
    assert (whole.touched.tolist(), whole.kind.tolist()) == ([True], [1])


@settings(deadline=None)
@given(st.integers(0, 2**32), st.integers(1, 200))
def test_rows_that_break_every_promise_do_no_harm(seed: int, count: int) -> None:
    """Unsorted, overlapping, of negative length, edges that go back: nonsense in, some pixels out."""
    chance = np.random.default_rng(seed)
    start, end = (chance.integers(-(2**63), 2**63 - 1, count) for _ in range(2))
    kind = chance.integers(0, 3, count).astype(np.uint8)
    row = Row(start_ns=start, end_ns=end, kind=kind, slice=np.arange(count))
    edges = chance.integers(-(2**63), 2**63 - 1, 50)
    colours = np.full((3, LEVELS), 7, dtype=np.uint32)
    for one in (np.sort(edges), edges):
        with np.errstate(over="ignore"):
            assert set(paint_row(row, one, colours=colours, ground=0).tolist()) <= {0, 7}
            assert set(rasterise(row, one).kind.tolist()) <= {0, 1, 2}
            assert row.busy_ns(one)[1].max() <= count
    with np.errstate(over="ignore"):
        shown = row.visible(int(edges[0]), int(edges[1]))
    assert 0 <= shown.start <= shown.stop <= count


def test_a_narrow_window_on_slices_that_never_end() -> None:
    """An absurd length is far beyond the window, in pixels beyond any integer."""
    row = row_of([(0, 30, 0), (0, 2**62, 1), (0, 2**61, 1)])
    colours = np.full((2, LEVELS), 9, dtype=np.uint32)
    for paint in (paint_row, plain_paint):
        line = paint(row, pixel_edges(0, 100, 1_000), colours=colours, ground=0)
        assert np.flatnonzero(line == 0).tolist() == [299]


def test_pixels_between_edges_that_coincide_show_the_moment_there() -> None:
    row = row_of([(0, 12, 1), (6, 100, 2)])
    for pixels in everyhow(row, np.array([10, 10, 10, 12, 18, 18, 18], dtype=np.int64)):
        assert pixels.touched.tolist() == [True, True, True, False, False, False]
        assert pixels.busy[:3].tolist() == [1.0, 1.0, 1.0]
    for pixels in everyhow(row, pixel_edges(8, 20, 200)):
        assert np.flatnonzero(np.diff(pixels.touched)).tolist() == [39, 99]
        assert pixels.kind[[0, 39, 100, 199]].tolist() == [1, 1, 2, 2]


def test_what_cannot_be_painted_is_refused() -> None:
    row, edges = row_of([(0, 10, 3)]), pixel_edges(0, 10, 5)
    colours = np.zeros((4, LEVELS), dtype=np.uint32)
    with pytest.raises(ValueError, match="kind 3 has no colour"):
        paint_row(row, edges, colours=colours[:3], ground=0)
    with pytest.raises(ValueError, match="colours"):
        paint_row(row, edges, colours=colours[:, :5], ground=0)
    with pytest.raises(TypeError, match="edges_ns"):
        paint_row(row, edges.astype(np.float64), colours=colours, ground=0)
    with pytest.raises(ValueError, match="edge"):
        rasterise(row, edges[:0])
    with pytest.raises(ValueError, match="shape"):
        Row(start_ns=edges, end_ns=edges[1:], kind=np.zeros(6, dtype=np.uint8), slice=edges)


@pytest.mark.skipif(not columns.NATIVE, reason="the extension profviz.core._columns is not built")
def test_the_extension_itself_refuses_what_would_crash_it() -> None:
    parts, edges = row_of([(0, 10, 3)]).detail.parts, pixel_edges(0, 10, 5)
    line, colours = np.zeros(5, dtype=np.uint32), np.zeros(4 * LEVELS, dtype=np.uint32)
    native = columns.native
    with pytest.raises(ValueError, match="line"):
        native.paint(parts, edges, colours, 0, line[:4])
    with pytest.raises(ValueError, match="colours"):
        native.paint(parts, edges, colours[:-1], 0, line)
    with pytest.raises(ValueError, match="edge"):
        native.paint(parts, edges[:0], colours, 0, line)
    with pytest.raises(TypeError, match="touched"):
        native.raster(parts, edges, np.zeros(5), np.zeros(5, dtype=np.uint8), np.zeros(5))
    for at in range(6):
        broken = [part[:0] if i == at else part for i, part in enumerate(parts)]
        with pytest.raises(ValueError):
            native.paint(tuple(broken), edges, colours, 0, line)  # type: ignore[arg-type]
    with pytest.raises(TypeError):
        native.paint((*parts, 1), edges, colours, 0, line)  # type: ignore[arg-type]


def test_a_row_knows_where_a_slice_stands() -> None:
    row = row_of([(0, 1, 0), (1, 1, 0)])
    assert (row.place_of(8), row.place_of(6)) == (1, -1)
    assert rasterise(row_of([]), pixel_edges(0, 10, 4)).touched.tolist() == [False] * 4
