"""What of a graph is drawn for a set of open clusters: boxes, closed clusters, and the edges between these. Pure.

Every edge of the graph is inside a closed cluster, from a chip to its host, in `edges` (with its count), or in `far`.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Collection
from dataclasses import dataclass, field

from profviz.model.graph import Graph
from profviz.ui.views.graphs.cells import Cells
from profviz.ui.views.graphs.clusters import Cluster
from profviz.ui.views.graphs.layered import Edge, rank_vertices

FAR_RANKS = 10  # an edge over more layers is drawn as a chip at both ends
FAR_FROM_HUB = 3  # ... and over more than this where a node feeds very many, or into the output
HUB = 12
MOST_RESULTS = 6  # results that are led to the output out of modules
FAR_INSIDE = 24  # layers that an edge may pass within each open cluster on its way out or in


@dataclass(slots=True)
class Level:
    """One open cluster: its `items` in order are vertices (>= 0) or open child levels (~level)."""

    cluster: Cluster
    parent: int
    items: list[int] = field(default_factory=list)
    place: dict[int, int] = field(default_factory=dict)  # item -> index in items
    ranks: list[int] = field(default_factory=list)


class Visible:
    """Vertices are boxes (`cell_at[v] >= 0`) or closed clusters (`cluster_at[v]`); `home[v]` is their level.

    `vertex_of[cell]` is -1 for a chip that is seen itself; its host is seen, too.
    """

    def __init__(self, graph: Graph, cells: Cells, root: Cluster, opened: Collection[str]) -> None:
        self.graph, self.cells = graph, cells
        self.levels: list[Level] = []
        self.home: list[int] = []
        self.cell_at: list[int] = []
        self.cluster_at: list[Cluster | None] = []
        self.first: list[int] = []  # each vertex's place in the order of the graph
        self.vertex_of = [-1] * len(cells.cells)
        self.swallowed: set[int] = set()  # chips inside closed clusters
        self._open(root, -1, frozenset(opened))
        for cell, each in enumerate(cells.cells):
            if each.host >= 0 and self.cell_at[self.vertex_of[each.host]] < 0:
                self.vertex_of[cell] = self.vertex_of[each.host]
                self.swallowed.add(cell)
        for level in self.levels:
            level.items.sort(key=self._order)
            level.place = {item: at for at, item in enumerate(level.items)}
        self._sort_edges()

    def _open(self, cluster: Cluster, parent: int, opened: frozenset[str]) -> int:
        number = len(self.levels)
        level = Level(cluster, parent)
        self.levels.append(level)
        for cell in cluster.cells:
            level.items.append(self._vertex(number, cell, None, [cell]))
        for child in cluster.children:
            if child.id in opened:
                level.items.append(~self._open(child, number, opened))
            else:
                level.items.append(self._vertex(number, -1, child, _boxes(child)))
        return number

    def _vertex(self, level: int, cell: int, cluster: Cluster | None, members: list[int]) -> int:
        vertex = len(self.home)
        self.home.append(level)
        self.cell_at.append(cell)
        self.cluster_at.append(cluster)
        for member in members:
            self.vertex_of[member] = vertex
        solid = [member for member in members if not self.cells.cells[member].floating]
        self.first.append(min(solid or members))
        return vertex

    def _order(self, item: int) -> int:
        return self.first[item] if item >= 0 else min(map(self._order, self.levels[~item].items))

    # edges

    def _sort_edges(self) -> None:
        self.counts: Counter[Edge] = Counter()
        self.far: list[Edge] = []  # pairs of cells
        cells_of: dict[Edge, list[Edge]] = defaultdict(list)
        for a, b in dict.fromkeys((*self.cells.edges, *self.cells.back)):
            pair = self.vertex_of[a], self.vertex_of[b]
            if -1 in pair:
                self.far.append((a, b))
            elif pair[0] != pair[1]:
                cells_of[pair].append((a, b))
        for a, b in dict.fromkeys(self.graph.edges):
            pair = self.vertex_of[self.cells.cell_of[a]], self.vertex_of[self.cells.cell_of[b]]
            self.counts[pair] += 1
        self._rank({pair: self._meeting(*pair) for pair in cells_of})
        self.results = sum(self._is_output(v) for _, v in cells_of)
        self.near: list[Edge] = []
        fan = Counter(u for u, _ in cells_of)
        for pair in cells_of:
            if self._is_near(pair, fan[pair[0]]):
                self.near.append(pair)
            else:
                self.far += cells_of[pair]

    def _rank(self, meeting: dict[Edge, tuple[int, int, int]]) -> None:
        """Layers of every level's items from the edges that meet there and run along the order."""
        self.meeting = meeting
        edges: dict[int, set[Edge]] = defaultdict(set)
        for level, source, target in meeting.values():
            if source < target:
                edges[level].add((source, target))
        for number, level in enumerate(self.levels):
            floating = [item >= 0 and self._floats(item) for item in level.items]
            level.ranks = rank_vertices(len(level.items), sorted(edges[number]), floating)

    def _floats(self, vertex: int) -> bool:
        cell = self.cell_at[vertex]
        return cell >= 0 and self.cells.cells[cell].floating

    def _meeting(self, u: int, v: int) -> tuple[int, int, int]:
        """The innermost level that holds both, and the places of the items there that do."""
        above_u, above_v = self.above(u), self.above(v)
        shared = set(above_u) & set(above_v)
        level = next(one for one in above_u if one in shared)
        return level, self.item(u, level), self.item(v, level)

    def above(self, vertex: int) -> list[int]:
        """The levels around a vertex, innermost first."""
        found = [self.home[vertex]]
        while self.levels[found[-1]].parent >= 0:
            found.append(self.levels[found[-1]].parent)
        return found

    def item(self, vertex: int, level: int) -> int:
        """The place among the level's items of the one that holds the vertex."""
        inner = -1
        for one in self.above(vertex):
            if one == level:
                break
            inner = one
        return self.levels[level].place[vertex if inner < 0 else ~inner]

    def inside(self, vertex: int, level: int) -> list[int]:
        """The levels around a vertex that are within `level`, innermost first."""
        above = self.above(vertex)
        return above[: above.index(level)]

    def _is_near(self, pair: Edge, fan: int) -> bool:
        level, source, target = self.meeting[pair]
        if source >= target:
            return False
        ranks = self.levels[level].ranks
        to_output = self._is_output(pair[1])
        inner, outer = self.inside(pair[0], level), self.inside(pair[1], level)
        if to_output and inner and self.results > MOST_RESULTS:
            return False
        if ranks[target] - ranks[source] > (FAR_FROM_HUB if fan > HUB or to_output else FAR_RANKS):
            return False
        out = [max(self.levels[one].ranks) - self.levels[one].ranks[self.item(pair[0], one)] for one in inner]
        into = [self.levels[one].ranks[self.item(pair[1], one)] for one in outer]
        return all(span <= FAR_INSIDE for span in (*out, *into))

    def _is_output(self, vertex: int) -> bool:
        cell = self.cell_at[vertex]
        return cell >= 0 and self.graph.nodes[self.cells.cells[cell].nodes[-1]].op == "output"


def _boxes(cluster: Cluster) -> list[int]:
    return [*cluster.cells, *(cell for child in cluster.children for cell in _boxes(child))]
