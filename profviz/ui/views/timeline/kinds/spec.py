"""What a kind of track is: which tracks of its kind a side has, and how the content of one is worked out."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from profviz.ui.views.timeline.kinds.parting import Parts
from profviz.ui.views.timeline.tracks import Group, Track


@dataclass(frozen=True, slots=True)
class TrackKind:
    """`plan` says quickly which tracks there are, `fill` works out the content of one, in a thread of its own.

    `fill` is asked only for tracks that `plan` left pending.
    """

    group: Group
    plan: Callable[[Parts], list[Track]]
    fill: Callable[[Parts, Track], Track]


def as_planned(parts: Parts, track: Track) -> Track:
    """The `fill` of kinds whose plan is all there is."""
    return track
