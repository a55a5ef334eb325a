"""What a track is: a band of rows of slices, of lines of values or of ticks, in one of several groups; no Qt."""

from __future__ import annotations

import enum
from dataclasses import dataclass

from profviz.core.raster import Row
from profviz.core.series import Series
from profviz.model.questions import Unit
from profviz.model.trace import I64

CPU_ROWS = 8
"""So many rows of a CPU thread show until the user asks for all."""

ROW_HEIGHT = 17


class Group(enum.IntEnum):
    """In the order in which tracks stand."""

    STEP = 0
    GPU = 1
    CUDA_GRAPH = 2
    CPU = 3
    DERIVED = 4
    QUIET_CPU = 5
    CPU_ANNOTATION = 6
    COMPILE = 7
    PYTHON = 8
    MEMORY = 9
    COUNTER = 10
    GPU_ANNOTATION = 11
    OTHER = 12
    INSTANT = 13


HEIGHTS = {Group.GPU: 32, Group.CUDA_GRAPH: 32, Group.MEMORY: 44, Group.COUNTER: 36, Group.DERIVED: 36}


@dataclass(frozen=True, slots=True, eq=False)
class Line:
    """One value over time of a track; `title` tells it from the track's others."""

    title: str
    unit: Unit
    series: Series


@dataclass(frozen=True, slots=True, eq=False)
class Ticks:
    """Moments; `item` indexes the trace's instants, both have shape (k,)."""

    time_ns: I64
    item: I64

    def __len__(self) -> int:
        return len(self.time_ns)


@dataclass(frozen=True, slots=True, eq=False)
class Track:
    """A band of rows, of lines or of ticks: `lane` indexes `Trace.lanes` (-1: none), `few` rows show at first.

    The rows' slices are the trace's, or where there are `names` they index those. A track without anything stands for
    what is missing and says so in `missing`, or is still being worked out. `about` is told where its title is pointed
    at.
    """

    id: str
    title: str
    group: Group
    lane: int
    rows: tuple[Row, ...] = ()
    few: int = 1
    missing: str = ""
    names: tuple[str, ...] | None = None
    lines: tuple[Line, ...] = ()
    ticks: Ticks | None = None
    is_pending: bool = False
    about: str = ""

    @property
    def row_height(self) -> int:
        return HEIGHTS.get(self.group, ROW_HEIGHT)

    @property
    def row_count(self) -> int:
        return len(self.rows) or int(bool(self.lines) or self.ticks is not None)

    @property
    def foldable(self) -> bool:
        return self.row_count > min(1, self.few)

    @property
    def of_slices(self) -> bool:
        """Whether the rows' slices are the trace's."""
        return bool(self.rows) and self.names is None

    def toggled(self, shown: int) -> int:
        """How many rows show after the user asks for more, or for fewer where all are shown."""
        if shown < self.row_count:
            return self.row_count
        return self.few if self.few < self.row_count else 1
