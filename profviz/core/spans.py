"""Matches begins with ends, per thread or per id, and points with those before them; knows no events."""

from __future__ import annotations

import numpy as np

from profviz.core import columns
from profviz.core.columns import I32, I64, NS, Lanes, Mask, column, places

KEYS = (*columns.LANES, np.uint64)
NONE = -1


def match_spans(key: Lanes, time_ns: I64, is_begin: Mask) -> tuple[I64, I64]:
    """For each begin the place of its end, and the ends that close nothing.

    Marks come in the order of the file; `key` (unsigned, or int32) says which belong together, all arguments have
    shape (n,). Sorted by time, equal times as in the file, an end closes the last begin of its key that is still
    open. The first result has shape (n,), -1 for begins without an end and for ends; the second is sorted by time.
    """
    key = column(key, "key", KEYS)
    time_ns = column(time_ns, "time_ns", NS, count=len(key))
    is_begin = column(is_begin, "is_begin", (np.bool_, np.uint8), count=len(key))
    if not columns.NATIVE:
        return plain_match(key, time_ns, is_begin)
    end = np.empty(len(key), dtype=np.int64)
    return end, places(columns.native.match_spans(key, time_ns, is_begin, end))


def plain_match(key: Lanes, time_ns: I64, is_begin: Mask) -> tuple[I64, I64]:
    end = np.full(len(key), NONE, dtype=np.int64)
    open_begins: dict[int, list[int]] = {}
    unmatched: list[int] = []
    order = np.argsort(time_ns, kind="stable")
    for place, own, begins in zip(order.tolist(), key[order].tolist(), is_begin[order].tolist(), strict=True):
        stack = open_begins.setdefault(own, [])
        if begins:
            stack.append(place)
        elif stack:
            end[stack.pop()] = place
        else:
            unmatched.append(place)
    return end, np.array(unmatched, dtype=np.int64)


def pair_points(opens: Mask, closes: Mask, heads: Mask) -> tuple[I32, I32]:
    """Sources and targets of arrows between points, both of shape (arrows,), targets ascending.

    The points stand in groups, in the order of time; `heads` marks the first of each, all arguments have shape (n,).
    Each point that does not open is a target: of the last point before it in its group that does not close, or of the
    first in the group that opens where there is none before; of none where there is neither.
    """
    if not columns.NATIVE:
        return plain_pairs(opens, closes, heads)
    sources, targets = np.empty(len(opens), dtype=np.int32), np.empty(len(opens), dtype=np.int32)
    count = columns.native.pair_points(opens, closes, heads, sources, targets)
    return sources[:count].copy(), targets[:count].copy()


def plain_pairs(opens: Mask, closes: Mask, heads: Mask) -> tuple[I32, I32]:
    count = len(opens)
    place = np.arange(count, dtype=np.int32)
    if not count:
        return place, place
    bounds = np.flatnonzero(heads).astype(np.int32)
    group = np.cumsum(heads, dtype=np.int32) - 1
    source = _last_before(np.where(closes, np.int32(-1), place), bounds[group])
    first_open = np.minimum.reduceat(np.where(opens, place, np.int32(count)), bounds)[group]
    early = (source < 0) & (first_open < count)
    source[early] = first_open[early]
    targets = np.flatnonzero(~opens & (source >= 0)).astype(np.int32)
    return source[targets], targets


def _last_before(marked: I32, group_start: I32) -> I32:
    """For each place the last marked one strictly before it within its group, else -1."""
    before = np.empty_like(marked)
    before[0] = -1
    np.maximum.accumulate(marked[:-1], out=before[1:])
    before[before < group_start] = -1
    return before
