"""Flow events to arrows between slices: paired by (category, id), attached to the slice that encloses them."""

from __future__ import annotations

from typing import Any

import numpy as np

from profviz.formats.chrome.rows import Mark, Rows
from profviz.model.trace import I64, MISSING, Flows, Slices


def pair_flows(rows: Rows, slices: Slices, place: Any, first: int) -> Flows:
    """An end belongs to the last start before it, or to the first one at all where clocks disagree."""
    pairs = _pairs(rows.flows)
    sources = _attach([pair[0] for pair in pairs], rows, slices, place, first)
    targets = _attach([pair[1] for pair in pairs], rows, slices, place, first)
    return Flows(sources, targets, np.array([pair[1].category for pair in pairs], dtype=np.uint16))


def _pairs(marks: list[Mark]) -> list[tuple[Mark, Mark]]:
    groups: dict[tuple[int, str], list[Mark]] = {}
    for mark in marks:
        groups.setdefault((mark.category, mark.id), []).append(mark)
    pairs: list[tuple[Mark, Mark]] = []
    for group in groups.values():
        group.sort(key=lambda mark: mark.time)
        source = next((mark for mark in group if mark.phase == "s"), None)
        for mark in group:
            if mark.phase != "s" and source is not None:
                pairs.append((source, mark))
            if mark.phase != "f":
                source = mark
    return pairs


def _attach(marks: list[Mark], rows: Rows, slices: Slices, place: Any, first: int) -> I64:
    """For each mark the innermost slice of its thread that encloses it, MISSING where there is none."""
    found = np.full(len(marks), MISSING, dtype=np.int64)
    by_lane: dict[int, list[int]] = {}
    for i, mark in enumerate(marks):
        lane = rows.lanes.drawn(mark.pid, mark.tid)
        if lane != MISSING:
            by_lane.setdefault(int(place[lane]), []).append(i)
    for lane, members in by_lane.items():
        at = np.array([marks[i].time - first for i in members], dtype=np.int64)
        found[members] = enclosing(slices, lane, at)
    return found


def enclosing(slices: Slices, lane: int, time_ns: I64) -> I64:
    """The innermost slice of a lane at each time (shape (k,)); a slice holds its start, not its end."""
    low, high = np.searchsorted(slices.lane, [lane, lane + 1])
    at = low + np.searchsorted(slices.start_ns[low:high], time_ns, side="right") - 1
    at = np.where(at < low, MISSING, at)
    ends, starts = slices.end_ns, slices.start_ns
    while True:
        outside = (at >= 0) & (ends[at] <= time_ns) & (starts[at] != time_ns)
        if not outside.any():
            return np.asarray(at, dtype=np.int64)
        at = np.where(outside, slices.parent[at], at)
