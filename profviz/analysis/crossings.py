"""What a crossing of a break costs: the stretches of time measured one by one, and summed up over the steps."""

from __future__ import annotations

import re
import statistics
from collections.abc import Sequence
from typing import TypedDict

import numpy as np

from profviz.analysis.compiled_calls import LOOKUP, named
from profviz.analysis.intervals import Union, covered_before, unite
from profviz.analysis.linking import category_mask
from profviz.analysis.occupancy import usable_gpu
from profviz.model.break_cost import Gap
from profviz.model.categories import is_runtime
from profviz.model.results import Step
from profviz.model.trace import I64, MISSING, Trace

_WAITS = re.compile(r"(?:cuda|hip|cu|mu)\w*Synchronize|(?:cuda|hip)Memcpy(?!\w*Async)", re.IGNORECASE)


class Sums(TypedDict):
    """Medians a step, as `BreakCost` and `BackwardCost` have them."""

    crossings: float
    cpu_ns: int
    gpu_idle_ns: int | None
    syncs: float
    sync_ns: int


def sums(gaps: Sequence[Gap], steps: int) -> Sums:
    """What one step spends in its crossings; `gaps` has one at least."""
    in_step = [[gap for gap in gaps if gap.step == step] for step in range(steps)]
    idle = [sum(gap.gpu_idle_ns or 0 for gap in found) for found in in_step]
    return Sums(
        crossings=statistics.median(len(found) for found in in_step),
        cpu_ns=_median([sum(gap.dur_ns for gap in found) for found in in_step]),
        gpu_idle_ns=None if gaps[0].gpu_idle_ns is None else _median(idle),
        syncs=statistics.median(sum(gap.syncs for gap in found) for found in in_step),
        sync_ns=_median([sum(gap.sync_ns for gap in found) for found in in_step]),
    )


def _median(values: list[int]) -> int:
    """Of whole numbers without a float between them: the mean of the two middle ones is rounded down."""
    return (statistics.median_low(values) + statistics.median_high(values)) // 2


class Measure:
    """What happens in a stretch of time: idle GPU, waits for it, checks of guards, and which step it is in."""

    def __init__(self, trace: Trace, steps: Sequence[Step]) -> None:
        slices = trace.slices
        work = usable_gpu(trace)
        self._slices = slices
        self._busy: Union | None = unite(slices.start_ns[work], slices.end_ns[work]) if len(work) else None
        self._waits = np.flatnonzero(category_mask(trace, is_runtime) & named(trace, _WAITS))
        self._lookups = np.flatnonzero(named(trace, LOOKUP))
        self._bounds = trace.lane_bounds()
        self._step_starts = np.array([step.start_ns for step in steps], dtype=np.int64)
        self._step_ends = np.array([step.end_ns for step in steps], dtype=np.int64)

    def gap(self, start: int, end: int, before: int, after: int) -> Gap:
        lane = int(self._slices.lane[before])
        waits, lookups = (self._inside(found, lane, start, end) for found in (self._waits, self._lookups))
        return Gap(
            start_ns=start,
            end_ns=end,
            before=before,
            after=after,
            step=self._step(start),
            gpu_idle_ns=None if self._busy is None else idle_within(self._busy, start, end),
            syncs=len(waits),
            sync_ns=int(self._slices.dur_ns[waits].sum()),
            lookup_ns=int(self._slices.dur_ns[lookups].sum()),
        )

    def _step(self, time_ns: int) -> int:
        """The last step that has begun, if it is still on: steps are in time order."""
        at = int(self._step_starts.searchsorted(time_ns, side="right")) - 1
        return at if at >= 0 and time_ns < self._step_ends[at] else MISSING

    def _inside(self, among: I64, lane: int, start: int, end: int) -> I64:
        """Which of some slices (ascending) lie within a stretch of a lane, whose slices are in order of their start."""
        low, high = int(self._bounds[lane]), int(self._bounds[lane + 1])
        begins = self._slices.start_ns[low:high]
        first, last = low + begins.searchsorted(start), low + begins.searchsorted(end)
        found = among[among.searchsorted(first) : among.searchsorted(last)]
        return np.asarray(found[self._slices.end_ns[found] <= end])


def idle_within(busy: Union, start_ns: int, end_ns: int) -> int:
    """How much of [start, end) no interval of `busy` covers, in ns."""
    before = covered_before(busy, np.array([start_ns, end_ns], dtype=np.int64))
    return end_ns - start_ns - int(before[1] - before[0])
