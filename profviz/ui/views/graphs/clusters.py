"""The tree of modules over a graph's cells: who stands in whom, equal neighbours folded to one. Pure.

A module that is left for another and entered again is a cluster of its own each time, so that time runs one way.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Hashable, Sequence
from dataclasses import dataclass, field
from itertools import groupby

from profviz.model.graph import Graph
from profviz.ui.views.graphs.cells import Cells
from profviz.ui.views.graphs.modules import Path

GRAPH = "Graph "  # how the names of clusters begin that are whole graphs
LEAST_BOXES = 3  # a module of fewer boxes is drawn as these
LEAST_FOLD = 3  # equal neighbours in a row
ALL_OPEN = 90  # boxes; graphs of no more are opened whole
FIRST_SIGHT = 56  # boxes to be seen of a larger one at first
LOW_SIGHT = 28  # ... where there is little room


@dataclass(slots=True)
class Cluster:
    """`cells` are boxes right in it, `children` further clusters; `repeats` > 1 where it folds that many equal ones.

    `id` is the same for the same graph, `path` the module's; `nodes` are all it holds, ascending.
    """

    id: str
    title: str
    cells: list[int] = field(default_factory=list)
    children: list[Cluster] = field(default_factory=list)
    nodes: list[int] = field(default_factory=list)
    repeats: int = 1
    boxes: int = 0


def grow(graph: Graph, cells: Cells, modules: Sequence[Path]) -> Cluster:
    """The root, which is always open."""
    root = Cluster("", "model")
    live: list[tuple[str, Cluster]] = []
    used: Counter[str] = Counter()
    for number, cell in enumerate(cells.cells):
        if cell.host >= 0:
            continue
        path = modules[cell.nodes[-1]] if modules else ()
        shared = _shared(live, path)
        if shared < len(path):
            del live[shared:]
        for depth in range(shared, len(path)):
            live.append((path[depth], _enter(path[: depth + 1], live[-1][1] if live else root, used)))
        (live[len(path) - 1][1] if path else root).cells.append(number)
    _count(root, _members(cells))
    _dissolve(root)
    _fold(root, _Signatures(graph))
    return root


def _shared(live: list[tuple[str, Cluster]], path: Path) -> int:
    pairs = zip(live, path, strict=False)
    return next((at for at, ((name, _), part) in enumerate(pairs) if name != part), min(len(live), len(path)))


def _enter(path: Path, parent: Cluster, used: Counter[str]) -> Cluster:
    name = ".".join(path)
    used[name] += 1
    again = f" ({used[name]})" if used[name] > 1 else ""
    shown = ".".join(path[1:] if len(path) > 1 and path[0].startswith(GRAPH) else path)
    made = Cluster(name + again, shown + again)
    parent.children.append(made)
    return made


def _members(cells: Cells) -> list[list[int]]:
    """For each box the nodes of it and of its chips."""
    held: list[list[int]] = [list(cell.nodes) for cell in cells.cells]
    for cell in cells.cells:
        if cell.host >= 0:
            held[cell.host] += cell.nodes
    return held


def _count(cluster: Cluster, held: list[list[int]]) -> None:
    for child in cluster.children:
        _count(child, held)
    own = [node for cell in cluster.cells for node in held[cell]]
    cluster.nodes = sorted([*own, *(node for child in cluster.children for node in child.nodes)])
    cluster.boxes = len(cluster.cells) + sum(child.boxes for child in cluster.children)


def _dissolve(cluster: Cluster) -> None:
    """Takes out clusters of a few boxes, and those that only hold another."""
    kept: list[Cluster] = []
    for child in cluster.children:
        _dissolve(child)
        if child.title.startswith(GRAPH):
            kept.append(child)
        elif child.boxes < LEAST_BOXES:
            cluster.cells += child.cells
        elif not child.cells and len(child.children) == 1:
            kept.append(child.children[0])
        else:
            kept.append(child)
    cluster.children = kept
    cluster.cells.sort()


def _fold(cluster: Cluster, signatures: _Signatures) -> None:
    """Puts runs of equal children into a cluster of their own: the first, and the others as one."""
    for child in cluster.children:
        _fold(child, signatures)
    made: list[Cluster] = []
    for _, run in groupby(cluster.children, key=signatures.of):
        equal = list(run)
        made += [_folded(equal)] if len(equal) >= LEAST_FOLD else equal
    if len(made) == 1 and made[0].repeats > 1 and not cluster.cells:
        cluster.children, cluster.repeats = made[0].children, made[0].repeats
    else:
        cluster.children = made


def _folded(equal: list[Cluster]) -> Cluster:
    rest = _group(equal[1:], equal[1:])
    return _group(equal, [equal[0], rest])


def _group(equal: list[Cluster], children: list[Cluster]) -> Cluster:
    first, last = equal[0].title, equal[-1].title
    title = f"{first} … {last.rpartition('.')[2]}" if len(equal) > 1 else first
    if first.startswith(GRAPH) and len(equal) > 1:
        title = f"{first.partition(' · ')[0]} … {last.partition(' · ')[0].removeprefix(GRAPH)}"
    nodes = sorted(node for one in equal for node in one.nodes)
    return Cluster(f"{first}…{last}", title, [], children, nodes, len(equal), sum(one.boxes for one in equal))


class _Signatures:
    """Equal values for clusters with the same operations, shapes and inner edges."""

    def __init__(self, graph: Graph) -> None:
        self.nodes = graph.nodes
        self.producers: list[list[int]] = [[] for _ in graph.nodes]
        for source, target in graph.edges:
            self.producers[target].append(source)

    def of(self, cluster: Cluster) -> Hashable:
        place = {node: at for at, node in enumerate(cluster.nodes)}
        return tuple(
            (
                self.nodes[node].op,
                "" if self.nodes[node].op == "placeholder" else self.nodes[node].target,
                self.nodes[node].tensor and self.nodes[node].tensor.shape,
                tuple(place[source] for source in self.producers[node] if source in place),
            )
            for node in cluster.nodes
        )


def every(cluster: Cluster) -> list[Cluster]:
    """The cluster and all below it, outer ones first."""
    return [cluster, *(one for child in cluster.children for one in every(child))]


def first_sight(root: Cluster, *, most: int = FIRST_SIGHT) -> frozenset[str]:
    """What is open when a graph is first seen: all of a small one, else `most` boxes, which are read at a glance."""
    if root.boxes * FIRST_SIGHT <= ALL_OPEN * most:
        return frozenset(one.id for one in every(root))
    opened, seen = {root.id}, _items(root)
    level = list(root.children)
    while level:
        level = [cluster for cluster in level if cluster.repeats == 1 or _is_new(cluster)]
        more = sum(_items(cluster) - 1 for cluster in level)
        if seen + more > most:
            fitting = (one.id for one in level if one.children and seen + _items(one) - 1 <= most)
            example = next(fitting, root.id)
            return frozenset({*opened, example})
        seen += more
        opened |= {cluster.id for cluster in level}
        level = [child for cluster in level for child in cluster.children[: 1 if cluster.repeats > 1 else None]]
    return frozenset(opened)


def _items(cluster: Cluster) -> int:
    return len(cluster.cells) + len(cluster.children)


def _is_new(fold: Cluster) -> bool:
    """Whether a fold shows its first block by itself; the rest of the run, inside it, stays one box."""
    return len(fold.children) == 2 and fold.children[1].repeats == fold.repeats - 1


def opening(root: Cluster, wanted: Collection[int]) -> frozenset[str]:
    """The clusters that must be open for the nodes `wanted` to be seen."""
    nodes = set(wanted)
    return frozenset(one.id for one in every(root) if nodes.intersection(one.nodes))
