"""What a node depends on and what depends on it. Pure."""

from __future__ import annotations

from collections.abc import Iterable

from profviz.model.graph import Graph


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
