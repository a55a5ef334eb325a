"""What a node depends on, what depends on it, and its counterparts on the way back. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from profviz.model.graph import Graph
from profviz.ui.views.graphs.layout import Placement
from profviz.ui.widgets.graph_picture import Role


def reached(graph: Graph, starts: Iterable[int], *, upwards: bool) -> frozenset[int]:
    """The nodes on all ways from `starts` to the inputs (`upwards`) or to the outputs, `starts` included."""
    following: list[list[int]] = [[] for _ in graph.nodes]
    for source, target in graph.edges:
        here, there = (target, source) if upwards else (source, target)
        following[here].append(there)
    waiting = list(starts)
    seen = set(waiting)
    while waiting:
        for node in following[waiting.pop()]:
            if node not in seen:
                seen.add(node)
                waiting.append(node)
    return frozenset(seen)


def way_shapes(placement: Placement, graph: Graph, starts: Sequence[int], *, upwards: bool) -> frozenset[int]:
    """The shapes of what `reached` finds, with the chips that point far away from them."""
    shapes = placement.picture.shapes
    path = frozenset(placement.shape_of[node] for node in reached(graph, starts, upwards=upwards)) if starts else set()
    chips = {at for at, shape in enumerate(shapes) if shape.host in path and shape.role is Role.FAR}
    return frozenset(path | chips)


def counterparts(graphs: Sequence[Graph], graph: int, node: int, others: Iterable[int]) -> list[tuple[int, int]]:
    """(graph, node) in `others` of the same compile id whose line is the same: backward's nodes name forward's line.

    Where a line ran several times in one graph, they are the counterparts of all its nodes together.
    """
    own = graphs[graph]
    source = own.nodes[node].source
    if source is None:
        return []
    line = source.file, source.line
    return [
        (number, at)
        for number in others
        if graphs[number].compile_id == own.compile_id
        for at, one in enumerate(graphs[number].nodes)
        if one.source is not None and (one.source.file, one.source.line) == line
    ]
