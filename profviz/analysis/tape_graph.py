"""The tape as a graph: from the loss to the parameters, as gradients flow."""

from __future__ import annotations

from profviz.model.graph import ACCUMULATE_OP, AUTOGRAD_OP, Graph, Node, Stage
from profviz.model.tape import Tape, TapeNode


def graph_of(tape: Tape) -> Graph:
    """Node i is the tape's node i. Names are the parameter's, or torch's with the place in the backward pass."""
    nodes = tuple(_node(tape, number, node) for number, node in enumerate(tape.nodes))
    edges = tuple(dict.fromkeys((one, other) for one, other, _ in tape.edges))
    return Graph(Stage.TAPE, "", nodes, edges)


def _node(tape: Tape, number: int, node: TapeNode) -> Node:
    place = "" if node.order is None else f" {node.order + 1}"
    return Node(
        name=node.parameter or f"{node.title}{place}",
        op=ACCUMULATE_OP if node.parameter else AUTOGRAD_OP,
        target=f"autograd.{node.title}",
        tensor=node.tensors[0] if node.tensors else None,
        source=node.source,
        module=node.module,
        saved_bytes=tape.node_bytes(number),
    )
