"""What a break costs in the backward pass: the time between the backward calls of the two graphs that it made.

Autograd runs the graphs in the opposite order: first the one behind the break, then whatever eager code between them
has to go back through (and the gradients that are added up there), then the one before it. Which backward belongs to
which forward call the trace says by its arrows.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

import numpy as np

from profviz.analysis.compiled_calls import named
from profviz.analysis.crossings import Measure, sums
from profviz.analysis.linking import category_mask
from profviz.model.break_cost import BackwardCost, Gap
from profviz.model.categories import FORWARD_TO_BACKWARD, is_operator
from profviz.model.trace import I64, MISSING, Trace

_FORWARD = re.compile(r"CompiledFunction$")
_BACKWARD = re.compile(r"CompiledFunctionBackward$")

NO_ARROWS = "the trace has no arrows from forward to backward"
NO_GRAPH_BEHIND = (
    "no compiled graph follows the break, or none precedes it: nothing compiled runs backward on both sides"
)
NO_STEPS = "the trace has no profiled steps; its gaps are shown one by one"


class WayBack:
    """Finds for each crossing of a break in the forward pass the one in the backward pass."""

    def __init__(self, trace: Trace, measure: Measure) -> None:
        self._slices = trace.slices
        self._measure = measure
        self._bounds = trace.lane_bounds()
        self._calls = _operators(trace, _FORWARD)
        self._runs_back = bool(len(_operators(trace, _BACKWARD)))
        flows = trace.flows
        kind = np.array([one == FORWARD_TO_BACKWARD for one in trace.categories], dtype=bool)
        arrows = np.flatnonzero(kind[flows.category]) if len(flows.category) else np.zeros(0, dtype=np.int64)
        pairs = zip(flows.source[arrows].tolist(), flows.target[arrows].tolist(), strict=True)
        self._back = {source: target for source, target in pairs if source != MISSING and target != MISSING}

    def cost(self, crossings: Sequence[Gap], steps: Sequence[int]) -> BackwardCost | None:
        """Of the break with these crossings; None where nothing compiled runs backward. `steps` may be none."""
        if not self._runs_back:
            return None
        if not any(int(call) in self._back for call in self._calls):
            return BackwardCost(unknown=NO_ARROWS)
        found = [gap for crossing in crossings if (gap := self._gap(crossing)) is not None]
        gaps = tuple(sorted(found, key=lambda gap: gap.start_ns))
        if not gaps:
            return BackwardCost(unknown=NO_GRAPH_BEHIND)
        return BackwardCost(gaps, **sums(gaps, len(steps))) if steps else BackwardCost(gaps, unknown=NO_STEPS)

    def _gap(self, crossing: Gap) -> Gap | None:
        """From the end of the later graph's backward to the begin of the earlier one's."""
        calls = self._calls_beside(crossing.before)
        at = int(self._slices.start_ns[calls].searchsorted(crossing.end_ns))
        if (
            crossing.after == MISSING
            or not 0 < at < len(calls)
            or self._slices.end_ns[calls[at - 1]] != crossing.start_ns
        ):
            return None  # no graph of its own before it: the gap is that of the break before
        earlier, later = (self._back.get(int(calls[one]), MISSING) for one in (at - 1, at))
        if MISSING in (later, earlier):
            return None
        start, end = int(self._slices.end_ns[later]), int(self._slices.start_ns[earlier])
        if self._slices.lane[later] != self._slices.lane[earlier] or end < start:
            return None
        return self._measure.gap(start, end, later, earlier)

    def _calls_beside(self, index: int) -> I64:
        """The forward calls on a slice's lane: slices of a lane stand together."""
        low, high = (self._calls.searchsorted(self._bounds[int(self._slices.lane[index]) + at]) for at in (0, 1))
        return self._calls[low:high]


def _operators(trace: Trace, pattern: re.Pattern[str]) -> I64:
    """Indices of the operators of that name, ascending."""
    return np.flatnonzero(named(trace, pattern) & category_mask(trace, is_operator) & (trace.slices.flags == 0))
