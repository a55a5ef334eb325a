"""Matches begins with ends, per thread or per id, in the order of time; knows no events."""

from __future__ import annotations

import numpy as np

from profviz.core import columns
from profviz.core.columns import I64, NS, Lanes, Mask, column, places

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
