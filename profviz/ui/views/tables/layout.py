"""What to ask for tables, and their columns and sentences; pure, no Qt."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING

from profviz.model.questions import ColumnTable, PairedTable, Question
from profviz.model.results import Results
from profviz.model.short_names import short_name
from profviz.model.units import format_count
from profviz.ui.views.tables.rows import Shown
from profviz.ui.widgets.panel_values import cut
from profviz.ui.widgets.table_arrays import array_columns
from profviz.ui.widgets.table_columns import Column

if TYPE_CHECKING:
    from profviz.ui.view_state import TimeRange

FILTER_HELP = (
    "Words that rows must hold, and comparisons such as total>1ms, calls>=10, kind=GEMM.\n"
    'A column of several words goes in quotes: "launch delay">20us'
)
SIDES = ("left", "right")
MOST_LETTERS = 18


@dataclass(frozen=True, slots=True)
class Wanted:
    """What is to be shown: `sides` is one, or two to be compared."""

    table: str
    sides: tuple[int, ...]
    ranges: tuple[tuple[tuple[int, int], ...], ...] = ()

    @property
    def question(self) -> Question:
        if len(self.sides) == 1:
            return Question("table", self.sides[0], (self.table, *self.ranges))
        return Question("table pair", -1, (self.table, *self.sides, *self.ranges))


def empty(results: Results) -> str:
    return "" if any(len(side.trace.slices) for side in results.sides) else "No trace to make tables of"


def first_table(results: Results) -> int:
    """Operators where no side has GPU work, else kernels."""
    return 0 if any(len(side.trace.gpu) for side in results.sides) else 1


def ranges_of(ranges: Sequence[TimeRange], offsets_ns: Sequence[int], side: int) -> tuple[tuple[int, int], ...]:
    """Marked ranges in a side's own time, whatever tracks they were marked on."""
    offset = offsets_ns[side] if side < len(offsets_ns) else 0
    return tuple((one.start_ns + offset, one.end_ns + offset) for one in ranges)


def short_titles(titles: Sequence[str]) -> list[str]:
    """Titles without the parts, between dots, that all of them begin and end with."""
    parts = [title.split(".") for title in titles]
    if len(set(titles)) < len(titles) or len(titles) < 2:
        return list(titles)
    for end in (0, -1):
        while all(len(own) > 1 for own in parts) and len({own[end] for own in parts}) == 1:
            parts = [own[1:] if end == 0 else own[:-1] for own in parts]
    return [".".join(own) for own in parts]


@lru_cache(maxsize=4_096)
def shortened(name: str) -> str:
    """What a cell shows of a name; the whole is its tool tip."""
    return short_name(name)


def shown(results: Results, wanted: Wanted, found: ColumnTable | PairedTable) -> Shown:
    if isinstance(found, PairedTable):
        return Shown(results, wanted.sides, found.table, found)
    return Shown(results, wanted.sides, found)


def columns(one: Shown) -> tuple[Column, ...]:
    """Of two sides the columns bear the sides' titles."""
    table, titles = one.table, {}
    if one.pair is not None:
        names = [
            cut(title, MOST_LETTERS) for title in short_titles([one.results.sides[side].title for side in one.sides])
        ]
        for column in table.columns:
            for side, name in zip(SIDES, names, strict=True):
                if column.id.endswith(f"_{side}"):
                    titles[column.id] = f"{column.title.removesuffix(f', {side}')}, {name}"
    return array_columns(table.columns, table.kind, titles=titles, shorten=shortened)


def step_window(one: Shown, row: int) -> tuple[int, int] | None:
    """From where a step's row begins to the end of its last GPU work, in its side's time; None for other rows."""
    if one.table.columns[0].id != "step" or not len(one.slices_of(row)):
        return None
    side = one.results.sides[one.side_of(row)]
    start = int(side.trace.slices.start_ns[one.slices_of(row)[0]])
    found = next((step for step in side.steps if step.start_ns == start), None)
    return None if found is None else (start, max(found.end_ns, found.gpu_last_ns or 0))


def footer(one: Shown, *, filtered: int) -> str:
    """What the table says of itself, behind how many rows a filter leaves."""
    total = len(one.table)
    parts = [one.table.footer]
    if filtered < total:
        parts.insert(0, f"{format_count(filtered)} of {format_count(total)} rows")
    if one.pair is not None:
        first, second = short_titles([one.results.sides[side].title for side in one.sides])
        parts.append(f"difference: {second} less {first}")
    return " · ".join(parts)


def place_text(at: int, count: int) -> str:
    """Which of the slices that a row stands for is selected."""
    return f"{format_count(at + 1)} of {format_count(count)}" if count > 1 else ""


def copied_text(copied: int, total: int) -> str:
    if copied < total:
        return f"Copied the first {format_count(copied)} of {format_count(total)} rows: export them for all"
    return f"Copied {format_count(copied)} row{'' if copied == 1 else 's'}"
