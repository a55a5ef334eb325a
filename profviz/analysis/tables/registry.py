"""The tables by id, and how two sides' tables are joined; one entry here and a module beside it adds a table."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace

from profviz.analysis.tables.categories import categories
from profviz.analysis.tables.fusions import fusions
from profviz.analysis.tables.join import join_tables
from profviz.analysis.tables.kernels import kernels
from profviz.analysis.tables.launches import launches
from profviz.analysis.tables.memory import memory
from profviz.analysis.tables.operators import operators
from profviz.analysis.tables.steps import steps
from profviz.analysis.tables.within import Within
from profviz.model.questions import ColumnTable, PairedTable, Question, Unanswered
from profviz.model.results import Results, Side


@dataclass(frozen=True, slots=True)
class Table:
    """`build` makes it of one side of results. Two are joined by the column `by`, set against each other in `measures`.

    Both are ids of columns; `counts` is the column that counts what a row stands for, empty where rows are counted.
    """

    build: Callable[[Results, int, Within], ColumnTable | Unanswered]
    by: str
    measures: tuple[str, ...]
    counts: str = ""


def _of_side(build: Callable[[Side, Within], ColumnTable | Unanswered]) -> Callable[..., ColumnTable | Unanswered]:
    """For a table that looks at nothing but the side itself."""
    return lambda results, place, within: build(results.sides[place], within)


TABLES: Mapping[str, Table] = {
    "kernels": Table(_of_side(kernels), "name", ("total_ns",), counts="calls"),
    "operators": Table(_of_side(operators), "name", ("gpu_ns", "self_ns"), counts="calls"),
    "launches": Table(_of_side(launches), "api", ("dur_ns",)),
    "memory": Table(_of_side(memory), "op", ("bytes",)),
    "categories": Table(_of_side(categories), "kind", ("total_ns", "union_ns"), counts="calls"),
    "fusions": Table(fusions, "name", ("own_ns",)),
    "steps": Table(_of_side(steps), "step", ("length_ns", "busy_ns")),
}


def answer_table(results: Results, question: Question) -> ColumnTable | Unanswered:
    """`args` are the table's id and, to keep to them, ranges as (start, end) in ns of the side's trace."""
    id_, *ranges = question.args
    return TABLES[str(id_)].build(results, question.side, Within(_pairs(*ranges)))


def answer_pair(results: Results, question: Question) -> PairedTable | Unanswered:
    """`args` are the table's id, two sides, and to keep to them, ranges as for `answer_table` of each side."""
    id_, first, second, *ranges = question.args
    table = TABLES[str(id_)]
    made = []
    places = [int(str(place)) for place in (first, second)]
    sides = [results.sides[place] for place in places]
    for at, (place, side) in enumerate(zip(places, sides, strict=True)):
        one = table.build(results, place, Within(_pairs(*ranges[at : at + 1])))
        if isinstance(one, Unanswered):
            return Unanswered(f"{side.title}: {one.why}")
        made.append(one)
    found = join_tables(made[0], made[1], by=table.by, measures=table.measures, counts=table.counts)
    return replace(found, table=replace(found.table, footer=found.table.footer + _unequal(*sides)))


def _unequal(first: Side, second: Side) -> str:
    """What is to be said of sums over different numbers of steps."""
    counts = (len(first.steps), len(second.steps))
    return "" if counts[0] == counts[1] else f" · not the same number of steps: {counts[0]} and {counts[1]}"


def _pairs(ranges: object = ()) -> tuple[tuple[int, int], ...]:
    assert isinstance(ranges, tuple)
    return ranges
