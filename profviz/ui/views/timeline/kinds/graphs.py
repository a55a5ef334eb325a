"""CUDA graphs: the kernels of all replays of one graph on one lane, whichever streams they ran on."""

from __future__ import annotations

import numpy as np

from profviz.core.columns import U32
from profviz.core.nesting import nest_lengths
from profviz.core.rows import rows_of
from profviz.model.trace import MISSING
from profviz.ui.views.timeline.kinds.parting import Parts
from profviz.ui.views.timeline.kinds.spec import TrackKind
from profviz.ui.views.timeline.tracks import Group, Track

UNSAID = "the trace does not say which graph, only that a graph launch asked for them"


def _plan(parts: Parts) -> list[Track]:
    """One for each graph of each device; those whose graph the trace does not say stand together."""
    gpu = parts.side.trace.gpu
    own = parts.groups[gpu.slice] == Group.CUDA_GRAPH
    pairs = np.unique(np.stack([gpu.device[own], _known(gpu.graph[own])], axis=1), axis=0)
    several = len(np.unique(pairs[:, 0])) > 1
    return [_pending(device, graph, several=several) for device, graph in pairs.tolist()]


def _known(graph: np.ndarray) -> np.ndarray:
    return np.where(graph > 0, graph, MISSING)


def _pending(device: int, graph: int, *, several: bool) -> Track:
    name = "CUDA graph" if graph == MISSING else f"CUDA graph {graph}"
    title = f"GPU {device} · {name}" if several and device != MISSING else name
    return Track(f"graph {device} {graph}", title, Group.CUDA_GRAPH, -1, is_pending=True)


def _fill(parts: Parts, track: Track) -> Track:
    trace = parts.side.trace
    slices = _slices(parts, *map(int, track.id.split()[1:]))
    start, dur = trace.slices.start_ns[slices], trace.slices.dur_ns[slices]
    order = np.lexsort((-dur, start))
    depth = np.empty(len(slices), dtype=np.int32)
    depth[order] = nest_lengths(start[order], dur[order], np.zeros(len(slices), dtype=np.uint16)).row
    rows = rows_of(trace.slices.start_ns, trace.slices.dur_ns, parts.codes, depth=depth, slices=slices)
    launches = parts.side.links.launch[slices]
    replays = len(np.unique(launches[launches >= 0]))
    about = f"{replays} replay{'' if replays == 1 else 's'}, {len(slices)} GPU slices on {_streams(parts, slices)}"
    unsaid = f"; {UNSAID}" if track.id.endswith(f" {MISSING}") else ""
    return Track(track.id, track.title, track.group, -1, rows, 1, about=about + unsaid)


def _slices(parts: Parts, device: int, graph: int) -> U32:
    gpu = parts.side.trace.gpu
    own = (parts.groups[gpu.slice] == Group.CUDA_GRAPH) & (gpu.device == device) & (_known(gpu.graph) == graph)
    return gpu.slice[own].astype(np.uint32)


def _streams(parts: Parts, slices: U32) -> str:
    count = len(np.unique(parts.side.trace.slices.lane[slices]))
    return f"{count} stream{'' if count == 1 else 's'}"


KIND = TrackKind(Group.CUDA_GRAPH, _plan, _fill)
