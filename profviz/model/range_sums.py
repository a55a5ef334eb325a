"""What happened within ranges of one side's time, summed up; plain values."""

from __future__ import annotations

from dataclasses import dataclass

from profviz.model.questions import ColumnTable


@dataclass(frozen=True, slots=True, eq=False)
class RangeSums:
    """`span_ns` is how long the ranges are together, overlaps once; `what` says which slices were summed up.

    All slices are cut to the ranges: `count` of them last `total_ns` in sum, and during `union_ns` at least one of them
    ran. `names` has a row a name and kind, `lanes` one a lane.
    """

    what: str
    span_ns: int
    count: int
    total_ns: int
    union_ns: int
    names: ColumnTable
    lanes: ColumnTable
