"""One row for each kernel name of a trace, or for each operator where the GPU did nothing.

An operator's time is its own, without the operators it calls: so that the rows add up, and so that a matrix product
which calls a view first is not lost.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from profviz.analysis.linking import category_mask, enclosing_operator
from profviz.analysis.occupancy import usable_gpu
from profviz.model.categories import is_operator
from profviz.model.results import KernelRow, SliceKind
from profviz.model.trace import I64, U8, Trace


def make_table(trace: Trace, kinds: U8) -> tuple[str, tuple[KernelRow, ...]]:
    """What the table lists ("kernels", copies and fills included, or "operators") and its rows, longest first."""
    work = usable_gpu(trace)
    if len(work):
        return "kernels", _rows(trace, kinds, work, trace.slices.dur_ns)
    own = own_time_ns(trace)
    ops = np.flatnonzero(category_mask(trace, is_operator) & (trace.slices.flags == 0))
    return "operators", _rows(trace, kinds, ops, own)


def own_time_ns(trace: Trace, covered: Callable[[I64], I64] = lambda time_ns: time_ns) -> I64:
    """Shape (slices,): an operator's duration less that of the operators it calls itself; others' durations as is.

    `covered` gives for times how much before them counts, all of it unless said otherwise.
    """
    slices = trace.slices
    start, end = covered(slices.start_ns), covered(slices.end_ns)
    operator = category_mask(trace, is_operator)
    called = np.flatnonzero(operator & (slices.flags == 0))
    caller = enclosing_operator(slices, operator)[called]
    called, caller = called[caller >= 0], caller[caller >= 0]
    inside = np.minimum(end[called], end[caller]) - start[called]
    own = end - start
    np.subtract.at(own, caller, np.maximum(inside, 0))
    return np.asarray(np.maximum(own, 0), dtype=np.int64)


def _rows(trace: Trace, kinds: U8, chosen: I64, time_ns: I64) -> tuple[KernelRow, ...]:
    """Groups the chosen slices (ascending) by name; `time_ns` has shape (slices,)."""
    order = chosen[np.argsort(trace.slices.name[chosen], kind="stable")]
    names, starts, counts = np.unique(trace.slices.name[order], return_index=True, return_counts=True)
    dur = time_ns[order]
    whole = int(dur.sum())
    if not len(order):
        return ()
    totals = np.add.reduceat(dur, starts)
    least, most = np.minimum.reduceat(dur, starts), np.maximum.reduceat(dur, starts)
    rows = [
        KernelRow(
            name=trace.names[int(names[i])],
            kind=SliceKind(int(kinds[order[starts[i]]])),
            calls=int(counts[i]),
            total_ns=int(totals[i]),
            mean_ns=round(int(totals[i]) / int(counts[i])),
            min_ns=int(least[i]),
            max_ns=int(most[i]),
            share=int(totals[i]) / whole if whole else 0.0,
            first_slice=int(order[starts[i]]),
        )
        for i in range(len(names))
    ]
    return tuple(sorted(rows, key=lambda row: (-row.total_ns, row.name)))
