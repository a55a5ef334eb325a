"""What the nodes of a compiler graph took, eager and compiled, and in what order one step ran them."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping

import numpy as np

from profviz.analysis.selecting import node_keys
from profviz.model.compile_report import CompileReport
from profviz.model.graph import GraphTimes, NodeRun, StepRuns
from profviz.model.questions import Question
from profviz.model.results import Results, Side
from profviz.model.tape import EagerTape
from profviz.model.trace import I64

Places = Mapping[int, tuple[tuple[int, int], ...]]
"""(graph, node) of a report by slice."""


def answer_graph_times(results: Results, question: Question) -> GraphTimes:
    """Arguments: report, graph."""
    report, graph = (int(str(arg)) for arg in question.args)
    if (tape := results.tape_at(report)) is not None:
        return _tape_times(results, tape)
    eager, compiled = eager_side(results), compiled_side(results, report)
    nodes = results.reports[report][1].graphs[graph].nodes
    slices: dict[int, tuple[int, ...]] = {}
    slice_ns: dict[int, int] = {}
    kernel_ns: dict[str, int] = {}
    if eager is not None:
        for node in range(len(nodes)):
            found = in_steps(eager, eager.slices_of_node.get((report, graph, node), ()))
            if len(found):
                slices[node] = tuple(found.tolist())
    slice_ns = (
        {index: int(eager.trace.slices.dur_ns[index]) for own in slices.values() for index in own} if eager else {}
    )
    if compiled is not None:
        for handle, own in _slices_of_handles(results, compiled, report, graph).items():
            kernel_ns[handle] = mean_a_step_ns(compiled, own)
    steps = max(len(eager.steps), 1) if eager else 1
    return GraphTimes(
        eager.title if eager else "", compiled.title if compiled else "", slices, slice_ns, steps, kernel_ns
    )


def _tape_times(results: Results, tape: EagerTape) -> GraphTimes:
    """Of its nodes what they took in the backward pass, on the GPU where there is one."""
    if tape.side < 0:
        return GraphTimes("", "", {}, {}, 1, {})
    side = results.sides[tape.side]
    own = tape.links.backward_work if len(side.trace.gpu) else tape.links.backward
    slices = {node: tuple(in_steps(side, found).tolist()) for node, found in own.items()}
    slices = {node: found for node, found in slices.items() if found}
    slice_ns = {index: int(side.trace.slices.dur_ns[index]) for found in slices.values() for index in found}
    return GraphTimes(side.title, side.title, slices, slice_ns, max(len(side.steps), 1), {})


def eager_side(results: Results) -> Side | None:
    """The first side that ran eager what graphs are known of."""
    return next((side for side in results.sides if side.slices_of_node), None)


def compiled_side(results: Results, report: int) -> Side | None:
    """The first side that ran the report's kernels."""
    own = results.reports[report][1]
    return next((side for side in results.sides if side.report is own and side.slices_of_kernel), None)


def in_steps(side: Side, slices: Iterable[int]) -> I64:
    """Each slice once, ascending, without what ran before the first profiled step."""
    chosen = np.array(sorted(set(slices)), dtype=np.int64)
    if side.steps:
        chosen = chosen[side.trace.slices.start_ns[chosen] >= side.steps[0].start_ns]
    return chosen


def mean_a_step_ns(side: Side, slices: Iterable[int]) -> int:
    """Their sum over the profiled steps by the number of these."""
    return int(side.trace.slices.dur_ns[in_steps(side, slices)].sum()) // max(len(side.steps), 1)


def _slices_of_handles(results: Results, side: Side, report: int, graph: int) -> dict[str, tuple[int, ...]]:
    """For each kernel handle of a graph's nodes the slices that ran it, those without any left out."""
    found: dict[str, tuple[int, ...]] = {}
    for number, node in enumerate(results.reports[report][1].graphs[graph].nodes):
        keys = node_keys(results, report, graph, number)
        for handle in node.kernels:
            if handle in found:
                continue
            own = [key for key in keys if key.endswith(f" {handle}")]
            slices = [index for key in own for index in side.slices_of_kernel.get(key, ())]
            if slices:
                found[handle] = tuple(slices)
    return found


def answer_step_runs(results: Results, question: Question) -> tuple[StepRuns, ...]:
    """Argument: report. One entry a side that nodes are known for, eager first; of each its middle step."""
    report = int(str(question.args[0]))
    if (tape := results.tape_at(report)) is not None:
        return (_tape_runs(results, tape),) if tape.side >= 0 else ()
    made = []
    for side, places in (
        (eager_side(results), _eager_places),
        (compiled_side(results, report), _compiled_places),
    ):
        if side is not None:
            number = next(at for at, one in enumerate(results.sides) if one is side)
            made.append(_runs_of(number, side, places(results, side, report)))
    return tuple(made)


def _tape_runs(results: Results, tape: EagerTape) -> StepRuns:
    """Each node as its operator ran forward, and as the engine ran it backward."""
    side, links = results.sides[tape.side], tape.links
    on_gpu = bool(len(side.trace.gpu))
    parts = (links.forward_work, links.backward_work) if on_gpu else (links.forward, links.backward)
    places = {index: ((0, node),) for part in parts for node, slices in part.items() for index in slices}
    return _runs_of(tape.side, side, places)


def _eager_places(results: Results, side: Side, report: int) -> Places:
    found: dict[int, list[tuple[int, int]]] = defaultdict(list)
    for (number, graph, node), slices in side.slices_of_node.items():
        if number == report:
            for index in slices:
                found[index].append((graph, node))
    return {index: tuple(places) for index, places in found.items()}


def _compiled_places(results: Results, side: Side, report: int) -> Places:
    own: CompileReport = results.reports[report][1]
    nodes: dict[str, list[tuple[int, int]]] = defaultdict(list)
    for graph, shown in enumerate(own.graphs):
        for node in range(len(shown.nodes)):
            for key in node_keys(results, report, graph, node):
                nodes[key].append((graph, node))
    found: dict[int, tuple[tuple[int, int], ...]] = {}
    for key, slices in side.slices_of_kernel.items():
        for index in slices if nodes[key] else ():
            found[index] = tuple(nodes[key])
    return found


def _runs_of(number: int, side: Side, places: Places) -> StepRuns:
    start, end = side.trace.slices.start_ns, side.trace.slices.end_ns
    slices = sorted(places, key=lambda index: (int(start[index]), index))
    step = side.steps[len(side.steps) // 2] if side.steps else None
    if step is not None:
        first = step.start_ns if step.gpu_first_ns is None else step.gpu_first_ns
        last = step.end_ns if step.gpu_last_ns is None else step.gpu_last_ns
        slices = [index for index in slices if first <= int(start[index]) <= last]
    runs = tuple(NodeRun(int(start[index]), int(end[index]), index, places[index]) for index in slices)
    return StepRuns(number, side.title, -1 if step is None else step.number, runs)
