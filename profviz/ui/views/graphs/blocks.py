"""Places the items of one open cluster in layers, with ports at its borders, and hands out the routes. Pure geometry.

Coordinates are (across, along) the graph's direction. Clusters with the same sizes and edges are placed once.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import TypeAlias

from profviz.ui.views.graphs.layered import Arrangement, Edge, Sheet, arrange

Point: TypeAlias = tuple[float, float]
Cache: TypeAlias = dict[tuple[object, ...], Arrangement]
SPACE = 18.0
GAP_DOWN, GAP_RIGHT = 28.0, 40.0  # between layers
GAP_PORT = 14.0
PORT = 5.0  # half the room a port takes
PORT_STEP = 10.0
FRAME_TITLE = 22.0
FRAME_PAD = 12.0


@dataclass(frozen=True, slots=True)
class Item:
    """What is placed: extents across from its centre, its length along, and `room`, how far edges spread across it.

    `border` is where along it edges leave, and `ahead` how much room they want before the next layer.
    """

    before: float
    after: float
    along: float
    border: float
    room: float
    ahead: float = 0.0


@dataclass(slots=True)
class Plan:
    """`ranks` are the items' layers; `edges` lead between items, `enter` from an outer vertex to items, `leave` out."""

    items: list[Item]
    ranks: list[int]
    edges: list[Edge]
    enter: dict[int, list[int]] = field(default_factory=lambda: defaultdict(list))
    leave: dict[int, int] = field(default_factory=dict)
    extra: float = 0.0  # room for titles between layers


