"""What happened within ranges of one side's time, summed up; plain values."""

from __future__ import annotations

from dataclasses import dataclass

from profviz.model.questions import ColumnTable


@dataclass(frozen=True, slots=True, eq=False)
class RangeSums:
    """`span_ns` is how long the ranges are together, overlaps once; `what` says which slices were summed up.

    Both tables cut every slice to the ranges. `names` has a row a name and kind, `lanes` one a lane.
    """

    what: str
    span_ns: int
    names: ColumnTable
    lanes: ColumnTable
