"""Who asked for whom: GPU work to launches by correlation id, launches to operators by external id or nesting."""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise

import numpy as np
import numpy.typing as npt

from profviz.model.categories import is_operator, is_runtime
from profviz.model.trace import I64, MISSING, Flag, Ints, Links, Slices, Trace

Mask = npt.NDArray[np.bool_]


def category_mask(trace: Trace, test: Callable[[str], bool]) -> Mask:
    """Shape (slices,): which slices have a category that passes `test`."""
    wanted = np.array([test(category) for category in trace.categories], dtype=bool)
    return wanted[trace.slices.category] if len(wanted) else np.zeros(len(trace.slices), dtype=bool)


def link_trace(trace: Trace) -> Links:
    """Links within one document; a correlation of 0 or none links nothing.

    Where several calls have one correlation id, the first to start is the launch.
    """
    slices = trace.slices
    runtime = category_mask(trace, is_runtime)
    # an operator of absurd length would be taken for the caller of all that follows it
    operator = category_mask(trace, is_operator) & ((slices.flags & Flag.ABSURD) == 0)
    launch = np.full(len(slices), MISSING, dtype=np.int64)
    launch[trace.gpu.slice] = _match(slices.correlation, np.flatnonzero(runtime), trace.gpu.slice, slices)
    op = _operators(trace, runtime=runtime, operator=operator, launch=launch)
    first, count, launched = _group(launch, trace.gpu.slice)
    return Links(launch, op, first, count, launched)


def clock_skew(trace: Trace, links: Links) -> I64:
    """By how many ns the GPU slices that seem to start before their launch do so; shape (such slices,)."""
    gpu = trace.gpu.slice[links.launch[trace.gpu.slice] >= 0]
    early = trace.slices.start_ns[links.launch[gpu]] - trace.slices.start_ns[gpu]
    return np.asarray(early[early > 0], dtype=np.int64)


def enclosing_operator(slices: Slices, operator: Mask) -> I64:
    """Shape (slices,): the innermost operator around each slice on its lane (not itself), MISSING without one."""
    found = np.full(len(slices), MISSING, dtype=np.int64)
    if not len(slices):
        return found
    order = np.argsort(slices.row, kind="stable")
    bounds = np.searchsorted(slices.row[order], np.arange(1, int(slices.row.max()) + 2))
    for low, high in pairwise(bounds.tolist()):  # row 0 has no parent; parents stand in rows above
        level = order[low:high]
        parent = slices.parent[level].astype(np.int64)
        above = np.where(operator[parent], parent, found[parent])
        found[level] = np.where(parent >= 0, above, MISSING)
    return found


def _match(ids: Ints, keys: I64, wanted: I64, slices: Slices) -> I64:
    """For each slice of `wanted` the first-started slice of `keys` with the same positive id, else MISSING."""
    keys = keys[ids[keys] > 0]
    keys = keys[np.lexsort((slices.start_ns[keys], ids[keys]))]
    if not len(keys):
        return np.full(len(wanted), MISSING, dtype=np.int64)
    at = np.minimum(np.searchsorted(ids[keys], ids[wanted]), len(keys) - 1)
    return np.asarray(np.where(ids[keys][at] == ids[wanted], keys[at], MISSING), dtype=np.int64)


def _operators(trace: Trace, *, runtime: Mask, operator: Mask, launch: I64) -> I64:
    slices = trace.slices
    wanted = np.concatenate([np.flatnonzero(runtime), trace.gpu.slice]).astype(np.int64)
    by_id = _match(slices.external, np.flatnonzero(operator), wanted, slices)
    around = enclosing_operator(slices, operator)
    caller = np.where(runtime[wanted], wanted, launch[wanted])
    nested = np.where(caller >= 0, around[caller], MISSING)
    op = np.full(len(slices), MISSING, dtype=np.int64)
    op[wanted] = np.where(by_id >= 0, by_id, nested)
    return op


def _group(launch: I64, gpu: I64) -> tuple[I64, I64, I64]:
    """The GPU slices in order of their launch, and for each launch where its own stand and how many."""
    linked = gpu[launch[gpu] >= 0]
    launched = linked[np.argsort(launch[linked], kind="stable")]
    first = np.full(len(launch), MISSING, dtype=np.int64)
    count = np.bincount(launch[launched], minlength=len(launch)).astype(np.int64)
    callers, at = np.unique(launch[launched], return_index=True)
    first[callers] = at
    return first, count, launched
