"""Moments without a length, on a track of their own for each lane that has any."""

from __future__ import annotations

import numpy as np

from profviz.ui.views.timeline.kinds.parting import Parts
from profviz.ui.views.timeline.kinds.spec import TrackKind, as_planned
from profviz.ui.views.timeline.kinds.threads import brief
from profviz.ui.views.timeline.tracks import Group, Ticks, Track


def _plan(parts: Parts) -> list[Track]:
    instants, lanes = parts.side.trace.instants, parts.side.trace.lanes
    made = []
    for lane in np.unique(instants.lane).tolist():
        own = np.flatnonzero(instants.lane == lane)
        title = brief(lanes[lane]).strip(" /") or "whole trace"
        ticks = Ticks(instants.time_ns[own], own)
        made.append(Track(f"{lane} INSTANT", f"moments · {title}", Group.INSTANT, lane, ticks=ticks))
    return made


KIND = TrackKind(Group.INSTANT, "moments", _plan, as_planned)
