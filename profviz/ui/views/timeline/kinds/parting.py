"""Gives each slice of a side to one group of tracks, so that none is without a track and none has two; pure numpy."""

from __future__ import annotations

from functools import cached_property
from zlib import crc32

import numpy as np

from profviz.core.columns import U8, U32, Mask
from profviz.core.detail import KINDS, SHADES, kinds_in
from profviz.model.categories import is_runtime
from profviz.model.results import Side, SliceKind
from profviz.model.trace import I64, LaneKind
from profviz.ui.views.timeline.tracks import Group

_OF_LANE = {
    LaneKind.GPU: Group.GPU,
    LaneKind.CPU: Group.CPU,
    LaneKind.GPU_ANNOTATION: Group.GPU_ANNOTATION,
    LaneKind.OTHER: Group.OTHER,
}
_OF_KIND = {SliceKind.PYTHON: Group.PYTHON, SliceKind.ANNOTATION: Group.CPU_ANNOTATION}
"""What stands apart from the operators of its thread."""

_APART = {Group.CPU: tuple(_OF_KIND.values()), Group.GPU: (Group.CUDA_GRAPH,)}
"""What else the slices of a lane may belong to."""


def shade_of(name: str) -> int:
    """The same in every run and on every side."""
    return crc32(name.encode("utf-8", "surrogatepass")) % SHADES


class Parts:
    """A side with its slices parted by lane and group. Made and asked in a thread of its own: it may take a while."""

    def __init__(self, side: Side) -> None:
        self.side = side
        self.bounds = side.trace.lane_bounds()

    @cached_property
    def codes(self) -> U8:
        """The slices' kinds, in a shade that each name always has; see `core.detail`."""
        trace = self.side.trace
        shades = np.array([shade_of(name) for name in trace.names], dtype=np.uint8)
        return self.side.kinds + shades[trace.slices.name] * np.uint8(KINDS)

    @cached_property
    def groups(self) -> U8:
        """Shape (slices,), a `Group` each."""
        trace, kinds = self.side.trace, self.side.kinds
        own = np.array([_OF_LANE[lane.kind] for lane in trace.lanes], dtype=np.uint8)
        groups = np.repeat(own, np.diff(self.bounds))
        on_cpu = groups == Group.CPU
        for kind, group in _OF_KIND.items():
            np.putmask(groups, on_cpu & (kinds == kind), np.uint8(group))
        groups[trace.gpu.slice[self.replayed & (groups[trace.gpu.slice] == Group.GPU)]] = Group.CUDA_GRAPH
        return groups

    @cached_property
    def counts(self) -> I64:
        """How many slices each lane has of each group, shape (lanes, groups)."""
        made = np.zeros((len(self.side.trace.lanes), len(Group)), dtype=np.int64)
        found = set(kinds_in(self.groups).tolist())
        for lane in np.flatnonzero(np.diff(self.bounds)).tolist():
            own = self.groups[self.bounds[lane] : self.bounds[lane + 1]]
            most = _OF_LANE[self.side.trace.lanes[lane].kind]
            apart = [group for group in _APART.get(most, ()) if group in found]
            made[lane, apart] = [np.count_nonzero(own == group) for group in apart]
            made[lane, most] = len(own) - made[lane].sum()
        return made

    @cached_property
    def replayed(self) -> Mask:
        """Which of the GPU slices a CUDA graph ran: shape (gpu,)."""
        gpu, links = self.side.trace.gpu, self.side.links
        launch = links.launch[gpu.slice]
        by_launch = (launch >= 0) & self._graph_launches[np.maximum(launch, 0)] if len(launch) else launch >= 0
        return (gpu.graph > 0) | by_launch

    @property
    def _graph_launches(self) -> Mask:
        """Nothing but the API's name says which kind a runtime call is of."""
        trace = self.side.trace
        named = np.array(["graphlaunch" in name.lower() for name in trace.names], dtype=bool)
        runtime = np.array([is_runtime(category) for category in trace.categories], dtype=bool)
        return named[trace.slices.name] & runtime[trace.slices.category]

    def lanes(self, group: Group) -> list[int]:
        """The lanes that have slices of a group."""
        return np.flatnonzero(self.counts[:, group]).tolist()

    def slices(self, lane: int, group: Group) -> U32:
        first, last = int(self.bounds[lane]), int(self.bounds[lane + 1])
        if int(self.counts[lane, group]) == last - first:
            return np.arange(first, last, dtype=np.uint32)
        return (first + np.flatnonzero(self.groups[first:last] == group)).astype(np.uint32)
