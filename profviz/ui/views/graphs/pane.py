"""One graph with its title: asks for its layout, shows it, and speaks of nodes where the canvas speaks of shapes."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from functools import partial

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QHBoxLayout, QPushButton, QVBoxLayout, QWidget

from profviz.model.graph import Graph, GraphTimes
from profviz.ui.views.graphs.choices import stage_words
from profviz.ui.views.graphs.clusters import every, opening
from profviz.ui.views.graphs.facts import NodeSearch, edge_tip, figures, tip
from profviz.ui.views.graphs.heat import time_lines
from profviz.ui.views.graphs.jobs import LayoutRunner
from profviz.ui.views.graphs.labels import Colouring
from profviz.ui.views.graphs.layout import Placement
from profviz.ui.views.graphs.look import GraphLook, counted, has_kernels
from profviz.ui.views.graphs.modules import Path, module_paths
from profviz.ui.views.graphs.paths import way_shapes
from profviz.ui.views.graphs.request import Request, What, what_of
from profviz.ui.views.graphs.whole_step import StepGraph, step_modules
from profviz.ui.widgets.graph_canvas import GraphCanvas
from profviz.ui.widgets.graph_chooser import Chooser
from profviz.ui.widgets.graph_minimap import GraphMinimap
from profviz.ui.widgets.graph_picture import Role
from profviz.ui.widgets.palette import Palette
from profviz.ui.widgets.panel_text import TextLabel

MOST_OPENED = 3  # closed modules; a selection in more of them is counted on them and opens none
AT_ONCE = 150  # nodes; up to this a layout takes a few milliseconds and no waiting words are shown


class GraphPane(QWidget):
    """`node_clicked` and `node_hovered` carry a node's index, -1 for none; `part_chosen` the part's."""

    node_clicked = Signal(int)
    node_hovered = Signal(int)
    part_chosen = Signal(int)
    laid_out = Signal()

    def __init__(self, palette: Palette, *, name: str) -> None:
        super().__init__()
        self.canvas = GraphCanvas(palette)
        self.canvas.setAccessibleName(f"{name} graph")
        self.minimap = GraphMinimap(self.canvas)
        self.title = TextLabel(bold=True, wrap=False)
        self.figures = TextLabel(role="muted", wrap=False)
        self.parts = Chooser()
        self.parts.setAccessibleName(f"Part of the {name.lower()} graph")
        self.stop = QPushButton("Cancel")
        self.stop.setToolTip("Stops or takes up the layout of this graph")
        self.placement: Placement | None = None
        self.graph: Graph | None = None
        self.request: Request | None = None
        self._look = GraphLook()
        self._cache: dict[Request, Placement] = {}
        self._selected: frozenset[int] = frozenset()
        self._found: frozenset[int] = frozenset()
        self._reveal: tuple[int, ...] = ()
        self._opened: dict[What, frozenset[str]] = {}  # what the user left open
        self._siblings: tuple[Graph, ...] = ()
        self.step: StepGraph | None = None
        self._keep = ""
        self._wanted = -1  # the node to go to when what is around it is open
        self._visited: frozenset[str] = frozenset()  # modules that were opened to show something in them
        self._runner, self._words = LayoutRunner(), NodeSearch()
        self._build()

    def _build(self) -> None:
        head = QHBoxLayout()
        head.setContentsMargins(8, 0, 8, 0)
        head.setSpacing(12)
        for part in (self.title, self.figures, self.parts, self.stop):
            head.addWidget(part)
        head.addStretch(1)
        self.figures.setMinimumWidth(1)  # may be cut where a pane is narrow
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(4)
        column.addLayout(head)
        column.addWidget(self.canvas, 1)
        self.stop.hide()
        self.stop.clicked.connect(lambda: self._stop_or_start())
        self.parts.hide()
        self.canvas.tip = self._tip
        self.canvas.hull_tip = self._hull_tip
        self.canvas.edge_tip = self._edge_tip
        self.canvas.shape_clicked.connect(self._clicked)
        self.canvas.shape_hovered.connect(lambda shape: self.node_hovered.emit(self._node_of(shape)))
        self.canvas.toggled.connect(self.toggle)
        self.parts.activated.connect(self.part_chosen.emit)
        self._runner.done.connect(self._done)
        self._runner.failed.connect(self._failed)
        self.destroyed.connect(self._runner.close)

    def forget(self) -> None:
        """Drops everything of earlier results."""
        self._runner.cancel()
        self._cache.clear()
        self._opened.clear()
        self.graph = self.placement = self.request = self.step = None
        self._look.forget_times()
        self._selected = self._found = self._visited = frozenset()
        self._reveal, self._wanted = (), -1

    def show_parts(self, count: int, current: int) -> None:
        """Offers the parts of a graph that was compiled in several pieces."""
        self.parts.clear()
        self.parts.addItems([f"part {number + 1} of {count}" for number in range(count)])
        self.parts.setCurrentIndex(current)
        self.parts.setVisible(count > 1)

    def show_graph(self, graph: Graph, request: Request, siblings: tuple[Graph, ...] = ()) -> None:
        """Shows one graph of the log whose graphs `siblings` are."""
        self._show_any(graph, None, request, siblings)

    def show_step(self, step: StepGraph, request: Request, siblings: tuple[Graph, ...]) -> None:
        """Shows all graphs of a step as one."""
        self._show_any(step.graph, step, request, siblings)

    def _show_any(self, graph: Graph, step: StepGraph | None, request: Request, siblings: tuple[Graph, ...]) -> None:
        """From the cache or when its layout is done, with the modules open that were left so."""
        request = replace(request, opened=self._opened.get(what_of(request)))
        if request == self.request and (self.placement is not None or not self.stop.isHidden()):
            return
        if self.request is None or what_of(request) != what_of(self.request):
            self._look.forget_times()
            self._selected = self._found = self._visited = frozenset()  # of the other graph
            self._reveal, self._wanted = (), -1
        self.graph, self.step, self.request, self.placement = graph, step, request, None
        self._siblings = siblings
        self.title.setText(stage_words(graph))
        self.figures.setText(figures(graph))
        if request in self._cache:
            self._show(self._cache[request])
            return
        self._start()

    def _start(self) -> None:
        if self.graph is None or self.request is None:
            return
        if len(self.graph.nodes) > AT_ONCE and not self._keep:
            self.canvas.show_message(f"Laying out {len(self.graph.nodes)} nodes …")
        self.stop.setText("Cancel")
        self.stop.show()
        wanted = self.request
        self._runner.start(
            self.graph,
            downwards=wanted.downwards,
            colouring=wanted.colouring,
            modules=self._modules(),
            opened=wanted.opened,
            most=wanted.most,
        )

    def _modules(self) -> Callable[[], Sequence[Path]]:
        if self.step is not None:
            return partial(step_modules, self.step, self._siblings)
        return partial(module_paths, self.graph, self._siblings)

    # places in the report

    @property
    def graphs(self) -> tuple[int, ...]:
        """The numbers of the report's graphs that are shown."""
        if self.request is None:
            return ()
        return tuple(self.step.starts) if self.step is not None else (self.request.graph,)

    def place_of(self, node: int) -> tuple[int, int] | None:
        """(graph, node) of the report; None for what stands between graphs."""
        if self.step is not None:
            return self.step.origins[node]
        return None if self.request is None else (self.request.graph, node)

    def node_at(self, graph: int, node: int) -> int:
        """The shown node of a place in the report, -1 where it is not here."""
        if self.step is not None:
            return self.step.index_of(graph, node)
        return node if self.request is not None and self.request.graph == graph else -1

    # modules

    def toggle(self, cluster: str) -> None:
        """Opens or closes a module; it stays where it is on the screen."""
        if self.placement is not None:
            self._keep, self._visited = cluster, frozenset()
            self._reopen(self.placement.opened ^ {cluster})

    def open_all(self) -> None:
        if self.placement is not None and self.placement.root is not None:
            self._visited = frozenset()
            self._reopen(frozenset(cluster.id for cluster in every(self.placement.root)))

    def _open_around(self, nodes: Sequence[int]) -> bool:
        """Opens what nodes are closed away in, and closes what was opened for others; False where all are seen."""
        placement = self.placement
        closed = self._closed_around(nodes)
        if placement is None or placement.root is None or not closed:
            return False
        own = placement.opened - self._visited
        needed = opening(placement.root, nodes)
        self._keep, self._visited = placement.picture.shapes[closed[0]].opens, needed - own
        self._reopen(own | needed)
        return True

    def _closed_around(self, nodes: Iterable[int]) -> list[int]:
        """The closed modules' shapes that hold any of the nodes."""
        shapes = self.placement.picture.shapes if self.placement is not None else ()
        return [shape for shape in self._shapes(nodes) if shapes[shape].opens]

    def open_first_sight(self) -> None:
        """Back to what was open at first."""
        if self.graph is not None and self.request is not None:
            self._opened.pop(what_of(self.request), None)
            self._visited = frozenset()
            self._show_any(self.graph, self.step, self.request, self._siblings)

    def set_low(self, *, low: bool) -> None:
        """Where there is little room the graph has it all."""
        self.title.setVisible(not low)
        self.figures.setVisible(not low)

    def _reopen(self, opened: frozenset[str]) -> None:
        if self.graph is None or self.request is None:
            return
        self._opened[what_of(self.request)] = opened
        self._show_any(self.graph, self.step, self.request, self._siblings)

    def _stop_or_start(self) -> None:
        if self.stop.text() != "Cancel":
            self._start()
            return
        self._runner.cancel()
        self.stop.setText("Lay out")
        self.canvas.show_message("Cancelled. The graph is not laid out.")

    def _done(self, ticket: int, placement: Placement) -> None:
        if ticket != self._runner.ticket or self.request is None:
            return
        self._cache[self.request] = placement
        self._show(placement)

    def _failed(self, ticket: int, error: Exception) -> None:
        if ticket == self._runner.ticket:
            self.stop.hide()
            self.canvas.show_message(
                f"This graph could not be laid out. This is a bug: {type(error).__name__}: {error}"
            )

    def _show(self, placement: Placement) -> None:
        self._runner.cancel()
        self.stop.hide()
        self.placement = placement
        if self.graph is not None:
            self.canvas.show_picture(self._look.picture(placement, self.graph), keep=self._keep)
        self._keep = ""
        self._apply_marks()
        if self._wanted >= 0:
            self._arrive()
        elif self._reveal:
            self._bring(self._reveal)
        self.laid_out.emit()

    # time

    @property
    def times(self) -> GraphTimes | None:
        return self._look.times

    def learn_times(self, graph: int, times: GraphTimes) -> None:
        self._look.learn(graph, times, self.step)

    def show_heat(self, colouring: Colouring) -> None:
        """Colours by time where that is wanted and known; says the graph's time beside its figures."""
        self._look.colour(colouring)
        if self.graph is not None:
            self.figures.setText(self._look.words(self.graph))
        self._repaint()

    @property
    def has_kernels(self) -> bool:
        return has_kernels(self.placement)

    def fuse(self, share: float, *, moving: bool) -> None:
        """From one box a kernel (0) to fused groups (1); `moving` while there is more to come."""
        self._look.share = share
        self._repaint(moving=moving)

    def _repaint(self, *, moving: bool = False) -> None:
        if self.placement is not None and self.graph is not None:
            self.canvas.recolour(self._look.picture(self.placement, self.graph), moving=moving)

    # nodes

    def select(self, nodes: Iterable[int], *, reveal: bool = False) -> None:
        chosen = tuple(nodes)
        self._selected = frozenset(chosen)
        self._reveal = chosen if reveal else ()
        self._apply_marks()
        if reveal and self.placement is not None:
            self._bring(chosen)

    def _bring(self, nodes: Sequence[int]) -> None:
        """Into view, out of closed modules where these are few."""
        if len(self._closed_around(nodes)) > MOST_OPENED or not self._open_around(nodes):
            self.canvas.reveal(self._shapes(nodes))

    def search(self, text: str) -> list[int]:
        """Marks and returns the nodes that match."""
        found = self._words.find(self.graph, text)
        self._found = frozenset(found)
        self._apply_marks()
        return found

    def show_path(self, *, upwards: bool) -> None:
        """All that the current or selected nodes come from, or lead to, stands out; once more ends it."""
        if self.graph is None or self.placement is None:
            return
        current = self.canvas.marks.current
        starts = self.placement.nodes_of[current] if current >= 0 else tuple(self._selected)
        path = way_shapes(self.placement, self.graph, starts, upwards=upwards)
        self.canvas.set_marks(replace(self.canvas.marks, path=frozenset() if path == self.canvas.marks.path else path))

    def show_kin(self, places: Iterable[tuple[int, int]]) -> None:
        """Marks the counterparts of what the mouse is at in the other pane."""
        shapes = self._shapes(at for graph, node in places if (at := self.node_at(graph, node)) >= 0)
        self.canvas.set_marks(replace(self.canvas.marks, kin=frozenset(shapes)))

    def light(self, places: Iterable[tuple[int, int]]) -> None:
        """Lights what runs at the play-head, places as (graph, node) of the report, and follows it."""
        nodes = [at for graph, node in places if (at := self.node_at(graph, node)) >= 0]
        shapes = self._shapes(nodes)
        if frozenset(shapes) == self.canvas.marks.lit:
            return
        self.canvas.set_marks(replace(self.canvas.marks, lit=frozenset(shapes)))
        self.canvas.follow(shapes)

    def go_to(self, node: int, *, inside: bool = True) -> None:
        """Makes a node current and brings it into view, without selecting it elsewhere.

        A closed module around it is opened, or with `inside` off is gone to itself.
        """
        self._wanted = node
        if self.placement is not None and not (inside and self._open_around([node])):
            self._arrive()

    def _arrive(self) -> None:
        shapes, self._wanted = self._shapes([self._wanted]), -1
        self.canvas.set_marks(replace(self.canvas.marks, current=shapes[0]))
        self.canvas.reveal(shapes)

    def _shapes(self, nodes: Iterable[int]) -> list[int]:
        if self.placement is None:
            return []
        return list(dict.fromkeys(self.placement.shape_of[node] for node in nodes))

    def _apply_marks(self) -> None:
        marks = replace(
            self.canvas.marks,
            selected=frozenset(self._shapes(self._selected)),
            found=frozenset(self._shapes(self._found)),
            counts=counted(self.placement, self._found or self._selected),
        )
        self.canvas.set_marks(marks)

    def _node_of(self, shape: int) -> int:
        """The node a shape stands for: a cell's last, which is what it hands on."""
        if self.placement is None or shape < 0:
            return -1
        return self.placement.nodes_of[shape][-1]

    def _clicked(self, shape: int) -> None:
        self.node_clicked.emit(self._node_of(shape))

    def _tip(self, shape: int) -> str:
        if self.graph is None or self.placement is None:
            return ""
        far = self.placement.picture.shapes[shape].role is Role.FAR
        nodes = self.placement.nodes_of[shape]
        times = [] if far else time_lines(self.graph, nodes, self.times)
        return "\n".join([tip(self.graph, nodes, far=far), *times])

    def _edge_tip(self, edge: int) -> str:
        if self.graph is None or self.placement is None:
            return ""
        target = self.placement.picture.shapes[int(self.placement.picture.ends[edge, 1])]
        return edge_tip(self.graph, self.placement.edge_nodes[edge], target.title)

    def _hull_tip(self, hull: int) -> str:
        if self.placement is None:
            return ""
        found = self.canvas.picture.hulls[hull]
        return f"{found.title}\n{found.detail}"
