"""Lines of pixels, bars, bands and stencils: native and twin, and against what each slice says by itself."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from row_samples import EPOCH_NS, LONG, PIECES, long_row, row_of, scattered

from profviz.core import columns
from profviz.core.detail import KINDS
from profviz.core.picture import (
    CODES,
    LEVELS,
    fill,
    paint_rows,
    plain_fill,
    plain_line,
    plain_stamp,
    stamp,
)
from profviz.core.raster import Row, pixel_edges, plain_raster

EVERY = np.arange(1, CODES * LEVELS + 1, dtype=np.uint32).reshape(CODES, LEVELS)
"""A colour of its own for each code and strength."""


def no_ground(width: int) -> np.ndarray:
    return np.zeros(width, dtype=np.uint32)


def line_of(row: Row, edges: np.ndarray, colours: np.ndarray = EVERY) -> np.ndarray:
    return paint_rows([row], edges, colours=colours, ground=no_ground(len(edges) - 1)).pixels[0]


def seen(row: Row, share: float, first: float, width: int) -> np.ndarray:
    """The edges of a window on a row."""
    start, span = row.start_ns[0], row.end_ns[len(row) - 1] - row.start_ns[0]
    return pixel_edges(int(start + int(span * first)), int(span * share) + 1, width)


@settings(deadline=None)
@given(PIECES, st.integers(1, 50))
def test_no_slice_vanishes_however_far_away(pieces: list[tuple[int, int, int]], width: int) -> None:
    row = row_of(pieces, at=1_000)
    edges = pixel_edges(0, 10**12, width)
    line = line_of(row, edges)
    assert line.dtype == np.uint32
    for begin in row.start_ns.tolist():
        assert line[int(np.searchsorted(edges, begin, "right")) - 1] != 0


@settings(max_examples=80, deadline=None)
@given(LONG, st.integers(1, 300), st.floats(0, 1), st.floats(0, 1.2))
def test_no_busy_pixel_vanishes_and_strength_is_right_at_every_zoom(
    described: tuple[int, ...], width: int, first: float, share: float
) -> None:
    """Strength tells occupancy to one per cent; the pixels kept free between neighbours are the only ones blank."""
    row = long_row(described)
    edges = seen(row, share, first, width)
    pixels, line = plain_raster(row.detail, edges), line_of(row, edges)
    level, code = (line.astype(np.int64) - 1) % LEVELS, (line.astype(np.int64) - 1) // LEVELS
    shown = line > 0
    assert np.array_equal(shown | (line == 0), np.ones(width, dtype=bool))
    assert (pixels.touched[shown]).all()
    assert np.abs(level[shown] / (LEVELS - 1) - np.minimum(pixels.busy[shown], 1.0)).max(initial=0) <= 0.01
    assert np.array_equal(code[shown] % KINDS, pixels.kind[shown])
    starts, ends = row.start_ns[:], row.end_ns[:]
    for at in np.flatnonzero(pixels.touched & ~shown).tolist():
        assert ((ends > edges[at]) & (starts < edges[at])).any() or edges[at] == edges[at + 1]


@settings(max_examples=80, deadline=None)
@given(LONG, st.integers(1, 900), st.floats(0, 1), st.floats(0, 1.2), st.integers(1, 40))
def test_lines_and_bars_are_the_same_natively(
    described: tuple[int, ...], width: int, first: float, share: float, least: int
) -> None:
    row = long_row(described)
    edges = seen(row, share, first, width)
    ground = np.arange(width, dtype=np.uint32) + np.uint32(2**31)
    for one in (row, scattered(row)):
        made = paint_rows([one], edges, colours=EVERY, ground=ground, least_px=least)
        line, bars = plain_line(one, edges, colours=EVERY, ground=ground, least_px=least)
        assert np.array_equal(made.pixels[0], line)
        assert made.bars[:, 1:].tolist() == bars.tolist()


@settings(max_examples=60, deadline=None)
@given(LONG, st.integers(20, 600), st.floats(0, 1), st.floats(0, 0.2))
def test_bars_are_the_wide_slices_and_none_is_missed(
    described: tuple[int, ...], width: int, first: float, share: float
) -> None:
    row, least = long_row(described), 8
    edges = seen(row, share, first, width)
    bars = paint_rows([row], edges, colours=EVERY, ground=no_ground(width), least_px=least).bars
    found = {place: (begin, end) for _, place, begin, end, *_ in bars.tolist()}
    assert bars[:, 4].tolist() == row.slice[bars[:, 1]].tolist()
    assert bars[:, 5].tolist() == row.detail.kind[bars[:, 1]].tolist()
    for at, (start, end) in enumerate(zip(row.start_ns.tolist(), row.end_ns.tolist(), strict=True)):
        inside = [
            x for x in range(width) if max(start, int(edges[x])) < min(end, max(int(edges[x + 1]), int(edges[x]) + 1))
        ]
        if at in found:
            assert set(range(*found[at])) <= {*inside, *(x for x in range(width) if edges[x] == edges[x + 1])}
        elif int(edges[-1] - edges[0]) >= width:
            assert len(inside) <= least + 1


def test_shades_of_one_kind_are_told_apart_where_one_slice_stands_for_the_pixel() -> None:
    row = row_of([(0, 100, 2), (0, 100, 2 + KINDS), (0, 100, 2 + 3 * KINDS)])
    line = line_of(row, pixel_edges(0, 300, 30))
    assert [(int(line[x]) - 1) // LEVELS for x in (5, 15, 25)] == [2, 2 + KINDS, 2 + 3 * KINDS]
    many = row_of([(0, 1, 2 + KINDS)] * 100)
    assert (int(line_of(many, pixel_edges(0, 100, 1))[0]) - 1) // LEVELS == 2
    assert plain_raster(row.detail, pixel_edges(0, 300, 3)).kind.tolist() == [2, 2, 2]
    assert row.kind.tolist() == [2, 2, 2]
    assert row.kinds.tolist() == [2]


def test_rows_are_painted_together_as_one_by_one_and_empty_ones_are_ground() -> None:
    rows = [row_of([(5, 40, 1)]), row_of([]), row_of([(0, 10, 2), (30, 60, 3)])]
    edges, ground = pixel_edges(0, 100, 50), np.arange(50, dtype=np.uint32)
    made = paint_rows(rows, edges, colours=EVERY, ground=ground, least_px=4)
    for row, line in zip(rows, made.pixels, strict=True):
        assert np.array_equal(line, paint_rows([row], edges, colours=EVERY, ground=ground).pixels[0])
    assert made.pixels[1].tolist() == ground.tolist()
    assert made.bars.tolist() == [[0, 0, 3, 23, 5, 1], [2, 0, 1, 5, 5, 2], [2, 1, 21, 50, 8, 3]]
    assert len(paint_rows(rows, edges, colours=EVERY, ground=ground, least_px=4, most_bars=2).bars) == 2
    assert paint_rows([], edges, colours=EVERY, ground=ground).pixels.shape == (0, 50)


def test_neighbours_of_some_width_are_kept_apart() -> None:
    row = row_of([(0, 10, 1), (0, 10, 1)])
    line = line_of(row, pixel_edges(0, 20, 20))
    assert np.flatnonzero(line == 0).tolist() == [9]


@settings(deadline=None)
@given(st.integers(0, 2**32), st.integers(1, 200))
def test_rows_that_break_every_promise_do_no_harm(seed: int, count: int) -> None:
    """Unsorted, overlapping, of negative length, edges that go back: nonsense in, some pixels out."""
    chance = np.random.default_rng(seed)
    start, end = (chance.integers(-(2**63), 2**63 - 1, count) for _ in range(2))
    kind = chance.integers(0, 3, count).astype(np.uint8)
    row = Row(start_ns=start, end_ns=end, kind=kind, slice=np.arange(count))
    edges = chance.integers(-(2**63), 2**63 - 1, 50)
    colours = np.full((CODES, LEVELS), 7, dtype=np.uint32)
    for one in (np.sort(edges), edges):
        with np.errstate(over="ignore"):
            assert set(line_of(row, one, colours).tolist()) <= {0, 7}
            assert set(plain_raster(row.detail, one).kind.tolist()) <= {0, 1, 2}
            assert row.busy_ns(one)[1].max() <= count
    with np.errstate(over="ignore"):
        shown = row.visible(int(edges[0]), int(edges[1]))
    assert 0 <= shown.start <= shown.stop <= count


def test_a_narrow_window_on_slices_that_never_end() -> None:
    """An absurd length is far beyond the window, in pixels beyond any integer."""
    row = row_of([(0, 30, 0), (0, 2**62, 1), (0, 2**61, 1)])
    edges, ground = pixel_edges(0, 100, 1_000), no_ground(1_000)
    for line in (line_of(row, edges), plain_line(row, edges, colours=EVERY, ground=ground)[0]):
        assert np.flatnonzero(line == 0).tolist() == [299]


def test_a_window_of_one_nanosecond_shows_what_is_there() -> None:
    row = row_of([(0, 10, 1), (0, 10, 2)], at=EPOCH_NS)
    for at, code in ((9, 1), (10, 2)):
        line = line_of(row, pixel_edges(EPOCH_NS + at, 1, 100))
        assert set(((line.astype(np.int64) - 1) // LEVELS).tolist()) == {code}


@settings(deadline=None)
@given(st.integers(0, 2**32), st.integers(0, 12))
def test_bands_and_stamps_are_the_same_natively(seed: int, count: int) -> None:
    chance = np.random.default_rng(seed)
    picture = chance.integers(0xFF000000, 2**32, (40, 60), dtype=np.uint32)
    lines = chance.integers(0xFF000000, 2**32, (3, 50), dtype=np.uint32)
    tops = chance.integers(0, 40, (count, 1))
    bands = np.concatenate([tops, chance.integers(tops, 41), chance.integers(0, 3, (count, 1))], axis=1)
    stencil = chance.choice(np.array([0, 0, 1, 127, 255], dtype=np.uint8), 400)
    corner = np.stack([chance.integers(0, 40, count), chance.integers(0, 30, count)], axis=1)
    size = np.stack([chance.integers(0, 20, count), chance.integers(0, 10, count)], axis=1)
    stamps = np.concatenate([corner, size, chance.integers(0, 100, (count, 1)), np.full((count, 1), 25)], axis=1)
    colours = chance.integers(0xFF000000, 2**32, count, dtype=np.uint32)
    other = picture.copy()
    fill(picture, 7, lines, bands.astype(np.int32))
    plain_fill(other, 7, lines, bands.astype(np.int32))
    stamp(picture, stencil, stamps.astype(np.int32), colours)
    plain_stamp(other, stencil, stamps.astype(np.int32), colours)
    assert np.array_equal(picture, other)


def test_a_full_stencil_gives_the_colour_itself_and_an_empty_one_nothing() -> None:
    picture = np.full((1, 3), 0xFF102030, dtype=np.uint32)
    stamps = np.array([[0, 0, 3, 1, 0, 3]], dtype=np.int32)
    stamp(picture, np.array([255, 0, 128], dtype=np.uint8), stamps, np.array([0xFFFFFFFF], dtype=np.uint32))
    assert [hex(value) for value in picture[0].tolist()] == ["0xffffffff", "0xff102030", "0xff889098"]


@pytest.mark.parametrize("laid", [stamp, plain_stamp])
def test_a_stamp_without_size_lays_nothing_wherever_it_is(laid: Callable[..., None]) -> None:
    picture, colours = np.zeros((4, 6), dtype=np.uint32), np.full(3, 0xFFFFFFFF, dtype=np.uint32)
    stamps = np.array([[2, 9, 3, 0, 0, 3], [9, 1, 0, 2, 0, 3], [0, 5, 0, 0, 99, 3]], dtype=np.int32)
    laid(picture, np.full(10, 255, dtype=np.uint8), stamps, colours)
    assert not picture.any()


def test_what_cannot_be_painted_is_refused() -> None:
    row, edges = row_of([(0, 10, 3)]), pixel_edges(0, 10, 5)
    with pytest.raises(ValueError, match="colours"):
        paint_rows([row], edges, colours=EVERY[:, :5], ground=no_ground(5))
    with pytest.raises(ValueError, match="ground"):
        paint_rows([row], edges, colours=EVERY, ground=no_ground(4))
    with pytest.raises(TypeError, match="edges_ns"):
        paint_rows([row], edges.astype(np.float64), colours=EVERY, ground=no_ground(5))
    with pytest.raises(ValueError, match="edge"):
        paint_rows([row], edges[:0], colours=EVERY, ground=no_ground(0))
    with pytest.raises(ValueError, match="shape"):
        Row(start_ns=edges, end_ns=edges[1:], kind=np.zeros(6, dtype=np.uint8), slice=edges)


@pytest.mark.skipif(not columns.NATIVE, reason="the extension profviz.core._columns is not built")
def test_the_extension_itself_refuses_what_would_crash_it() -> None:
    row, edges, native = row_of([(0, 10, 3)]), pixel_edges(0, 10, 5), columns.native
    flat, bars, line = EVERY.reshape(-1), np.zeros(12, dtype=np.int32), no_ground(5)
    with pytest.raises(ValueError, match="lines"):
        native.paint((row.held,), edges, flat, no_ground(5), line[:4], bars, 1)
    with pytest.raises(ValueError, match="colours"):
        native.paint((row.held,), edges, flat[:-1], no_ground(5), line, bars, 1)
    with pytest.raises(ValueError, match="edge"):
        native.paint((row.held,), edges[:0], flat, no_ground(5), line, bars, 1)
    with pytest.raises(ValueError):
        native.paint((row,), edges, flat, no_ground(5), line, bars, 1)
    parts = row.detail.parts
    for at in range(6):
        broken = [part[:0] if i == at else part for i, part in enumerate(parts)]
        with pytest.raises(ValueError):
            native.hold(*broken, row.slice)
    with pytest.raises(ValueError, match="kind 64"):
        native.hold(*parts[:4], np.array([64], dtype=np.uint8), parts[5], row.slice)
    with pytest.raises(ValueError, match="slice"):
        native.hold(*parts, row.slice[:0])
    picture = np.zeros((4, 6), dtype=np.uint32)
    for band in ([0, 5, 0], [-1, 2, 0], [2, 1, 0], [0, 1, 1], [0, 1, -1]):
        with pytest.raises(ValueError, match="contradict"):
            fill(picture, 1, line.reshape(1, 5), np.array([band], dtype=np.int32))
    with pytest.raises(ValueError, match="contradict"):
        fill(picture, 2, line.reshape(1, 5), np.array([[0, 1, 0]], dtype=np.int32))
    stencil, colour = np.zeros(10, dtype=np.uint8), np.zeros(1, dtype=np.uint32)
    for one in ([0, 0, 7, 1, 0, 1], [0, 3, 1, 2, 0, 1], [-1, 0, 1, 1, 0, 1], [0, 0, 5, 2, 0, 6], [0, 0, 1, 1, 10, 1]):
        with pytest.raises(ValueError, match="contradict"):
            stamp(picture, stencil, np.array([one], dtype=np.int32), colour)
    with pytest.raises(ValueError, match="stamps"):
        native.stamp(picture.reshape(-1), 6, stencil, np.zeros(5, dtype=np.int32), colour)
    with pytest.raises(ValueError, match="whole number"):
        native.stamp(picture.reshape(-1)[:-1], 6, stencil, np.zeros(6, dtype=np.int32), colour)


@pytest.mark.skipif(not columns.NATIVE, reason="the extension profviz.core._columns is not built")
def test_a_held_row_keeps_what_it_looks_into() -> None:
    held = row_of([(0, 10, 3)]).held
    lines, bars = no_ground(5), np.zeros(6, dtype=np.int32)
    native = columns.native
    assert native.paint((held,), pixel_edges(0, 10, 5), EVERY.reshape(-1), no_ground(5), lines, bars, 1) == 1
    assert (lines == 3 * LEVELS + LEVELS).all()
