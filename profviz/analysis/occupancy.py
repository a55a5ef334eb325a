"""GPU totals of a trace: sums over streams and unions over time, never mixed up."""

from __future__ import annotations

import numpy as np

from profviz.analysis.linking import Mask, category_mask
from profviz.model.categories import is_copy, is_kernel, is_runtime
from profviz.model.results import Occupancy
from profviz.model.trace import I64, Links, Trace


def union_length_ns(start_ns: I64, end_ns: I64) -> int:
    """How much time is covered by at least one of the intervals [start, end); shape (n,) each, any order."""
    if not len(start_ns):
        return 0
    order = np.argsort(start_ns, kind="stable")
    start, reach = start_ns[order], np.maximum.accumulate(end_ns[order])
    gaps = np.maximum(start[1:] - reach[:-1], 0)
    return int(reach[-1] - start[0] - gaps.sum())


def usable_gpu(trace: Trace) -> I64:
    """The GPU slices that count: all but the unfinished and the absurdly long."""
    work = trace.gpu.slice
    usable: I64 = work[trace.slices.flags[work] == 0]
    return usable


def replayed(trace: Trace, links: Links) -> Mask:
    """Which of the GPU slices a CUDA graph ran, shape (gpu,): the trace says so, or a graph launch asked for them."""
    launch = links.launch[trace.gpu.slice]
    named = np.array(["graphlaunch" in name.lower() for name in trace.names], dtype=bool)
    calls = category_mask(trace, is_runtime) & named[trace.slices.name] if len(named) else np.zeros(0, dtype=bool)
    by_launch = np.zeros(len(launch), dtype=bool)
    by_launch[launch >= 0] = calls[launch[launch >= 0]]
    return (trace.gpu.graph > 0) | by_launch


def measure_occupancy(trace: Trace, links: Links) -> Occupancy:
    """Counts and times of kernels, copies and fills.

    `kernel_sum_ns` sums kernels over all streams; `busy_ns` is the union of everything the GPU did.
    """
    slices = trace.slices
    work = usable_gpu(trace)
    kernel = work[category_mask(trace, is_kernel)[work]]
    start, end = slices.start_ns[work], slices.end_ns[work]
    return Occupancy(
        kernels=len(kernel),
        copies=int(category_mask(trace, is_copy)[work].sum()),
        kernel_sum_ns=int(slices.dur_ns[kernel].sum()),
        busy_ns=union_length_ns(start, end),
        span_ns=int(end.max() - start.min()) if len(work) else 0,
        lanes=len(np.unique(slices.lane[work])),
        distinct_kernels=len(np.unique(slices.name[kernel])),
        unlinked=int((links.launch[work] < 0).sum()),
        graph_launches=_calls(trace, "graphlaunch"),
        launches=_calls(trace, "launch"),
    )


def _calls(trace: Trace, word: str) -> int:
    """Runtime and driver calls of a kind; nothing but the API's name says which kind a call is of."""
    named = np.array([word in name.lower() for name in trace.names], dtype=bool)
    calls = np.flatnonzero(category_mask(trace, is_runtime))
    return int(named[trace.slices.name[calls]].sum()) if len(named) else 0
