"""How far the host is ahead of the GPU: work launched and not yet started, over time and at one launch.

Work counts from the begin of its launch call until it starts. A launch of several kernels (a replayed CUDA graph)
counts each of them. Work without a launch in the trace, and work that seems to start before its launch, is in no queue.
"""

from __future__ import annotations

import numpy as np

from profviz.analysis.intervals import unite
from profviz.analysis.occupancy import usable_gpu
from profviz.model.over_time import LaunchQueue, QueuesOverTime
from profviz.model.questions import Question, Unanswered
from profviz.model.results import Results, Side
from profviz.model.trace import I64, MISSING, Counter


def answer_counters(results: Results, question: Question) -> tuple[Counter, ...]:
    """Question "counters" of a side: its launch queues, then its busy streams."""
    found = queues_over_time(results.sides[question.side])
    return (*found.queues, *found.busy)


def answer_queues(results: Results, question: Question) -> QueuesOverTime:
    """Question "queues" of a side."""
    return queues_over_time(results.sides[question.side])


def answer_launch_queue(results: Results, question: Question) -> LaunchQueue | Unanswered:
    """Question "launch queue" of a side; args (slice,) of GPU work."""
    (index,) = question.args
    found = launch_queue(results.sides[question.side], int(str(index)))
    return Unanswered("The trace has no launch of it.") if found is None else found


def queues_over_time(side: Side) -> QueuesOverTime:
    """Exact step functions, in order of lanes and devices; empty where the trace has no GPU work."""
    work = usable_gpu(side.trace)
    lane = side.trace.slices.lane[work]
    lanes = np.unique(lane).tolist()
    queues = [_queue(side, each, work[lane == each]) for each in lanes]
    return QueuesOverTime(
        tuple(one for one in queues if one is not None), _busy_streams(side, work), _notes(side, work)
    )


def step_function(begin_ns: I64, end_ns: I64) -> tuple[I64, I64]:
    """How many of the intervals [begin, end), shape (n,) each, hold a moment: when that changes, and to what.

    Empty intervals and those that end before they begin count nowhere.
    """
    some = end_ns > begin_ns
    time = np.concatenate([begin_ns[some], end_ns[some]])
    change = np.repeat(np.array([1, -1], dtype=np.int64), int(some.sum()))
    order = np.argsort(time, kind="stable")
    time, count = time[order], np.cumsum(change[order])
    last = np.flatnonzero(np.concatenate([time[1:] > time[:-1], [True]])) if len(time) else order
    time, count = time[last], count[last]
    changed = np.diff(count, prepend=0) != 0
    return time[changed], count[changed]


def launch_queue(side: Side, index: int) -> LaunchQueue | None:
    """Of one piece of GPU work (a slice); None where the trace has no launch of it or a clock runs ahead."""
    slices, links = side.trace.slices, side.links
    launch = int(links.launch[index])
    if launch < 0 or slices.start_ns[index] < slices.start_ns[launch]:
        return None
    began = int(slices.start_ns[launch])
    work = usable_gpu(side.trace)
    launched, started = _launched(side, work[slices.lane[work] == slices.lane[index]])
    depth = int(((launched < began) & (started > began)).sum())
    return LaunchQueue(depth, int(slices.start_ns[index]) - began)


def _launched(side: Side, work: I64) -> tuple[I64, I64]:
    """When each piece that has a launch was launched and started; shape (linked,) each."""
    slices, launch = side.trace.slices, side.links.launch[work]
    linked = launch >= 0
    return slices.start_ns[launch[linked]], slices.start_ns[work[linked]]


def _queue(side: Side, lane: int, work: I64) -> Counter | None:
    launched, started = _launched(side, work)
    if not len(launched):
        return None
    time, count = step_function(launched, started)
    return Counter(f"launch queue · {side.trace.lanes[lane].title}", lane, time, count.astype(np.float64))


def _busy_streams(side: Side, work: I64) -> tuple[Counter, ...]:
    device = np.full(len(side.trace.slices), MISSING, dtype=np.int64)
    device[side.trace.gpu.slice] = side.trace.gpu.device
    found = [_busy(side, each, work[device[work] == each]) for each in np.unique(device[work]).tolist()]
    return tuple(one for one in found if one is not None)


def _busy(side: Side, device: int, work: I64) -> Counter | None:
    """None for a device with one stream: that one's lane shows the same."""
    slices = side.trace.slices
    lanes = [work[slices.lane[work] == lane] for lane in np.unique(slices.lane[work]).tolist()]
    if len(lanes) < 2:
        return None
    unions = [unite(slices.start_ns[mine], slices.end_ns[mine]) for mine in lanes]
    begin = np.concatenate([union.start_ns for union in unions])
    time, count = step_function(begin, np.concatenate([union.end_ns for union in unions]))
    title = "GPU" if device == MISSING else f"GPU {device}"
    return Counter(f"busy streams · {title}", MISSING, time, count.astype(np.float64))


def _notes(side: Side, work: I64) -> tuple[str, ...]:
    launch = side.links.launch[work]
    if not len(work):
        return (f"No launch queue: {side.occupancy.absence or 'no GPU activity in this trace'}.",)
    said = []
    if unlinked := int((launch < 0).sum()):
        said.append(f"{unlinked} of {len(work)} pieces of GPU work have no launch here and are in no queue.")
    early = side.trace.slices.start_ns[work] < side.trace.slices.start_ns[launch]
    if ahead := int((early & (launch >= 0)).sum()):
        said.append(f"{ahead} seem to start before their launch and are in no queue.")
    if several := int((side.links.gpu_count > 1).sum()):
        said.append(f"Launches of several pieces at once (graph replays): {several}; each piece counts.")
    return tuple(said)
