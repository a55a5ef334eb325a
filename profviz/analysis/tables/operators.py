"""One row for each operator, as PyTorch's `key_averages` has it, and one for each CUDA graph that was replayed.

Kernels that a graph replays belong to whatever was called when the graph was captured: that is not recorded, so no
operator is said to have launched them.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from profviz.analysis.kernel_table import own_time_ns
from profviz.analysis.linking import category_mask
from profviz.analysis.tables.columns import KIND_TITLES, Array, kinds, numbers, ordered, texts
from profviz.analysis.tables.graphs import Replays, find_replays
from profviz.analysis.tables.grouping import Groups, group, rounded_means, shares, spread
from profviz.analysis.tables.within import Within
from profviz.model.categories import is_operator
from profviz.model.questions import ColumnTable, TableColumn, Unanswered, Unit
from profviz.model.results import Side, SliceKind
from profviz.model.trace import I64, MISSING, Trace
from profviz.model.units import format_count, format_ns

NO_ATTRIBUTION = "Operator attribution is not available for kernels that a CUDA graph replayed"
NOT_RECORDED = "Input shapes were not recorded for it (record_shapes=True does)"
NOT_CALLED = "It was not called in the range, or never ended: only its GPU work counts"


@dataclass(frozen=True, slots=True, eq=False)
class _Calls:
    """What is counted: `ops` are the operators, `work` the GPU slices that operators launched, `by` those operators."""

    ops: I64
    work: I64
    by: I64
    replays: Replays
    unattributed: I64


def operators(side: Side, within: Within) -> ColumnTable | Unanswered:
    """Operators by name and graphs by id, those with the most GPU time first; times trimmed to the ranges."""
    calls = _find(side, within)
    if not len(calls.ops) and not len(calls.replays) and within.is_whole:
        return Unanswered("no operator in this trace")
    names = side.trace.slices.name
    keys = np.unique(np.concatenate((names[calls.ops], names[calls.by]))).astype(np.int64)
    groups = group(names[calls.ops])
    gpu = group(names[calls.by])
    gpu_ns = _gpu_time_ns(side, within, calls, gpu, keys)
    first = spread(groups, keys, calls.ops[groups.first], fill=MISSING)
    first = np.where(first >= 0, first, spread(gpu, keys, calls.by[gpu.first], fill=MISSING))
    slices = np.concatenate((first, calls.replays.first))
    kind = np.concatenate((side.kinds[first], np.full(len(calls.replays), SliceKind.OTHER)))
    named = np.concatenate((keys, len(side.trace.names) + np.arange(len(calls.replays))))
    members, bounds = _members(calls, groups, keys)
    columns = (
        texts("name", "operator", named, (*side.trace.names, *calls.replays.titles), about="CPU operators by name"),
        _kinds(kind, len(keys)),
        _counted(calls, groups, keys),
        *_gpu_columns(side, calls, gpu, keys, gpu_ns),
        *_times(side, within, calls, groups, keys),
        _shapes(side.trace, calls, groups, keys),
    )
    table = ColumnTable("Operators", columns, slices, kind, _footer(side, within, calls), members, bounds)
    return ordered(table, np.lexsort((-table.column("self_ns").values, -gpu_ns)))


def _find(side: Side, within: Within) -> _Calls:
    trace, links, slices = side.trace, side.links, side.trace.slices
    ops = np.flatnonzero(category_mask(trace, is_operator) & (slices.flags == 0)).astype(np.int64)
    ops = ops[within.reached(slices.start_ns[ops], slices.end_ns[ops])]
    replays, others = find_replays(side, within)
    by = links.op[others]
    return _Calls(ops, others[by >= 0], by[by >= 0], replays, others[by < 0])


def _kinds(kind: I64, operators: int) -> TableColumn:
    """A graph is no kind of slice."""
    made = np.where(np.arange(len(kind)) < operators, kind, len(KIND_TITLES))
    return texts("kind", "kind", made, (*KIND_TITLES, "CUDA graph"), about=kinds(kind).about)


def _counted(calls: _Calls, groups: Groups, keys: I64) -> TableColumn:
    counted = np.concatenate((spread(groups, keys, groups.counts, fill=0), calls.replays.count))
    return numbers(
        "calls",
        "calls",
        Unit.COUNT,
        counted,
        known=counted >= 0,
        about="How many there are; of a CUDA graph, how often it was replayed",
        unknown="Nobody knows by which launch it was replayed",
    )


def _times(side: Side, within: Within, calls: _Calls, groups: Groups, keys: I64) -> tuple[TableColumn, ...]:
    slices = side.trace.slices
    dur = within.covered(slices.end_ns[calls.ops]) - within.covered(slices.start_ns[calls.ops])
    own = groups.sums(own_time_ns(side.trace, within.covered)[calls.ops])
    total = groups.sums(dur)
    mean = rounded_means(total, groups.counts)

    def of_operators(id_: str, title: str, unit: Unit, values: Array, about: str) -> TableColumn:
        made = np.concatenate((spread(groups, keys, values, fill=0), np.zeros(len(calls.replays), dtype=values.dtype)))
        called = np.concatenate((np.isin(keys, groups.keys), np.zeros(len(calls.replays), dtype=bool)))
        why = f"{NOT_CALLED}. {NO_ATTRIBUTION}." if len(calls.replays) else f"{NOT_CALLED}."
        return numbers(id_, title, unit, made, known=called, about=about, unknown=why)

    return (
        of_operators("self_ns", "self", Unit.NS, own, "CPU time without the operators it calls"),
        of_operators("share", "share", Unit.SHARE, shares(own), "Part of the sum of all rows' own CPU time"),
        of_operators("total_ns", "total", Unit.NS, total, "CPU time with the operators it calls; inside itself, twice"),
        of_operators("mean_ns", "mean", Unit.NS, mean, "Total by calls"),
        of_operators("min_ns", "min", Unit.NS, groups.least(dur), "The shortest call"),
        of_operators("max_ns", "max", Unit.NS, groups.most(dur), "The longest call"),
    )


def _gpu_time_ns(side: Side, within: Within, calls: _Calls, gpu: Groups, keys: I64) -> I64:
    slices = side.trace.slices
    dur = within.covered(slices.end_ns[calls.work]) - within.covered(slices.start_ns[calls.work])
    return np.concatenate((spread(gpu, keys, gpu.sums(dur), fill=0), calls.replays.gpu_ns))


def _gpu_columns(side: Side, calls: _Calls, gpu: Groups, keys: I64, gpu_ns: I64) -> tuple[TableColumn, ...]:
    """Zero is known only where the trace holds GPU work at all."""
    known = np.full(len(gpu_ns), len(side.trace.gpu) > 0)
    count = np.concatenate((spread(gpu, keys, gpu.counts, fill=0), calls.replays.work_count))
    why = side.occupancy.absence
    about_ns, about = (
        "Of the GPU work it launched itself, sum over streams",
        "Kernels, copies and fills it launched itself",
    )
    return (
        numbers("gpu_ns", "GPU time", Unit.NS, gpu_ns, known=known, about=about_ns, unknown=why),
        numbers("gpu_count", "GPU work", Unit.COUNT, count, known=known, about=about, unknown=why),
    )


def _shapes(trace: Trace, calls: _Calls, groups: Groups, keys: I64) -> TableColumn:
    """How many different input shapes each operator was called with."""
    shapes = trace.shapes
    said = np.isin(shapes.slice, calls.ops)
    pairs = np.unique(
        trace.slices.name[shapes.slice[said]].astype(np.int64) * max(1, len(shapes.texts)) + shapes.text[said]
    )
    variants = group(pairs // max(1, len(shapes.texts)))
    count = np.concatenate((spread(variants, keys, variants.counts, fill=0), np.zeros(len(calls.replays), np.int64)))
    about = "Different input shapes it was called with"
    return numbers("shapes", "shapes", Unit.COUNT, count, known=count > 0, about=about, unknown=NOT_RECORDED)


def _members(calls: _Calls, groups: Groups, keys: I64) -> tuple[I64, I64]:
    counts = np.concatenate((spread(groups, keys, groups.counts, fill=0), calls.replays.work_count))
    bounds = np.concatenate(([0], np.cumsum(counts))).astype(np.int64)
    return np.concatenate((calls.ops[groups.order], calls.replays.work)), bounds


def _footer(side: Side, within: Within, calls: _Calls) -> str:
    slices = side.trace.slices
    parts = [f"{format_count(len(calls.ops))} operator call{'' if len(calls.ops) == 1 else 's'}"]
    if len(calls.replays):
        parts.append(f"{NO_ATTRIBUTION}: they stand under their graph")
    if len(calls.unattributed):
        work = calls.unattributed
        time_ns = int((within.covered(slices.end_ns[work]) - within.covered(slices.start_ns[work])).sum())
        count = format_count(len(work))
        parts.append(f"no operator is known for {count} GPU events ({format_ns(time_ns)}): they are in no row")
    return " · ".join(parts) + within.note("trimmed to it")
