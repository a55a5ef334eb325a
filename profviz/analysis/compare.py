"""Two sides set against each other: times, kernels, GPU use, and every name with its calls and total on both."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from profviz.analysis.headline import gpu_use
from profviz.analysis.per_step import counted_per_step
from profviz.model.results import KernelRow, Side, SliceKind
from profviz.model.speedup import speed_up


@dataclass(frozen=True, slots=True)
class KindDifference:
    """Kernel time of one kind on both sides, ns over the whole traces (sums over streams)."""

    kind: str
    a_ns: int
    b_ns: int


@dataclass(frozen=True, slots=True)
class NameDifference:
    """Calls and total time of one name; 0 calls where a side never ran it."""

    name: str
    kind: str
    a_calls: int
    b_calls: int
    a_ns: int
    b_ns: int


@dataclass(frozen=True, slots=True)
class Comparison:
    """`speed_up` is a's median step over b's with the interval that their quartiles leave; None where not timed.

    `names` come largest difference first. `comparable` is false where one side has GPU work and the other has none.
    """

    comparable: bool
    a_median_ns: int | None
    b_median_ns: int | None
    speed_up: float | None
    speed_up_low: float | None
    speed_up_high: float | None
    a_per_step: float | None
    b_per_step: float | None
    counted: str
    a_busy_ns: int | None
    b_busy_ns: int | None
    kinds: tuple[KindDifference, ...]
    names: tuple[NameDifference, ...]


def compare_sides(a: Side, b: Side) -> Comparison:
    """What changed from `a` to `b`; GPU times are a step where steps are marked."""
    found = speed_up(a.result, b.result)
    a_use, b_use = gpu_use(a), gpu_use(b)
    return Comparison(
        comparable=a.table_of == b.table_of,
        a_median_ns=a.median_ns,
        b_median_ns=b.median_ns,
        speed_up=found.ratio if found else None,
        speed_up_low=found.low if found else None,
        speed_up_high=found.high if found else None,
        a_per_step=counted_per_step(a),
        b_per_step=counted_per_step(b),
        counted=a.table_of if a.table_of == b.table_of else f"{a.table_of} and {b.table_of}",
        a_busy_ns=a_use.busy_ns if a_use else None,
        b_busy_ns=b_use.busy_ns if b_use else None,
        kinds=_kinds(a, b),
        names=_names(a, b),
    )


def _kinds(a: Side, b: Side) -> tuple[KindDifference, ...]:
    a_ns, b_ns = _total_by_kind(a.table), _total_by_kind(b.table)
    kinds = sorted({*a_ns, *b_ns}, key=lambda kind: -abs(a_ns.get(kind, 0) - b_ns.get(kind, 0)))
    return tuple(KindDifference(kind.name.lower(), a_ns.get(kind, 0), b_ns.get(kind, 0)) for kind in kinds)


def _total_by_kind(rows: Iterable[KernelRow]) -> dict[SliceKind, int]:
    totals: dict[SliceKind, int] = {}
    for row in rows:
        totals[row.kind] = totals.get(row.kind, 0) + row.total_ns
    return totals


def _names(a: Side, b: Side) -> tuple[NameDifference, ...]:
    a_rows, b_rows = ({row.name: row for row in side.table} for side in (a, b))
    found = [_difference(name, a_rows.get(name), b_rows.get(name)) for name in dict.fromkeys([*a_rows, *b_rows])]
    return tuple(sorted(found, key=lambda one: -abs(one.a_ns - one.b_ns)))


def _difference(name: str, a: KernelRow | None, b: KernelRow | None) -> NameDifference:
    known = a or b
    assert known is not None
    return NameDifference(
        name=name,
        kind=known.kind.name.lower(),
        a_calls=a.calls if a else 0,
        b_calls=b.calls if b else 0,
        a_ns=a.total_ns if a else 0,
        b_ns=b.total_ns if b else 0,
    )
