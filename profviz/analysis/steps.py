"""The profiled steps of a trace, with the GPU work that was launched in each."""

from __future__ import annotations

import re

import numpy as np

from profviz.analysis.linking import category_mask, enclosing_operator
from profviz.analysis.occupancy import union_length_ns, usable_gpu
from profviz.model.categories import is_annotation, is_kernel, is_operator
from profviz.model.results import Step
from profviz.model.trace import I64, Links, Trace

_STEP = re.compile(r"ProfilerStep\s*#\s*(\d+)$")


def find_steps(trace: Trace, links: Links) -> tuple[Step, ...]:
    """One step for each ProfilerStep#N range on a CPU thread, in time order.

    GPU work belongs to the step its launch starts in; work without a launch to the one it starts in itself.
    """
    slices = trace.slices
    numbers = {index: int(match[1]) for index, name in enumerate(trace.names) if (match := _STEP.match(name))}
    marked = np.isin(slices.name, list(numbers)) & category_mask(trace, is_annotation) & (slices.flags == 0)
    found = np.flatnonzero(marked)
    if not len(found):
        return ()
    found = found[np.argsort(slices.start_ns[found], kind="stable")]
    work = usable_gpu(trace)
    asked = slices.start_ns[np.where(links.launch[work] >= 0, links.launch[work], work)]
    ops = slices.start_ns[innermost_operators(trace)]
    return tuple(_step(trace, numbers[int(slices.name[i])], int(i), work, asked, ops) for i in found)


def innermost_operators(trace: Trace) -> I64:
    """The operators that call no other operator, in slice order; generated CPU kernels are among them."""
    operator = category_mask(trace, is_operator)
    around = enclosing_operator(trace.slices, operator)
    calls = np.zeros(len(trace.slices), dtype=bool)
    calls[around[operator & (around >= 0)]] = True
    return np.flatnonzero(operator & ~calls).astype(np.int64)


def _step(trace: Trace, number: int, index: int, work: I64, asked: I64, ops: I64) -> Step:
    """`asked` is when each GPU slice of `work` was launched, `ops` when each innermost operator began."""
    slices = trace.slices
    start, end = int(slices.start_ns[index]), int(slices.end_ns[index])
    mine = work[(asked >= start) & (asked < end)]
    begins, ends = slices.start_ns[mine], slices.end_ns[mine]
    return Step(
        number=number,
        start_ns=start,
        end_ns=end,
        kernels=int(category_mask(trace, is_kernel)[mine].sum()),
        gpu_busy_ns=union_length_ns(begins, ends) if len(mine) else None,
        gpu_first_ns=int(begins.min()) if len(mine) else None,
        gpu_last_ns=int(ends.max()) if len(mine) else None,
        ops=int(((ops >= start) & (ops < end)).sum()),
    )
