"""What the rows of a shown table stand for on the sides' traces, and back; pure, no Qt."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from profviz.model.questions import ColumnTable, PairedTable
from profviz.model.results import Results, Side
from profviz.model.trace import I64, MISSING

MOST_FOLLOWED = 64
"""Slices of one selection whose rows are looked for."""


@dataclass(frozen=True, slots=True, eq=False)
class Shown:
    """A table on the screen: of one side, or two that are joined."""

    results: Results
    sides: tuple[int, ...]
    table: ColumnTable
    pair: PairedTable | None = None
    _last: dict[int, I64] = field(default_factory=dict)

    def side_of(self, row: int) -> int:
        """The side a row leads to: of two the second, if it has such a row."""
        return self.sides[self._place(row)]

    def slices_of(self, row: int) -> I64:
        """What a row stands for on that side, in order of time; that of the last row is kept."""
        if row not in self._last:
            found = self._slices(row)
            start = self.results.sides[self.side_of(row)].trace.slices.start_ns[found]
            is_sorted = bool((start[1:] >= start[:-1]).all())
            self._last.clear()
            self._last[row] = found if is_sorted else found[np.argsort(start, kind="stable")]
        return self._last[row]

    def place_of(self, row: int, index: int) -> tuple[int, int]:
        """Where a slice stands among those of a row, -1 if it does not, and how many there are."""
        slices = self.slices_of(row)
        at = np.flatnonzero(slices == index)
        return int(at[0]) if len(at) else -1, len(slices)

    def rows_of(self, slices: Sequence[tuple[int, int]]) -> set[int]:
        """The rows that stand for any of these (side, slice) pairs, or for what they belong to."""
        found: set[int] = set()
        for place, side in enumerate(self.sides):
            own = [index for at, index in slices if at == side][:MOST_FOLLOWED]
            trace = self.results.sides[side].trace
            own = [index for index in own if 0 <= index < len(trace.slices)]
            if own:
                found |= set(self._rows(place, own))
        return found

    def _place(self, row: int) -> int:
        return 1 if self.pair is not None and self.pair.rows[1][row] != MISSING else 0

    def _slices(self, row: int) -> I64:
        if self.pair is None:
            return self.table.slices_of(row)
        place = self._place(row)
        own = self.pair.sides[place]
        key = own.column(self.table.columns[0].id).values
        alike = np.flatnonzero(key == key[self.pair.rows[place][row]])
        if len(own.bounds):
            return np.concatenate([own.slices_of(one) for one in alike.tolist()])
        leads = own.slice[alike]
        return leads[leads != MISSING]

    def _rows(self, place: int, slices: list[int]) -> list[int]:
        own = self.table if self.pair is None else self.pair.sides[place]
        rows = own.rows_of(slices)
        if not len(rows):
            side = self.results.sides[self.sides[place]]
            rows = own.rows_of([one for index in slices for one in belongs_to(side, index)])
        if not len(rows) and own.columns[0].id == "step":
            rows = steps_of(own, self.results.sides[self.sides[place]], slices)
        if self.pair is None or not len(rows):
            return rows.tolist()
        key = own.column(self.table.columns[0].id).values
        first = self.pair.rows[place]
        known = np.flatnonzero(first != MISSING)
        return known[np.isin(key[first[known]], key[rows])].tolist()


def belongs_to(side: Side, index: int) -> list[int]:
    """The launch and the operator of a slice, and the first work of a launch."""
    links, slices = side.links, side.trace.slices
    found = [int(links.launch[index]), int(links.op[index])]
    if links.gpu_count[index] > 0:
        found.append(int(links.launched[links.first_gpu[index]]))
    return [one for one in dict.fromkeys(found) if 0 <= one < len(slices)]


def steps_of(table: ColumnTable, side: Side, slices: list[int]) -> I64:
    """The rows of the steps that the slices were launched in, or begin in."""
    launch = side.links.launch[slices]
    at = side.trace.slices.start_ns[np.where(launch >= 0, launch, slices)]
    start, length = table.column("start_ns").values, table.column("length_ns").values
    row = np.maximum(start.searchsorted(at, side="right") - 1, 0)
    return np.unique(row[(at >= start[row]) & (at < start[row] + length[row])]) if len(table) else row[:0]
