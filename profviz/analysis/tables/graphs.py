"""GPU work that CUDA graphs replayed: by graph id, and by the call that launched it where no id was recorded."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from profviz.analysis.linking import Mask, category_mask
from profviz.analysis.tables.columns import Array
from profviz.analysis.tables.grouping import Groups, group, number_pairs
from profviz.analysis.tables.within import Within
from profviz.model.categories import is_kernel
from profviz.model.questions import UNKNOWN
from profviz.model.results import Side
from profviz.model.trace import I64, MISSING, Trace
from profviz.model.units import format_count

GRAPH_LAUNCH = "graphlaunch"


@dataclass(frozen=True, slots=True, eq=False)
class Replays:
    """g graphs, `titles` and arrays of shape (g,): `count` is how often each was replayed, UNKNOWN without launches.

    `work` lists the GPU slices graph by graph, `work_count` of each; `gpu_ns` sums them, `first` is its first slice.
    """

    titles: tuple[str, ...]
    count: I64
    gpu_ns: I64
    work: I64
    work_count: I64

    def __len__(self) -> int:
        return len(self.titles)

    @property
    def first(self) -> I64:
        return np.asarray(self.work[np.cumsum(self.work_count) - self.work_count], dtype=np.int64)


def find_replays(side: Side, within: Within) -> tuple[Replays, I64]:
    """The graphs, and the GPU slices (both within the ranges) that no graph replayed."""
    trace, slices = side.trace, side.trace.slices
    at = np.flatnonzero(slices.flags[trace.gpu.slice] == 0)
    work = trace.gpu.slice[at]
    inside = within.reached(slices.start_ns[work], slices.end_ns[work])
    at, work = at[inside], work[inside]
    launch = side.links.launch[work]
    replayed = (trace.gpu.graph[at] != MISSING) | _graph_launches(trace)[slices.name[launch]] & (launch >= 0)
    mine = work[replayed]
    pairs, number = number_pairs(trace.gpu.graph[at[replayed]], trace.gpu.device[at[replayed]])
    return _described(side, within, mine, pairs, group(number)), work[~replayed]


def _graph_launches(trace: Trace) -> Mask:
    """Shape (names,): nothing but the name says it of a call; a trace without names gets one to index."""
    return np.array([GRAPH_LAUNCH in name.lower() for name in trace.names] or [False], dtype=bool)


def _described(side: Side, within: Within, work: I64, pairs: list[tuple[int, int]], groups: Groups) -> Replays:
    slices = side.trace.slices
    kernel = category_mask(side.trace, is_kernel)[work]
    launch = side.links.launch[work]
    dur = within.covered(slices.end_ns[work]) - within.covered(slices.start_ns[work])
    several = len({device for _, device in pairs}) > 1
    titles, count = [], []
    for place, (graph, device) in enumerate(pairs):
        mine = groups.order[groups.bounds[place] : groups.bounds[place + 1]]
        replays = group(launch[mine])
        titles.append(_title(graph, device if several else MISSING, replays.sums(kernel[mine].astype(np.int64))))
        count.append(len(replays) if (replays.keys >= 0).all() else UNKNOWN)
    return Replays(
        tuple(titles),
        np.array(count, dtype=np.int64),
        np.asarray(groups.sums(dur), dtype=np.int64),
        work[groups.order],
        groups.counts,
    )


def _title(graph: int, device: int, kernels: Array) -> str:
    """`kernels` of each replay: one figure where all are alike."""
    name = "CUDA graph, id not recorded" if graph == MISSING else f"CUDA graph #{graph}"
    where = "" if device == MISSING else f" on GPU {device}"
    alike = len(kernels) == 1 or (kernels == kernels[0]).all()
    count = int(kernels[0]) if alike else int(kernels.sum())
    more = "" if alike else f" in {format_count(len(kernels))} replays"
    return f"{name}{where} ({format_count(count)} kernel{'' if count == 1 else 's'}{more})"
