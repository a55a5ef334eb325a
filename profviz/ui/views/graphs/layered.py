"""Layered placement of vertices with real sizes and routed edges, on an abstract (across, along) plane.

It owns ranks, order and coordinates, and must not know what a vertex is. Cancelled through a callable that raises.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

from fast_sugiyama import from_edges

Edge = tuple[int, int]
SWEEPS = 6
SIMPLEX_COST = 8000
ANCHOR = 0.04
INFINITE = float("inf")
LANE = 5.0  # half the room across that a passing edge takes


@dataclass(frozen=True, slots=True)
class Sheet:
    """Vertices 0..n-1: `before` and `after` are extents across from the vertex's centre, `ranks` its layer.

    `edges` are distinct and lead from a lower to a higher rank. `space` is the room between neighbours across.
    """

    before: Sequence[float]
    after: Sequence[float]
    ranks: Sequence[int]
    edges: Sequence[Edge]
    space: float


@dataclass(frozen=True, slots=True)
class Arrangement:
    """`across` is each vertex's centre; `lanes[i]` where edge i crosses the layers between its ends, in order."""

    across: list[float]
    lanes: list[list[float]]


def rank_vertices(count: int, edges: Sequence[Edge], floating: Sequence[bool]) -> list[int]:
    """Longest-path layers from the sources; `floating` vertices sink to just above their first consumer.

    Edges lead from a lower to a higher index. The lowest rank is 0.
    """
    ranks = [0] * count
    fed = [False] * count
    below: list[list[int]] = [[] for _ in range(count)]
    for source, target in sorted(edges):
        ranks[target] = max(ranks[target], ranks[source] + 1)
        fed[target] = True
        below[source].append(target)
    for vertex in range(count - 1, -1, -1):
        if below[vertex] and (floating[vertex] or not fed[vertex]):
            ranks[vertex] = min(ranks[target] for target in below[vertex]) - 1
    lowest = min(ranks, default=0)
    return [rank - lowest for rank in ranks]


def arrange(sheet: Sheet, check: Callable[[], None]) -> Arrangement:
    """Orders each layer with few crossings and places it so that edges run straight and nothing overlaps."""
    work = _Rows(sheet)
    check()
    order = work.ordered()
    check()
    across = [0.0] * work.size
    taken: dict[int, float] = defaultdict(lambda: 0.0)
    for piece in work.pieces(order):
        work.straighten(piece, across, check)
        work.align(piece, across)
        _pack(work, piece, across, taken)
    lanes = [[across[vertex] for vertex in chain] for chain in work.chains]
    return Arrangement(across[: len(sheet.ranks)], lanes)


