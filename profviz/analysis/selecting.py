"""One selection, four places: from a slice, a graph node, a generated kernel or a source line to all the others."""

from __future__ import annotations

from collections.abc import Iterable
from collections.abc import Set as AbstractSet
from dataclasses import dataclass

from profviz.model.compile_report import CompileReport, kernel_key
from profviz.model.graph import Graph, Node, SourceLine, Stage
from profviz.model.results import Results

NodePlace = tuple[int, int, int]
"""(report, graph, node)."""

_BACKWARD = (Stage.AOT_BACKWARD, Stage.POST_GRAD_BACKWARD)
_INFERENCE = (Stage.AOT_INFERENCE, Stage.POST_GRAD_INFERENCE)


@dataclass(frozen=True, slots=True)
class Linked:
    """All places of one thing: slices as (side, slice), nodes as (report, graph, node), `kernel_key`s, source lines."""

    slices: tuple[tuple[int, int], ...] = ()
    nodes: tuple[tuple[int, int, int], ...] = ()
    kernels: tuple[str, ...] = ()
    sources: tuple[SourceLine, ...] = ()


def from_slice(results: Results, side: int, index: int) -> Linked:
    """The generated kernel that a slice ran, its nodes and lines; just the slice where no provenance is known.

    The slice itself comes first, then the other calls of the same kernel. A slice of an eager run leads to the nodes
    it did the work of, and to the kernels that do it in compiled runs.
    """
    shown = results.sides[side]
    if shown.slices_of_node:
        return _from_eager(results, side, index)
    kernels = tuple(key for key, slices in shown.slices_of_kernel.items() if index in slices)
    linked = _from_kernels(results, kernels, side=side)
    others = tuple(pair for pair in linked.slices if pair != (side, index))
    return Linked(((side, index), *others), linked.nodes, kernels, linked.sources)


def from_kernel(results: Results, kernel: str) -> Linked:
    return _from_kernels(results, (kernel,))


def from_node(results: Results, report: int, graph: int, node: int) -> Linked:
    """The kernels that compute a node, their slices and all their nodes; the node itself comes first."""
    shown = results.reports[report][1].graphs[graph]
    kernels = tuple(node_keys(results, report, graph, node))
    linked = _from_kernels(results, kernels, report=report)
    own = shown.nodes[node].source
    nodes = ((report, graph, node), *(one for one in linked.nodes if one != (report, graph, node)))
    slices = dict.fromkeys([*_eager_slices(results, nodes[:1]), *linked.slices])
    return Linked(tuple(slices), nodes, kernels, distinct(([own] if own else []) + list(linked.sources)))


def from_source(results: Results, source: SourceLine) -> Linked:
    """The nodes that a source line asked for, their kernels and slices."""
    nodes = []
    kernels: dict[str, None] = {}
    for at, (_, report) in enumerate(results.reports):
        for number, graph in enumerate(report.graphs):
            for index, node in enumerate(graph.nodes):
                if node.source and (node.source.file, node.source.line) == (source.file, source.line):
                    nodes.append((at, number, index))
                    kernels |= dict.fromkeys(key for h in node.kernels for key in _keys(report, graph, h))
    linked = _from_kernels(results, tuple(kernels))
    slices = dict.fromkeys([*_eager_slices(results, nodes), *linked.slices])
    return Linked(tuple(slices), tuple(nodes), tuple(kernels), (source,))


def _from_kernels(results: Results, kernels: tuple[str, ...], *, side: int = -1, report: int = -1) -> Linked:
    """`side` or `report` keep to one run: compile ids repeat from report to report."""
    reports = _reports(results, side=side, report=report)
    wanted = set(kernels)
    nodes, sources = [], []
    for at in reports:
        shown = results.reports[at][1]
        for number, graph in enumerate(shown.graphs):
            for index, node in enumerate(graph.nodes):
                if any(key in wanted for handle in node.kernels for key in _keys(shown, graph, handle)):
                    nodes.append((at, number, index))
                    sources += [node.source] if node.source else []
        for code in shown.code:
            for handle, lines in code.stacks.items():
                if kernel_key(code.compile_id, code.direction, handle) in wanted:
                    sources += lines
    slices = [
        (number, index)
        for number, one in enumerate(results.sides)
        if one.report is None or any(one.report is results.reports[at][1] for at in reports)
        for key in kernels
        for index in one.slices_of_kernel.get(key, ())
    ]
    slices += _eager_slices(results, nodes)
    return Linked(tuple(slices), tuple(nodes), kernels, distinct(sources))


