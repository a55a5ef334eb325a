"""One row for each kernel name of a trace, or for each operator where the GPU did nothing."""

from __future__ import annotations

import numpy as np

from profviz.analysis.occupancy import usable_gpu
from profviz.analysis.steps import innermost_operators
from profviz.model.results import KernelRow, SliceKind
from profviz.model.trace import I64, U8, Trace


def make_table(trace: Trace, kinds: U8) -> tuple[str, tuple[KernelRow, ...]]:
    """What the table lists ("kernels", copies and fills included, or "operators") and its rows, longest first."""
    work = usable_gpu(trace)
    if len(work):
        return "kernels", _rows(trace, kinds, work)
    ops = innermost_operators(trace)
    return "operators", _rows(trace, kinds, ops[trace.slices.flags[ops] == 0])


def _rows(trace: Trace, kinds: U8, chosen: I64) -> tuple[KernelRow, ...]:
    """Groups the chosen slices (ascending) by name."""
    order = chosen[np.argsort(trace.slices.name[chosen], kind="stable")]
    names, starts, counts = np.unique(trace.slices.name[order], return_index=True, return_counts=True)
    dur = trace.slices.dur_ns[order]
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
