"""Shares wall time out into parts that sum to it exactly, over a step, a range or the whole trace."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from profviz.analysis.exposure import Traffic, exposures, find_traffic
from profviz.analysis.idle_causes import AFTER_ALL, BEFORE_ALL, find_gaps
from profviz.analysis.intervals import Union, all_edges, unite
from profviz.analysis.linking import category_mask
from profviz.analysis.occupancy import usable_gpu
from profviz.model.breakdown import Part, StepTime, Stretch, TimeBreakdown, WallTime
from profviz.model.categories import is_operator, is_runtime
from profviz.model.questions import Question
from profviz.model.results import Results, Side
from profviz.model.trace import I64, MISSING, U8


@dataclass(frozen=True, slots=True, eq=False)
class Segments:
    """All of time cut into pieces of one part each: `edge_ns` of shape (k + 1,), `part` and `slice` of shape (k,)."""

    edge_ns: I64
    part: U8
    slice: I64

    def wall(self, start_ns: int, end_ns: int) -> WallTime:
        """[start, end) shared out; cut pieces count as far as they lie in it."""
        low = int(self.edge_ns.searchsorted(start_ns, "right")) - 1
        high = int(self.edge_ns.searchsorted(end_ns, "left"))
        edges = self.edge_ns[low : high + 1].clip(start_ns, end_ns)
        part, length = self.part[low:high], np.diff(edges)
        sums, longest = [], []
        for each in Part:
            mine = np.flatnonzero(part == each)
            sums.append(int(length[mine].sum()))
            longest.append(self._longest(mine, edges, low) if sums[-1] else None)
        return WallTime(start_ns, end_ns, tuple(sums), tuple(longest))

    def _longest(self, mine: I64, edges: I64, low: int) -> Stretch:
        at = int(mine[np.argmax(edges[mine + 1] - edges[mine])])
        return Stretch(int(edges[at]), int(edges[at + 1]), int(self.slice[low + at]))


def answer_breakdown(results: Results, question: Question) -> TimeBreakdown:
    """Question "breakdown" of a side; args () for all of it with its steps, (start_ns, end_ns) for that range alone."""
    side = results.sides[question.side]
    if question.args:
        start_ns, end_ns = question.args
        return break_down(side, window=(int(str(start_ns)), int(str(end_ns))))
    return break_down(side)


def break_down(side: Side, *, window: tuple[int, int] | None = None, device: int | None = None) -> TimeBreakdown:
    """The whole recording with its steps, or [start, end) of the side's time; of one device or of all as one."""
    everything = usable_gpu(side.trace)
    owner = _device_of(side)[everything]
    work = everything if device is None else everything[owner == device]
    has_gpu = len(everything) > 0
    traffic = find_traffic(side, work)
    segments = _gpu_segments(side, work, traffic) if has_gpu else _cpu_segments(side)
    start, end = window or (0, side.trace.span_ns)
    steps = () if window else side.steps
    windows = [(start, max(start, end)), *((step.start_ns, step.end_ns) for step in steps)]
    walls = [segments.wall(*each) for each in windows]
    exposed = exposures(side, traffic, np.array(windows, dtype=np.int64))
    return TimeBreakdown(
        title=side.title,
        whole=walls[0],
        exposures=exposed[0],
        steps=tuple(map(StepTime, (step.number for step in steps), walls[1:], exposed[1:])),
        has_gpu=has_gpu,
        devices=tuple(np.unique(owner).tolist()),
        device=device,
        notes=_notes(side, work, devices=len(np.unique(owner))),
    )


def _device_of(side: Side) -> I64:
    """Shape (slices,): the device of each GPU slice, MISSING for all else and where the trace does not say."""
    device = np.full(len(side.trace.slices), MISSING, dtype=np.int64)
    device[side.trace.gpu.slice] = side.trace.gpu.device
    return device


def _gpu_segments(side: Side, work: I64, traffic: Traffic) -> Segments:
    slices = side.trace.slices
    busy = unite(slices.start_ns[work], slices.end_ns[work])
    gaps = find_gaps(side, work, busy)
    idle = Union(gaps.start_ns, gaps.end_ns, gaps.slice)
    runs = (
        (Part.COMPUTE, traffic.compute),
        (Part.COMMUNICATION, traffic.communication),
        (Part.COPY, traffic.copy),
    )
    edges = all_edges(idle, *(union for _, union in runs))
    at = gaps.start_ns.searchsorted(edges[:-1], "right") - 1
    part, owner = gaps.part[at], gaps.slice[at]
    for each, union in reversed(runs):  # the first of them has the last word
        inside = union.pieces(edges)
        part[inside] = int(each)
        owner[inside] = union.first[union.start_ns.searchsorted(edges[:-1][inside], "right") - 1]
    return _without_seams(edges, part, owner)


def _cpu_segments(side: Side) -> Segments:
    """Operators of all threads taken together, whatever encloses what."""
    slices = side.trace.slices
    mine = np.flatnonzero(category_mask(side.trace, is_operator) & (slices.flags == 0))
    ran = unite(slices.start_ns[mine], slices.end_ns[mine])
    ever = np.array([BEFORE_ALL, AFTER_ALL], dtype=np.int64)
    edges = all_edges(ran, Union(ever[:1], ever[1:], ever[:1]))
    inside = ran.pieces(edges)
    part = np.where(inside, int(Part.OPERATORS), int(Part.OTHER)).astype(np.uint8)
    owner = np.full(len(part), MISSING, dtype=np.int64)
    owner[inside] = mine[ran.first[ran.start_ns.searchsorted(edges[:-1][inside], "right") - 1]]
    return Segments(edges, part, owner)


def _without_seams(edges: I64, part: U8, owner: I64) -> Segments:
    """Joins busy pieces that only another part's beginning or end had cut; gaps are kept apart."""
    begins = np.concatenate([[True], (part[1:] != part[:-1]) | (part[1:] > int(Part.COPY))])
    return Segments(np.append(edges[:-1][begins], edges[-1:]), part[begins], owner[begins])


def _notes(side: Side, work: I64, *, devices: int) -> tuple[str, ...]:
    """What the figures leave open, for people."""
    if not len(work):
        absence = side.occupancy.absence or "no GPU activity in this trace"
        return (f"Shared out by CPU operators: {absence}.",)
    said = []
    if side.occupancy.is_partial:
        said.append("Only the beginning of the file is read so far.")
    if devices > 1:
        said.append(f"{devices} GPUs taken together: a moment is busy while any of them is.")
    if unlinked := int((side.links.launch[work] < 0).sum()):
        said.append(f"{unlinked} of {len(work)} pieces of GPU work have no launch here: idle before them is unknown.")
    if lost := _lost_launches(side):
        said.append(f"{_counted(lost)} no GPU work in this trace: what looks idle may have been busy.")
    if graphs := side.occupancy.graph_launches:
        said.append(f"{graphs} graph replays: from a replay's first kernel on its others count as launched.")
    if category_mask(side.trace, is_operator).any():
        said.append("Recorded under the profiler, which slows the host: unprofiled, waits for it are shorter.")
    return tuple(said)


def _lost_launches(side: Side) -> int:
    """Calls that ask for kernels by their name, of which the trace has none."""
    trace = side.trace
    named = np.array(["launch" in name.lower() for name in trace.names], dtype=bool)
    calls = np.flatnonzero(category_mask(trace, is_runtime) & (side.links.gpu_count == 0))
    return int(named[trace.slices.name[calls]].sum()) if len(named) else 0


def _counted(launches: int) -> str:
    return f"{launches} launches have" if launches > 1 else "1 launch has"
