"""From a graph to the picture the canvas draws: sizes, chips, frames and routed edges. Pure; cancelled by raising."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, replace

import numpy as np

from profviz.model.graph import Graph
from profviz.ui.views.graphs.blocks import Block, Cache, Item, Plan, Point, origins
from profviz.ui.views.graphs.cells import Cells, condense
from profviz.ui.views.graphs.clusters import FIRST_SIGHT, Cluster, first_sight, grow
from profviz.ui.views.graphs.edge_labels import edge_words, label_width, labelled
from profviz.ui.views.graphs.fusing import fused
from profviz.ui.views.graphs.hulls import HULL_TITLE, Ground, kernel_groups
from profviz.ui.views.graphs.kinds import is_view, own_kernel, short_tensor
from profviz.ui.views.graphs.labels import CellText, Colouring, cell_text, cluster_text, frame_text, kernel_title
from profviz.ui.views.graphs.layered import Edge
from profviz.ui.views.graphs.modules import Path
from profviz.ui.views.graphs.visible import Visible
from profviz.ui.widgets.graph_picture import Hull, Picture, Rect, Role, Shape

BOX_HEIGHT = 40.0
CHIP_HEIGHT = 17.0
CHIP_SPACE = 3.0


class Cancelled(Exception):
    """The picture is not wanted any more."""


@dataclass(frozen=True, slots=True, eq=False)
class Placement:
    """A picture, the same with its kernels' boxes drawn together (`fused`), and what their shapes mean.

    `shape_of[node]`, and `nodes_of[shape]` (a far chip: the nodes it points to). `edge_nodes` are the nodes whose
    values each drawn edge carries. `node_count` and `edge_count` are the
    graph's own; `far` is how many distinct edges are drawn as chips. `opened` are the ids of the open clusters below
    `root`.
    """

    picture: Picture
    fused: Picture
    shape_of: tuple[int, ...]
    nodes_of: tuple[tuple[int, ...], ...]
    edge_nodes: tuple[tuple[int, ...], ...]
    node_count: int
    edge_count: int
    far: int
    opened: frozenset[str] = frozenset()
    root: Cluster | None = None


def lay_out(
    graph: Graph,
    *,
    downwards: bool,
    colouring: Colouring = Colouring.KERNEL,
    modules: Sequence[Path] = (),
    opened: Collection[str] | None = None,
    most: int = FIRST_SIGHT,
    check: Callable[[], None] = lambda: None,
) -> Placement:
    """Places every node without overlap, the same for the same graph. `check` may raise `Cancelled` at any time.

    `modules` is the path of each node's module, none for a graph without a hierarchy; `opened` the ids of the clusters
    to be shown open, None for what is good at first sight, which is some `most` boxes.
    """
    cells = condense(graph, groups=modules)
    check()
    root = grow(graph, cells, modules)
    shown = first_sight(root, most=most) if opened is None else frozenset(opened)
    composer = _Composer(graph, cells, root, shown, downwards=downwards, colouring=colouring, check=check)
    return replace(composer.placement(), opened=shown, root=root)


class _Composer:
    """One layout in progress: what is visible, sizes, blocks from the inside out, shapes, routes."""

    def __init__(
        self,
        graph: Graph,
        cells: Cells,
        root: Cluster,
        opened: Collection[str],
        *,
        downwards: bool,
        colouring: Colouring,
        check: Callable[[], None],
    ) -> None:
        self.graph, self.cells, self.downwards, self.check = graph, cells, downwards, check
        self.seen = Visible(graph, cells, root, opened)
        check()
        self.colouring = colouring
        self._cell_texts: dict[int, CellText] = {}  # of what is seen alone: most of a large graph is not
        self.texts = [self._text(vertex) for vertex in range(len(self.seen.home))]
        groups = kernel_groups(graph.nodes, cells)
        self.groups: dict[tuple[str, int], list[int]] = defaultdict(list)  # (kernel, level) -> vertices
        for kernel, members in groups.items():
            for cell in members:
                vertex = self.seen.vertex_of[cell]
                if self.seen.cell_at[vertex] == cell:
                    self.groups[kernel, self.seen.home[vertex]].append(vertex)
        self.grouped = {vertex for members in self.groups.values() for vertex in members}
        self.chips: dict[int, list[int]] = defaultdict(list)  # vertex -> chip cells
        for index, cell in enumerate(cells.cells):
            if cell.host >= 0 and index not in self.seen.swallowed:
                self.chips[self.seen.vertex_of[cell.host]].append(index)
        self.marks = self._far_marks()

    def _text(self, vertex: int) -> CellText:
        cluster = self.seen.cluster_at[vertex]
        return self._cell_text(self.seen.cell_at[vertex]) if cluster is None else cluster_text(self.graph, cluster)

    def _cell_text(self, cell: int) -> CellText:
        if cell not in self._cell_texts:
            self._cell_texts[cell] = cell_text(self.graph, self.cells.cells[cell], self.colouring)
        return self._cell_texts[cell]

    def placement(self) -> Placement:
        """Composes everything; the only public step."""
        self._place_levels()
        self._make_shapes()
        points, offsets = self._routes()
        ends = np.array([(self.box[u], self.box[v]) for u, v in self.seen.near], np.int64).reshape(-1, 2)
        counts = np.array([self.seen.counts[pair] for pair in self.seen.near], np.int64)
        self.carried = self._carried()
        rects = np.array(self.rects).reshape(-1, 4)
        frames, frame_rects = self._frames()
        picture = Picture(
            tuple(self.shapes),
            rects,
            points,
            offsets,
            ends,
            downwards=self.downwards,
            frames=frames,
            frame_rects=frame_rects,
            counts=counts,
            words=tuple(edge_words(self.graph, nodes) for nodes in self.carried),
        )
        shape_of = tuple(self.shape_of_cell[cell] for cell in self.cells.cell_of)
        picture = self._with_hulls(picture)
        count, far = len(self.graph.nodes), len(self.seen.far)
        self.check()
        tight = labelled(fused(picture))
        self.check()
        edges = len(self.graph.edges)
        return Placement(labelled(picture), tight, shape_of, tuple(self.nodes_of), self.carried, count, edges, far)

    # sizes and places

    def _beside(self, vertex: int) -> list[float]:
        """Widths of the chips beside a box, real ones first."""
        return [self._cell_text(chip).width for chip in self.chips[vertex]] + [m.width for m in self.marks[vertex]]

    def _item(self, vertex: int) -> Item:
        width, beside = self.texts[vertex].width, self._beside(vertex)
        stack = len(beside) * (CHIP_HEIGHT + CHIP_SPACE)
        title = HULL_TITLE if vertex in self.grouped else 0.0
        if self.downwards:
            after = width / 2 + (max(beside) + CHIP_SPACE * 2 if beside else 0.0)
            return Item(width / 2, after, max(BOX_HEIGHT, stack - CHIP_SPACE), BOX_HEIGHT, width * 0.6)
        before = BOX_HEIGHT / 2 + stack + title
        return Item(before, BOX_HEIGHT / 2, max([width, *beside]), width, BOX_HEIGHT * 0.6, self._words_after(vertex))

    def _words_after(self, vertex: int) -> float:
        """Room for what leaves a closed module, which does not say it itself."""
        cluster = self.seen.cluster_at[vertex]
        words = short_tensor(self.graph.nodes[cluster.nodes[-1]].tensor) if cluster is not None else ""
        return label_width(words) + 10 if words else 0.0

    def _place_levels(self) -> None:
        enter: dict[int, dict[int, list[int]]] = defaultdict(lambda: defaultdict(list))
        leave: dict[int, dict[int, int]] = defaultdict(dict)
        edges: dict[int, list[Edge]] = defaultdict(list)
        for u, v in self.seen.near:
            level, source, target = self.seen.meeting[u, v]
            edges[level].append((source, target))
            for one in self.seen.inside(u, level):
                leave[one][u] = self.seen.item(u, one)
            for one in self.seen.inside(v, level):
                enter[one][u].append(self.seen.item(v, one))
        self.blocks: dict[int, Block] = {}
        cache: Cache = {}
        titled = {level for _, level in self.groups}
        for number in range(len(self.seen.levels) - 1, -1, -1):
            self.check()
            level = self.seen.levels[number]
            items = [self._item(item) if item >= 0 else self._open_item(~item) for item in level.items]
            extra = HULL_TITLE if self.downwards and number in titled else 0.0
            distinct = list(dict.fromkeys(edges[number]))
            plan = Plan(items, level.ranks, distinct, enter[number], leave[number], extra)
            self.blocks[number] = Block(plan, cache, self.check, downwards=self.downwards, framed=number > 0)
        numbers = range(len(self.seen.levels))
        parents = [(self.seen.levels[n].parent, self._place_in_parent(n)) for n in numbers]
        self.origins = origins([self.blocks[n] for n in numbers], parents)

    def _open_item(self, level: int) -> Item:
        block = self.blocks[level]
        return Item(block.before, block.after, block.along, block.along, 0.0)

    def _place_in_parent(self, level: int) -> int:
        parent = self.seen.levels[level].parent
        return self.seen.levels[parent].place[~level] if parent >= 0 else -1

    # shapes

    def _make_shapes(self) -> None:
        self.shapes: list[Shape] = []
        self.rects: list[Rect] = []
        self.nodes_of: list[tuple[int, ...]] = []
        self.box: dict[int, int] = {}  # vertex -> shape
        self.shape_of_cell = [-1] * len(self.cells.cells)
        self.mark_jumps: list[tuple[int, int]] = []
        for number, level in enumerate(self.seen.levels):
            block, (across, along) = self.blocks[number], self.origins[number]
            for at, item in enumerate(level.items):
                if item >= 0:
                    self._add_box(item, across + block.across[at], along + block.start(at))
        for cell in self.seen.swallowed:
            self.shape_of_cell[cell] = self.box[self.seen.vertex_of[cell]]
        for cell, vertex in enumerate(self.seen.vertex_of):
            if vertex >= 0:
                self.shape_of_cell[cell] = self.box[vertex]
        for shape, cell in self.mark_jumps:
            self.shapes[shape] = replace(self.shapes[shape], jump=self.shape_of_cell[cell])

    def _add_box(self, vertex: int, centre: float, start: float) -> None:
        text, cluster = self.texts[vertex], self.seen.cluster_at[vertex]
        x, y = (centre - text.width / 2, start) if self.downwards else (start, centre - BOX_HEIGHT / 2)
        nodes = tuple(cluster.nodes) if cluster else self.cells.cells[self.seen.cell_at[vertex]].nodes
        self.box[vertex] = self._add(text.shape, (x, y, text.width, BOX_HEIGHT), nodes)
        self._add_chips(vertex, self.box[vertex], x, y)

    def _add(self, shape: Shape, rect: Rect, nodes: tuple[int, ...]) -> int:
        self.shapes.append(shape)
        self.rects.append(rect)
        self.nodes_of.append(nodes)
        return len(self.shapes) - 1

    def _add_chips(self, vertex: int, box: int, x: float, y: float) -> None:
        """Stacks a box's chips at its right (downwards) or above it."""
        step = CHIP_HEIGHT + CHIP_SPACE
        count = len(self.chips[vertex]) + len(self.marks[vertex])
        left, top = (x + self.texts[vertex].width + CHIP_SPACE * 2, y) if self.downwards else (x, y - count * step)
        for chip in self.chips[vertex]:
            text = self._cell_text(chip)
            shape = replace(text.shape, host=box)
            rect = (left, top, text.width, CHIP_HEIGHT)
            self.shape_of_cell[chip] = self._add(shape, rect, self.cells.cells[chip].nodes)
            top += step
        for mark in self.marks[vertex]:
            shape = Shape(Role.FAR, mark.title, host=box)
            number = self._add(shape, (left, top, mark.width, CHIP_HEIGHT), mark.nodes)
            self.mark_jumps.append((number, mark.cell))
            top += step

    def _frames(self) -> tuple[tuple[Hull, ...], np.ndarray]:
        frames, rects = [], []
        for number, level in enumerate(self.seen.levels[1:], start=1):
            block, (across, along) = self.blocks[number], self.origins[number]
            low, high = block.span
            start = along - block.margin
            wide, high = high - low, block.along
            rect = (across + low, start, wide, high) if self.downwards else (start, across + low, high, wide)
            frames.append(frame_text(self.graph, level.cluster))
            rects.append(rect)
        return tuple(frames), np.array(rects).reshape(-1, 4)

    # edges

    def _routes(self) -> tuple[np.ndarray, np.ndarray]:
        """Polylines as (across, along), turned at the end; each starts and ends on its boxes' borders."""
        points: list[Point] = []
        offsets = [0]
        for u, v in self.seen.near:
            points += self._route(u, v)
            offsets.append(len(points))
        table = np.array(points).reshape(-1, 2)
        return (table if self.downwards else table[:, ::-1].copy()), np.array(offsets, np.int64)

    def _carried(self) -> tuple[tuple[int, ...], ...]:
        """The nodes whose values each drawn edge leads on."""
        found: dict[Edge, dict[int, None]] = defaultdict(dict)
        vertex_of, cell_of = self.seen.vertex_of, self.cells.cell_of
        for source, target in self.graph.edges:
            found[vertex_of[cell_of[source]], vertex_of[cell_of[target]]][source] = None
        return tuple(tuple(found[pair]) for pair in self.seen.near)

    def _route(self, u: int, v: int) -> list[Point]:
        """Out through the borders around u, over where both meet, and in through those around v."""
        level, source, target = self.seen.meeting[u, v]
        outward, inward = self.seen.inside(u, level), self.seen.inside(v, level)
        points: list[Point] = []
        below = -1
        for one in outward:
            block = self.blocks[one]
            points += self._segment(one, (self.seen.item(u, one), block.exit[u]), u, below, -1)
            below = one
        points += self._segment(level, (source, target), u, below, inward[-1] if inward else -1)
        for at in range(len(inward) - 1, -1, -1):
            one = inward[at]
            block = self.blocks[one]
            points += self._segment(
                one, (block.entry[u], self.seen.item(v, one)), u, -1, inward[at - 1] if at > 0 else -1
            )
        return points

    def _segment(self, level: int, edge: Edge, u: int, from_level: int, to_level: int) -> list[Point]:
        """An edge's way through one level; it leaves and enters open levels where their ports for `u` are."""
        across, along = self.origins[level]
        leave = self._port(from_level, u, level, out=True) if from_level >= 0 else None
        arrive = self._port(to_level, u, level, out=False) if to_level >= 0 else None
        route = self.blocks[level].route(edge, leave=leave, arrive=arrive)
        return [(across + a, along + b) for a, b in route]

    def _port(self, inner: int, u: int, outer: int, *, out: bool) -> float:
        block = self.blocks[inner]
        own = block.exit_across(u) if out else block.entry_across(u)
        return own + self.origins[inner][0] - self.origins[outer][0]

    # groups

    def _with_hulls(self, picture: Picture) -> Picture:
        """Puts a hull around a kernel's boxes where they stand together, and the kernel's number on the others."""
        hulls: list[Hull] = []
        rects: list[Rect] = []
        shapes = list(picture.shapes)
        free = frozenset(self.box[v] for v, cell in enumerate(self.seen.cell_at) if cell >= 0 and self._is_free(cell))
        ground = Ground(picture, free=free)
        for (kernel, level), vertices in self.groups.items():
            self.check()
            ranked = sorted((self.seen.levels[level].ranks[self.seen.item(v, level)], self.box[v]) for v in vertices)
            around = {number for vertex in vertices[:1] for number in self.seen.above(vertex)}
            fences = [tuple(row) for n, row in enumerate(picture.frame_rects.tolist(), 1) if n not in around]
            for run, rect in ground.enclose([shape for _, shape in ranked], taken=[*rects, *fences]):
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

    def _far_marks(self) -> dict[int, list[_Mark]]:
        """Chips at both ends of the far edges, by vertex: one for all inputs, one for all consumers."""
        arriving: dict[int, list[int]] = defaultdict(list)
        leaving: dict[int, list[int]] = defaultdict(list)
        for source, target in self.seen.far:
            arriving[self._vertex(target)].append(source)
            leaving[self._vertex(source)].append(target)
        marks: dict[int, list[_Mark]] = defaultdict(list)
        for arrow, table in (("←", arriving), ("→", leaving)):
            for vertex, found in table.items():
                others = list(dict.fromkeys(found))
                more = f" +{len(others) - 1}" if len(others) > 1 else ""
                title = f"{arrow} {self._reference(others[0])}{more}"
                members = tuple(node for other in others for node in self.cells.cells[other].nodes)
                marks[vertex].append(_Mark(title, min(20 + 6.2 * len(title), 132.0), members, others[0]))
        return marks

    def _vertex(self, cell: int) -> int:
        own = self.seen.vertex_of[cell]
        return own if own >= 0 else self.seen.vertex_of[self.cells.cells[cell].host]

    def _reference(self, cell: int) -> str:
        vertex = self.seen.vertex_of[cell]
        return self._cell_text(cell).reference if vertex < 0 else self.texts[vertex].reference


@dataclass(frozen=True, slots=True)
class _Mark:
    """A far chip: its text, its width, the nodes it stands for and the cell it leads to."""

    title: str
    width: float
    nodes: tuple[int, ...]
    cell: int
