"""Level of detail of one row of slices: what is busy in each pixel, exactly, at a cost of pixels and not of slices.

It owns sorted columns and their running sums; it knows no trace, no colour theme and no Qt.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt

I64 = npt.NDArray[np.int64]
U8 = npt.NDArray[np.uint8]
U32 = npt.NDArray[np.uint32]
F64 = npt.NDArray[np.float64]
Mask = npt.NDArray[np.bool_]

LEVELS = 16
"""Steps of strength between the faintest visible pixel (level 0) and a wholly busy one."""

GAP_PX = 4.0
"""From this width on, a slice is kept apart from the one that follows at once."""


class Row:
    """n slices that do not overlap, sorted by start; all columns have shape (n,), times are int64 ns.

    `kind` is any small number, `slice` the ascending index of each slice in its trace.
    """

    def __init__(self, *, start_ns: I64, end_ns: I64, kind: U8, slice: I64) -> None:
        self.start_ns = np.ascontiguousarray(start_ns, dtype=np.int64)
        self.end_ns = np.ascontiguousarray(end_ns, dtype=np.int64)
        self.kind = np.ascontiguousarray(kind, dtype=np.uint8)
        self.slice = np.ascontiguousarray(slice, dtype=np.int64)

    def __len__(self) -> int:
        return len(self.start_ns)

    @cached_property
    def kinds(self) -> U8:
        """The kinds that occur, ascending; shape (k,)."""
        return np.flatnonzero(np.bincount(self.kind, minlength=1)).astype(np.uint8)

    @cached_property
    def _place(self) -> npt.NDArray[np.int64]:
        """The place of each slice's kind in `kinds`; shape (n,)."""
        return np.searchsorted(self.kinds, self.kind).astype(np.int64)

    @cached_property
    def _before_ns(self) -> I64:
        """Busy time of kind k in the slices before slice i; shape (k, n)."""
        sums = np.zeros((len(self.kinds), len(self)), dtype=np.int64)
        lengths = (self.end_ns - self.start_ns)[:-1]
        for place in range(len(self.kinds)):
            np.cumsum(np.where(self._place[:-1] == place, lengths, 0), out=sums[place, 1:])
        return sums

    def visible(self, start_ns: int, end_ns: int) -> range:
        """The places of slices that show within [start_ns, end_ns)."""
        first = int(self.end_ns.searchsorted(np.int64(start_ns), "right"))
        last = int(self.start_ns.searchsorted(np.int64(end_ns), "left"))
        while first > 0 and self.start_ns[first - 1] == start_ns:  # nothing long, but it stands on the edge
            first -= 1
        return range(first, max(first, last))

    def busy_ns(self, times_ns: I64) -> tuple[I64, I64]:
        """Busy time of each kind before each time, shape (k, times), and how many slices begin before it."""
        before = self.start_ns.searchsorted(times_ns, "left")  # int64 keys: a float key would copy the whole column
        last = np.maximum(before - 1, 0)
        part = np.minimum(times_ns, self.end_ns[last]) - self.start_ns[last]
        part[before == 0] = 0
        busy = self._before_ns[:, last]
        busy[self._place[last], np.arange(len(last))] += part
        return busy, before.astype(np.int64)

    def place_of(self, index: int) -> int:
        """Where the trace's slice `index` stands in this row, or -1."""
        at = int(self.slice.searchsorted(np.int64(index)))
        return at if at < len(self) and self.slice[at] == index else -1


@dataclass(frozen=True, slots=True, eq=False)
class Pixels:
    """`busy` is the busy fraction, `kind` the kind with most time, `touched` whether any slice shows; shape (w,)."""

    busy: F64
    kind: U8
    touched: Mask


def pixel_edges(start_ns: int, span_ns: int, width: int) -> I64:
    """The times of the `width` + 1 pixel edges: start + floor(i * span / width), without overflow; int64 ns."""
    whole, rest = divmod(span_ns, width)
    steps = np.arange(width + 1, dtype=np.int64)
    return start_ns + steps * whole + steps * rest // width


def rasterise(row: Row, edges_ns: I64) -> Pixels:
    """What shows between neighbouring edges, for ascending int64 ns `edges_ns` of shape (w + 1,).

    A pixel that holds only slices without length is touched and takes the kind of the first of them.
    """
    if not len(row):
        width = len(edges_ns) - 1
        return Pixels(np.zeros(width), np.zeros(width, dtype=np.uint8), np.zeros(width, dtype=bool))
    sums, before = row.busy_ns(edges_ns)
    busy = np.diff(sums, axis=1)
    total = busy.sum(axis=0)
    begun = before[1:] > before[:-1]
    kind = row.kinds[busy.argmax(axis=0)]
    brief = begun & (total == 0)
    kind[brief] = row.kind[before[:-1][brief]]
    return Pixels(total / np.maximum(np.diff(edges_ns), 1), kind, begun | (total > 0))


def paint_row(row: Row, edges_ns: I64, *, colours: U32, ground: int) -> U32:
    """One line of pixels, shape (w,): `colours` of shape (kinds, LEVELS), `ground` where nothing is.

    Every touched pixel shows at least level 0. Slices of some width that follow each other at once are kept apart.
    """
    pixels = rasterise(row, edges_ns)
    level = np.minimum((pixels.busy * (LEVELS - 1) + 0.5).astype(np.int64), LEVELS - 1)
    line = np.where(pixels.touched, colours[pixels.kind, level], np.uint32(ground))
    line[_gaps(row, edges_ns)] = ground
    return line.astype(np.uint32)


def _gaps(row: Row, edges_ns: I64) -> I64:
    """The last pixels of wide slices whose follower begins in the same pixel or the next."""
    width, start, span = len(edges_ns) - 1, int(edges_ns[0]), int(edges_ns[-1] - edges_ns[0])
    shown = row.visible(start, int(edges_ns[-1]))
    if not 1 < len(shown) <= width:
        return np.zeros(0, dtype=np.int64)
    begin, end = row.start_ns[shown.start : shown.stop], row.end_ns[shown.start : shown.stop]
    scale = width / max(1, span)
    wide = ((end - begin)[:-1] * scale >= GAP_PX) & ((begin[1:] - end[:-1]) * scale < 1.0)
    at: I64 = np.floor((end[:-1][wide] - start) * scale).astype(np.int64) - 1
    inside: I64 = at[(at >= 0) & (at < width)]
    return inside
