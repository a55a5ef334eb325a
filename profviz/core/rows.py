"""All rows of a lane at once: slices grouped by depth, as indices into the trace's own columns; knows no trace."""

from __future__ import annotations

from itertools import pairwise

import numpy as np

from profviz.core import columns
from profviz.core.columns import I32, I64, NS, U8, U32, column
from profviz.core.raster import Row


def rows_of(
    start_ns: I64, dur_ns: I64, kind: U8, *, depth: I32, first: int = 0, slices: U32 | None = None
) -> tuple[Row, ...]:
    """One row for each depth that occurs, ascending.

    `start_ns`, `dur_ns` and `kind` are the columns of a whole trace, shape (n,); `depth` (k,) is that of the slices
    `slices` (ascending, k of them), or of the k slices from `first` on. No row copies any of them.
    """
    start_ns = column(start_ns, "start_ns", NS)
    dur_ns = column(dur_ns, "dur_ns", NS, count=len(start_ns))
    kind = column(kind, "kind", (np.uint8,), count=len(start_ns))
    order, bounds = split(depth, first=first, slices=slices)
    if len(order) and int(order.max()) >= len(start_ns):
        raise ValueError("a slice is not in the columns")
    parts = (order[low:high] for low, high in pairwise(bounds.tolist()) if high > low)
    return tuple(Row.picked(start_ns, dur_ns, kind, part) for part in parts)


def split(depth: I32, *, first: int = 0, slices: U32 | None = None) -> tuple[U32, I64]:
    """Slices grouped by depth, in each group as they came, and where each group begins and ends."""
    depth = column(depth, "depth", (np.int32,))
    if slices is not None:
        slices = column(slices, "slices", (np.uint32,), count=len(depth))
    if first < 0 or first + len(depth) > 2**32:
        raise ValueError("the first slice is none")
    if columns.NATIVE:
        order = np.empty(len(depth), dtype=np.uint32)
        bounds = columns.native.group(depth, slices, first, order)
        if bounds is not None:
            return order, np.frombuffer(bounds, dtype=np.uint32).astype(np.int64)
    return plain_split(depth, first=first, slices=slices)


def plain_split(depth: I32, *, first: int, slices: U32 | None) -> tuple[U32, I64]:
    order = np.argsort(depth, kind="stable").astype(np.uint32)
    sorted_depth = depth[order]
    cuts = np.flatnonzero(sorted_depth[1:] != sorted_depth[:-1]) + 1
    bounds = np.concatenate([[0], cuts, [len(order)]]).astype(np.int64)
    return (order + np.uint32(first) if slices is None else slices[order]), bounds
