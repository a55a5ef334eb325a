"""What an eager step asked for, in order: operators forward, autograd nodes backward, and the work of each."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from profviz.analysis.linking import Mask, category_mask, enclosing_operator
from profviz.analysis.provenance import gpu_work_under
from profviz.model.categories import FORWARD_TO_BACKWARD, is_operator
from profviz.model.trace import I64, Links, Trace

_NODE = re.compile(r"autograd::engine::evaluate_function|torch::autograd::|\w+Backward\d*$")
"""What the autograd engine calls, and what stands around the operators of a backward pass."""


@dataclass(frozen=True, slots=True, eq=False)
class EagerOps:
    """Slices by what they are, each in time order.

    `forward` are operators that no other operator called; `backward` are those that autograd nodes called, and the
    engine's call of a node where it called none. `undoes[i]` is the forward operator that `backward[i]` undoes, or -1.
    `work` gives the GPU slices beneath a slice of either; it is empty where the trace has no GPU work at all.
    """

    forward: I64
    backward: I64
    undoes: I64
    work: Mapping[int, Sequence[int]]

    def slices_of(self, index: int) -> tuple[int, ...]:
        """What ran for an operator: its GPU work, or on a trace without any the operator."""
        return tuple(self.work.get(index, ())) if self.work else (index,)


def find_eager_ops(trace: Trace, links: Links) -> EagerOps:
    operator = category_mask(trace, is_operator) & (trace.slices.flags == 0)
    outer = enclosing_operator(trace.slices, operator)
    node = _named(trace, _NODE) & operator
    tops = np.flatnonzero(operator & (outer < 0))
    forward, calls = tops[~node[tops]], tops[node[tops]]
    top_of = _tops(outer, tops, len(trace.slices))
    called = np.flatnonzero(operator & ~node & (outer >= 0) & node[outer])
    backward = np.concatenate([called, calls[~np.isin(calls, top_of[called])]])
    work = gpu_work_under(trace, links, np.sort(np.concatenate([forward, backward])).astype(np.int64))
    forward, backward = (_in_time(trace, found) for found in (forward, backward))
    return EagerOps(forward, backward, _undone(trace, top_of, backward), work)


def _in_time(trace: Trace, found: I64) -> I64:
    return found[np.argsort(trace.slices.start_ns[found], kind="stable")].astype(np.int64)


def _named(trace: Trace, pattern: re.Pattern[str]) -> Mask:
    wanted = np.array([pattern.match(name) is not None for name in trace.names], dtype=bool)
    return wanted[trace.slices.name] if len(wanted) else np.zeros(len(trace.slices), dtype=bool)


def _tops(outer: I64, tops: I64, count: int) -> I64:
    """Shape (slices,): the outermost operator around each slice or itself, -1 without one."""
    top = np.full(count, -1, dtype=np.int64)
    top[tops] = tops
    pending = np.flatnonzero((outer >= 0) & (top < 0))
    above = outer.copy()
    while len(pending):
        found = top[above[pending]]
        top[pending] = found
        pending = pending[found < 0]
        above[pending] = outer[above[pending]]
        pending = pending[above[pending] >= 0]
    return top


def _undone(trace: Trace, top_of: I64, backward: I64) -> I64:
    """By the profiler's own arrows; where several lead to one call, the first."""
    wanted = [number for number, name in enumerate(trace.categories) if name == FORWARD_TO_BACKWARD]
    chosen = np.isin(trace.flows.category, wanted) & (trace.flows.source >= 0) & (trace.flows.target >= 0)
    source, target = top_of[trace.flows.source[chosen]], top_of[trace.flows.target[chosen]]
    origin: dict[int, int] = {}
    for one, other in zip(source.tolist(), target.tolist(), strict=True):
        origin.setdefault(other, one)
    return np.array([origin.get(index, -1) for index in top_of[backward].tolist()], dtype=np.int64)


def by_step(starts_ns: I64, steps: Sequence[tuple[int, int]]) -> dict[int, list[int]]:
    """Places of the ascending times `starts_ns` by the step they are in; steps are [start, end) in ns."""
    found: dict[int, list[int]] = defaultdict(list)
    for number, (start, end) in enumerate(steps):
        low, high = (int(starts_ns.searchsorted(time)) for time in (start, end))
        found[number] = list(range(low, high))
    return found
