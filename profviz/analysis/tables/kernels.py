"""One row for each kernel name, as PyTorch's `key_averages` has it, with how the kernels were launched."""

from __future__ import annotations

import numpy as np

from profviz.analysis.linking import category_mask
from profviz.analysis.tables.columns import Array, kinds, numbers, ordered, texts
from profviz.analysis.tables.grouping import Groups, group, rounded_means, shares, unions_ns
from profviz.analysis.tables.within import Within
from profviz.model.categories import is_kernel
from profviz.model.questions import UNKNOWN, ColumnTable, TableColumn, Unanswered, Unit
from profviz.model.results import Side
from profviz.model.trace import I64
from profviz.model.units import format_count, format_ns

VARIES = "varies"
NOT_SAID = "The trace does not say it of this kernel"
NO_OCCUPANCY = "The trace does not say it, or says 0 %: less than it counts, or the profiler could not estimate it"
NOT_A_COPY = "The trace tells bytes of copies and fills only"


def kernels(side: Side, within: Within) -> ColumnTable | Unanswered:
    """Kernels, copies and fills by name, the longest in sum first; times trimmed to the ranges."""
    slices, gpu = side.trace.slices, side.trace.gpu
    at = np.flatnonzero(slices.flags[gpu.slice] == 0)
    if not len(at):
        return Unanswered(side.occupancy.absence or "no GPU activity in this trace")
    work = gpu.slice[at]
    inside = within.reached(slices.start_ns[work], slices.end_ns[work])
    at, work = at[inside], work[inside]
    start, end = within.covered(slices.start_ns[work]), within.covered(slices.end_ns[work])
    groups = group(slices.name[work])
    total = groups.sums(end - start)
    table = ColumnTable(
        "Kernels",
        (
            texts("name", "kernel", groups.keys, side.trace.names, about="Kernels, copies and fills by name"),
            kinds(side.kinds[work[groups.first]]),
            *times(groups, start, end),
            *_launching(side, groups, at),
            *_moved(groups, gpu.bytes[at].astype(np.int64), slices.dur_ns[work]),
        ),
        slice=work[groups.first],
        kind=side.kinds[work[groups.first]],
        footer=_footer(side, work, len(groups), int(total.sum()), within),
        members=work[groups.order],
        bounds=groups.bounds,
    )
    return ordered(table, np.argsort(-total, kind="stable"))


def times(groups: Groups, start_ns: I64, end_ns: I64) -> tuple[TableColumn, ...]:
    """Calls, total, share, mean, least and most; the union where it is not the total for all of the rows."""
    dur = end_ns - start_ns
    total, union = groups.sums(dur), unions_ns(groups, start_ns, end_ns)
    made = (
        numbers("calls", "calls", Unit.COUNT, groups.counts, about="How many there are"),
        numbers("total_ns", "total", Unit.NS, total, about="Sum of the durations, over all streams"),
        numbers("union_ns", "union", Unit.NS, union, about="Time in which at least one of them ran"),
        numbers("share", "share", Unit.SHARE, shares(total), about="Part of the sum of all rows' totals"),
        numbers("mean_ns", "mean", Unit.NS, rounded_means(total, groups.counts), about="Total by calls"),
        numbers("min_ns", "min", Unit.NS, groups.least(dur), about="The shortest"),
        numbers("max_ns", "max", Unit.NS, groups.most(dur), about="The longest"),
    )
    return made if (union != total).any() else tuple(column for column in made if column.id != "union_ns")


def _launching(side: Side, groups: Groups, at: I64) -> tuple[TableColumn, ...]:
    gpu = side.trace.gpu
    registers = groups.most(gpu.registers[at].astype(np.int64))
    shared = groups.most(gpu.shared_bytes[at].astype(np.int64))
    return (
        numbers(
            "occupancy",
            "occupancy",
            Unit.SHARE,
            _mean_occupancy(groups, gpu.occupancy_pct[at].astype(np.float64)),
            about="Estimated achieved occupancy as the profiler tells it, mean over the calls that say it",
            unknown=NO_OCCUPANCY,
        ),
        numbers(
            "registers",
            "registers",
            Unit.COUNT,
            registers,
            known=registers >= 0,
            about="Registers a thread, the most of any call",
            unknown=NOT_SAID,
        ),
        *_spills(side, groups),
        numbers(
            "shared_bytes",
            "shared",
            Unit.BYTES,
            shared,
            known=shared >= 0,
            about="Shared memory a block, the most of any call",
            unknown=NOT_SAID,
        ),
        _extents("grid", groups, gpu.grid[at], about="Blocks a launch where all calls agree"),
        _extents("block", groups, gpu.block[at], about="Threads a block where all calls agree"),
    )