class Block:
    """A placed plan: `across[i]` and `start(i)` of each item, `ins` and `outs` across of each outer vertex's port."""

    def __init__(self, plan: Plan, cache: Cache, check: Callable[[], None], *, downwards: bool, framed: bool) -> None:
        self.plan, self.downwards, self.framed = plan, downwards, framed
        count = len(plan.items)
        shift = 1 if plan.enter else 0
        last = max(plan.ranks, default=-1) + shift + 1
        self.ranks = [rank + shift for rank in plan.ranks] + [0] * len(plan.enter) + [last] * len(plan.leave)
        self.entry = {outer: count + at for at, outer in enumerate(plan.enter)}
        self.exit = {inner: count + len(plan.enter) + at for at, inner in enumerate(plan.leave)}
        self.edges = list(dict.fromkeys(self._all_edges()))
        ports = len(plan.enter) + len(plan.leave)
        before = [item.before for item in plan.items] + [PORT] * ports
        after = [item.after for item in plan.items] + [PORT] * ports
        key = (tuple(before), tuple(after), tuple(self.ranks), tuple(self.edges))
        if key not in cache:
            cache[key] = arrange(Sheet(before, after, self.ranks, self.edges, SPACE), check)
        self.arrangement = cache[key]
        self.across = self.arrangement.across
        self.low = min((a - b for a, b in zip(self.across, before, strict=True)), default=0.0)
        self.high = max((a + b for a, b in zip(self.across, after, strict=True)), default=0.0)
        self._stack(last)
        self._spread()

    def _all_edges(self) -> list[Edge]:
        enter = [(self.entry[outer], item) for outer, items in self.plan.enter.items() for item in items]
        return [*self.plan.edges, *enter, *((item, self.exit[inner]) for inner, item in self.plan.leave.items())]

    def _stack(self, last: int) -> None:
        depth, ahead = [0.0] * (last + 1), [0.0] * (last + 1)
        for item, rank in zip(self.plan.items, self.ranks, strict=False):
            depth[rank] = max(depth[rank], item.along)
            ahead[rank] = max(ahead[rank], item.ahead)
        gap = (GAP_DOWN if self.downwards else GAP_RIGHT) + self.plan.extra
        self.starts, self.ends, at = [], [], 0.0
        for rank, deep in enumerate(depth):
            self.starts.append(at)
            self.ends.append(at + deep)
            port = (rank == 0 and self.plan.enter) or (rank == last - 1 and not self.plan.extra)
            at += deep + max(GAP_PORT + self.plan.extra if port else gap, ahead[rank])
        self.length = self.ends[-1] if self.plan.leave else self.ends[-2] if len(self.ends) > 1 else 0.0

    def _spread(self) -> None:
        """Where each edge leaves and arrives, spread over the item in the order of what it leads to."""
        self.ports: list[list[float]] = [[0.0, 0.0] for _ in self.edges]
        for side in (0, 1):
            sharing: dict[int, list[int]] = defaultdict(list)
            for index, edge in enumerate(self.edges):
                sharing[edge[side]].append(index)
            for vertex, edges in sharing.items():
                room = self.plan.items[vertex].room if vertex < len(self.plan.items) else 0.0
                step = min(PORT_STEP, room / max(len(edges) - 1, 1))
                order = sorted(edges, key=lambda index: (self._next(index, side), index))
                for place, index in enumerate(order):
                    self.ports[index][side] = self.across[vertex] + (place - (len(edges) - 1) / 2) * step
        self.number = {edge: index for index, edge in enumerate(self.edges)}

    def _next(self, index: int, side: int) -> float:
        lanes = self.arrangement.lanes[index]
        if lanes:
            return lanes[0] if side == 0 else lanes[-1]
        return self.across[self.edges[index][1 - side]]

    # what the outside sees

    @property
    def before(self) -> float:
        """From the frame's middle to its edge at the low side; the frame's title is at the low side to the right."""
        return self.after

    @property
    def after(self) -> float:
        low, high = self.span
        return (high - low) / 2

    @property
    def span(self) -> Point:
        """The frame across."""
        if not self.framed:
            return self.low, self.high
        return self.low - FRAME_PAD - (0.0 if self.downwards else FRAME_TITLE), self.high + FRAME_PAD

    @property
    def margin(self) -> float:
        """From the frame to the first layer."""
        return 0.0 if not self.framed else FRAME_TITLE if self.downwards else FRAME_PAD

    @property
    def along(self) -> float:
        return self.margin + self.length + (FRAME_PAD if self.framed else 0.0)

    def start(self, item: int) -> float:
        return self.starts[self.ranks[item]]

    def entry_across(self, outer: int) -> float:
        return self.across[self.entry[outer]]

    def exit_across(self, inner: int) -> float:
        return self.across[self.exit[inner]]

    def route(self, edge: Edge, *, leave: float | None = None, arrive: float | None = None) -> list[Point]:
        """The points of an edge; `leave` and `arrive` replace its ends where open items have ports."""
        source, target = edge
        index = self.number[edge]
        out = self.ports[index][0] if leave is None else leave
        into = self.ports[index][1] if arrive is None else arrive
        rank = self.ranks[source]
        size = self.plan.items[source].border if source < len(self.plan.items) else 0.0
        points = [(out, self.starts[rank] + size)]
        if self.ends[rank] > self.starts[rank] + size:
            points.append((out, self.ends[rank]))
        for lane in self.arrangement.lanes[index]:
            rank += 1
            points += [(lane, self.starts[rank]), (lane, self.ends[rank])]
        points.append((into, self.starts[self.ranks[target]]))
        return points


def origins(blocks: Sequence[Block], parents: Sequence[tuple[int, int]]) -> list[Point]:
    """What is added to each block's coordinates; `parents[b]` is (parent block, its item), (-1, -1) for the root."""
    found: list[Point] = []
    for block, (parent, item) in zip(blocks, parents, strict=True):
        if parent < 0:
            found.append((0.0, 0.0))
            continue
        outer = blocks[parent]
        low, high = block.span
        across = found[parent][0] + outer.across[item] - (low + high) / 2
        found.append((across, found[parent][1] + outer.start(item) + block.margin))
    return found
