"""From a graph to the picture the canvas draws: sizes, chips and routed edges. Pure; cancelled by raising."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable
from dataclasses import dataclass, replace
from itertools import accumulate

import numpy as np

from profviz.model.graph import Graph, Node
from profviz.ui.views.graphs.cells import Cells, condense
from profviz.ui.views.graphs.hulls import HULL_TITLE, Ground, kernel_groups
from profviz.ui.views.graphs.kinds import is_view, own_kernel
from profviz.ui.views.graphs.labels import CellText, Colouring, cell_text, kernel_title
from profviz.ui.views.graphs.layered import Arrangement, Edge, Sheet, arrange, rank_vertices
from profviz.ui.widgets.graph_picture import F8, Hull, Picture, Rect, Role, Shape

BOX_HEIGHT = 40.0
CHIP_HEIGHT = 17.0
CHIP_SPACE = 3.0
SPACE = 18.0
GAP_DOWN, GAP_RIGHT = 28.0, 40.0  # between layers
FAR_RANKS = 10  # an edge over more layers is drawn as a chip at both ends
FAR_FROM_HUB = 3  # ... and over more than this where a node feeds very many, or into the output
HUB = 12
PORT_STEP = 10.0


class Cancelled(Exception):
    """The picture is not wanted any more."""


@dataclass(frozen=True, slots=True, eq=False)
class Placement:
    """A picture and what its shapes mean: `shape_of[node]`, and `nodes_of[shape]` (a far chip: the nodes it points to).

    `node_count` and `edge_count` are the graph's own; `far` is how many distinct edges are drawn as chips.
    """

    picture: Picture
    shape_of: tuple[int, ...]
    nodes_of: tuple[tuple[int, ...], ...]
    node_count: int
    edge_count: int
    far: int


def lay_out(
    graph: Graph,
    *,
    downwards: bool,
    colouring: Colouring = Colouring.KERNEL,
    check: Callable[[], None] = lambda: None,
) -> Placement:
    """Places every node without overlap, the same for the same graph. `check` may raise `Cancelled` at any time."""
    return _Composer(graph, downwards=downwards, colouring=colouring, check=check).placement()


class _Composer:
    """One layout in progress: cells, far chips, sizes, coordinates, shapes."""

    def __init__(self, graph: Graph, *, downwards: bool, colouring: Colouring, check: Callable[[], None]) -> None:
        self.graph, self.downwards, self.check = graph, downwards, check
        self.cells: Cells = condense(graph)
        check()
        self.texts = [cell_text(graph, cell, colouring) for cell in self.cells.cells]
        self.groups = kernel_groups(graph.nodes, self.cells)
        self.grouped = {cell for members in self.groups.values() for cell in members}
        self.boxes = [index for index, cell in enumerate(self.cells.cells) if cell.host < 0]
        self.number = {cell: vertex for vertex, cell in enumerate(self.boxes)}
        self.chips: dict[int, list[int]] = defaultdict(list)  # box cell -> chip cells
        for index, cell in enumerate(self.cells.cells):
            if cell.host >= 0:
                self.chips[cell.host].append(index)
        self._split_edges()
        self.marks = _far_marks(self.far, self.cells, self.texts, graph.nodes)

    def _split_edges(self) -> None:
        inside = [(a, b) for a, b in self.cells.edges if a in self.number and b in self.number and a < b]
        flat = [(self.number[a], self.number[b]) for a, b in inside]
        floating = [self.cells.cells[cell].floating for cell in self.boxes]
        self.ranks = rank_vertices(len(self.boxes), flat, floating)
        fan: dict[int, int] = defaultdict(int)
        for a, _ in flat:
            fan[a] += 1
        outputs = {v for v, cell in enumerate(self.boxes) if self.texts[cell].is_output}
        self.near = [
            (a, b)
            for a, b in flat
            if self.ranks[b] - self.ranks[a] <= (FAR_FROM_HUB if fan[a] > HUB or b in outputs else FAR_RANKS)
        ]
        near = {(self.boxes[a], self.boxes[b]) for a, b in self.near}
        self.far = [edge for edge in (*self.cells.edges, *self.cells.back) if edge not in near]

    def placement(self) -> Placement:
        """Composes everything; the only public step."""
        self._measure()
        sheet = Sheet(self.before, self.after, self.ranks, self.near, SPACE)
        arrangement = arrange(sheet, self.check)
        self._stack_ranks()
        self._make_shapes(arrangement)
        points, offsets = self._route(arrangement)
        shapes = np.array([self.box_shape[cell] for cell in self.boxes], np.int64)
        ends = shapes[np.array(self.near, np.int64).reshape(-1, 2)] if self.near else np.zeros((0, 2), np.int64)
        rects = np.array(self.rects).reshape(-1, 4)
        picture = Picture(tuple(self.shapes), rects, points, offsets, ends, downwards=self.downwards)
        shape_of = tuple(self.box_shape[cell] for cell in self.cells.cell_of)
        count = len(self.graph.nodes)
        picture = self._with_hulls(picture)
        return Placement(picture, shape_of, tuple(self.nodes_of), count, len(self.graph.edges), len(self.far))

    def _beside(self, cell: int) -> list[float]:
        """Widths of the chips beside a box, real ones first."""
        return [self.texts[chip].width for chip in self.chips[cell]] + [mark.width for mark in self.marks[cell]]

    def _measure(self) -> None:
        self.before, self.after, self.depth = [], [], []
        for cell in self.boxes:
            width, beside = self.texts[cell].width, self._beside(cell)
            stack = len(beside) * (CHIP_HEIGHT + CHIP_SPACE)
            title = HULL_TITLE if cell in self.grouped else 0.0
            if self.downwards:
                self.before.append(width / 2)
                self.after.append(width / 2 + (max(beside) + CHIP_SPACE * 2 if beside else 0.0))
                self.depth.append(max(BOX_HEIGHT, stack - CHIP_SPACE))
            else:
                self.before.append(BOX_HEIGHT / 2 + stack + title)
                self.after.append(BOX_HEIGHT / 2)
                self.depth.append(max([width, *beside]))

    def _stack_ranks(self) -> None:
        """Start and end of every layer along the graph's direction."""
        count = max(self.ranks, default=-1) + 1
        depth = [0.0] * count
        for vertex, rank in enumerate(self.ranks):
            depth[rank] = max(depth[rank], self.depth[vertex])
        gap = GAP_DOWN + (HULL_TITLE if self.groups else 0.0) if self.downwards else GAP_RIGHT
        self.start = list(accumulate((deep + gap for deep in depth[:-1]), initial=0.0)) if count else []
        self.end = [start + deep for start, deep in zip(self.start, depth, strict=True)]

    def _make_shapes(self, arrangement: Arrangement) -> None:
        self.shapes: list[Shape] = []
        self.rects: list[Rect] = []
        self.nodes_of: list[tuple[int, ...]] = []
        self.box_shape: dict[int, int] = {}
        self.mark_jumps: list[tuple[int, int]] = []
        for vertex, cell in enumerate(self.boxes):
            width = self.texts[cell].width
            centre, along = arrangement.across[vertex], self.start[self.ranks[vertex]]
            x, y = (centre - width / 2, along) if self.downwards else (along, centre - BOX_HEIGHT / 2)
            box = self._add(self.texts[cell].shape, (x, y, width, BOX_HEIGHT), self.cells.cells[cell].nodes)
            self.box_shape[cell] = box
            self._add_chips(cell, box, x, y)
        for shape, cell in self.mark_jumps:
            self.shapes[shape] = replace(self.shapes[shape], jump=self.box_shape[cell])

    def _add(self, shape: Shape, rect: Rect, nodes: tuple[int, ...]) -> int:
        self.shapes.append(shape)
        self.rects.append(rect)
        self.nodes_of.append(nodes)
        return len(self.shapes) - 1

    def _add_chips(self, cell: int, box: int, x: float, y: float) -> None:
        """Stacks a box's chips at its right (downwards) or above it."""
        step = CHIP_HEIGHT + CHIP_SPACE
        count = len(self.chips[cell]) + len(self.marks[cell])
        left, top = (x + self.texts[cell].width + CHIP_SPACE * 2, y) if self.downwards else (x, y - count * step)
        for chip in self.chips[cell]:
            text = self.texts[chip]
            shape = replace(text.shape, host=box)
            rect = (left, top, text.width, CHIP_HEIGHT)
            self.box_shape[chip] = self._add(shape, rect, self.cells.cells[chip].nodes)
            top += step
        for mark in self.marks[cell]:
            shape = Shape(Role.FAR, mark.title, host=box)
            number = self._add(shape, (left, top, mark.width, CHIP_HEIGHT), mark.nodes)
            self.mark_jumps.append((number, mark.cell))
            top += step

    def _route(self, arrangement: Arrangement) -> tuple[F8, np.ndarray]:
        """Polylines as (across, along), turned at the end; each starts and ends on its boxes' borders."""
        ports = self._ports(arrangement)
        points: list[tuple[float, float]] = []
        offsets = [0]
        for index, (source, target) in enumerate(self.near):
            rank = self.ranks[source]
            leave, arrive = ports[index]
            size = BOX_HEIGHT if self.downwards else self.texts[self.boxes[source]].width
            points.append((leave, self.start[rank] + size))
            if self.end[rank] > self.start[rank] + size:
                points.append((leave, self.end[rank]))
            for lane in arrangement.lanes[index]:
                rank += 1
                points += [(lane, self.start[rank]), (lane, self.end[rank])]
            points.append((arrive, self.start[self.ranks[target]]))
            offsets.append(len(points))
        table = np.array(points).reshape(-1, 2)
        return (table if self.downwards else table[:, ::-1].copy()), np.array(offsets, np.int64)

    def _ports(self, arrangement: Arrangement) -> list[tuple[float, float]]:
        """Where each edge leaves and arrives, spread over the box in the order of what it leads to."""
        ends = [[0.0, 0.0] for _ in self.near]
        for side in (0, 1):
            sharing: dict[int, list[int]] = defaultdict(list)
            for index, edge in enumerate(self.near):
                sharing[edge[side]].append(index)
            for vertex, edges in sharing.items():
                room = (self.texts[self.boxes[vertex]].width if self.downwards else BOX_HEIGHT) * 0.6
                step = min(PORT_STEP, room / max(len(edges) - 1, 1))
                order = sorted(edges, key=lambda index: (self._next(index, side, arrangement), index))
                for place, index in enumerate(order):
                    ends[index][side] = arrangement.across[vertex] + (place - (len(edges) - 1) / 2) * step
        return [(leave, arrive) for leave, arrive in ends]

    def _next(self, index: int, side: int, arrangement: Arrangement) -> float:
        lanes = arrangement.lanes[index]
        if lanes:
            return lanes[0] if side == 0 else lanes[-1]
        return arrangement.across[self.near[index][1 - side]]

    def _with_hulls(self, picture: Picture) -> Picture:
        """Puts a hull around a kernel's boxes where they stand together, and the kernel's number on the others."""
        hulls: list[Hull] = []
        rects: list[Rect] = []
        shapes = list(picture.shapes)
        free = frozenset(self.box_shape[cell] for cell in self.boxes if self._is_free(cell))
        ground = Ground(picture, free=free)
        for kernel, cells in self.groups.items():
            self.check()
            members = [shape for _, shape in sorted((self.ranks[self.number[c]], self.box_shape[c]) for c in cells)]
            for run, rect in ground.enclose(members, taken=rects):
                if len(run) > 1:
                    hulls.append(kernel_title(kernel, self.graph.nodes, [self.nodes_of[m] for m in run], run))
                    rects.append(rect)
                else:
                    shapes[run[0]] = replace(shapes[run[0]], tag="#" + kernel.rpartition(":")[2])
        return replace(picture, shapes=tuple(shapes), hulls=tuple(hulls), hull_rects=np.array(rects).reshape(-1, 4))

    def _is_free(self, cell: int) -> bool:
        """A view that no kernel was named for may stand in any kernel's hull."""
        nodes = [self.graph.nodes[index] for index in self.cells.cells[cell].nodes]
        return all(is_view(node) and not own_kernel(node) for node in nodes)


