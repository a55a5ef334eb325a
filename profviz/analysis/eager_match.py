"""Which eager work each node of a compiler graph stands for, so that a fused kernel knows the kernels it replaced.

Dynamo's graph lists what the Python program called, in its order; an eager run of the same program calls the same in
the same order. Both are aligned, step by step: names must agree, equal shapes weigh more. The backward pass follows by
the profiler's arrows from each operator to the autograd node that undoes it.
"""

from __future__ import annotations

import json
import re
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import lru_cache
from itertools import pairwise
from typing import NamedTuple

from profviz.analysis.eager_ops import EagerOps, by_step, find_eager_ops
from profviz.analysis.sequence import align_in_order
from profviz.model.compile_report import CompileReport
from profviz.model.graph import Graph, Node, SourceLine, Stage
from profviz.model.results import Side
from profviz.model.trace import Trace

Place = tuple[int, int]
"""A node: (graph, node) of a report."""
Matched = Mapping[Place, tuple[int, ...]]

_REGION = re.compile(r"^Torch-Compiled Region: (\d+/\d+)")
_BACKWARD = (Stage.AOT_BACKWARD, Stage.POST_GRAD_BACKWARD)
_SAME_NAME, _SAME_SHAPES = 2, 1
_CALLED = ("call_function", "call_method")
_ALIASES = {
    "truediv": "div",
    "floordiv": "floor_divide",
    "mod": "remainder",
    "invert": "bitwise_not",
    "and": "bitwise_and",
    "or": "bitwise_or",
    "xor": "bitwise_xor",
    "concat": "cat",
    "cross_entropy": "cross_entropy_loss",
    "multiply": "mul",
    "subtract": "sub",
    "float": "to",
    "half": "to",
    "bfloat16": "to",
    "double": "to",
    "long": "to",
    "int": "to",
    "type": "to",
    "type_as": "to",
    "cuda": "to",
    "cpu": "to",
    "swapaxes": "transpose",
}
"""Names under which torch's dispatcher knows what Python calls otherwise."""


class _Expected(NamedTuple):
    """A node in the order in which it is called: where it is, and the shapes of its inputs."""

    place: Place
    key: str
    shapes: tuple[tuple[int, ...], ...]


def match_eager(side: Side, ops: EagerOps, report: CompileReport, *, compiled: Side | None) -> Matched:
    """For each node of the report's Dynamo and backward graphs the slices of the eager `side` that did its work.

    `ops` are what the side asked for. `compiled` tells in which order a step calls the graphs; without it they come in
    the order of compiling. Nodes without a counterpart are not there.
    """
    expected = _expected(report, _called_graphs(report, compiled))
    if not expected:
        return {}
    found: dict[Place, list[int]] = defaultdict(list)
    node_of: dict[int, Place] = {}
    for chosen in _steps_of(side, ops):
        for op, place in _pair_up(side.trace, [int(ops.forward[at]) for at in chosen], expected):
            found[place] += ops.slices_of(op)
            node_of[op] = place
    _add_backward(report, side, ops, node_of, found)
    return {place: tuple(dict.fromkeys(slices)) for place, slices in found.items()}


def match_eager_sides(sides: Sequence[Side], reports: Sequence[CompileReport]) -> tuple[Side, ...]:
    """The sides, those that ran nothing compiled with the work of each graph's nodes."""
    return tuple(_with_nodes(side, sides, reports) if _is_eager(side) else side for side in sides)


def _is_eager(side: Side) -> bool:
    return side.report is None and not any(_REGION.match(name) for name in side.trace.names)


def _with_nodes(side: Side, sides: Sequence[Side], reports: Sequence[CompileReport]) -> Side:
    found: dict[tuple[int, int, int], tuple[int, ...]] = {}
    if not reports:
        return side
    ops = find_eager_ops(side.trace, side.links)
    for number, report in enumerate(reports):
        compiled = next((one for one in sides if one.report is report), None)
        matched = match_eager(side, ops, report, compiled=compiled)
        found |= {(number, *place): slices for place, slices in matched.items()}
    return replace(side, slices_of_node=found)


