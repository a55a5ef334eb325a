"""One row of slices as pixels: what is busy in each, exactly, at a cost of pixels and not of slices.

It knows no trace, no colour theme and no Qt.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from profviz.core import columns
from profviz.core.columns import F64, I64, NS, U8, U32, Mask, column
from profviz.core.detail import KINDS, Detail, busy_before, make_detail, plain_busy


class Picked:
    """The elements `at` of a column, or of the sum of two, looked up when asked for: a row holds no copy of them."""

    __slots__ = ("_at", "_plus", "_source")

    def __init__(self, source: Any, plus: Any, at: U32 | None) -> None:
        self._source, self._plus, self._at = source, plus, at

    def __len__(self) -> int:
        return len(self._source if self._at is None else self._at)

    def __getitem__(self, key: Any) -> Any:
        """What an array of the elements would give for an index, a slice, a mask or an array of indices."""
        at = key if self._at is None else self._at[key]
        return self._source[at] if self._plus is None else self._source[at] + self._plus[at]

    def __iter__(self) -> Iterator[Any]:
        return iter(self[:])

    def tolist(self) -> list[int]:
        made: list[int] = self[:].tolist()
        return made


class Row:
    """n slices that do not overlap, sorted by start; times are int64 ns.

    `kind` is a number below `detail.KINDS` with a shade added (see there), `slice` (uint32) the ascending index of each
    slice in its trace; `start_ns`, `end_ns` and `kind` are asked like arrays of shape (n,). Many rows may share one
    trace's columns: see `rows.rows_of`.
    """

    __slots__ = ("_at", "_detail", "_dur", "_held", "_kind", "_start", "slice")

    def __init__(self, *, start_ns: I64, end_ns: I64, kind: U8, slice: I64 | U32) -> None:
        start = column(np.asarray(start_ns), "start_ns", NS)
        dur = column(np.asarray(end_ns), "end_ns", NS, count=len(start)) - start
        self._set(start, dur, column(kind, "kind", (np.uint8,), count=len(start)), None, slice.astype(np.uint32))

    def _set(self, start_ns: I64, dur_ns: I64, kind: U8, at: U32 | None, slices: U32) -> None:
        self._start, self._dur, self._at = start_ns, dur_ns, at
        self._kind: U8 | None = kind
        self.slice = slices
        self._detail: Detail | None = None
        self._held: Any = None

    @classmethod
    def picked(cls, start_ns: I64, dur_ns: I64, kind: U8, slices: U32) -> Row:
        """The slices `slices` (ascending) of contiguous columns, which are looked at in place where they adjoin."""
        row = cls.__new__(cls)
        first, count = int(slices[0]) if len(slices) else 0, len(slices)
        if count and int(slices[-1]) - first == count - 1:
            own = np.s_[first : first + count]
            row._set(start_ns[own], dur_ns[own], kind[own], None, slices)
        else:
            row._set(start_ns, dur_ns, kind, slices, slices)
        return row

    def __len__(self) -> int:
        return len(self.slice)

    @property
    def start_ns(self) -> Picked:
        return Picked(self._start, None, self._at)

    @property
    def end_ns(self) -> Picked:
        return Picked(self._start, self._dur, self._at)

    @property
    def kind(self) -> U8:
        """Without the shades."""
        made, codes = self._detail, self._kind
        kinds: U8 = (made.kind if made is not None else Picked(codes, None, self._at)[:]) % np.uint8(KINDS)
        return kinds

    @property
    def detail(self) -> Detail:
        """Made when it is first asked for; then it alone holds the kinds, and the column they came from is let go."""
        made, codes = self._detail, self._kind
        if made is None and codes is not None:
            made = self._detail = make_detail(self._start, self._dur, codes, self._at)
            self._kind = None
        found = made or self._detail
        assert found is not None
        return found

    @property
    def held(self) -> Any:
        """For the native functions: the detail with its arrays taken once and for all."""
        if self._held is None:
            self._held = columns.native.hold(*self.detail.parts, self.slice)
        return self._held

    @property
    def kinds(self) -> U8:
        """The kinds that occur, ascending; shape (k,)."""
        return self.detail.kinds

    def visible(self, start_ns: int, end_ns: int) -> range:
        """The places of slices that show within [start_ns, end_ns)."""
        if columns.NATIVE:
            return range(*columns.native.visible(self._start, self._dur, self._at, start_ns, end_ns))
        return self.plainly_visible(start_ns, end_ns)

    def plainly_visible(self, start_ns: int, end_ns: int) -> range:
        begins, ends = self.start_ns, self.end_ns
        first, last = (bisect_left(begins, time) for time in (start_ns, end_ns))
        if first and ends[first - 1] > start_ns:
            first -= 1
        return range(first, max(first, last))

    def busy_ns(self, times_ns: I64) -> tuple[I64, I64]:
        """Busy time of each kind before each time, shape (k, times), and how many slices begin before it."""
        return busy_before(self.detail, times_ns)

    def place_of(self, index: int) -> int:
        """Where the trace's slice `index` stands in this row, or -1."""
        if not 0 <= index < 2**32:
            return -1
        at = int(self.slice.searchsorted(np.uint32(index)))
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


def plain_raster(detail: Detail, edges_ns: I64) -> Pixels:
    """What shows between neighbouring edges, for ascending int64 ns `edges_ns` of shape (w + 1,), of one slice or more.

    A pixel that holds only slices without length is touched and takes the kind of the first of them. One between
    edges that coincide, as in a window narrower in ns than in pixels, shows what the next does, of the same moment.
    """
    sums, before = plain_busy(detail, edges_ns)
    busy = np.diff(sums, axis=1)
    total = busy.sum(axis=0)
    begun = before[1:] > before[:-1]
    kind = detail.kinds[busy.argmax(axis=0)]
    brief = begun & (total == 0)
    kind[brief] = detail.kind[before[:-1][brief]] % KINDS
    from_x = with_time(edges_ns)
    share, touched = total / np.maximum(np.diff(edges_ns), 1), begun | (total > 0)
    return Pixels(share[from_x], kind[from_x], touched[from_x])


def with_time(edges_ns: I64) -> npt.NDArray[np.intp]:
    """For each pixel itself, or the next whose edges differ."""
    own = np.arange(len(edges_ns) - 1)
    lasting = np.flatnonzero(edges_ns[1:] != edges_ns[:-1])
    following = np.append(lasting, -1)[lasting.searchsorted(own)]
    return np.where(following < 0, own, following)
