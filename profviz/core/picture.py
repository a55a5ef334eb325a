"""Many rows as lines of pixels at once, and lines and stencils of text put together to a picture; knows no Qt.

Colours are 0xffRRGGBB, pictures uint32 of shape (height, width), all in device pixels.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from profviz.core import columns
from profviz.core.columns import F64, I32, I64, NS, U8, U32, column
from profviz.core.detail import KINDS, SHADES
from profviz.core.raster import Row, plain_raster, with_time

LEVELS = 64
"""Steps of strength between the faintest visible pixel (level 0) and a wholly busy one: right to one per cent."""

GAP_PX = 4.0
"""From this width on, a slice is kept apart from the one that follows at once."""

FEW = 8
"""Of a pixel in which more slices begin, no single one's shade is shown."""

CODES = KINDS * SHADES
BAR = 6
"""Numbers that a bar has."""


@dataclass(frozen=True, slots=True, eq=False)
class Lines:
    """`pixels` has shape (rows, width); `bars` (m, 6) are the slices that are wide where they show.

    A bar is the number of its row, the slice's place in it, its first pixel and the one behind its last, which slice of
    the trace it is, and its kind with its shade.
    """

    pixels: U32
    bars: I32


def paint_rows(
    rows: Sequence[Row],
    edges_ns: I64,
    *,
    colours: U32,
    ground: U32,
    least_px: int = 1,
    most_bars: int = 4_096,
    out: U32 | None = None,
) -> Lines:
    """One line of pixels a row: `colours` of shape (CODES, LEVELS), `ground` (width,) where nothing is.

    Every touched pixel shows at least level 0. Slices of some width that follow each other at once are kept apart.
    Bars are told from `least_px` on, in the order of the rows. `out` is where the lines go, else a new array.
    """
    edges_ns = column(edges_ns, "edges_ns", NS)
    if not len(edges_ns):
        raise ValueError("no pixels without an edge")
    width = len(edges_ns) - 1
    if colours.shape != (CODES, LEVELS) or colours.dtype != np.uint32:
        raise ValueError(
            f"colours must have shape ({CODES}, {LEVELS}) of uint32, not {colours.shape} of {colours.dtype}"
        )
    column(ground, "ground", (np.uint32,), count=width)
    lines = np.empty((len(rows), width), dtype=np.uint32) if out is None else out
    full = [number for number, row in enumerate(rows) if len(row)]
    if len(full) < len(rows):
        lines[:] = ground
    if not columns.NATIVE:
        return _plainly(rows, full, edges_ns, colours, ground, lines, least_px, most_bars)
    bars = np.empty(BAR * most_bars, dtype=np.int32)
    own = lines if len(full) == len(rows) else np.empty((len(full), width), dtype=np.uint32)
    held = tuple(rows[number].held for number in full)
    flat = np.ascontiguousarray(colours).reshape(-1)
    count = columns.native.paint(held, edges_ns, flat, ground, own.reshape(-1), bars, max(1, least_px))
    found = bars[: BAR * count].reshape(-1, BAR)
    if own is not lines:
        lines[full] = own
        found[:, 0] = np.array(full, dtype=np.int32)[found[:, 0]]
    return Lines(lines, found)


def _plainly(
    rows: Sequence[Row],
    full: Sequence[int],
    edges_ns: I64,
    colours: U32,
    ground: U32,
    lines: U32,
    least_px: int,
    most_bars: int,
) -> Lines:
    bars = [np.zeros((0, BAR), dtype=np.int32)]
    for number in full:
        lines[number], own = plain_line(rows[number], edges_ns, colours=colours, ground=ground, least_px=least_px)
        bars.append(np.insert(own, 0, number, axis=1))
    return Lines(lines, np.concatenate(bars)[:most_bars])


def plain_line(row: Row, edges_ns: I64, *, colours: U32, ground: U32, least_px: int = 1) -> tuple[U32, I32]:
    """The line of one row, and its bars without the row's number."""
    detail = row.detail
    pixels = plain_raster(detail, edges_ns)
    from_x = with_time(edges_ns)
    before = _starts(row).searchsorted(edges_ns, "left").astype(np.int64)
    first, last = before[:-1][from_x], before[1:][from_x]
    level = np.clip(pixels.busy * (LEVELS - 1) + 0.5, 0, LEVELS - 1).astype(np.int64)
    code = np.where(pixels.touched, _shaded(row, pixels.kind, first, last, edges_ns, from_x), 0)
    line = np.where(pixels.touched, colours[code, level], ground)
    gaps = _gaps(row, edges_ns)
    line[gaps] = ground[gaps]
    alone = np.where(pixels.touched & (first == last), last - 1, -1)
    bars = _runs(alone, max(1, least_px))
    own = np.stack([row.slice[bars[:, 0]], detail.kind[bars[:, 0]]], axis=1).astype(np.int32)
    return line.astype(np.uint32), np.concatenate([bars, own], axis=1)


