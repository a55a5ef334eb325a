"""The words, sizes and colours of a cell and of a kernel's group. Pure; sizes are estimates for a 12 pixel sans."""

from __future__ import annotations

import enum
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from profviz.model.graph import ACCUMULATE_OP, AUTOGRAD_OP, Graph, Node
from profviz.model.results import SliceKind
from profviz.model.units import format_bytes
from profviz.ui.views.graphs.cells import Cell
from profviz.ui.views.graphs.clusters import Cluster
from profviz.ui.views.graphs.kinds import (
    is_generated,
    is_view,
    kind_of,
    own_kernel,
    path_ending,
    short_op,
    short_tensor,
    shown_name,
)
from profviz.ui.widgets.graph_picture import Hull, Role, Shape

TITLE_WIDTH, DETAIL_WIDTH, CHIP_WIDTH = 7.2, 6.1, 6.0  # pixels a character
NARROWEST, WIDEST = 76.0, 172.0
WIDEST_CUT = 560.0
WIDEST_NODE = 236.0  # autograd's names are long, and end alike
PADDING = 22.0


class Colouring(enum.Enum):
    """What a box's colour says."""

    KERNEL = "kernel"
    OPERATION = "operation"
    EAGER = "eager time"
    COMPILED = "compiled time"


@dataclass(frozen=True, slots=True)
class CellText:
    """`reference` names the cell where an edge to it is drawn as a chip."""

    shape: Shape
    width: float
    reference: str


def cell_text(graph: Graph, cell: Cell, colouring: Colouring) -> CellText:
    """The last node gives the shape and the colour: it is what the cell hands on."""
    nodes = [graph.nodes[index] for index in cell.nodes]
    last = nodes[-1]
    if last.op == "break":
        return _cut(last)
    if cell.host >= 0:
        return _chip(nodes)
    title = _title(nodes)
    detail = " · ".join(part for part in (short_tensor(last.tensor) or _fallback(last), saved_words(nodes)) if part)
    plain = _colour(nodes, Colouring.OPERATION)
    shape = Shape(_role(nodes), title, detail, colour=_colour(nodes, colouring), plain=plain)
    width = max(len(title) * TITLE_WIDTH, len(detail) * DETAIL_WIDTH) + PADDING
    widest = WIDEST_NODE if last.op == AUTOGRAD_OP else WIDEST
    return CellText(shape, min(max(width, NARROWEST), widest), shown_name(last))


def saved_words(nodes: Sequence[Node]) -> str:
    """What a tape's nodes keep for backward; empty where that is nothing."""
    total = sum(node.saved_bytes or 0 for node in nodes)
    return f"saves {format_bytes(total)}" if total else ""


def _cut(node: Node) -> CellText:
    """Where a graph broke: the line that runs eager, and why."""
    line = node.source.text.strip() if node.source is not None else ""
    title = line or node.name
    detail = f"{node.name}: {node.target}"
    width = max(len(title) * TITLE_WIDTH, len(detail) * DETAIL_WIDTH) + PADDING
    shape = Shape(Role.CUT, title, detail)
    return CellText(shape, min(max(width, NARROWEST), WIDEST_CUT), node.name)


def cluster_text(graph: Graph, cluster: Cluster) -> CellText:
    """A closed cluster: its name, how often it repeats, and how much it holds."""
    title = f"{_last(cluster.title)}  ×{cluster.repeats}" if cluster.repeats > 1 else _last(cluster.title)
    detail = _held(graph, cluster)
    width = max(len(title) * TITLE_WIDTH + 16, len(detail) * DETAIL_WIDTH) + PADDING
    shape = Shape(Role.GROUP, title, detail, colour=-1, opens=cluster.id)
    return CellText(shape, min(max(width, NARROWEST), WIDEST), _last(cluster.title))


def frame_text(graph: Graph, cluster: Cluster) -> Hull:
    """An open cluster: the whole path of its module."""
    times = f"  ×{cluster.repeats}" if cluster.repeats > 1 else ""
    return Hull(cluster.title + times, _held(graph, cluster), -1, (), cluster.id)


