"""What each graph break costs a step: the time between the two compiled regions it made, taken from the timeline.

A compiled function that broke goes on in functions that Dynamo compiles apart: their regions stand inside its own. The
gap of a break runs on the CPU from the end of the compiled call before it to the begin of the next one. In it lie the
user's code that broke, the guards of what comes next, and whatever synchronisation the broken line forces.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from profviz.analysis.compiled_calls import on_cpu
from profviz.analysis.crossings import Measure, sums
from profviz.analysis.linking import Mask, category_mask, enclosing_operator
from profviz.analysis.way_back import NO_STEPS, WayBack
from profviz.model.break_cost import BreakCost, Gap
from profviz.model.categories import is_operator
from profviz.model.compile_report import CompileReport, whole_id
from profviz.model.graph import Stage
from profviz.model.results import Step
from profviz.model.trace import I64, MISSING, Slices, Trace

_REGION = re.compile(r"Torch-Compiled Region: (\S+)$")
_CALL = re.compile(r"CompiledFunction$|## Call CompiledFxGraph ")


NOT_MARKED = "the trace marks no compiled region (it was recorded without torch.compile, or by torch before 2.6)"
NOT_CROSSED = "no compiled region of this break is in the trace: it was not reached, or broke in warm-up only"
NO_CALLS = "the trace does not mark the calls of the compiled graphs (this backend writes none)"


def break_costs(trace: Trace, report: CompileReport, steps: Sequence[Step]) -> tuple[BreakCost, ...]:
    """The cost of every break of `report`, the most expensive first, those of unknown cost last."""
    measure = Measure(trace, steps)
    gaps = find_gaps(trace, report, measure)
    marked = any(_REGION.search(name) for name in trace.names)
    way_back = WayBack(trace, measure)
    costs = [
        _cost(index, gaps.get(index), len(steps), marked=marked, way_back=way_back)
        for index in range(len(report.breaks))
    ]
    return tuple(sorted(costs, key=lambda cost: (cost.both_ns is None, -(cost.both_ns or 0), cost.index)))


def _cost(index: int, gaps: list[Gap] | None, steps: int, *, marked: bool, way_back: WayBack) -> BreakCost:
    if gaps is None:
        return BreakCost(index, (), unknown=NOT_CROSSED if marked else NOT_MARKED)
    if not gaps:
        return BreakCost(index, (), unknown=NO_CALLS)
    ordered = tuple(sorted(gaps, key=lambda gap: gap.start_ns))
    if not steps:
        return BreakCost(index, ordered, unknown=NO_STEPS, backward=way_back.cost(ordered, ()))
    return BreakCost(index, ordered, **sums(ordered, steps), backward=way_back.cost(ordered, range(steps)))


def find_gaps(trace: Trace, report: CompileReport, measure: Measure) -> dict[int, list[Gap]]:
    """The crossings of each break by its index; an empty list where it is crossed but its graphs are not marked."""
    whose = {whole_id(one): index for index, found in enumerate(report.breaks) for one in found.compile_ids}
    with_graph = {whole_id(graph.compile_id) for graph in report.graphs if graph.stage is Stage.DYNAMO}
    regions = Regions.of(trace)
    found: dict[int, list[Gap]] = defaultdict(list)
    for region in range(len(regions.slice)):
        index = whose.get(regions.compile_id[region])
        if index is None:
            continue
        gaps = found[index]
        span = regions.gap(region, with_graph)
        if span is not None:
            gaps.append(measure.gap(*span))
    return dict(found)


@dataclass(frozen=True, slots=True, eq=False)
class Regions:
    """The compiled regions of a trace with the compiled calls that are their own; all in slice order.

    `slice` are slice indices, `inner` gives for each region the regions right inside it, `calls` its own calls.
    """

    slices: Slices
    slice: I64
    compile_id: tuple[str, ...]
    inner: Mapping[int, list[int]]
    calls: Mapping[int, list[int]]

    @classmethod
    def of(cls, trace: Trace) -> Regions:
        slices = trace.slices
        ids = {at: match[1] for at, name in enumerate(trace.names) if (match := _REGION.search(name))}
        # a GPU lane repeats the names of annotations
        regions = np.isin(slices.name, list(ids)) & category_mask(trace, is_operator) & (slices.flags == 0)
        calls = _outermost_calls(trace)
        around = enclosing_operator(slices, regions)
        inner: dict[int, list[int]] = defaultdict(list)
        own: dict[int, list[int]] = defaultdict(list)
        where = np.flatnonzero(regions)
        for child in where.tolist():
            inner[int(around[child])].append(child)
        for call in np.flatnonzero(calls).tolist():
            own[int(around[call])].append(call)
        return cls(slices, where, tuple(ids[int(slices.name[i])] for i in where.tolist()), inner, own)

    def gap(self, region: int, with_graph: set[str]) -> tuple[int, int, int, int] | None:
        """(start, end, region before, region after) of the gap behind a region's own graph.

        None where the region has a graph whose call the trace does not mark.
        """
        at = int(self.slice[region])
        calls, inner = self.calls.get(at, []), self.inner.get(at, [])
        if not calls and self.compile_id[region] in with_graph:
            return None
        first_inner = int(self.slices.start_ns[inner[0]]) if inner else None
        # a graph that DDP split is called in several parts
        before = [call for call in calls if first_inner is None or self.slices.start_ns[call] < first_inner]
        start = int(self.slices.end_ns[before[-1]]) if before else int(self.slices.start_ns[at])
        after = next((one for one in inner if self.slices.start_ns[one] >= start), MISSING)
        if after == MISSING:
            return start, max(start, int(self.slices.end_ns[at])), at, MISSING
        entered = self.calls.get(after, [])
        end = int(self.slices.start_ns[entered[0] if entered else after])
        return start, max(start, end), at, after


def _outermost_calls(trace: Trace) -> Mask:
    """Calls of compiled graphs on the CPU; a training call holds that of its graph, which is not another one."""
    calls = on_cpu(trace, _CALL) & (trace.slices.flags == 0)
    return np.asarray(calls & (enclosing_operator(trace.slices, calls) < 0))
