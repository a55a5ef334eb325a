"""Rows of slices for the tests of what is made of them."""

from __future__ import annotations

import numpy as np
from hypothesis import strategies as st

from profviz.core.detail import KINDS, SHADES
from profviz.core.raster import Row

EPOCH_NS = 1_764_400_000_000_000_007

PIECES = st.lists(st.tuples(st.integers(0, 9), st.integers(0, 12), st.integers(0, 3)), max_size=12)

LONG = st.tuples(
    st.integers(0, 2**32), st.integers(1, 700), st.integers(1, 5), st.integers(0, 40), st.integers(0, 40),
    st.sampled_from([0, EPOCH_NS, -(2**62)]), st.sampled_from([1, 1000, 2**40]),
)  # fmt: skip


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
    start[at], dur[at], kind[at] = row.start_ns[:], row.end_ns[:] - row.start_ns[:], row.detail.kind
    return Row.picked(start, dur, kind, at)


def long_row(described: tuple[int, ...]) -> Row:
    """Hundreds of slices in many blocks: any of the kinds, shades, gaps and lengths, also such as are not narrow."""
    seed, count, kinds, gap, length, at, unit = described
    chance = np.random.default_rng(seed)
    gaps, lengths = chance.integers(0, gap + 1, count) * unit, chance.integers(0, length + 1, count) * unit
    codes = chance.integers(0, kinds, count) * 7 + chance.integers(0, SHADES, count) * KINDS
    return row_of(list(zip(gaps.tolist(), lengths.tolist(), codes.tolist(), strict=True)), at=at)
