"""One row for each kind of work: what the GPU did, or the operators' own time where it did nothing."""

from __future__ import annotations

import numpy as np

from profviz.analysis.kernel_table import own_time_ns
from profviz.analysis.linking import category_mask
from profviz.analysis.occupancy import usable_gpu
from profviz.analysis.tables.columns import kinds, numbers, ordered
from profviz.analysis.tables.grouping import group, shares, unions_ns
from profviz.analysis.tables.within import Within
from profviz.model.categories import is_operator
from profviz.model.questions import ColumnTable, Unanswered, Unit
from profviz.model.results import Side
from profviz.model.units import format_count, format_ns


def categories(side: Side, within: Within) -> ColumnTable | Unanswered:
    """Kinds by total, the longest first; times trimmed to the ranges."""
    slices = side.trace.slices
    work = usable_gpu(side.trace)
    is_gpu = len(work) > 0
    if not is_gpu:
        work = np.flatnonzero(category_mask(side.trace, is_operator) & (slices.flags == 0)).astype(np.int64)
    if not len(work):
        return Unanswered("The trace holds neither kernels nor operators")
    work = work[within.reached(slices.start_ns[work], slices.end_ns[work])]
    start, end = within.covered(slices.start_ns[work]), within.covered(slices.end_ns[work])
    own = end - start if is_gpu else own_time_ns(side.trace, within.covered)[work]
    groups = group(side.kinds[work])
    total = groups.sums(own)
    union = unions_ns(groups, start, end)
    what = "Sum of the durations, over all streams" if is_gpu else "Sum of the operators' own time"
    table = ColumnTable(
        "Categories",
        (
            kinds(groups.keys),
            numbers("calls", "calls", Unit.COUNT, groups.counts, about="How many there are"),
            numbers("total_ns", "total", Unit.NS, total, about=what),
            numbers("union_ns", "union", Unit.NS, union, about="Time in which at least one of this kind ran"),
            numbers("share", "share", Unit.SHARE, shares(total), about="Part of the sum of all rows' totals"),
        ),
        slice=work[groups.first],
        kind=groups.keys,
        footer=_footer(len(work), int(total.sum()), is_gpu=is_gpu) + within.note("trimmed to it"),
        members=work[groups.order],
        bounds=groups.bounds,
    )
    return ordered(table, np.argsort(-total, kind="stable"))


def _footer(calls: int, total_ns: int, *, is_gpu: bool) -> str:
    what = "GPU events, sum over streams (not wall time)" if is_gpu else "operators, their own time"
    return f"{format_count(calls)} {what} {format_ns(total_ns)}"
