"""Which input of Dynamo's graph each input of a later graph is: AOTAutograd numbers them in that order.

Nothing is guessed: a graph's inputs get names only where all of them agree with Dynamo's in count, order and tensor.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import replace

from profviz.model.graph import Graph, Node, Stage

_NUMBERED = re.compile(r"primals_(\d+)|arg(\d+)_1")
_WHOLE = (
    *(Stage.AOT_JOINT, Stage.AOT_FORWARD, Stage.AOT_INFERENCE),
    *(Stage.POST_GRAD_FORWARD, Stage.POST_GRAD_INFERENCE),
)
"""Graphs that take every input that Dynamo's takes; backward graphs take some of them."""


def with_input_names(graphs: Sequence[Graph]) -> tuple[Graph, ...]:
    """The graphs of one log with `Node.input_name` where it is certain."""
    of_id: dict[str, list[Graph]] = defaultdict(list)
    for graph in graphs:
        of_id[graph.compile_id].append(graph)
    return tuple(_named(graph, _inputs(of_id[graph.compile_id])) for graph in graphs)


def _inputs(graphs: Sequence[Graph]) -> tuple[Node, ...]:
    """Dynamo's inputs, none where it is not certain that every later graph of the same id counts them so."""
    traced = [graph for graph in graphs if graph.stage is Stage.DYNAMO]
    whole = [graph for graph in graphs if graph.stage in _WHOLE]
    if len(traced) != 1 or not whole:
        return ()
    inputs = tuple(_placeholders(traced[0]))
    return inputs if all(_agrees(graph, inputs) for graph in whole) else ()


def _agrees(graph: Graph, inputs: Sequence[Node]) -> bool:
    own = [node for node in _placeholders(graph) if _number(node) >= 0]
    return [_number(node) for node in own] == list(range(len(inputs))) and all(map(_same_tensor, own, inputs))


def _named(graph: Graph, inputs: Sequence[Node]) -> Graph:
    """All or none: one input that is another tensor puts the others in doubt."""
    if graph.stage is Stage.DYNAMO:
        return replace(graph, nodes=tuple(map(_as_signed, graph.nodes)))
    if not inputs:
        return graph
    numbers = [_number(node) for node in graph.nodes]
    known = [(node, number) for node, number in zip(graph.nodes, numbers, strict=True) if number >= 0]
    if not all(number < len(inputs) and _same_tensor(node, inputs[number]) for node, number in known):
        return graph
    pairs = zip(graph.nodes, numbers, strict=True)
    return replace(
        graph, nodes=tuple(replace(node, input_name=inputs[at].target) if at >= 0 else node for node, at in pairs)
    )


def _as_signed(node: Node) -> Node:
    """Dynamo's own inputs by the name in the signature: the body's is in small letters."""
    return replace(node, input_name=node.target) if node.op == "placeholder" and node.target != node.name else node


def _placeholders(graph: Graph) -> list[Node]:
    return [node for node in graph.nodes if node.op == "placeholder"]


def _number(node: Node) -> int:
    """Place among the inputs, from 0; -1 for what is none or has another name."""
    match = _NUMBERED.fullmatch(node.name) if node.op == "placeholder" else None
    if match is None:
        return -1
    return int(match[1]) - 1 if match[1] else int(match[2])


def _same_tensor(one: Node, other: Node) -> bool:
    """Symbols are no tensors, and agree with each other."""
    if one.tensor is None or other.tensor is None:
        return one.tensor is other.tensor
    return (one.tensor.shape, one.tensor.dtype) == (other.tensor.shape, other.tensor.dtype)
