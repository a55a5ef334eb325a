"""Tracks of slices that stand on one lane each: GPU streams, CPU threads, Python stacks, ranges, other tools' lanes."""

from __future__ import annotations

import numpy as np

from profviz.core.columns import U32
from profviz.core.nesting import nest_lengths
from profviz.core.rows import rows_of
from profviz.model.results import Side, SliceKind
from profviz.model.trace import I32, Lane
from profviz.ui.views.timeline.kinds.parting import Parts
from profviz.ui.views.timeline.tracks import Group, Track

LOOKED_AT = 100_000
"""So many slices are looked at in one go."""


def pending(parts: Parts, lane: int, group: Group, title: str, *, few: int, shown_as: Group | None = None) -> Track:
    return Track(f"{lane} {group.name}", title, shown_as or group, lane, few=few, is_pending=True)


def filled(track: Track, parts: Parts, group: Group, *, most: int | None = None) -> Track:
    """With the rows of the lane's slices of a group, as many of them at first as `few`, or `most` of them."""
    slices = parts.slices(track.lane, group)
    columns = parts.side.trace.slices
    depth = columns.row[slices] if is_alone(parts, track.lane, group) else nested(parts.side, slices)
    rows = rows_of(columns.start_ns, columns.dur_ns, parts.codes, depth=depth, slices=slices)
    few = track.few if most is None else min(len(rows), most)
    return Track(track.id, track.title, track.group, track.lane, rows, few)


def is_alone(parts: Parts, lane: int, group: Group) -> bool:
    """Whether no slice of another group stands between those of this one."""
    return int(parts.counts[lane].sum()) == int(parts.counts[lane, group])


def nested(side: Side, slices: U32) -> I32:
    """Rows as they are without what else is on the lane."""
    columns = side.trace.slices
    lane = np.zeros(len(slices), dtype=np.uint16)
    return nest_lengths(columns.start_ns[slices], columns.dur_ns[slices], lane).row


def brief(lane: Lane) -> str:
    """`thread 7 (python3)` without the bracket where that only repeats the process."""
    name, bracket, inner = lane.title.partition(" (")
    repeated = bracket and lane.process.startswith(inner.rstrip(")"))
    return name if repeated else lane.title


def is_quiet(parts: Parts, lane: int) -> bool:
    """Whether nothing but runtime calls was seen on a thread; most threads tell otherwise soon."""
    first, last = int(parts.bounds[lane]), int(parts.bounds[lane + 1])
    for begin in range(first, last, LOOKED_AT):
        own = np.s_[begin : min(begin + LOOKED_AT, last)]
        if ((parts.side.kinds[own] != SliceKind.RUNTIME) & (parts.groups[own] == Group.CPU)).any():
            return False
    return True