def _steps_of(side: Side, ops: EagerOps) -> list[list[int]]:
    starts = side.trace.slices.start_ns[ops.forward]
    if not side.steps:
        return [list(range(len(ops.forward)))]
    return list(by_step(starts, [(step.start_ns, step.end_ns) for step in side.steps]).values())


def _called_graphs(report: CompileReport, compiled: Side | None) -> list[int]:
    """Numbers of Dynamo's graphs in the order in which a step calls them."""
    by_id = {graph.compile_id: number for number, graph in enumerate(report.graphs) if graph.stage is Stage.DYNAMO}
    if compiled is None or not compiled.steps:
        return list(by_id.values())
    trace, step = compiled.trace, compiled.steps[len(compiled.steps) // 2]
    regions = {index: match[1] for index, name in enumerate(trace.names) if (match := _REGION.match(name))}
    start = trace.slices.start_ns
    inside = ((start >= step.start_ns) & (start < step.end_ns)).nonzero()[0]
    called = [(int(start[at]), regions[name]) for at in inside if (name := int(trace.slices.name[at])) in regions]
    order = [by_id[id_] for _, id_ in sorted(called) if id_ in by_id]
    return order or list(by_id.values())


def _expected(report: CompileReport, numbers: Sequence[int]) -> list[_Expected]:
    made = []
    for number in numbers:
        graph = report.graphs[number]
        inputs = _inputs(graph)
        made += [
            _Expected((number, at), node_key(node.target), _shapes(graph, inputs[at]))
            for at, node in enumerate(graph.nodes)
            if node.op in _CALLED
        ]
    return made


def _inputs(graph: Graph) -> list[list[int]]:
    inputs: list[list[int]] = [[] for _ in graph.nodes]
    for producer, consumer in graph.edges:
        inputs[consumer].append(producer)
    return inputs


def _shapes(graph: Graph, inputs: Sequence[int]) -> tuple[tuple[int, ...], ...]:
    found = (tensor.shape for at in inputs if (tensor := graph.nodes[at].tensor) is not None)
    return tuple(sorted(tuple(size for size in shape if isinstance(size, int)) for shape in found if shape))


def node_key(target: str) -> str:
    """`torch.nn.functional.linear`, `iadd`, `__eq__` and `aten.mm.default` as the dispatcher names them."""
    if target.startswith(("aten.", "prims.", "torch.ops.")):
        return target.removeprefix("torch.ops.").split(".")[1]
    name = target.rpartition(".")[2].strip("_")
    if name.startswith("i") and name[1:] in ("add", "sub", "mul", "truediv", "and", "or", "matmul", "pow"):
        name = name[1:]
    return _ALIASES.get(name, name)


def op_key(name: str) -> str:
    """`aten::add_` and `aten::__and__` as `node_key` spells them."""
    plain = name.rpartition("::")[2].strip("_")
    return _ALIASES.get(plain, plain)


def _pair_up(trace: Trace, ops: Sequence[int], expected: Sequence[_Expected]) -> list[tuple[int, Place]]:
    """Operators with their nodes, in order; what stands alone between two neighbours is paired by elimination."""
    keys = [op_key(trace.name_of(index)) for index in ops]
    dims = [_dims(trace.shapes.of(index)) for index in ops]

    def score(at: int, node: int) -> int:
        return _SAME_NAME + _SAME_SHAPES * (dims[at] == expected[node].shapes)

    pairs = align_in_order(keys, [one.key for one in expected], score)
    matched = [(ops[at], expected[node].place) for at, node in pairs]
    for (at, node), (later, next_node) in pairwise(pairs):
        if next_node == node + 2 and later > at + 1 and _same_graph(expected[node : next_node + 1]):
            matched += [(index, expected[node + 1].place) for index in ops[at + 1 : later]]
    return matched


def _same_graph(nodes: Sequence[_Expected]) -> bool:
    return len({one.place[0] for one in nodes}) == 1


@lru_cache(maxsize=4096)
def _dims(text: str) -> tuple[tuple[int, ...], ...]:
    """The shapes of tensor inputs, sorted: a call's order of arguments is not the graph's order of edges."""
    if not text:
        return ()
    found = json.loads(text)
    return tuple(sorted(tuple(shape) for shape in found if shape and all(type(size) is int for size in shape)))


def _add_backward(
    report: CompileReport, side: Side, ops: EagerOps, node_of: Mapping[int, Place], found: dict[Place, list[int]]
) -> None:
    """Gives the nodes of each backward graph the eager work that undoes the same stretch of source lines.

    Both sides run through the program's lines backwards; stretches of one line are aligned in order, and within them
    operators with nodes by name.
    """
    undone = zip(ops.backward.tolist(), ops.undoes.tolist(), strict=True)
    known = [(index, line) for index, of in undone if (line := _line(report, node_of.get(of))) is not None]
    starts = side.trace.slices.start_ns[[index for index, _ in known]] if known else side.trace.slices.start_ns[:0]
    steps = [(step.start_ns, step.end_ns) for step in side.steps] or [(0, side.trace.span_ns + 1)]
    for stage in _BACKWARD:
        nodes = _backward_nodes(report, stage)
        runs = _runs([line for _, line in nodes])
        for chosen in by_step(starts, steps).values():
            own = [known[at] for at in chosen]
            eager_runs = _runs([line for _, line in own])
            for first, second in align_in_order([key for key, _, _ in eager_runs], [key for key, _, _ in runs], _one):
                _, low, high = eager_runs[first]
                _, begin, end = runs[second]
                names = [(index, op_key(side.trace.name_of(index))) for index, _ in own[low:high]]
                keyed = [(place, node_key(_node(report, place).target)) for place, _ in nodes[begin:end]]
                for index, places in _share_out(names, keyed):
                    for place in places:
                        found[place] += ops.slices_of(index)


def _share_out(ops: Sequence[tuple[int, str]], nodes: Sequence[tuple[Place, str]]) -> list[tuple[int, list[Place]]]:
    """Each operator with the node of its name, in order; the others with all nodes that are left between neighbours.

    Where none is left there, what a decomposition spread over other nodes goes to the neighbour before, else after.
    """
    pairs = align_in_order([name for _, name in ops], [key for _, key in nodes], _one)
    shared = [(ops[at][0], [nodes[node][0]]) for at, node in pairs]
    bounds = [(-1, -1), *pairs, (len(ops), len(nodes))]
    for (at, node), (later, next_node) in pairwise(bounds):
        between = nodes[node + 1 : next_node] or nodes[max(node, 0) : node + 1] or nodes[next_node : next_node + 1]
        shared += [(index, [place for place, _ in between]) for index, _ in ops[at + 1 : later]]
    return shared


def _one(_first: int, _second: int) -> int:
    return 1


def _backward_nodes(report: CompileReport, stage: Stage) -> list[tuple[Place, tuple[str, int]]]:
    """In the order they run in: the last graph of a step is undone first."""
    numbers = [number for number, graph in enumerate(report.graphs) if graph.stage is stage]
    numbers.sort(key=lambda number: report.graphs[number].compile_id, reverse=True)
    return [
        ((number, at), (node.source.file, node.source.line))
        for number in numbers
        for at, node in enumerate(report.graphs[number].nodes)
        if node.source is not None and node.op in _CALLED
    ]


def _line(report: CompileReport, place: Place | None) -> tuple[str, int] | None:
    source: SourceLine | None = None if place is None else _node(report, place).source
    return None if source is None else (source.file, source.line)


def _node(report: CompileReport, place: Place) -> Node:
    return report.graphs[place[0]].nodes[place[1]]


def _runs(keys: Sequence[tuple[str, int]]) -> list[tuple[tuple[str, int], int, int]]:
    """Stretches of equal keys: (key, first, one past the last)."""
    made: list[tuple[tuple[str, int], int, int]] = []
    for at, key in enumerate(keys):
        if made and made[-1][0] == key:
            made[-1] = (key, made[-1][1], at + 1)
        else:
            made.append((key, at, at + 1))
    return made