def _last(title: str) -> str:
    """The last two steps of a module's path, with blocks' numbers: `h.0.attn` is 0.attn."""
    first, fold, rest = title.partition(" … ")
    parts = first.split(".")
    keep = 2 if len(parts) > 1 and (parts[-1].isdecimal() or parts[-2].isdecimal()) else 1
    return ".".join(parts[-keep:]) + fold + rest


def _held(graph: Graph, cluster: Cluster) -> str:
    calls = sum(graph.nodes[node].op not in ("placeholder", "get_attr", "output") for node in cluster.nodes)
    kernels = {own_kernel(graph.nodes[node]) for node in cluster.nodes} - {""}
    return f"{calls} ops" + (f" · {len(kernels)} kernel{'' if len(kernels) == 1 else 's'}" if kernels else "")


def kernel_title(kernel: str, nodes: Sequence[Node], parts: Sequence[tuple[int, ...]], shapes: Sequence[int]) -> Hull:
    """The group of one kernel call: name and number, and how many operations of it stand here."""
    name, _, number = kernel.rpartition(":")
    count = sum(own_kernel(nodes[index]) == kernel for part in parts for index in part)
    title = f"#{number} {name}" if name else kernel
    return Hull(title, f"{count} operations, one kernel", int(SliceKind.FUSED), tuple(shapes))


def _chip(nodes: list[Node]) -> CellText:
    if nodes[-1].op == ACCUMULATE_OP:
        return _gradient_chip(nodes[-1])
    inputs = [node for node in nodes if node.op in ("placeholder", "get_attr")]
    if len(inputs) > 1:
        title = f"{len(inputs)} inputs"
    elif len(nodes) > 1 and inputs:
        title = f"{_tail(inputs[0])} · {len(nodes) - 1} ops"
    else:
        title = _tail(nodes[0]) if inputs else short_op(nodes[-1])
    detail = "" if len(inputs) > 1 else short_tensor(nodes[-1].tensor).rpartition(" ")[0]
    width = 18 + CHIP_WIDTH * (len(title) + len(detail) + (2 if detail else 0))
    colour = int(SliceKind.OTHER)
    return CellText(Shape(Role.CHIP, title, detail, colour=colour), min(width, 150.0), shown_name(nodes[-1]))


def _gradient_chip(node: Node) -> CellText:
    title = f"grad {_tail(node)}"
    detail = short_tensor(node.tensor).rpartition(" ")[0]
    width = 18 + CHIP_WIDTH * (len(title) + len(detail) + 2)
    return CellText(Shape(Role.CHIP, title, detail, colour=int(SliceKind.OTHER)), min(width, 150.0), _tail(node))


def _tail(node: Node) -> str:
    """The last two steps of a parameter's path: the rest is in the tooltip."""
    return ".".join(shown_name(node).split(".")[-2:])


def _title(nodes: list[Node]) -> str:
    if len(nodes) == 1:
        node = nodes[0]
        named = node.op in ("placeholder", "get_attr", ACCUMULATE_OP)
        return path_ending(shown_name(node)) if named else short_op(node)
    names = list(Counter(short_op(node) for node in nodes).items())
    shown = [f"{name} ×{count}" if count > 1 else name for name, count in names[:2]]
    return " · ".join(shown) + (f" +{len(names) - 2}" if len(names) > 2 else "")


def _fallback(node: Node) -> str:
    return {"placeholder": "input", "output": "result"}.get(node.op, "")


def _role(nodes: list[Node]) -> Role:
    pale = all(is_view(node) for node in nodes) or nodes[-1].op in ("placeholder", "get_attr", "output", ACCUMULATE_OP)
    return Role.PALE if pale else Role.BOX


def _colour(nodes: list[Node], colouring: Colouring) -> int:
    """Green for what generated kernels compute on their own; a library call keeps the colour of its operation."""
    if nodes[-1].op == "output":
        return -1
    kernels = [kernel for kernel in map(own_kernel, nodes) if kernel]
    if colouring is not Colouring.OPERATION and kernels and all(map(is_generated, kernels)):
        return int(SliceKind.FUSED)
    kinds = [kind_of(node) for node in nodes]
    return int(next((kind for kind in kinds if kind is not SliceKind.OTHER), SliceKind.OTHER))