class _Rows:
    """The layers with a lane vertex wherever an edge passes a layer."""

    def __init__(self, sheet: Sheet) -> None:
        self.sheet = sheet
        self.real = len(sheet.ranks)
        self.ranks = list(sheet.ranks)
        self.before = list(sheet.before)
        self.after = list(sheet.after)
        self.chains: list[list[int]] = []
        self.links: list[Edge] = []
        for source, target in sheet.edges:
            self._add_chain(source, target)
        self.size = len(self.ranks)
        self.up: list[list[tuple[int, float]]] = [[] for _ in range(self.size)]
        self.down: list[list[tuple[int, float]]] = [[] for _ in range(self.size)]
        for source, target in self.links:
            # straight lanes matter more than straight short edges (Gansner et al. 1993, section 4.1)
            weight = (1.0, 2.0, 8.0)[(source >= self.real) + (target >= self.real)]
            self.down[source].append((target, weight))
            self.up[target].append((source, weight))

    def _add_chain(self, source: int, target: int) -> None:
        chain = []
        for rank in range(self.ranks[source] + 1, self.ranks[target]):
            chain.append(len(self.ranks))
            self.ranks.append(rank)
            self.before.append(LANE)
            self.after.append(LANE)
        self.chains.append(chain)
        path = [source, *chain, target]
        self.links += pairwise(path)

    def ordered(self) -> dict[int, float]:
        """A position across for every vertex that has an edge; only its order within a layer is used."""
        return self._sugiyama() if self.links else {}

    def _sugiyama(self) -> dict[int, float]:
        # all links span one layer, so "minimize" gives back our ranks; its network simplex is slow on wide graphs,
        # where "up" orders about as well (crossings within a tenth on the graphs tried)
        ranking = "minimize" if self._width_cost() <= SIMPLEX_COST else "up"
        layouts: Any = from_edges(self.links, ranking_type=ranking, vertex_spacing=100.0, dummy_vertices=False)
        return {int(vertex): float(place[0]) for vertex, place in layouts.to_dict().items()}

    def _width_cost(self) -> int:
        """Sum over the layers of their squared width: what ordering costs grows with it."""
        return sum(width * width for width in Counter(self.ranks).values())

    def pieces(self, order: dict[int, float]) -> list[list[list[int]]]:
        """Weakly connected pieces, largest first, each as rows of vertices in order."""
        roots = _roots(self.size, self.links)
        members: dict[int, list[int]] = defaultdict(list)
        for vertex, root in enumerate(roots):
            members[root].append(vertex)
        result = []
        for piece in sorted(members.values(), key=lambda piece: (-len(piece), piece[0])):
            rows: dict[int, list[int]] = defaultdict(list)
            for vertex in sorted(piece, key=lambda vertex: (order.get(vertex, 0.0), vertex)):
                rows[self.ranks[vertex]].append(vertex)
            result.append([rows[rank] for rank in sorted(rows)])
        return result

    def straighten(self, rows: list[list[int]], across: list[float], check: Callable[[], None]) -> None:
        for row in rows:
            _settle(self, row, [0.0] * len(row), [1.0] * len(row), across)
        for sweep in range(SWEEPS):
            check()
            for row in rows:
                self._pull(row, across, (self.up,))
            for row in reversed(rows):
                self._pull(row, across, (self.down,) if sweep < SWEEPS - 2 else (self.up, self.down))

    def _pull(self, row: list[int], across: list[float], sides: tuple[list[list[tuple[int, float]]], ...]) -> None:
        wanted, weights = [], []
        for vertex in row:
            total, heavy = 0.0, ANCHOR  # a weak pull to the axis keeps a long graph from drifting away
            for side in sides:
                for other, weight in side[vertex]:
                    total += weight * across[other]
                    heavy += weight
            wanted.append(total / heavy)
            weights.append(heavy)
        _settle(self, row, wanted, weights, across)

    def align(self, rows: list[list[int]], across: list[float]) -> None:
        """Puts what follows one another without a fork on one line, as far as the neighbours leave room."""
        beside = {
            vertex: (row[place - 1] if place else -1, row[place + 1] if place + 1 < len(row) else -1)
            for row in rows
            for place, vertex in enumerate(row)
        }
        for run in self._unforked([vertex for row in rows for vertex in row]):
            stretch: list[int] = []
            low, high = -INFINITE, INFINITE
            for vertex in run:
                least, most = self._room(vertex, *beside[vertex], across)
                if max(low, least) > min(high, most):
                    _level(stretch, low, high, across)
                    stretch, low, high = [], -INFINITE, INFINITE
                stretch.append(vertex)
                low, high = max(low, least), min(high, most)
            _level(stretch, low, high, across)

    def _unforked(self, vertices: list[int]) -> list[list[int]]:
        """Maximal runs of vertices of which each feeds only the next and the next is fed by it alone, longest first."""
        following = {
            vertex: self.down[vertex][0][0]
            for vertex in vertices
            if len(self.down[vertex]) == 1 and len(self.up[self.down[vertex][0][0]]) == 1
        }
        runs = []
        for vertex in sorted(set(following) - set(following.values())):
            run = [vertex]
            while run[-1] in following:
                run.append(following[run[-1]])
            runs.append(run)
        return sorted(runs, key=lambda run: (-len(run), run[0]))

    def _room(self, vertex: int, left: int, right: int, across: list[float]) -> tuple[float, float]:
        """The least and the greatest centre that a vertex may have between its neighbours."""
        space = self.sheet.space
        least = across[left] + self.after[left] + self.before[vertex] + space if left >= 0 else -INFINITE
        most = across[right] - self.before[right] - self.after[vertex] - space if right >= 0 else INFINITE
        return least, most


def _level(stretch: list[int], low: float, high: float, across: list[float]) -> None:
    """Moves all to their mean, kept between `low` and `high`."""
    if len(stretch) > 1:
        place = min(max(sum(across[vertex] for vertex in stretch) / len(stretch), low), high)
        for vertex in stretch:
            across[vertex] = place


def _settle(rows: _Rows, row: list[int], wanted: list[float], weights: list[float], across: list[float]) -> None:
    """Places a row as near to `wanted` as order and sizes allow: least squares by pooling adjacent violators."""
    shifts = [0.0]
    for left, right in pairwise(row):
        shifts.append(shifts[-1] + rows.after[left] + rows.before[right] + rows.sheet.space)
    blocks: list[list[float]] = []  # mean, weight, length
    for place, weight, shift in zip(wanted, weights, shifts, strict=True):
        block = [place - shift, weight, 1.0]
        while blocks and blocks[-1][0] >= block[0]:
            mean, heavy, length = blocks.pop()
            both = heavy + block[1]
            block = [(mean * heavy + block[0] * block[1]) / both, both, length + block[2]]
        blocks.append(block)
    index = 0
    for mean, _, length in blocks:
        for _ in range(int(length)):
            across[row[index]] = mean + shifts[index]
            index += 1


def _pack(work: _Rows, piece: list[list[int]], across: list[float], taken: dict[int, float]) -> None:
    """Moves a piece beside what stands already, layer by layer, so that pieces share layers without overlap."""
    shift = max(taken[work.ranks[row[0]]] - (across[row[0]] - work.before[row[0]]) for row in piece)
    for row in piece:
        for vertex in row:
            across[vertex] += shift
        taken[work.ranks[row[0]]] = across[row[-1]] + work.after[row[-1]] + 3 * work.sheet.space


def _roots(count: int, links: Sequence[Edge]) -> list[int]:
    """For every vertex the lowest vertex of its weakly connected piece."""
    parent = list(range(count))

    def find(vertex: int) -> int:
        while parent[vertex] != vertex:
            parent[vertex] = parent[parent[vertex]]
            vertex = parent[vertex]
        return vertex

    for source, target in links:
        low, high = sorted((find(source), find(target)))
        parent[high] = low
    return [find(vertex) for vertex in range(count)]
