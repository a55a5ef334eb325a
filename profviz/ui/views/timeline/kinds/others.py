"""Lanes of other tools and asynchronous spans: their titles show, their rows once they are asked for."""

from __future__ import annotations

from profviz.ui.views.timeline.kinds.parting import Parts
from profviz.ui.views.timeline.kinds.spec import TrackKind
from profviz.ui.views.timeline.kinds.threads import brief, filled, pending
from profviz.ui.views.timeline.tracks import Group, Track


def _plan(parts: Parts) -> list[Track]:
    lanes = parts.side.trace.lanes
    return [pending(parts, lane, Group.OTHER, brief(lanes[lane]), few=0) for lane in parts.lanes(Group.OTHER)]


def _fill(parts: Parts, track: Track) -> Track:
    return filled(track, parts, Group.OTHER)


KIND = TrackKind(Group.OTHER, _plan, _fill)
