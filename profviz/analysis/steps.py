"""The profiled steps of a trace, with the GPU work that was launched in each."""

from __future__ import annotations

import re

import numpy as np

from profviz.analysis.linking import Mask, category_mask, enclosing_operator
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
    found, numbers = step_slices(trace)
    if not len(found):
        return ()
    work = usable_gpu(trace)
    asked = slices.start_ns[np.where(links.launch[work] >= 0, links.launch[work], work)]
    ops = slices.start_ns[innermost_operators(trace)]
    work_kernel = category_mask(trace, is_kernel)[work]
    return tuple(
        _step(trace, number, int(i), work, work_kernel, asked, ops) for i, number in zip(found, numbers, strict=True)
    )


def step_slices(trace: Trace) -> tuple[I64, tuple[int, ...]]:
    """The slices that mark a step on a CPU thread and each one's number, in time order."""
    slices = trace.slices
    numbers = {index: int(match[1]) for index, name in enumerate(trace.names) if (match := _STEP.match(name))}
    marked = np.isin(slices.name, list(numbers)) & category_mask(trace, is_annotation) & (slices.flags == 0)
    found = np.flatnonzero(marked)
    found = found[np.argsort(slices.start_ns[found], kind="stable")].astype(np.int64)
    return found, tuple(numbers[name] for name in slices.name[found].tolist())


def innermost_operators(trace: Trace) -> I64:
    """The operators that call no other operator, in slice order; generated CPU kernels are among them."""
    operator = category_mask(trace, is_operator)
    around = enclosing_operator(trace.slices, operator)
    calls = np.zeros(len(trace.slices), dtype=bool)
    calls[around[operator & (around >= 0)]] = True
    return np.flatnonzero(operator & ~calls).astype(np.int64)


def _step(trace: Trace, number: int, index: int, work: I64, kernel: Mask, asked: I64, ops: I64) -> Step:
    """Of each GPU slice of `work`, `kernel` says whether it is one and `asked` when it was launched.

    `ops` is when each innermost operator began. Whole columns are worked out by the caller: steps may be many.
    """
    slices = trace.slices
    start = int(slices.start_ns[index])
    end = start + int(slices.dur_ns[index])
    inside = (asked >= start) & (asked < end)
    mine = work[inside]
    begins = slices.start_ns[mine]
    ends = begins + slices.dur_ns[mine]
    return Step(
        number=number,
        start_ns=start,
        end_ns=end,
        kernels=int(kernel[inside].sum()),
        gpu_busy_ns=union_length_ns(begins, ends) if len(mine) else None,
        gpu_first_ns=int(begins.min()) if len(mine) else None,
        gpu_last_ns=int(ends.max()) if len(mine) else None,
        ops=int(((ops >= start) & (ops < end)).sum()),
    )
