"""Reads tables as plain rows, and sides from files, for the tests of tables."""

from __future__ import annotations

import math
from functools import lru_cache
from typing import Any

from defect_files import DEFECTS, SHARED, load_path

from profviz.analysis.questions import answer
from profviz.analysis.sides import make_side
from profviz.model.questions import UNKNOWN, ColumnTable, Question, TableColumn, Unanswered, Unit
from profviz.model.results import Results, Side


@lru_cache(maxsize=4)
def side_of(name: str) -> Side:
    folder = DEFECTS if (DEFECTS / name).exists() else SHARED
    trace, notes = load_path(folder / name)
    return make_side(id=name, title=name, trace=trace, notes=tuple(notes.values()))


def results_of(*names: str) -> Results:
    return Results("", "", tuple(side_of(name) for name in names), (), (), ())


def ask(id_: str, name: str, *ranges: tuple[int, int]) -> ColumnTable:
    found = answer(results_of(name), Question("table", 0, (id_, ranges)))
    assert isinstance(found, ColumnTable), found
    return found


def reason(id_: str, name: str) -> str:
    found = answer(results_of(name), Question("table", 0, (id_,)))
    assert isinstance(found, Unanswered)
    return found.why


def cells(column: TableColumn) -> list[Any]:
    """Plain values, None for unknown."""
    if column.unit is Unit.TEXT:
        return [None if at == UNKNOWN else column.texts[at] for at in column.values.tolist()]
    return [
        None if value == UNKNOWN or (isinstance(value, float) and math.isnan(value)) else value
        for value in column.values.tolist()
    ]


def rows(table: ColumnTable) -> list[dict[str, Any]]:
    columns = {column.id: cells(column) for column in table.columns}
    return [dict(zip(columns, values, strict=True)) for values in zip(*columns.values(), strict=True)]


def by(table: ColumnTable, key: str) -> dict[Any, dict[str, Any]]:
    found = {row[key]: row for row in rows(table)}
    assert len(found) == len(table)
    return found
