"""Two sides' sums over the ranges under the same names; pure, no Qt."""

from __future__ import annotations

from dataclasses import dataclass

from profviz.model.questions import ColumnTable
from profviz.model.range_sums import RangeSums
from profviz.model.units import format_count, format_exact_ns, format_ns
from profviz.ui.widgets.table_columns import Column

LONGEST = 13


@dataclass(frozen=True, slots=True)
class Pair:
    """Slices and total time of one name and kind on both sides; `slices` has -1 where a side has none."""

    name: str
    kind: int
    counts: tuple[int, int]
    totals_ns: tuple[int, int]
    slices: tuple[int, int]

    @property
    def more_ns(self) -> int:
        return self.totals_ns[1] - self.totals_ns[0]


def pairs(first: RangeSums, second: RangeSums) -> tuple[Pair, ...]:
    """Those that differ most come first."""
    own, other = (_rows(sums.names) for sums in (first, second))
    none = (0, 0, -1)
    made = []
    for key in dict.fromkeys([*own, *other]):
        a, b = own.get(key, none), other.get(key, none)
        made.append(Pair(*key, counts=(a[0], b[0]), totals_ns=(a[1], b[1]), slices=(a[2], b[2])))
    return tuple(sorted(made, key=lambda pair: -abs(pair.more_ns)))


def _rows(table: ColumnTable) -> dict[tuple[str, int], tuple[int, int, int]]:
    name, count, total = (table.column(id_) for id_ in ("name", "count", "total"))
    keys = [(name.texts[at], kind) for at, kind in zip(name.values.tolist(), table.kind.tolist(), strict=True)]
    values = zip(count.values.tolist(), total.values.tolist(), table.slice.tolist(), strict=True)
    return dict(zip(keys, values, strict=True))


def columns(first: str, second: str) -> tuple[Column, ...]:
    return (
        Column(
            "name", lambda row: row.name, width=220, stretch=True, dot=lambda row: row.kind, tip=lambda row: row.name
        ),
        *_side(first, 0),
        *_side(second, 1),
        Column(
            "difference",
            lambda row: more_text(row.more_ns),
            key=lambda row: row.more_ns,
            numeric=True,
            width=96,
            tone=lambda row: "bad" if row.more_ns > 0 else "good" if row.more_ns < 0 else "muted",
            tip=lambda row: f"{format_exact_ns(row.more_ns)}: total of {second} less that of {first}",
            copy=lambda row: str(row.more_ns),
        ),
    )


def more_text(value_ns: int) -> str:
    """With its sign, so that colour is not the only one."""
    sign = "+" if value_ns > 0 else "−" if value_ns < 0 else ""
    return f"{sign}{format_ns(abs(value_ns))}"


def brief(title: str) -> str:
    """The end of a long title, which is what tells two files of one model apart."""
    return title if len(title) <= LONGEST else f"…{title[1 - LONGEST :]}"


def _side(title: str, at: int) -> tuple[Column, Column]:
    return (
        Column(
            f"slices, {brief(title)}",
            lambda row: format_count(row.counts[at]) if row.slices[at] >= 0 else "–",
            key=lambda row: row.counts[at],
            numeric=True,
            width=148,
            tone=lambda row: "plain" if row.slices[at] >= 0 else "muted",
            copy=lambda row: str(row.counts[at]),
        ),
        Column(
            f"total, {brief(title)}",
            lambda row: format_ns(row.totals_ns[at] if row.slices[at] >= 0 else None),
            key=lambda row: row.totals_ns[at],
            numeric=True,
            width=148,
            tone=lambda row: "plain" if row.slices[at] >= 0 else "muted",
            tip=lambda row: format_exact_ns(row.totals_ns[at]),
            copy=lambda row: str(row.totals_ns[at]),
        ),
    )


def summary(titles: tuple[str, str], found: tuple[RangeSums, RangeSums]) -> str:
    """How busy both were."""
    parts = [
        f"{title}: {format_count(sums.count)} slices, sum {format_ns(sums.total_ns)}, busy {format_ns(sums.union_ns)}"
        for title, sums in zip(titles, found, strict=True)
    ]
    return " · ".join(parts)