def _spills(side: Side, groups: Groups) -> tuple[TableColumn, ...]:
    """Of the Triton kernels that a run had loaded, by name as the rows are; no column where it recorded none."""
    most: dict[str, int] = {}
    for one in side.result.triton_kernels if side.result is not None else ():
        spills = UNKNOWN if one.spills is None else one.spills
        before = most.get(one.name, spills)
        most[one.name] = UNKNOWN if UNKNOWN in (before, spills) else max(before, spills)
    if not most:
        return ()
    values = np.array([most.get(side.trace.names[key], UNKNOWN) for key in groups.keys.tolist()], dtype=np.int64)
    about = "4-byte values of a thread that did not fit into registers, the most of any kernel of the name"
    unknown = "Known of Triton kernels alone, where a run recorded it"
    return (numbers("spills", "spills", Unit.COUNT, values, known=values >= 0, about=about, unknown=unknown),)


def _mean_occupancy(groups: Groups, percent: Array) -> Array:
    """No kernel runs with none: 0 % is what the profiler writes of those whose shared memory it can't reckon with."""
    said = percent > 0
    count = groups.sums(said.astype(np.int64))
    mean = groups.sums(np.where(said, percent, 0.0)) / np.maximum(count, 1) / 100
    return np.where(count > 0, mean, np.nan)


def _extents(id_: str, groups: Groups, extent: Array, *, about: str) -> TableColumn:
    """Three numbers a call as one text a group."""
    least = np.stack([groups.least(extent[:, axis]) for axis in range(3)], axis=1)
    most = np.stack([groups.most(extent[:, axis]) for axis in range(3)], axis=1)
    found, which = np.unique(most, axis=0, return_inverse=True)
    names = (*("×".join(map(str, row)) for row in found.tolist()), VARIES)
    which = np.where((least == most).all(axis=1), which.reshape(-1), len(found))
    which = np.where((most < 0).all(axis=1), -1, which)
    return texts(id_, id_, which, names, about=about, unknown=NOT_SAID)


def _moved(groups: Groups, moved: I64, dur_ns: I64) -> tuple[TableColumn, ...]:
    """Bytes by the time of those calls that say their bytes: whole calls, for a part of one moves nobody knows what."""
    said = moved >= 0
    count = groups.sums(said.astype(np.int64))
    total = groups.sums(np.where(said, moved, 0))
    taken = groups.sums(np.where(said, dur_ns, 0))
    rate = np.where((count > 0) & (taken > 0), total / np.maximum(taken, 1), np.nan)
    return (
        numbers(
            "bytes",
            "bytes",
            Unit.BYTES,
            total,
            known=count > 0,
            about="Sum over the calls, each of them whole",
            unknown=NOT_A_COPY,
        ),
        numbers(
            "bandwidth", "bandwidth", Unit.GBPS, rate, about="Bytes by the time the copies took", unknown=NOT_A_COPY
        ),
    )


def _footer(side: Side, work: I64, names: int, total_ns: int, within: Within) -> str:
    kernel = int(category_mask(side.trace, is_kernel)[work].sum())
    parts = [_counted(kernel, "kernel", "kernels")]
    if copies := len(work) - kernel:
        parts.append(_counted(copies, "copy or fill", "copies and fills"))
    parts.append(_counted(names, "distinct name", "distinct names"))
    if side.steps and within.is_whole:
        parts.append(f"in {_counted(len(side.steps), 'profiled step', 'profiled steps')}")
    parts.append(f"{format_ns(total_ns)} in sum over streams (not wall time)")
    return " · ".join(parts) + within.note("trimmed to it")


def _counted(count: int, one: str, several: str) -> str:
    return f"{format_count(count)} {one if count == 1 else several}"