def _from_eager(results: Results, side: int, index: int) -> Linked:
    linked = same_work(results, side, {index})
    others = tuple(pair for pair in linked.slices if pair != (side, index))
    return Linked(((side, index), *others), linked.nodes, linked.kernels, linked.sources)


def same_work(results: Results, side: int, indices: AbstractSet[int]) -> Linked:
    """The nodes that slices of an eager side did the work of, and all that does it: eager, then in compiled runs."""
    own = results.sides[side].slices_of_node
    nodes = [node for node, slices in own.items() if not indices.isdisjoint(slices)]
    sources = distinct(source for node in nodes if (source := _node(results, node).source) is not None)
    keys = {(report, key) for report, graph, at in nodes for key in node_keys(results, report, graph, at)}
    kernels = tuple(dict.fromkeys(key for _, key in sorted(keys)))
    slices = [
        (number, slice_)
        for number, one in enumerate(results.sides)
        for report, key in sorted(keys)
        if one.report is results.reports[report][1]
        for slice_ in one.slices_of_kernel.get(key, ())
    ]
    return Linked((*_eager_slices(results, nodes), *slices), tuple(nodes), kernels, sources)


def _eager_slices(results: Results, nodes: Iterable[NodePlace]) -> list[tuple[int, int]]:
    """What did the work of these nodes where nothing was compiled, each slice once."""
    found = {
        (number, index): None
        for number, side in enumerate(results.sides)
        if side.slices_of_node
        for node in nodes
        for index in side.slices_of_node.get(node, ())
    }
    return list(found)


def fused_with(results: Results, side: int, index: int) -> tuple[int, ...]:
    """Of an eager slice the other ones of its side whose work the same generated kernels do."""
    if not results.sides[side].slices_of_node:
        return ()
    nodes = _from_eager(results, side, index).nodes
    keys = {(report, key) for report, graph, at in nodes for key in node_keys(results, report, graph, at)}
    linked = [_from_kernels(results, (key,), report=report) for report, key in sorted(keys)]
    own = {slice_ for one in linked for at, slice_ in one.slices if at == side}
    return tuple(sorted(own - {slice_ for at, slice_ in _eager_slices(results, nodes) if at == side}))


def _node(results: Results, place: NodePlace) -> Node:
    report, graph, node = place
    return results.reports[report][1].graphs[graph].nodes[node]


def node_keys(results: Results, report: int, graph: int, node: int) -> list[str]:
    shown = results.reports[report][1]
    drawn = shown.graphs[graph]
    return [key for handle in drawn.nodes[node].kernels for key in _keys(shown, drawn, handle)]


def _reports(results: Results, *, side: int, report: int) -> list[int]:
    if report >= 0:
        return [report]
    if side >= 0:
        own = results.sides[side].report
        return [at for at, (_, shown) in enumerate(results.reports) if shown is own]
    return list(range(len(results.reports)))


def _keys(report: CompileReport, graph: Graph, handle: str) -> list[str]:
    """The keys that a node's handle can mean: Dynamo's graph stands before the split into directions."""
    if graph.stage in _BACKWARD:
        return [kernel_key(graph.compile_id, "backward", handle)]
    if graph.stage in _INFERENCE:
        return [kernel_key(graph.compile_id, "inference", handle)]
    if graph.stage is not Stage.DYNAMO:
        return [kernel_key(graph.compile_id, "forward", handle)]
    return [
        kernel_key(code.compile_id, code.direction, handle)
        for code in report.code
        if code.direction != "backward" and code.compile_id == graph.compile_id and handle in code.kernels
    ]


def distinct(sources: Iterable[SourceLine]) -> tuple[SourceLine, ...]:
    """Each line once, whatever text or function it was logged with."""
    return tuple({(source.file, source.line): source for source in reversed(list(sources))}.values())[::-1]
