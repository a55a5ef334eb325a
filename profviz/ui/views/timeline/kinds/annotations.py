"""Ranges that the user's code or the profiler named: on their CPU threads, and as projected onto GPU streams."""

from __future__ import annotations

from profviz.ui.views.timeline.kinds.parting import Parts
from profviz.ui.views.timeline.kinds.spec import TrackKind
from profviz.ui.views.timeline.kinds.threads import brief, filled, pending
from profviz.ui.views.timeline.tracks import CPU_ROWS, Group, Track


def _planned(parts: Parts, group: Group) -> list[Track]:
    lanes = parts.side.trace.lanes
    return [pending(parts, lane, group, f"ranges · {brief(lanes[lane])}", few=1) for lane in parts.lanes(group)]


def _plan_cpu(parts: Parts) -> list[Track]:
    return _planned(parts, Group.CPU_ANNOTATION)


def _plan_gpu(parts: Parts) -> list[Track]:
    return _planned(parts, Group.GPU_ANNOTATION)


def _fill(parts: Parts, track: Track) -> Track:
    return filled(track, parts, track.group, most=CPU_ROWS)


ON_CPU = TrackKind(Group.CPU_ANNOTATION, _plan_cpu, _fill)
ON_GPU = TrackKind(Group.GPU_ANNOTATION, _plan_gpu, _fill)
