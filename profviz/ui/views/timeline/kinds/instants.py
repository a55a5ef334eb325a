"""Moments without a length, on a track of their own for each lane with slices that has any."""

from __future__ import annotations

import numpy as np

from profviz.ui.views.timeline.kinds.parting import Parts
from profviz.ui.views.timeline.kinds.spec import TrackKind, as_planned
from profviz.ui.views.timeline.kinds.threads import brief
from profviz.ui.views.timeline.tracks import Group, Ticks, Track


def _plan(parts: Parts) -> list[Track]:
    """Moments of lanes that have no slices stand together, as those of no lane."""
    instants, lanes = parts.side.trace.instants, parts.side.trace.lanes
    lane = (
        np.where(np.diff(parts.bounds)[instants.lane] > 0, instants.lane, -1) if len(instants.lane) else instants.lane
    )
    made = []
    for number in np.unique(lane).tolist():
        own = np.flatnonzero(lane == number)
        title = f"moments · {brief(lanes[number])}" if number >= 0 else "moments"
        ticks = Ticks(instants.time_ns[own], own)
        made.append(Track(f"{number} INSTANT", title, Group.INSTANT, number, ticks=ticks))
    return made


KIND = TrackKind(Group.INSTANT, _plan, as_planned)