def _starts(row: Row) -> I64:
    starts: I64 = row.start_ns[:]
    return starts


def _shaded(row: Row, kind: U8, first: I64, last: I64, edges_ns: I64, from_x: npt.NDArray[np.intp]) -> U8:
    """Each pixel's kind in the shade of that slice of its kind that is busy longest in it, the first of several."""
    begin, end = edges_ns[:-1][from_x], edges_ns[1:][from_x]
    longest, code = np.full(len(kind), -1, dtype=np.int64), kind.copy()
    few = last - first <= FEW
    for ahead in range(-1, FEW):
        at = first + ahead
        known = few & (at >= 0) & (at < last)
        at = np.clip(at, 0, len(row) - 1)
        start, stop = row.start_ns[at], row.end_ns[at]
        known &= (stop > begin) if ahead < 0 else True
        time = np.minimum(stop, end) - np.maximum(start, begin)
        better = known & (row.detail.kind[at] % KINDS == kind) & (time > longest)
        longest[better] = time[better]
        code[better] = row.detail.kind[at][better]
    return code


def _runs(alone: I64, least_px: int) -> I32:
    """Where pixel after pixel shows the same slice alone: (slice, first, last)."""
    cuts = np.flatnonzero(np.diff(alone)) + 1
    first, last = np.append(0, cuts), np.append(cuts, len(alone))
    wide = (last - first >= least_px) & (alone[first] >= 0) if len(alone) else np.zeros(1, dtype=bool)
    return np.stack([alone[first[wide]], first[wide], last[wide]], axis=1).astype(np.int32)


def _gaps(row: Row, edges_ns: I64) -> I64:
    """The last pixels of wide slices whose follower begins in the same pixel or the next."""
    width, start, span = len(edges_ns) - 1, int(edges_ns[0]), int(np.subtract(edges_ns[-1:], edges_ns[:1])[0])
    shown = row.plainly_visible(start, int(edges_ns[-1]))
    if not 1 < len(shown) <= width:
        return np.zeros(0, dtype=np.int64)
    begin, end = row.start_ns[shown.start : shown.stop], row.end_ns[shown.start : shown.stop]
    scale = width / float(max(1, span))
    wide = ((end - begin)[:-1] * scale >= GAP_PX) & ((begin[1:] - end[:-1]) * scale < 1.0)
    x: F64 = (end[:-1][wide] - start) * scale
    return np.floor(x[(x >= 1) & (x < width + 1)]).astype(np.int64) - 1


def fill(picture: U32, left: int, lines: U32, bands: I32) -> None:
    """Copies lines (n, width) into a picture from column `left` on: `bands` (m, 3) are (top, bottom, line)."""
    if columns.NATIVE:
        flat = np.ascontiguousarray(bands, dtype=np.int32).reshape(-1)
        columns.native.fill(picture.reshape(-1), picture.shape[1], left, lines.reshape(-1), lines.shape[1], flat)
        return
    plain_fill(picture, left, lines, bands)


def plain_fill(picture: U32, left: int, lines: U32, bands: I32) -> None:
    for top, bottom, line in bands.tolist():
        picture[top:bottom, left : left + lines.shape[1]] = lines[line]


def stamp(picture: U32, stencil: U8, stamps: I32, colours: U32) -> None:
    """Lays colours (n,) on a picture as strongly as a stencil (bytes,) says.

    `stamps` (n, 6) are (x, y, width, height, first byte, bytes a line); they must be within picture and stencil.
    """
    if columns.NATIVE:
        flat = np.ascontiguousarray(stamps, dtype=np.int32).reshape(-1)
        columns.native.stamp(picture.reshape(-1), picture.shape[1], stencil, flat, colours)
        return
    plain_stamp(picture, stencil, stamps, colours)


def plain_stamp(picture: U32, stencil: U8, stamps: I32, colours: U32) -> None:
    for (x, y, width, height, begin, stride), colour in zip(stamps.tolist(), colours.tolist(), strict=True):
        if not (width and height):
            continue
        size = stride * (height - 1) + width
        rows = np.lib.stride_tricks.as_strided(stencil[begin : begin + size], (height, width), (stride, 1))
        part = picture[y : y + height, x : x + width]
        part[:] = np.where(rows > 0, _mixed(part, colour, rows), part)


def _mixed(below: U32, above: int, alpha: U8) -> U32:
    strong = alpha.astype(np.uint32)
    made = np.full(below.shape, 0xFF000000, dtype=np.uint32)
    for shift in (0, 8, 16):
        low, high = below >> np.uint32(shift) & np.uint32(0xFF), np.uint32(above >> shift & 0xFF)
        made |= (low * (np.uint32(255) - strong) + high * strong + np.uint32(127)) // np.uint32(255) << np.uint32(shift)
    return made
