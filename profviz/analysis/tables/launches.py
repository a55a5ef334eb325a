"""One row for each call that asked for GPU work: how long it took, how long the work waited, how much was waiting."""

from __future__ import annotations

import numpy as np

from profviz.analysis.linking import category_mask
from profviz.analysis.tables.columns import names_of, numbers, texts
from profviz.analysis.tables.within import Within
from profviz.model.categories import is_runtime
from profviz.model.questions import UNKNOWN, ColumnTable, Unanswered, Unit
from profviz.model.results import Side
from profviz.model.trace import I64, MISSING, Links, Trace
from profviz.model.units import format_count, format_ns

NO_WORK = "No GPU work was recorded for this call"
SEVERAL = "several streams"
DURATION = "How long the call took on the host"
NO_END = "It never ended in the trace, or its length is absurd"
DELAY = "From the call's begin to that of its first GPU work; below zero the clocks disagree (clock skew)"
DEPTH = "GPU work on its stream that was asked for before and had not begun when the call did"
NO_LANE = f"{NO_WORK}, or it went to several streams"
CALLER = "The innermost operator that called it"
NO_CALLER = "No operator is recorded around this call"


def launches(side: Side, within: Within) -> ColumnTable | Unanswered:
    """Launches, copies and fills in order of time; only those that begin in the ranges."""
    trace, slices, links = side.trace, side.trace.slices, side.links
    calls = _calls(trace, links)
    if not len(calls):
        return Unanswered("no call that asks for GPU work in this trace")
    calls = calls[within.held(slices.start_ns[calls])]
    calls = calls[np.argsort(slices.start_ns[calls], kind="stable")]
    count = links.gpu_count[calls]
    first, lane = first_work(trace, links, calls)
    delay = np.where(first >= 0, slices.start_ns[first] - slices.start_ns[calls], UNKNOWN)
    depth = queue_depths(trace, links, calls, lane)
    ended = slices.flags[calls] == 0
    columns = (
        texts("api", "call", slices.name[calls], trace.names, about="The runtime's or driver's function"),
        numbers("start_ns", "at", Unit.MOMENT, slices.start_ns[calls], about="When the call began"),
        numbers("dur_ns", "duration", Unit.NS, slices.dur_ns[calls], known=ended, unknown=NO_END, about=DURATION),
        numbers("delay_ns", "launch delay", Unit.NS, delay, about=DELAY, unknown=NO_WORK),
        numbers("depth", "queue depth", Unit.COUNT, depth, about=DEPTH, unknown=NO_LANE),
        numbers("gpu_count", "GPU work", Unit.COUNT, count, about="Kernels, copies and fills it asked for"),
        texts(
            "kernel", "first kernel", names_of(trace, first), trace.names, about="Its first GPU work", unknown=NO_WORK
        ),
        texts("op", "operator", names_of(trace, links.op[calls]), trace.names, about=CALLER, unknown=NO_CALLER),
        texts("stream", "stream", lane, (*(one.title for one in trace.lanes), SEVERAL), unknown=NO_WORK),
    )
    footer = _footer(calls, count, delay[first >= 0]) + within.note("calls that begin in it")
    return ColumnTable("Launches", columns, slice=calls, footer=footer)


def _calls(trace: Trace, links: Links) -> I64:
    """Calls with GPU work by identity; of those without any, the ones whose name says that they launch."""
    runtime = category_mask(trace, is_runtime)
    named = np.array(["launch" in name.lower() for name in trace.names], dtype=bool)
    if not len(named):
        return np.zeros(0, dtype=np.int64)
    return np.flatnonzero(runtime & ((links.gpu_count > 0) | named[trace.slices.name])).astype(np.int64)


def first_work(trace: Trace, links: Links, calls: I64) -> tuple[I64, I64]:
    """For each call its GPU slice that starts first and that one's lane, MISSING without any; lanes where several."""
    first = np.full(len(calls), MISSING, dtype=np.int64)
    lane = first.copy()
    asked = np.flatnonzero(links.gpu_count[calls] > 0)
    if not len(asked):
        return first, lane
    count = links.gpu_count[calls[asked]]
    begin = np.cumsum(count) - count
    at = np.repeat(links.first_gpu[calls[asked]] - begin, count) + np.arange(int(count.sum()))
    work = links.launched[at]
    order = np.lexsort((trace.slices.start_ns[work], np.repeat(np.arange(len(asked)), count)))
    first[asked] = work[order][begin]
    lanes = trace.slices.lane[work].astype(np.int64)
    least, most = np.minimum.reduceat(lanes, begin), np.maximum.reduceat(lanes, begin)
    lane[asked] = np.where(least == most, least, len(trace.lanes))
    return first, lane


def queue_depths(trace: Trace, links: Links, calls: I64, lane: I64) -> I64:
    """How much GPU work of a lane was asked for before each call and begins after it; UNKNOWN without one lane.

    Work that seems to begin before its launch (clock skew) is taken to begin with it.
    """
    slices = trace.slices
    found = np.full(len(calls), UNKNOWN, dtype=np.int64)
    linked = links.launched[slices.flags[links.launched] == 0]
    asked = slices.start_ns[links.launch[linked]]
    begun = np.maximum(slices.start_ns[linked], asked + 1)
    of_lane = slices.lane[linked]
    for one in np.unique(of_lane).tolist():
        rows = np.flatnonzero(lane == one)
        mine = of_lane == one
        at = slices.start_ns[calls[rows]]
        found[rows] = np.sort(asked[mine]).searchsorted(at) - np.sort(begun[mine]).searchsorted(at, side="right")
    return found


def _footer(calls: I64, count: I64, delay: I64) -> str:
    parts = [f"{format_count(len(calls))} calls asked for {format_count(int(count.sum()))} kernels, copies and fills"]
    idle = int((count == 0).sum())
    if idle:
        parts.append(f"{format_count(idle)} without any recorded")
    forward = delay[delay >= 0]
    if len(forward):
        parts.append(f"launch delay {format_ns(float(np.median(forward)))} in the median")
    skewed = len(delay) - len(forward)
    if skewed:
        parts.append(f"{format_count(skewed)} below zero (clock skew) left out of it")
    return " · ".join(parts)
