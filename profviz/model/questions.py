"""What a view may ask to have worked out, and the shape of a table of answers; knows no one who asks or answers."""

from __future__ import annotations

import enum
from collections.abc import Hashable, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt

from profviz.model.trace import I64, MISSING

UNKNOWN = int(np.iinfo(np.int64).min)
"""In a whole-number column of a `ColumnTable`: nobody knows. In a real one it is NaN."""


@dataclass(frozen=True, slots=True)
class Question:
    """`id` names an entry of `analysis.questions.QUESTIONS`, `side` indexes `Results.sides` or is -1 for all."""

    id: str
    side: int = -1
    args: tuple[Hashable, ...] = ()


@dataclass(frozen=True, slots=True)
class Unanswered:
    """In place of an answer: why there is none, in plain words."""

    why: str


class Unit(enum.Enum):
    """How the values of a column read: a moment is ns from the trace's start, shown to the nanosecond."""

    TEXT = "text"
    COUNT = "count"
    NS = "ns"
    BYTES = "bytes"
    SHARE = "share"
    GBPS = "GB/s"
    MOMENT = "moment"
    ADDRESS = "address"
    RATIO = "ratio"


@dataclass(frozen=True, slots=True, eq=False)
class TableColumn:
    """One column: `values` has shape (rows,), int64 or float64 by unit; of a text column they index `texts`.

    `about` says in one sentence what the numbers are, for the column's tool tip, `unknown` why one may be unknown.
    `is_change` marks differences, which are shown with their sign: less is better.
    """

    id: str
    title: str
    unit: Unit
    values: npt.NDArray[Any]
    texts: tuple[str, ...] = ()
    about: str = ""
    unknown: str = ""
    is_change: bool = False


def _no_slices() -> I64:
    return np.zeros(0, dtype=np.int64)


@dataclass(frozen=True, slots=True, eq=False)
class ColumnTable:
    """Rows as columns of one length, so that a million of them sort in a moment.

    `slice` (rows,) is the trace's slice a row leads to, MISSING for none; empty where no row leads anywhere. `kind`
    (rows,) is a `SliceKind` each, or empty. `footer` sums up and says what the numbers are and are not.
    Where a row stands for several slices, row i's are members[bounds[i]:bounds[i + 1]], ascending.
    """

    title: str
    columns: tuple[TableColumn, ...]
    slice: I64 = field(default_factory=_no_slices)
    kind: npt.NDArray[Any] = field(default_factory=_no_slices)
    footer: str = ""
    members: I64 = field(default_factory=_no_slices)
    bounds: I64 = field(default_factory=_no_slices)

    def __len__(self) -> int:
        return len(self.columns[0].values) if self.columns else 0

    def column(self, id_: str) -> TableColumn:
        return next(column for column in self.columns if column.id == id_)

    @property
    def nbytes(self) -> int:
        """Memory of the arrays; texts are shared with the trace."""
        own = (self.slice, self.kind, self.members, self.bounds, *(column.values for column in self.columns))
        return sum(array.nbytes for array in own)

    def slices_of(self, row: int) -> I64:
        """All slices that a row stands for, ascending."""
        if len(self.bounds):
            return np.asarray(self.members[self.bounds[row] : self.bounds[row + 1]], dtype=np.int64)
        return np.array([one for one in self.slice[row : row + 1].tolist() if one != MISSING], dtype=np.int64)

    def rows_of(self, slices: Sequence[int]) -> I64:
        """The rows that stand for any of these slices, ascending."""
        if not len(self.bounds):
            return np.flatnonzero(np.isin(self.slice, [one for one in slices if one != MISSING])).astype(np.int64)
        at = np.flatnonzero(np.isin(self.members, slices))
        return np.unique(self.bounds.searchsorted(at, side="right") - 1).astype(np.int64)


@dataclass(frozen=True, slots=True, eq=False)
class PairedTable:
    """Two sides' tables under the same texts: `table` has a row a text, `rows[side]` (rows,) that side's or MISSING.

    `sides` are the tables that were joined.
    """

    table: ColumnTable
    sides: tuple[ColumnTable, ColumnTable]
    rows: tuple[I64, I64]

    @property
    def nbytes(self) -> int:
        """Memory of the arrays, those of both sides' tables included."""
        own = self.table.nbytes + sum(rows.nbytes for rows in self.rows)
        return own + sum(table.nbytes for table in self.sides)
