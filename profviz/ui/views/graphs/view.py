"""The graph view: choosers on top, forward and backward beside each other, linked to the shared selection."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import Qt
from PySide6.QtGui import QKeySequence, QResizeEvent, QShortcut
from PySide6.QtWidgets import QSplitter

from profviz.model.questions import Question
from profviz.model.results import Results, SliceKind
from profviz.ui.view_state import Pick, Selection, ViewState
from profviz.ui.views.graphs.bar import GraphBar, SearchLine
from profviz.ui.views.graphs.calling import as_called
from profviz.ui.views.graphs.choices import Choice, Direction, Level, choices, empty, locate
from profviz.ui.views.graphs.clusters import FIRST_SIGHT, LOW_SIGHT
from profviz.ui.views.graphs.deeds import KEYS, deeds_of, run_deed
from profviz.ui.views.graphs.exporting import ask_and_write
from profviz.ui.views.graphs.exporting import menu as export_menu
from profviz.ui.views.graphs.heat import TIMED
from profviz.ui.views.graphs.heating import Heating
from profviz.ui.views.graphs.labels import Colouring
from profviz.ui.views.graphs.pane import GraphPane
from profviz.ui.views.graphs.paths import counterparts
from profviz.ui.views.graphs.request import Request
from profviz.ui.views.graphs.transport import Transport
from profviz.ui.views.graphs.whole_step import whole_step
from profviz.ui.views.spec import Area, ViewSpec
from profviz.ui.widgets.graph_legend import HEAT, GraphLegend, LegendEntry, entries_of
from profviz.ui.widgets.graph_picture import Role
from profviz.ui.widgets.palette import Palette
from profviz.ui.widgets.panel_style import plain_tip
from profviz.ui.widgets.panel_text import Panel
from profviz.ui.widgets.view_actions import Deed

FLAT, TALL = 2.4, 2.0  # width to height of a pane: flatter lays out to the right, taller downwards, between stays

FEW_HITS = 3  # of a search; more are counted on closed modules, and each is opened when it is stepped to
LOW = 380  # pixels of height; below, less of a graph is open at first
HEAD_FROM = 260  # ... and below this the graphs' titles give their room to the graphs
KEYED_FROM = 1080  # pixels of width; below, what has a key or is in the command palette has no button
LEGEND_FROM = 280  # pixels of height; below, the graph needs the room
ROLES = {
    Role.PALE: "input, result or view: no work of its own",
    Role.CHIP: "weight, gradient, saved value or constant",
    Role.CUT: "break: this line runs eager",
    Role.FAR: "edge to far away",
    Role.GROUP: "module, closed: double-click or Enter opens it",
}


class GraphsView(Panel):
    """Two panes; the backward one stays away while the chosen level has no backward graph."""

    def __init__(self, state: ViewState, palette: Palette) -> None:
        super().__init__(name="Graphs", margin=4)
        self._state = state
        self._results: Results | None = None
        self._choices: tuple[Choice, ...] = ()
        self._level = Level.POST_GRAD
        self._parts = {Direction.FORWARD: 0, Direction.BACKWARD: 0}
        self._downwards = True
        self._shown_most = FIRST_SIGHT
        self._fixed = False  # the user chose a direction; else the panes' shape decides
        self._called: dict[int, tuple[str, ...]] = {}  # compile ids of a report in the order of a step
        self._found: list[tuple[Direction, int]] = []
        self._at = -1
        self._picked_here = Pick()
        self.panes = {direction: GraphPane(palette, name=direction.value) for direction in Direction}
        self.bar = GraphBar(SearchLine(self.step_search, self._leave_search))
        self.chooser, self.levels, self.colouring = self.bar.chooser, self.bar.levels, self.bar.colouring
        self.search, self.found, self.turn, self.whole = self.bar.search, self.bar.found, self.bar.turn, self.bar.whole
        self.legend = GraphLegend(palette)
        self.heating = Heating(state, self.panes, self.colouring, self._pick_listed)
        self.transport = Transport(state, self.panes, self._slice_name)
        self._build()
        self.set_palette(palette)
        state.selection_changed.connect(self._show_selection)

    def _build(self) -> None:
        self.column.setSpacing(4)
        self.bar.fill(self.heating.slowest, self.heating.fusion)
        self.column.addLayout(self.bar)
        self.splitter = QSplitter(Qt.Orientation.Horizontal)
        self.splitter.setChildrenCollapsible(False)
        for index, pane in enumerate(self.panes.values()):
            self.splitter.addWidget(pane)
            self.splitter.setStretchFactor(index, 1)
        self.splitter.setSizes([1000, 1000])
        self.column.addWidget(self.splitter, 1)
        self.column.addWidget(self.transport)
        self.column.addWidget(self.legend)
        self.setFocusProxy(self.panes[Direction.FORWARD].canvas)
        self._connect()

    def _connect(self) -> None:
        self.chooser.activated.connect(lambda: self._choose())
        self.levels.activated.connect(lambda: self._choose_level())
        self.colouring.activated.connect(lambda: self._recolour())
        self.turn.clicked.connect(self.turn_layout)
        self.whole.clicked.connect(self._fit)
        self.search.textChanged.connect(self._search)
        for direction, pane in self.panes.items():
            pane.node_clicked.connect(lambda node, direction=direction: self._pick(direction, node))
            pane.node_hovered.connect(lambda node, direction=direction: self._hover(direction, node))
            pane.part_chosen.connect(self._choose_part)
            pane.laid_out.connect(self._laid_out)
        self.bar.player.toggled.connect(lambda on: self.transport.want(wanted=on))
        self.transport.wanted_changed.connect(self.bar.player.setChecked)
        self.bar.export.setMenu(export_menu(self, lambda only_seen: self.export(only_seen=only_seen)))
        for key, deed in KEYS.items():
            shortcut = QShortcut(QKeySequence(key), self)
            shortcut.setContext(Qt.ShortcutContext.WidgetWithChildrenShortcut)
            shortcut.activated.connect(lambda deed=deed: run_deed(self, deed))

    # the view's contract

    def show_results(self, results: Results) -> None:
        for pane in self.panes.values():
            pane.forget()
        self.transport.forget()
        self._results = results
        self._called.clear()
        self._choices = choices(results)
        self.show_message(empty(results))
        self.chooser.clear()
        self.chooser.addItems([choice.title for choice in self._choices])
        self.chooser.setEnabled(len(self._choices) > 1)
        self._level = Level.POST_GRAD
        self.chooser.setCurrentIndex(self._first_choice())
        self._choose()
        self._show_selection(self._state.selection)

    def set_palette(self, palette: Palette) -> None:
        self.apply(palette)
        self.legend.set_palette(palette)
        for pane in self.panes.values():
            pane.canvas.set_palette(palette)

    def widget(self) -> GraphsView:
        return self

    @property
    def deeds(self) -> dict[str, Deed]:
        """What the actions of `keys` do, by id."""
        return deeds_of(self) if self._choices else {}

    @property
    def shown_panes(self) -> list[GraphPane]:
        return [pane for pane in self.panes.values() if not pane.isHidden()]

    @property
    def focused(self) -> GraphPane | None:
        """The pane the keyboard is in, else the first that is shown."""
        return next((pane for pane in self.shown_panes if pane.canvas.hasFocus()), next(iter(self.shown_panes), None))

    def export(self, *, only_seen: bool) -> None:
        if (pane := self.focused) is not None:
            self.found.setText(ask_and_write(self, pane, only_seen=only_seen) or self.found.text())

    def _slice_name(self, side: int, index: int) -> str:
        return self._results.sides[side].trace.name_of(index) if self._results is not None else ""

    # choosing

    @property
    def choice(self) -> Choice | None:
        index = self.chooser.currentIndex()
        return self._choices[index] if 0 <= index < len(self._choices) else None

    @property
    def level(self) -> Level:
        """The stage shown: the wanted one, else the deepest there is."""
        levels = self.choice.levels if self.choice else ()
        return self._level if self._level in levels or not levels else levels[0]

    def _first_choice(self) -> int:
        """The whole step where there are several graphs."""
        return next((at for at, choice in enumerate(self._choices) if choice.is_step), 0)

    def _choose(self) -> None:
        choice = self.choice
        self.levels.clear()
        if choice is None:
            return
        self.levels.addItems([level.value for level in choice.levels])
        self.levels.setCurrentText(self.level.value)
        self._parts = dict.fromkeys(Direction, 0)
        self._show_graphs()

    def _choose_level(self) -> None:
        self._level = Level(self.levels.currentText())
        self._parts = dict.fromkeys(Direction, 0)
        self._show_graphs()

    def _recolour(self) -> None:
        """Eager times are known of what the Python program called: of Dynamo's graph."""
        if self.heating.colouring is Colouring.EAGER and self.choice and Level.DYNAMO in self.choice.levels:
            self.levels.setCurrentText(Level.DYNAMO.value)
            self._choose_level()
        else:
            self._show_graphs()
        self.heating.follow_colour()
        self._explain()

    def _choose_part(self, part: int) -> None:
        self._parts = dict.fromkeys(Direction, part)
        self._show_graphs()

    def _laid_out(self) -> None:
        self.heating.refresh()
        self._search(self.search.text(), reveal=False)
        self._explain()

    def _explain(self) -> None:
        shown = [pane.placement for pane in self.panes.values() if not pane.isHidden() and pane.placement is not None]
        timed = self.heating.colouring in TIMED
        names = {} if timed else {kind.value: kind.title for kind in SliceKind}
        heat = [LegendEntry(Role.BOX, HEAT, "the stronger, the more time; pale: no kernel of its own")] if timed else []
        self.legend.show_entries(heat + entries_of([placement.picture for placement in shown], names, ROLES))

    def _learn_order(self, question: Question, answer: object) -> None:
        """The whole step stands as its trace has it, when that is known."""
        if not isinstance(answer, tuple) or self._results is None:
            return
        report = int(str(question.args[0]))
        known = self._called.get(report)
        self._called[report] = answer
        if known != answer and self.choice is not None and self.choice.is_step and self.choice.report == report:
            self._show_graphs()

    def turn_layout(self) -> None:
        self._fixed, self._downwards = True, not self._downwards
        self._show_graphs()

    def each(self, deed: Callable[[GraphPane], None]) -> None:
        for pane in self.panes.values():
            if not pane.isHidden():
                deed(pane)

    def _fit(self) -> None:
        for pane in self.panes.values():
            pane.canvas.fit()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self.legend.setVisible(self.height() >= LEGEND_FROM)
        self.bar.show_keyed(shown=self.width() >= KEYED_FROM)
        for pane in self.panes.values():
            pane.set_low(low=self.height() < HEAD_FROM)
        turned = not self._fixed and self._wanted_direction() != self._downwards
        if self._choices and (turned or self._most() != self._shown_most):
            self._show_graphs()

    def _most(self) -> int:
        return FIRST_SIGHT if self.height() >= LOW else LOW_SIGHT

    def _wanted_direction(self) -> bool:
        if self._fixed:
            return self._downwards
        count = 2 if self.choice and self.choice.graphs(self.level, Direction.BACKWARD) else 1
        flatness = self.width() / count / max(self.height() - 70, 1)
        return self._downwards if TALL < flatness < FLAT else flatness <= TALL

    def _show_graphs(self) -> None:
        if self.choice is None or self._results is None:
            return
        self._downwards, self._shown_most = self._wanted_direction(), self._most()
        self.chooser.setToolTip(plain_tip(self.choice.title))
        self.turn.setToolTip("Lay out left to right" if self._downwards else "Lay out top to bottom")
        graphs = self._results.graphs_of(self.choice.report)
        colouring = self.heating.colouring if self.heating.colouring not in TIMED else Colouring.KERNEL
        for direction, pane in self.panes.items():
            indices = self.choice.graphs(self.level, direction)
            pane.setVisible(bool(indices))
            if indices and self.choice.is_step:
                indices = as_called(indices, graphs, self._called.get(self.choice.report, ()))
                pane.show_parts(1, 0)
                request = Request(
                    self.choice.report, -1, self._downwards, colouring, most=self._shown_most, step=indices
                )
                report = self._results.reports[self.choice.report][1]
                pane.show_step(whole_step(report, indices, direction), request, graphs)
            elif indices:
                part = min(self._parts[direction], len(indices) - 1)
                pane.show_parts(len(indices), part)
                number = indices[part]
                request = Request(self.choice.report, number, self._downwards, colouring, most=self._shown_most)
                pane.show_graph(graphs[number], request, graphs)
        self.setFocusProxy(self.shown_panes[0].canvas)
        self.heating.refresh()
        self.transport.show_report(self.choice.report)
        if self.choice.is_step and self.choice.report not in self._called:
            self._state.ask(Question("call order", -1, (self.choice.report,)), self._learn_order)
        self._mark_selection(self._state.selection, reveal=False)

    def _pick_listed(self, direction: Direction, node: int) -> None:
        self.panes[direction].go_to(node)
        self._pick(direction, node)

    # the shared selection

    def _pick(self, direction: Direction, node: int) -> None:
        self._picked_here = self._pick_of(self.panes[direction], node)
        self._state.pick(self._picked_here)

    def _hover(self, direction: Direction, node: int) -> None:
        pane = self.panes[direction]
        if pane.request is None:
            return
        self._state.hover(self._pick_of(pane, node))
        place = pane.place_of(node) if node >= 0 else None
        for other in self.shown_panes:
            if other is not pane and self._results is not None:
                graphs = self._results.graphs_of(pane.request.report)
                other.show_kin(counterparts(graphs, *place, other.graphs) if place is not None else ())

    @staticmethod
    def _pick_of(pane: GraphPane, node: int) -> Pick:
        """A break is picked by its line."""
        if pane.request is None or pane.graph is None or node < 0:
            return Pick()
        place = pane.place_of(node)
        if place is None:
            return Pick(source=pane.graph.nodes[node].source)
        return Pick(report=pane.request.report, graph=place[0], node=place[1])

    def _show_selection(self, selection: Selection) -> None:
        if selection.nodes and not any(self._selected(pane, selection) for pane in self.panes.values()):
            self._open(selection)
        self._mark_selection(selection, reveal=True)

    def _open(self, selection: Selection) -> None:
        """Goes to a graph that holds selected nodes, at the level shown where there is one."""
        places = [locate(self._choices, report, graph) for report, graph, _ in selection.nodes]
        known = [place for place in places if place is not None]
        if not known:
            return
        place = next((place for place in known if place.level is self.level), known[0])
        whole = self.choice is not None and self.choice.is_step
        if not (whole and self.choice and self.choice.report == self._choices[place.choice].report):
            self.chooser.setCurrentIndex(place.choice)
        self._level = place.level
        self._choose()
        self._parts = dict.fromkeys(Direction, place.part)
        self._show_graphs()

    def _mark_selection(self, selection: Selection, *, reveal: bool) -> None:
        for pane in self.panes.values():
            nodes = self._selected(pane, selection)
            request, pick = pane.request, selection.pick
            own = request is not None and pick == self._picked_here and pick.graph in pane.graphs
            pane.select(nodes, reveal=reveal and bool(nodes) and not own)

    @staticmethod
    def _selected(pane: GraphPane, selection: Selection) -> list[int]:
        if pane.request is None or pane.isHidden():
            return []
        own = [(graph, node) for report, graph, node in selection.nodes if report == pane.request.report]
        return [at for graph, node in own if (at := pane.node_at(graph, node)) >= 0]

    # searching

    @property
    def has_hits(self) -> bool:
        return bool(self._found)

    def start_search(self) -> None:
        self.search.setFocus(Qt.FocusReason.ShortcutFocusReason)
        self.search.selectAll()

    def _leave_search(self) -> None:
        self.search.clear()
        shown = [pane for pane in self.panes.values() if not pane.isHidden()]
        if shown:
            shown[0].canvas.setFocus(Qt.FocusReason.ShortcutFocusReason)

    def _search(self, text: str, *, reveal: bool = True) -> None:
        shown = [(direction, pane) for direction, pane in self.panes.items() if not pane.isHidden()]
        found = [(direction, node) for direction, pane in shown for node in pane.search(text)]
        if found == self._found and not reveal:
            return
        self._found, self._at = found, -1
        self.found.setText((f"{len(found)} found" if found else "none") if text.strip() else "")
        if reveal and found:
            self.step_search(1, inside=len(found) <= FEW_HITS)

    def step_search(self, step: int, *, inside: bool = True) -> None:
        """Goes to the next or the previous match, around the end, and unless told otherwise into closed modules."""
        if not self._found:
            return
        self._at = (self._at + step) % len(self._found) if self._at >= 0 or step > 0 else len(self._found) - 1
        direction, node = self._found[self._at]
        self.panes[direction].go_to(node, inside=inside)
        self.found.setText(f"{self._at + 1} of {len(self._found)}")


SPEC = ViewSpec(id="graphs", title="Graphs", area=Area.CENTRE, factory=GraphsView, empty=empty)
