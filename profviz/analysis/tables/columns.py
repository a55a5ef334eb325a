"""Columns as the tables build them: ids, titles and what unknown stands for, once for all of them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from profviz.model.questions import UNKNOWN, ColumnTable, TableColumn, Unit
from profviz.model.results import SliceKind
from profviz.model.trace import I64, MISSING, Trace

Array = npt.NDArray[Any]
KIND_TITLES = tuple(kind.title for kind in SliceKind)


def texts(
    id_: str, title: str, values: Array, names: Sequence[str], *, about: str = "", unknown: str = ""
) -> TableColumn:
    """`values` index `names`; those below 0 are unknown."""
    known = np.where(values < 0, UNKNOWN, values.astype(np.int64))
    return TableColumn(id_, title, Unit.TEXT, known, tuple(names), about, unknown)


def numbers(
    id_: str,
    title: str,
    unit: Unit,
    values: Array,
    *,
    known: npt.NDArray[np.bool_] | None = None,
    about: str = "",
    unknown: str = "",
) -> TableColumn:
    """Whole numbers where they are whole; `known` says which of them are."""
    if values.dtype.kind == "f":
        made: Array = values.astype(np.float64)
    else:
        made = values.astype(np.int64)
    if known is not None:
        made = np.where(known, made, np.nan if made.dtype.kind == "f" else UNKNOWN)
    return TableColumn(id_, title, unit, made, (), about, unknown)


def kinds(values: Array) -> TableColumn:
    return texts("kind", "kind", values, KIND_TITLES, about="What it does, told by category and name")


def names_of(trace: Trace, slices: I64) -> I64:
    """The places of the slices' names among the trace's, -1 for a slice that is missing."""
    if not len(trace.slices):
        return slices
    return np.where(slices >= 0, trace.slices.name[slices].astype(np.int64), MISSING)


def ordered(table: ColumnTable, places: I64) -> ColumnTable:
    """The rows of a table in another order, or some of them."""
    columns = tuple(
        TableColumn(one.id, one.title, one.unit, one.values[places], one.texts, one.about, one.unknown, one.is_change)
        for one in table.columns
    )
    members, bounds = table.members, table.bounds
    if len(bounds):
        counts = np.diff(bounds)[places]
        new = np.concatenate(([0], np.cumsum(counts))).astype(np.int64)
        members = members[np.repeat(bounds[places] - new[:-1], counts) + np.arange(new[-1], dtype=np.int64)]
        bounds = new
    slices = table.slice[places] if len(table.slice) else table.slice
    kind = table.kind[places] if len(table.kind) else table.kind
    return ColumnTable(table.title, columns, slices, kind, table.footer, members, bounds)
