"""CPU threads with their nested operators and calls; those that only call the runtime stand below the working ones."""

from __future__ import annotations

from profviz.ui.views.timeline.kinds.parting import Parts
from profviz.ui.views.timeline.kinds.spec import TrackKind
from profviz.ui.views.timeline.kinds.threads import brief, filled, is_quiet, pending
from profviz.ui.views.timeline.tracks import CPU_ROWS, Group, Track


def _planned(parts: Parts, *, quiet: bool) -> list[Track]:
    group = Group.QUIET_CPU if quiet else Group.CPU
    lanes = [lane for lane in parts.lanes(Group.CPU) if is_quiet(parts, lane) == quiet]
    titles = parts.side.trace.lanes
    return [pending(parts, lane, group, brief(titles[lane]), few=1) for lane in lanes]


def _plan(parts: Parts) -> list[Track]:
    return _planned(parts, quiet=False)


def _plan_quiet(parts: Parts) -> list[Track]:
    return _planned(parts, quiet=True)


def _fill(parts: Parts, track: Track) -> Track:
    return filled(track, parts, Group.CPU, most=CPU_ROWS)


KIND = TrackKind(Group.CPU, _plan, _fill)
QUIET = TrackKind(Group.QUIET_CPU, _plan_quiet, _fill)
