"""Which tracks one side has, in which order, and their rows; pure numpy, no Qt."""

from __future__ import annotations

import enum
from dataclasses import dataclass

import numpy as np

from profviz.core.columns import U32
from profviz.core.nesting import nest_lengths
from profviz.core.raster import Row
from profviz.core.rows import rows_of
from profviz.model.results import Side, SliceKind
from profviz.model.trace import I32, Lane, LaneKind

CPU_ROWS = 8
"""So many rows of a CPU thread show until the user asks for all."""


class Group(enum.IntEnum):
    """In the order in which tracks stand."""

    GPU = 0
    CPU = 1
    QUIET_CPU = 2
    PYTHON = 3
    GPU_ANNOTATION = 4
    OTHER = 5


HEIGHTS = {Group.GPU: 32}
ROW_HEIGHT = 17


@dataclass(frozen=True, slots=True, eq=False)
class Track:
    """A band of rows: `lane` indexes `Trace.lanes` (-1: none), `few` is how many rows show at first.

    A track without rows stands for something that is missing and says so in `missing`.
    """

    id: str
    title: str
    group: Group
    lane: int
    rows: tuple[Row, ...]
    few: int
    missing: str = ""

    @property
    def row_height(self) -> int:
        return HEIGHTS.get(self.group, ROW_HEIGHT)

    @property
    def foldable(self) -> bool:
        return len(self.rows) > min(1, self.few)

    def toggled(self, shown: int) -> int:
        """How many rows show after the user asks for more, or for fewer where all are shown."""
        if shown < len(self.rows):
            return len(self.rows)
        return self.few if self.few < len(self.rows) else 1


def tracks_of(side: Side) -> tuple[Track, ...]:
    """GPU streams, CPU threads, Python stacks, projected annotations, others; lanes without slices have none."""
    bounds = side.trace.lane_bounds()
    made: list[Track] = []
    for number, lane in enumerate(side.trace.lanes):
        first, last = int(bounds[number]), int(bounds[number + 1])
        if last > first:
            made += _lane_tracks(side, number, lane, np.arange(first, last, dtype=np.uint32))
    if not any(track.group is Group.GPU for track in made):
        made.append(Track("no gpu", "GPU", Group.GPU, -1, (), 0, missing=side.occupancy.absence))
    return tuple(sorted(made, key=lambda track: track.group))


def _lane_tracks(side: Side, number: int, lane: Lane, slices: U32) -> list[Track]:
    if lane.kind is not LaneKind.CPU:
        group = {LaneKind.GPU: Group.GPU, LaneKind.GPU_ANNOTATION: Group.GPU_ANNOTATION}.get(lane.kind, Group.OTHER)
        return [_track(side, number, group, slices, side.trace.slices.row[slices])]
    python = side.kinds[slices] == SliceKind.PYTHON
    others = slices[~python]
    made = []
    if len(others):
        rows = side.trace.slices.row[others] if not python.any() else _nested(side, others)
        made.append(_track(side, number, _cpu_group(side, others), others, rows))
    if python.any():
        made.append(_track(side, number, Group.PYTHON, slices[python], side.trace.slices.row[slices[python]]))
    return made


def _cpu_group(side: Side, slices: U32) -> Group:
    """Threads on which nothing but runtime calls was seen stand below those that ran operators."""
    return Group.QUIET_CPU if (side.kinds[slices] == SliceKind.RUNTIME).all() else Group.CPU


def _nested(side: Side, slices: U32) -> I32:
    """Rows as they are without the Python frames between the slices."""
    columns = side.trace.slices
    lane = np.zeros(len(slices), dtype=np.uint16)
    return nest_lengths(columns.start_ns[slices], columns.dur_ns[slices], lane).row


def _track(side: Side, number: int, group: Group, slices: U32, depth: I32) -> Track:
    columns = side.trace.slices
    rows = rows_of(columns.start_ns, columns.dur_ns, side.kinds, depth=depth, slices=slices)
    return Track(f"{number} {group.name}", _title(side, number, group), group, number, rows, _few(group, len(rows)))


def _few(group: Group, rows: int) -> int:
    """Other tools' lanes begin with their title alone, Python stacks with their outermost frames."""
    if group is Group.OTHER:
        return 0
    return 1 if group is Group.PYTHON else min(rows, CPU_ROWS)


def _title(side: Side, number: int, group: Group) -> str:
    title = _brief(side.trace.lanes[number])
    if group is Group.PYTHON:
        return f"Python · {title}"
    if group is Group.GPU_ANNOTATION:
        return f"ranges · {title}"
    return title


def _brief(lane: Lane) -> str:
    """`thread 7 (python3)` without the bracket where that only repeats the process."""
    name, bracket, inner = lane.title.partition(" (")
    repeated = bracket and lane.process.startswith(inner.rstrip(")"))
    return name if repeated else lane.title
