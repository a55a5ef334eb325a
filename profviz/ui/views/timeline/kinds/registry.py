"""Every kind of track, one line each, in the order in which they stand; and the tracks of a side."""

from __future__ import annotations

from profviz.model.results import Side
from profviz.ui.views.timeline.kinds import (
    annotations,
    compiling,
    counters,
    cpu,
    gpu,
    graphs,
    instants,
    memory,
    others,
    python,
    steps,
)
from profviz.ui.views.timeline.kinds.parting import Parts
from profviz.ui.views.timeline.kinds.spec import TrackKind
from profviz.ui.views.timeline.tracks import Track

KINDS: tuple[TrackKind, ...] = (
    steps.KIND,
    gpu.KIND,
    graphs.KIND,
    cpu.KIND,
    cpu.QUIET,
    annotations.ON_CPU,
    compiling.KIND,
    python.KIND,
    memory.KIND,
    counters.KIND,
    annotations.ON_GPU,
    others.KIND,
    instants.KIND,
)
_OF_GROUP = {kind.group: kind for kind in KINDS}


def plan(parts: Parts) -> tuple[Track, ...]:
    """The tracks of a side in their order, those that take long to work out still pending."""
    return tuple(track for kind in KINDS for track in kind.plan(parts))


def fill(parts: Parts, track: Track) -> Track:
    """The track with its content."""
    return _OF_GROUP[track.group].fill(parts, track) if track.is_pending else track


def tracks_of(side: Side) -> tuple[Track, ...]:
    """All tracks of a side with all their content."""
    parts = Parts(side)
    return tuple(fill(parts, track) for track in plan(parts))
