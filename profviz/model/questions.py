"""What a view may ask to have worked out, and the shape of a table of answers; knows no one who asks or answers."""

from __future__ import annotations

import enum
from collections.abc import Hashable
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt

from profviz.model.trace import I64

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
    """How the values of a column read."""

    TEXT = "text"
    COUNT = "count"
    NS = "ns"
    BYTES = "bytes"
    SHARE = "share"
    GBPS = "GB/s"


@dataclass(frozen=True, slots=True, eq=False)
class TableColumn:
    """One column: `values` has shape (rows,), int64 or float64 by unit; of a text column they index `texts`.

    `about` says in one sentence what the numbers are, for the column's tool tip.
    """

    id: str
    title: str
    unit: Unit
    values: npt.NDArray[Any]
    texts: tuple[str, ...] = ()
    about: str = ""


def _no_slices() -> I64:
    return np.zeros(0, dtype=np.int64)


@dataclass(frozen=True, slots=True, eq=False)
class ColumnTable:
    """Rows as columns of one length, so that a million of them sort in a moment.

    `slice` (rows,) is the trace's slice a row leads to, MISSING for none; empty where no row leads anywhere. `kind`
    (rows,) is a `SliceKind` each, or empty. `footer` sums up and says what the numbers are and are not.
    """

    title: str
    columns: tuple[TableColumn, ...]
    slice: I64 = field(default_factory=_no_slices)
    kind: npt.NDArray[Any] = field(default_factory=_no_slices)
    footer: str = ""

    def __len__(self) -> int:
        return len(self.columns[0].values) if self.columns else 0

    def column(self, id_: str) -> TableColumn:
        return next(column for column in self.columns if column.id == id_)
