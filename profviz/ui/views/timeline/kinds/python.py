"""Python stacks, apart from the operators of their threads."""

from __future__ import annotations

from profviz.ui.views.timeline.kinds.parting import Parts
from profviz.ui.views.timeline.kinds.spec import TrackKind
from profviz.ui.views.timeline.kinds.threads import brief, filled, pending
from profviz.ui.views.timeline.tracks import Group, Track


def _plan(parts: Parts) -> list[Track]:
    lanes = parts.side.trace.lanes
    return [
        pending(parts, lane, Group.PYTHON, f"Python · {brief(lanes[lane])}", few=1)
        for lane in parts.lanes(Group.PYTHON)
    ]


def _fill(parts: Parts, track: Track) -> Track:
    return filled(track, parts, Group.PYTHON)


KIND = TrackKind(Group.PYTHON, _plan, _fill)
