"""Level of detail of one row: how long each kind is busy before any moment, exactly, from sums over blocks of slices.

It owns the narrow columns that painting reads; it knows no pixels and no trace.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from profviz.core import columns
from profviz.core.columns import I64, U8, U32

BLOCK = 32
WIDEST = 2**32 - 1
KINDS, SHADES = 64, 4
"""How many kinds there can be, and shades of each: slices of one kind in any shade count as the same."""

Times = U32 | I64


@dataclass(frozen=True, slots=True, eq=False)
class Detail:
    """n slices that do not overlap, sorted by start, in b blocks of `BLOCK`.

    `base_ns` (b,) is when each block begins; `start` (n,) counts from there where it is uint32, else from zero, and
    `dur` (n,) is of the same type. `kind` (n,) is the kind, below `KINDS`, with `KINDS` times the shade added. `kinds`
    (k,) are those that occur, ascending and without shades; `sums_ns` (b + 1, k) is the busy time of each before each
    block and after the last. Some 10 bytes a slice, 1.3 where the columns are the source's.
    """

    base_ns: I64
    start: Times
    dur: Times
    kind: U8
    kinds: U8
    sums_ns: I64

    def __len__(self) -> int:
        return len(self.kind)

    @property
    def parts(self) -> tuple[I64, Times, Times, U8, U8, I64]:
        """As the native functions take it."""
        return self.base_ns, self.start, self.dur, self.kind, self.kinds, self.sums_ns.reshape(-1)

    def start_ns(self) -> I64:
        if self.start.dtype == np.int64:
            return self.start.astype(np.int64, copy=False)
        return np.repeat(self.base_ns, BLOCK)[: len(self)] + self.start


def kinds_in(kind: U8) -> U8:
    """The kinds that occur, ascending and without shades; shape (k,)."""
    if columns.NATIVE:
        return np.frombuffer(columns.native.kinds_in(np.ascontiguousarray(kind)), dtype=np.uint8)
    return np.unique(kind % KINDS)


def make_detail(start_ns: I64, dur_ns: I64, kind: U8, at: U32 | None) -> Detail:
    """Of the slices `at` (ascending) of three columns of one length, of all of them where it is None."""
    if not columns.NATIVE:
        return plain_detail(start_ns, dur_ns, kind, at)
    base, start, dur, kind = _gathered(start_ns, dur_ns, kind, at)
    kinds = kinds_in(kind)
    sums = np.empty((len(base) + 1, len(kinds)), dtype=np.int64)
    if len(kind):
        columns.native.sum_blocks(base, start, dur, kind, kinds, sums.reshape(-1))
    return Detail(base, start, dur, kind, kinds, sums)


def _gathered(start_ns: I64, dur_ns: I64, kind: U8, at: U32 | None) -> tuple[I64, Times, Times, U8]:
    if at is None:
        return start_ns[::BLOCK].copy(), start_ns, dur_ns, kind
    base = np.empty(-(-len(at) // BLOCK), dtype=np.int64)
    start, dur = np.empty(len(at), dtype=np.uint32), np.empty(len(at), dtype=np.uint32)
    own = np.empty(len(at), dtype=np.uint8)
    if columns.native.gather(start_ns, dur_ns, kind, at, base, start, dur, own):
        return base, start, dur, own
    wide = start_ns[at]
    return wide[::BLOCK].copy(), wide, dur_ns[at], kind[at]


def plain_detail(start_ns: I64, dur_ns: I64, kind: U8, at: U32 | None) -> Detail:
    base, start, dur, kind = _plainly_gathered(start_ns, dur_ns, kind, at)
    kinds = np.unique(kind % KINDS)
    sums = np.zeros((len(base) + 1, len(kinds)), dtype=np.int64)
    if len(kind):
        blocks = np.arange(0, len(kind), BLOCK)
        for place, own in enumerate(kinds):
            lengths = np.where(kind % KINDS == own, dur, 0)
            np.cumsum(np.add.reduceat(lengths, blocks, dtype=np.int64), out=sums[1:, place])
    return Detail(base, start, dur, kind, kinds, sums)


def _plainly_gathered(start_ns: I64, dur_ns: I64, kind: U8, at: U32 | None) -> tuple[I64, Times, Times, U8]:
    if at is None:
        return start_ns[::BLOCK].copy(), start_ns, dur_ns, kind
    start, dur = start_ns[at], dur_ns[at]
    base = start[::BLOCK].copy()
    offset = (start - np.repeat(base, BLOCK)[: len(at)]).astype(np.uint64)
    if len(at) and (int(offset.max()) > WIDEST or int(dur.astype(np.uint64).max()) > WIDEST):
        return base, start, dur, kind[at]
    return base, offset.astype(np.uint32), dur.astype(np.uint32), kind[at]


def busy_before(detail: Detail, times_ns: I64) -> tuple[I64, I64]:
    """Busy time of each kind before each time, shape (k, times), and how many slices begin before it, (times,)."""
    if not columns.NATIVE or not len(detail):
        return plain_busy(detail, times_ns)
    busy = np.empty((len(times_ns), len(detail.kinds)), dtype=np.int64)
    before = np.empty(len(times_ns), dtype=np.int64)
    columns.native.busy(detail.parts, times_ns, busy.reshape(-1), before)
    return busy.T, before


def plain_busy(detail: Detail, times_ns: I64) -> tuple[I64, I64]:
    if not len(detail):
        return np.zeros((0, len(times_ns)), dtype=np.int64), np.zeros(len(times_ns), dtype=np.int64)
    start = detail.start_ns()
    before = start.searchsorted(times_ns, "left")  # int64 keys: a float key would copy the whole column
    last = np.maximum(before - 1, 0)
    busy = _sum_whole(detail, before // BLOCK, before)
    over = np.maximum(start[last] + detail.dur[last].astype(np.int64) - times_ns, 0)
    over[before == 0] = 0
    busy[detail.kinds.searchsorted(detail.kind[last] % KINDS), np.arange(len(last))] -= over
    return busy, before.astype(np.int64)


def _sum_whole(detail: Detail, block: npt.NDArray[np.intp], before: npt.NDArray[np.intp]) -> I64:
    """What the slices before `before` last, kind by kind: the sum before their block and what of it counts."""
    busy = detail.sums_ns[block].T.copy()
    at = block[:, None] * BLOCK + np.arange(BLOCK)
    counts = at < before[:, None]
    at = np.minimum(at, len(detail) - 1)
    lengths, kind = np.where(counts, detail.dur[at], 0).astype(np.int64), detail.kind[at] % KINDS
    for place, own in enumerate(detail.kinds):
        busy[place] += np.where(kind == own, lengths, 0).sum(axis=1)
    return busy