@dataclass(frozen=True, slots=True)
class _Mark:
    """A far chip: its text, its width, the nodes it stands for and the cell it leads to."""

    title: str
    width: float
    nodes: tuple[int, ...]
    cell: int


def _far_marks(far: list[Edge], cells: Cells, texts: list[CellText], nodes: tuple[Node, ...]) -> dict[int, list[_Mark]]:
    """Chips at both ends of the far edges, by the box cell they stand at: one for all inputs, one for all consumers."""
    arriving: dict[int, list[int]] = defaultdict(list)
    leaving: dict[int, list[int]] = defaultdict(list)
    for source, target in far:
        at_source, at_target = _box_of(source, cells), _box_of(target, cells)
        arriving[at_target].append(source)
        leaving[at_source].append(target)
    marks: dict[int, list[_Mark]] = defaultdict(list)
    for arrow, table in (("←", arriving), ("→", leaving)):
        for cell, others in table.items():
            first = others[0]
            more = f" +{len(others) - 1}" if len(others) > 1 else ""
            title = f"{arrow} {texts[first].reference}{more}"
            members = tuple(node for other in others for node in cells.cells[other].nodes)
            marks[cell].append(_Mark(title, min(20 + 6.2 * len(title), 132.0), members, first))
    return marks


def _box_of(cell: int, cells: Cells) -> int:
    host = cells.cells[cell].host
    return cell if host < 0 else host
