"""What is said about nodes: tooltips, search and the line of figures above a graph. Pure text."""

from __future__ import annotations

from collections.abc import Sequence

from profviz.model.graph import ACCUMULATE_OP, Graph, Node
from profviz.model.input_names import gradient_words
from profviz.model.units import format_bytes
from profviz.ui.views.graphs.kinds import short_op, short_tensor, shown_name, tensor_bytes

LISTED = 6


def tip(graph: Graph, nodes: Sequence[int], *, far: bool = False) -> str:
    """Everything known of one node, or a list of several; plain text."""
    if len(nodes) == 1 and not far:
        return node_tip(graph.nodes[nodes[0]])
    head = (
        "Drawn apart to keep the picture readable; click to go there:" if far else f"{len(nodes)} operations in a row:"
    )
    if not far and all(graph.nodes[index].op in ("placeholder", "get_attr") for index in nodes):
        head = f"{len(nodes)} inputs:"
    lines = [f"{full_name(graph.nodes[index])}   {short_tensor(graph.nodes[index].tensor)}" for index in nodes[:LISTED]]
    more = [f"and {len(nodes) - LISTED} more"] if len(nodes) > LISTED else []
    kernels = list(dict.fromkeys(kernel for index in nodes for kernel in graph.nodes[index].kernels))
    return "\n".join([head, *lines, *more, *([] if far else _kernel_lines(kernels))])


def full_name(node: Node) -> str:
    """With what people call it first, where that is known: `fc.weight (primals_5)`."""
    shown = shown_name(node)
    return f"{shown} ({node.name})" if node.input_name and shown != node.name else node.name


def node_tip(node: Node) -> str:
    lines = [full_name(node)]
    if node.op == "break":
        lines.append(node.target)
    elif node.op in ("placeholder", "output", "get_attr"):
        lines.append(
            gradient_words(node.name) or {"placeholder": "input", "output": "result", "get_attr": "attribute"}[node.op]
        )
    elif node.op == ACCUMULATE_OP:
        lines.append("adds to the parameter's gradient")
    else:
        lines.append(node.target)
    lines += [f"keeps {format_bytes(node.saved_bytes)} for backward"] if node.saved_bytes else []
    if node.tensor is not None:
        stride = "×".join(map(str, node.tensor.stride))
        words = [short_tensor(node.tensor), node.tensor.device, f"stride {stride}" if stride else ""]
        lines.append("  ".join(word for word in words if word))
    if node.module:
        lines.append(f"module {node.module}")
    if node.source is not None:
        function = f" in {node.source.function}" if node.source.function else ""
        lines.append(f"{node.source.place}{function}")
        lines += [f"    {node.source.text.strip()}"] if node.source.text.strip() else []
    return "\n".join(lines + _kernel_lines(node.kernels))


def edge_tip(graph: Graph, nodes: Sequence[int], target: str) -> str:
    """What an edge carries: shape, dtype and size of each value; plain text."""
    lines = []
    for index in nodes[:LISTED]:
        node = graph.nodes[index]
        size = tensor_bytes(node.tensor)
        words = (short_tensor(node.tensor) or "no tensor", format_bytes(size) if size is not None else "")
        lines.append(f"{shown_name(node)}   {' · '.join(word for word in words if word)}")
    more = [f"and {len(nodes) - LISTED} more"] if len(nodes) > LISTED else []
    return "\n".join([f"to {target}:", *lines, *more])


def _kernel_lines(kernels: Sequence[str]) -> list[str]:
    if not kernels:
        return []
    more = [f"    and {len(kernels) - LISTED} more"] if len(kernels) > LISTED else []
    return [f"kernel {kernels[0]}", *(f"    also {kernel}" for kernel in kernels[1:LISTED]), *more]


class NodeSearch:
    """What the nodes of one graph are found by, worked out once: at ten thousand nodes it takes longer than a key."""

    def __init__(self) -> None:
        self._graph: Graph | None = None
        self._own: list[str] = []

    def find(self, graph: Graph | None, text: str) -> list[int]:
        """Nodes whose name, operation, module or shape holds every word of `text`, whatever the case.

        Where there is none, nodes whose kernels do: a kernel's name lists many operations and would drown the others.
        """
        words = text.lower().replace("x", "×").split() if _looks_like_shape(text) else text.lower().split()
        if not words or graph is None:
            return []
        if graph is not self._graph:
            self._graph, self._own = graph, [_own_words(node) for node in graph.nodes]
        found = [index for index, own in enumerate(self._own) if all(word in own for word in words)]
        return found or self._by_kernels(graph, words)

    def _by_kernels(self, graph: Graph, words: Sequence[str]) -> list[int]:
        named = ((index, "\n".join(node.kernels).lower()) for index, node in enumerate(graph.nodes) if node.kernels)
        return [index for index, names in named if all(word in names or word in self._own[index] for word in words)]


def _looks_like_shape(text: str) -> bool:
    return bool(text) and all(letter in "0123456789x× " for letter in text.lower())


def _own_words(node: Node) -> str:
    words = (node.name, shown_name(node), short_op(node), node.target, node.module, short_tensor(node.tensor))
    return "\n".join(words).lower()


def figures(graph: Graph) -> str:
    """`936 nodes · 1 100 edges · 103 kernels`; kernels only where provenance names them."""
    kernels = {kernel for node in graph.nodes for kernel in node.kernels}
    words = [f"{len(graph.nodes):,} nodes", f"{len(graph.edges):,} edges"]
    if not kernels and graph.stage.value.startswith("post_grad"):
        words.append("kernels unknown")
    if kernels:
        words.append(f"{len(kernels):,} kernels")
    return " · ".join(words).replace(",", " ")
