"""GPU streams, and in their place why there are none."""

from __future__ import annotations

from profviz.ui.views.timeline.kinds.parting import Parts
from profviz.ui.views.timeline.kinds.spec import TrackKind
from profviz.ui.views.timeline.kinds.threads import brief, filled, pending
from profviz.ui.views.timeline.tracks import CPU_ROWS, Group, Track


def _plan(parts: Parts) -> list[Track]:
    lanes = parts.side.trace.lanes
    found = [pending(parts, lane, Group.GPU, brief(lanes[lane]), few=1) for lane in parts.lanes(Group.GPU)]
    if found or parts.lanes(Group.CUDA_GRAPH):
        return found
    return [Track("no gpu", "GPU", Group.GPU, -1, few=0, missing=parts.side.occupancy.absence)]


def _fill(parts: Parts, track: Track) -> Track:
    return filled(track, parts, Group.GPU, most=CPU_ROWS)


KIND = TrackKind(Group.GPU, _plan, _fill)
