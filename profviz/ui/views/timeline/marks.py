"""A selected slice and where it stands; and many of them row by row, so that a frame costs rows and not slices."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from profviz.core.columns import F64, I64


@dataclass(frozen=True, slots=True)
class Mark:
    """A slice where it stands: side, track id, row, times in the side's own time."""

    side: int
    slice: int
    track: str
    row: int
    start_ns: int
    end_ns: int


@dataclass(frozen=True, slots=True, eq=False)
class MarkRow:
    """The marks of one row, sorted by start; both columns have shape (n,)."""

    side: int
    track: str
    row: int
    start_ns: I64
    end_ns: I64

    def spans(self, start_ns: int, span_ns: int, width: float, *, least_px: float) -> F64:
        """(left, right) of those within a window, in px from its left: shape (m, 2), no two thin ones on one px."""
        shown = (self.start_ns < start_ns + span_ns) & (self.end_ns >= start_ns)
        edges = np.stack([self.start_ns[shown], self.end_ns[shown]], axis=1)
        # what reaches far beyond the window is cut before it becomes a float
        near = np.clip(edges, start_ns - span_ns, start_ns + 2 * span_ns) - start_ns
        xs = near * (width / span_ns)
        thin = xs[:, 1] - xs[:, 0] < least_px
        middle = np.round(xs[thin].mean(axis=1))
        xs[thin, 0], xs[thin, 1] = middle - least_px / 2, middle + least_px / 2
        made: F64 = np.unique(xs, axis=0)
        return made


def by_row(marks: Sequence[Mark]) -> tuple[MarkRow, ...]:
    """All marks, row by row."""
    rows: dict[tuple[int, str, int], list[tuple[int, int]]] = {}
    for mark in marks:
        rows.setdefault((mark.side, mark.track, mark.row), []).append((mark.start_ns, mark.end_ns))
    made = []
    for (side, track, row), spans in rows.items():
        columns = np.array(sorted(spans), dtype=np.int64)
        made.append(MarkRow(side, track, row, columns[:, 0].copy(), columns[:, 1].copy()))
    return tuple(made)
