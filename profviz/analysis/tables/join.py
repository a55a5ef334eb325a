"""Two sides' tables under the same texts: calls, measures, their difference and ratio.

Two runs share no other identity than what things are called, so this is the one place where names join.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from profviz.analysis.tables.columns import Array, numbers
from profviz.analysis.tables.grouping import Groups, group
from profviz.model.questions import UNKNOWN, ColumnTable, PairedTable, TableColumn, Unit
from profviz.model.trace import I64, MISSING
from profviz.model.units import format_bytes, format_ns

ABSENT = "This side has none"
SIDES = ("left", "right")


def join_tables(
    left: ColumnTable, right: ColumnTable, *, by: str, measures: tuple[str, ...], counts: str = ""
) -> PairedTable:
    """One row a text, the largest difference of the first measure first; rows of a side with one text are summed.

    Something that a side never did took no time there: it counts as 0 in differences, and is unknown by itself.
    """
    tables = (left, right)
    texts, keys = _shared_texts(tables, by)
    groups = tuple(group(key) for key in keys)
    found = np.unique(np.concatenate([one.keys for one in groups]))
    places = tuple(_places(one, found) for one in groups)
    columns = [_key_column(left.column(by), texts, found), *_kinds(tables, groups, places)]
    columns += _counts(tables, groups, places, counts)
    for measure in measures:
        columns += _measure(tables, groups, places, measure)
    rows = tuple(_spread(one.first, place, MISSING) for one, place in zip(groups, places, strict=True))
    change = next(column for column in columns if column.is_change)
    order = np.argsort(-np.abs(np.where(change.values == UNKNOWN, 0, change.values)), kind="stable")
    table = ColumnTable(
        left.title,
        tuple(replace(column, values=column.values[order]) for column in columns),
        kind=_kind_of(tables, rows)[order] if len(left.kind) and len(right.kind) else left.kind[:0],
        footer=_footer(columns[0].title, tables, measures[0]),
    )
    return PairedTable(table, tables, (rows[0][order], rows[1][order]))


def _shared_texts(tables: tuple[ColumnTable, ColumnTable], by: str) -> tuple[tuple[str, ...], tuple[I64, I64]]:
    """The texts of both, and each table's rows as numbers of them; a number column is its own key."""
    columns = [table.column(by) for table in tables]
    if columns[0].unit is not Unit.TEXT:
        return (), (columns[0].values, columns[1].values)
    number: dict[str, int] = {}
    keys = []
    for column in columns:
        used, inverse = np.unique(column.values, return_inverse=True)
        names = ["" if at < 0 else column.texts[at] for at in used.tolist()]
        own = [
            UNKNOWN if at < 0 else number.setdefault(name, len(number)) for at, name in zip(used, names, strict=True)
        ]
        keys.append(np.array(own, dtype=np.int64)[inverse])
    return tuple(number), (keys[0], keys[1])


def _places(groups: Groups, found: I64) -> I64:
    """For each key of both sides the group of this side, MISSING without one."""
    if not len(groups):
        return np.full(len(found), MISSING, dtype=np.int64)
    at = np.minimum(groups.keys.searchsorted(found), len(groups) - 1)
    return np.asarray(np.where(groups.keys[at] == found, at, MISSING), dtype=np.int64)


def _key_column(column: TableColumn, texts: tuple[str, ...], found: I64) -> TableColumn:
    return replace(column, values=found, texts=texts)


def _kinds(tables: tuple[ColumnTable, ...], groups: tuple[Groups, ...], places: tuple[I64, ...]) -> list[TableColumn]:
    """The kind as a word, where the tables have it beside what they are joined by."""
    columns = [table.column("kind") for table in tables if any(one.id == "kind" for one in table.columns[1:])]
    if len(columns) < 2:
        return []
    values = [
        _spread(column.values[one.first], place, MISSING)
        for column, one, place in zip(columns, groups, places, strict=True)
    ]
    return [replace(columns[0], values=np.where(values[0] >= 0, values[0], values[1]))]


def _kind_of(tables: tuple[ColumnTable, ...], rows: tuple[I64, ...]) -> I64:
    left, right = (_spread(table.kind, row, MISSING) for table, row in zip(tables, rows, strict=True))
    return np.where(left >= 0, left, right)


def _counts(
    tables: tuple[ColumnTable, ...], groups: tuple[Groups, ...], places: tuple[I64, ...], id_: str
) -> list[TableColumn]:
    made = []
    for side, table, one, place in zip(SIDES, tables, groups, places, strict=True):
        values = one.counts if not id_ else one.sums(table.column(id_).values)
        title = table.column(id_).title if id_ else "count"
        made.append(_of_side(f"count_{side}", f"{title}, {side}", Unit.COUNT, _spread(values, place, UNKNOWN)))
    return [] if all((one.counts == 1).all() for one in groups) and not id_ else made


def _measure(
    tables: tuple[ColumnTable, ...], groups: tuple[Groups, ...], places: tuple[I64, ...], id_: str
) -> list[TableColumn]:
    """Both sides, right less left, and right by left."""
    column = tables[0].column(id_)
    values = []
    for table, one, place in zip(tables, groups, places, strict=True):
        own = table.column(id_).values
        summed = np.where(one.least(own) == UNKNOWN, UNKNOWN, one.sums(np.where(own == UNKNOWN, 0, own)))
        values.append((_spread(summed, place, UNKNOWN), place))
    (left, at_left), (right, at_right) = values
    known = ((left != UNKNOWN) | (at_left < 0)) & ((right != UNKNOWN) | (at_right < 0))
    change = np.where(right == UNKNOWN, 0, right) - np.where(left == UNKNOWN, 0, left)
    both = (left != UNKNOWN) & (right != UNKNOWN) & (left != 0)
    ratio = np.where(both, right / np.where(both, left, 1), np.nan)
    title = column.title
    return [
        _of_side(f"{id_}_left", f"{title}, left", column.unit, left, column.about),
        _of_side(f"{id_}_right", f"{title}, right", column.unit, right, column.about),
        replace(
            numbers(
                f"{id_}_change", "difference", column.unit, change, known=known, unknown="A side does not know its own"
            ),
            about=f"{title}: right less left; what a side never did took nothing there",
            is_change=True,
        ),
        numbers(
            f"{id_}_ratio",
            "ratio",
            Unit.RATIO,
            ratio,
            about=f"{title}: right by left",
            unknown="It takes both sides, and a left one that is not 0",
        ),
    ]


def _of_side(id_: str, title: str, unit: Unit, values: Array, about: str = "") -> TableColumn:
    return TableColumn(id_, title, unit, values, about=about, unknown=ABSENT)


def _spread(values: Array, place: I64, fill: int) -> Array:
    """Values of groups or rows at `place`, `fill` where that is MISSING."""
    if not len(values):
        return np.full(len(place), fill, dtype=np.int64)
    return np.where(place >= 0, values[place].astype(np.int64), fill)


def _footer(key: str, tables: tuple[ColumnTable, ...], measure: str) -> str:
    """What is joined, and what both sides come to."""
    columns = [table.column(measure) for table in tables]
    left, right = (int(one.values[one.values != UNKNOWN].sum()) for one in columns)
    written = format_bytes if columns[0].unit is Unit.BYTES else format_ns
    sign = "−" if right < left else "+"
    total = f"{written(left)} → {written(right)} ({sign}{written(abs(right - left))})"
    return f"joined by {key} · {columns[0].title} {total}"
