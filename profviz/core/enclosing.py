"""Which slice of a lane encloses a moment, for many moments at once; knows no trace."""

from __future__ import annotations

import numpy as np

from profviz.core import columns
from profviz.core.columns import I32, I64, LANES, NS, Lanes, Mask, column
from profviz.core.order import plain_order

NONE = -1
STEPS = 32


def enclosing(start_ns: I64, dur_ns: I64, lane: Lanes, parent: I32, *, at_lane: Lanes, at_ns: I64) -> I64:
    """The innermost slice of lane `at_lane` at each time, shape (k,), -1 where there is none; it holds its start.

    The slices, of shape (n,), are sorted and nested as `nest` leaves them: a slice's parent stands before it.
    """
    lane = column(lane, "lane", LANES)
    start_ns, dur_ns = (column(values, "times", NS, count=len(lane)) for values in (start_ns, dur_ns))
    parent = column(parent, "parent", (np.int32,), count=len(lane))
    at_lane = column(at_lane, "at_lane", LANES)
    at_ns = column(at_ns, "at_ns", NS, count=len(at_lane))
    if not columns.NATIVE:
        return plain_enclosing(start_ns, dur_ns, lane, parent, at_lane=at_lane, at_ns=at_ns)
    found = np.empty(len(at_lane), dtype=np.int64)
    columns.native.enclosing(start_ns, dur_ns, lane, parent, at_lane, at_ns, found)
    return found


def plain_enclosing(start_ns: I64, dur_ns: I64, lane: Lanes, parent: I32, *, at_lane: Lanes, at_ns: I64) -> I64:
    """All points climb outwards together; the few that have far to go do so one after the other."""
    end_ns = start_ns + dur_ns
    last = _last_begun(start_ns, lane, at_lane, at_ns)
    found = last.copy()
    for _ in range(STEPS):
        outside = np.flatnonzero(_outside(start_ns, end_ns, found, at_ns))
        if not len(outside):
            return found
        up = parent[found[outside]].astype(np.int64)
        if (up >= found[outside]).any() or (up < NONE).any():
            raise ValueError("a slice stands before its parent")
        found[outside] = up
    far = np.flatnonzero(_outside(start_ns, end_ns, found, at_ns))
    far = far[plain_order(at_lane[far], at_ns[far], np.zeros(len(far), dtype=np.int64))]
    found[far] = _climb(start_ns, end_ns, parent, slices=last[far], at_lane=at_lane[far], at_ns=at_ns[far])
    return found


def _last_begun(start_ns: I64, lane: Lanes, at_lane: Lanes, at_ns: I64) -> I64:
    """The last slice of each point's lane that has begun at its time."""
    last = np.full(len(at_ns), NONE, dtype=np.int64)
    order = np.argsort(at_lane, kind="stable")
    cuts = np.flatnonzero(at_lane[order][1:] != at_lane[order][:-1]) + 1
    known = np.iinfo(lane.dtype)
    for points in np.split(order, cuts):
        if len(points) and known.min <= at_lane[points[0]] <= known.max:
            own = at_lane[points[0]].astype(lane.dtype)  # of another type it would copy all lanes
            low, high = lane.searchsorted(own, "left"), lane.searchsorted(own, "right")
            at = low + start_ns[low:high].searchsorted(at_ns[points], "right") - 1
            last[points] = np.where(at < low, NONE, at)
    return last


def _outside(start_ns: I64, end_ns: I64, slices: I64, time_ns: I64) -> Mask:
    if not len(start_ns):
        return np.zeros(len(slices), dtype=bool)
    return np.asarray((slices >= 0) & (end_ns[slices] <= time_ns) & (start_ns[slices] != time_ns))


def _climb(start_ns: I64, end_ns: I64, parent: I32, *, slices: I64, at_lane: Lanes, at_ns: I64) -> list[int]:
    """For points sorted by lane and time: from `slices`, the last ones begun, outwards.

    A slice that is over at one point is over at the next, so those between the last one begun at the point before
    and the one found there are passed in one step: each is passed once in all.
    """
    found: list[int] = []
    seen_lane, seen_last, seen = None, NONE, NONE
    for last, own, time in zip(slices.tolist(), at_lane.tolist(), at_ns.tolist(), strict=True):
        if own != seen_lane:
            seen_lane, seen_last, seen = own, NONE, NONE
        at = last
        while at >= 0:
            if seen < at <= seen_last:
                at = seen
            elif end_ns[at] > time or start_ns[at] == time:
                break
            else:
                at = int(parent[at])
        found.append(at)
        seen_last, seen = last, at
    return found
