"""All graphs of a step as one: in calling order, with the code that runs eager between them as nodes of its own. Pure.

The graphs are joined as they are; only the lines that lead from one to the next, over a break, are added.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from profviz.model.compile_report import CompileReport, GraphBreak
from profviz.model.graph import Graph, GraphTimes, Node, SourceLine
from profviz.ui.views.graphs.choices import Direction, whole_id
from profviz.ui.views.graphs.clusters import GRAPH
from profviz.ui.views.graphs.kinds import is_parameter
from profviz.ui.views.graphs.modules import Path, module_paths
from profviz.ui.views.graphs.split_modules import Known

BREAK = "break"
"""The opcode of a node that stands for a break; `target` is its reason."""


@dataclass(frozen=True, slots=True, eq=False)
class StepGraph:
    """`origins[i]` is (graph of the report, node) of node i, None for a break; `starts[graph]` its first node's i."""

    graph: Graph
    origins: tuple[tuple[int, int] | None, ...]
    starts: Mapping[int, int]

    def index_of(self, graph: int, node: int) -> int:
        """-1 where the graph is not part of it."""
        return self.starts[graph] + node if graph in self.starts else -1


def whole_step(report: CompileReport, numbers: Sequence[int], direction: Direction) -> StepGraph:
    """`numbers` are graphs of the report in the order in which forward calls them; backward runs them in reverse."""
    order = list(numbers) if direction is Direction.FORWARD else list(reversed(numbers))
    nodes: list[Node] = []
    edges: list[tuple[int, int]] = []
    origins: list[tuple[int, int] | None] = []
    starts: dict[int, int] = {}
    before = -1  # the node that the next graph follows on
    for number in order:
        graph = report.graphs[number]
        starts[number] = start = len(nodes)
        nodes += [_own(node, number) for node in graph.nodes]
        origins += [(number, node) for node in range(len(graph.nodes))]
        edges += [(start + a, start + b) for a, b in graph.edges]
        if before >= 0 and graph.nodes:
            edges.append((before, start + _entry(graph)))
        before = len(nodes) - 1 if graph.nodes else before
        cut = _break_after(report, graph) if direction is Direction.FORWARD else None
        if cut is not None and graph.nodes:
            nodes.append(cut)
            origins.append(None)
            edges.append((before, len(nodes) - 1))
            before = len(nodes) - 1
    stage = report.graphs[order[0]].stage
    return StepGraph(Graph(stage, "step", tuple(nodes), tuple(edges)), tuple(origins), starts)


def step_modules(step: StepGraph, siblings: Sequence[Graph]) -> tuple[Path, ...]:
    """Each graph is a module of its own, its modules are within; breaks stand between."""
    paths: list[Path] = [()] * len(step.graph.nodes)
    known = Known()
    for place, (number, start) in enumerate(step.starts.items(), start=1):
        graph = siblings[number]
        head = f"{GRAPH}{place} · {graph.compile_id}"
        for node, path in enumerate(module_paths(graph, siblings, known)):
            paths[start + node] = (head, *path)
    return tuple(paths)


def merged_times(step: StepGraph, times: Mapping[int, GraphTimes]) -> GraphTimes:
    """The times of its graphs as one, each node and kernel under its place here."""
    slices = {step.starts[at] + node: own for at, one in times.items() for node, own in one.eager_slices.items()}
    slice_ns = {index: ns for one in times.values() for index, ns in one.slice_ns.items()}
    kernels = {_own_name(handle, at): ns for at, one in times.items() for handle, ns in one.kernel_ns.items()}
    some = next(iter(times.values()))
    return GraphTimes(some.eager, some.compiled, slices, slice_ns, some.steps, kernels)


def _own(node: Node, number: int) -> Node:
    return replace(node, kernels=tuple(_own_name(handle, number) for handle in node.kernels)) if node.kernels else node


def _own_name(handle: str, number: int) -> str:
    """Handles repeat from graph to graph."""
    name, colon, call = handle.rpartition(":")
    return f"{name} (graph {number}){colon}{call}" if colon else f"{handle} (graph {number})"


def _entry(graph: Graph) -> int:
    """The input that data comes in by: a tangent, or the first that is no weight."""
    inputs = [index for index, node in enumerate(graph.nodes) if node.op == "placeholder"]
    tangents = [index for index in inputs if "tangent" in graph.nodes[index].name]
    data = [index for index in inputs if not is_parameter(graph.nodes[index])]
    return (tangents or data or inputs or [0])[0]


def _break_after(report: CompileReport, graph: Graph) -> Node | None:
    """The break that ended a graph, as a node with the line that runs eager."""
    own = whole_id(graph)
    found = next((one for one in report.breaks if own in one.compile_ids), None)
    is_split = " part " in graph.compile_id  # most are not, and a log may hold thousands of graphs
    if found is None or (is_split and any(other is not graph and _continues(graph, other) for other in report.graphs)):
        return None
    source = _line(found, own)
    reason = found.plain or found.reason.strip().splitlines()[0] if found.plain or found.reason.strip() else ""
    if len(found.reasons) > 1:
        reason = f"one of {len(found.reasons)} reasons; {reason}"
    return Node(f"break at {source.place}", BREAK, reason or "reason not in the log", source=source)


def _continues(graph: Graph, other: Graph) -> bool:
    """Whether `other` is a later piece of the same graph, which DDP split."""
    own, _, part = graph.compile_id.partition(" part ")
    whole, _, number = other.compile_id.partition(" part ")
    same = graph.stage is other.stage and own == whole and part.isdecimal() and number.isdecimal()
    return same and int(number) > int(part)


def _line(found: GraphBreak, compile_id: str) -> SourceLine:
    chain = next((chain for chain in found.chains if compile_id in chain.compile_ids and chain.calls), None)
    return chain.calls[-1] if chain is not None else found.source
