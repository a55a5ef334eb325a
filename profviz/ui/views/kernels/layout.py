"""Rows, columns and texts of the kernel table; pure, no Qt."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from profviz.model.results import KernelRow, Results, Side, SliceKind
from profviz.model.units import format_count, format_exact_ns, format_ns, format_percent
from profviz.ui.widgets.table_columns import Column


@dataclass(frozen=True, slots=True)
class PairRow:
    """One name on two sides; a side that never ran it is None."""

    name: str
    kind: SliceKind
    first: KernelRow | None
    second: KernelRow | None

    @property
    def change_ns(self) -> int:
        return total_ns(self.second) - total_ns(self.first)


def total_ns(row: KernelRow | None) -> int:
    """A kernel that a side never ran took no time there."""
    return row.total_ns if row else 0


def known_ns(row: KernelRow | None) -> int | None:
    return row.total_ns if row else None


def calls(row: KernelRow | None) -> int | None:
    return row.calls if row else None


def empty(results: Results) -> str:
    if not results.sides:
        return "No trace to list kernels from"
    if not any(side.table for side in results.sides):
        return "The traces hold neither kernels nor operators"
    return ""


def table_columns(table_of: str) -> tuple[Column, ...]:
    """The columns of one side's table; `table_of` is kernels or operators."""
    return (
        Column(
            table_of.removesuffix("s"),
            lambda row: row.name,
            width=200,
            stretch=True,
            mono=True,
            tip=lambda row: row.name,
        ),
        Column("kind", lambda row: row.kind.title, width=128, dot=lambda row: int(row.kind)),
        Column("calls", lambda row: format_count(row.calls), key=lambda row: row.calls, numeric=True, width=72),
        _time("total", lambda row: row.total_ns, width=96),
        Column(
            "share",
            lambda row: format_percent(row.share, digits=1),
            key=lambda row: row.share,
            numeric=True,
            width=136,
            bar=lambda row: row.share,
        ),
        _time("mean", lambda row: row.mean_ns),
        _time("min", lambda row: row.min_ns),
        _time("max", lambda row: row.max_ns),
    )


def pair_columns(first: str, second: str) -> tuple[Column, ...]:
    """The columns of the comparison; `first` and `second` are the sides' titles."""
    return (
        Column("name", lambda row: row.name, width=200, stretch=True, mono=True, tip=lambda row: row.name),
        Column("kind", lambda row: row.kind.title, width=128, dot=lambda row: int(row.kind)),
        _calls(f"calls, {first}", lambda row: row.first),
        _calls(f"calls, {second}", lambda row: row.second),
        _total(f"total, {first}", lambda row: row.first),
        _total(f"total, {second}", lambda row: row.second),
        Column(
            "change",
            lambda row: signed_ns(row.change_ns),
            key=lambda row: row.change_ns,
            numeric=True,
            width=104,
            tone=lambda row: change_tone(row.change_ns),
            copy=lambda row: str(row.change_ns),
        ),
    )


def pair_rows(first: Side, second: Side) -> tuple[PairRow, ...]:
    """Both tables side by side under the same name, the largest change first: two runs share no other identity."""
    left = {row.name: row for row in first.table}
    right = {row.name: row for row in second.table}
    names = list(left) + [name for name in right if name not in left]
    pairs = [PairRow(name, (right.get(name) or left[name]).kind, left.get(name), right.get(name)) for name in names]
    return tuple(sorted(pairs, key=lambda pair: -abs(pair.change_ns)))


def selected_rows(results: Results, side_index: int, slices: Sequence[tuple[int, int]]) -> set[int]:
    """Which rows of a side's table the selected (side, slice) pairs belong to."""
    side = results.sides[side_index]
    names = selected_names(results, [pair for pair in slices if pair[0] == side_index])
    return {position for position, row in enumerate(side.table) if row.name in names}


def selected_names(results: Results, slices: Sequence[tuple[int, int]]) -> set[str]:
    sides = results.sides
    return {
        sides[side].trace.name_of(index)
        for side, index in slices
        if 0 <= side < len(sides) and 0 <= index < len(sides[side].trace.slices)
    }


def footer(side: Side) -> str:
    """What the table adds up to, in words."""
    total = sum(row.total_ns for row in side.table)
    count = sum(row.calls for row in side.table)
    steps = f" in {format_count(len(side.steps))} profiled steps" if side.steps else ""
    names = f"{format_count(len(side.table))} distinct {side.table_of}"
    return f"{names} · {format_count(count)} calls{steps} · {format_ns(total)} in sum (not wall time)"


def pair_footer(first: Side, second: Side) -> str:
    a, b = (sum(row.total_ns for row in side.table) for side in (first, second))
    text = f"joined by name · sum {format_ns(a)} → {format_ns(b)} ({signed_ns(b - a)})"
    if len(first.steps) != len(second.steps):
        text += f" · not the same number of steps: {len(first.steps)} and {len(second.steps)}"
    return text


def signed_ns(value_ns: int) -> str:
    """A difference with its sign: −3.42 ms, +17 ns, 0 ns."""
    if value_ns == 0:
        return "0 ns"
    return ("−" if value_ns < 0 else "+") + format_ns(abs(value_ns))


def change_tone(value_ns: int) -> str:
    return "good" if value_ns < 0 else "bad" if value_ns > 0 else "muted"


def _time(title: str, get: Callable[[KernelRow], int], *, width: int = 84) -> Column:
    return Column(
        title,
        lambda row: format_ns(get(row)),
        key=get,
        numeric=True,
        width=width,
        tip=lambda row: format_exact_ns(get(row)),
        copy=lambda row: str(get(row)),
    )


def _calls(title: str, get: Callable[[PairRow], KernelRow | None]) -> Column:
    return Column(
        title,
        lambda row: format_count(calls(get(row))),
        key=lambda row: calls(get(row)),
        numeric=True,
        width=128,
        tone=lambda row: "plain" if get(row) else "muted",
    )


def _total(title: str, get: Callable[[PairRow], KernelRow | None]) -> Column:
    return Column(
        title,
        lambda row: format_ns(known_ns(get(row))),
        key=lambda row: known_ns(get(row)),
        numeric=True,
        width=128,
        tone=lambda row: "plain" if get(row) else "muted",
        copy=lambda row: "" if get(row) is None else str(known_ns(get(row))),
    )
