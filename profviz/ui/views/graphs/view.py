"""The graph view: choosers on top, forward and backward beside each other, linked to the shared selection."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import Qt
from PySide6.QtGui import QKeyEvent, QKeySequence, QResizeEvent, QShortcut
from PySide6.QtWidgets import QHBoxLayout, QLineEdit, QPushButton, QSizePolicy, QSplitter

from profviz.model.results import Results, SliceKind
from profviz.ui.view_state import Pick, Selection, ViewState
from profviz.ui.views.graphs.choices import Choice, Direction, Level, choices, empty, locate
from profviz.ui.views.graphs.heat import TIMED
from profviz.ui.views.graphs.heating import Heating
from profviz.ui.views.graphs.labels import Colouring
from profviz.ui.views.graphs.pane import GraphPane, Request
from profviz.ui.views.graphs.whole_step import whole_step
from profviz.ui.views.spec import Area, ViewSpec
from profviz.ui.widgets.graph_chooser import Chooser
from profviz.ui.widgets.graph_legend import HEAT, GraphLegend, LegendEntry, entries_of
from profviz.ui.widgets.graph_picture import Role
from profviz.ui.widgets.palette import Palette
from profviz.ui.widgets.panel_style import plain_tip
from profviz.ui.widgets.panel_text import Panel, TextLabel
from profviz.ui.widgets.view_actions import Deed

FLAT, TALL = 1.7, 1.3  # width to height of a pane: flatter lays out to the right, taller downwards, between stays

LEGEND_FROM = 280  # pixels of height; below, the graph needs the room
ROLES = {
    Role.PALE: "input, result or view: no work of its own",
    Role.CHIP: "weight or constant",
    Role.CUT: "break: this line runs eager",
    Role.FAR: "edge to far away",
    Role.GROUP: "module, closed: double-click or Enter opens it",
}


class SearchLine(QLineEdit):
    """Enter steps forward, Shift+Enter back, Escape leaves."""

    def __init__(self, step: Callable[[int], None], leave: Callable[[], None]) -> None:
        super().__init__()
        self._step, self._leave = step, leave

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            self._step(-1 if event.modifiers() & Qt.KeyboardModifier.ShiftModifier else 1)
        elif event.key() == Qt.Key.Key_Escape:
            self._leave()
        else:
            super().keyPressEvent(event)


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
        self._fixed = False  # the user chose a direction; else the panes' shape decides
        self._found: list[tuple[Direction, int]] = []
        self._at = -1
        self.panes = {direction: GraphPane(palette, name=direction.value) for direction in Direction}
        self.chooser, self.levels, self.colouring = Chooser(), Chooser(), Chooser()
        self.search = SearchLine(self.step_search, self._leave_search)
        self.found = TextLabel(role="muted", wrap=False)
        self.turn = QPushButton("Turn")
        self.whole = QPushButton("Fit")
        self.legend = GraphLegend(palette)
        self.heating = Heating(state, self.panes, self.colouring, self._pick_listed)
        self._build()
        self.set_palette(palette)
        state.selection_changed.connect(self._show_selection)

    def _build(self) -> None:
        self.chooser.setAccessibleName("Compiled graph")
        self.levels.setAccessibleName("Compiler stage")
        self.colouring.setAccessibleName("Colour of the boxes")
        self.colouring.addItems([f"Colour: {way.value}" for way in Colouring])
        self.search.setPlaceholderText("Search   /")
        self.search.setAccessibleName("Search in the graph")
        self.search.setToolTip("Name, operation, module, shape or kernel; Enter steps on, Shift+Enter back")
        self.search.setClearButtonEnabled(True)
        self.search.setMaximumWidth(220)
        self.turn.setAccessibleName("Direction of the graph")
        self.whole.setToolTip("Show the whole graph (Space)")
        self.chooser.setSizeAdjustPolicy(Chooser.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon)
        self.chooser.setMinimumContentsLength(24)
        self.levels.setMinimumContentsLength(12)
        self.levels.setSizeAdjustPolicy(Chooser.SizeAdjustPolicy.AdjustToContents)
        self.chooser.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.column.setSpacing(4)
        self.column.addLayout(self._chooser_row())
        self.splitter = QSplitter(Qt.Orientation.Horizontal)
        self.splitter.setChildrenCollapsible(False)
        for index, pane in enumerate(self.panes.values()):
            self.splitter.addWidget(pane)
            self.splitter.setStretchFactor(index, 1)
        self.splitter.setSizes([1000, 1000])
        self.column.addWidget(self.splitter, 1)
        self.column.addWidget(self.legend)
        self.setFocusProxy(self.panes[Direction.FORWARD].canvas)
        self._connect()

    def _chooser_row(self) -> QHBoxLayout:
        row = QHBoxLayout()
        row.setContentsMargins(4, 0, 4, 0)
        row.setSpacing(6)
        row.addWidget(self.chooser, 5)
        heating = self.heating
        for part in (self.levels, self.colouring, heating.slowest, heating.swap, self.turn, self.whole):
            row.addWidget(part)
        row.addWidget(self.search, 2)
        row.addWidget(self.found)
        return row

    def _connect(self) -> None:
        self.chooser.activated.connect(lambda: self._choose())
        self.levels.activated.connect(lambda: self._choose_level())
        self.colouring.activated.connect(lambda: self._recolour())
        self.turn.clicked.connect(self._turn)
        self.whole.clicked.connect(self._fit)
        self.search.textChanged.connect(self._search)
        for direction, pane in self.panes.items():
            pane.node_clicked.connect(lambda node, direction=direction: self._pick(direction, node))
            pane.node_hovered.connect(lambda node, direction=direction: self._hover(direction, node))
            pane.part_chosen.connect(self._choose_part)
            pane.laid_out.connect(self._laid_out)
        swap = QShortcut(QKeySequence("T"), self)
        swap.setContext(Qt.ShortcutContext.WidgetWithChildrenShortcut)
        swap.activated.connect(self.heating.toggle)
        for key, deed in (("E", GraphPane.open_all), ("Shift+E", GraphPane.open_first_sight)):
            shortcut = QShortcut(QKeySequence(key), self)
            shortcut.setContext(Qt.ShortcutContext.WidgetWithChildrenShortcut)
            shortcut.activated.connect(lambda deed=deed: self._each(deed))
        slash = QShortcut(QKeySequence(Qt.Key.Key_Slash), self)
        slash.setContext(Qt.ShortcutContext.WidgetWithChildrenShortcut)
        slash.activated.connect(self._start_search)

    # the view's contract

    def show_results(self, results: Results) -> None:
        for pane in self.panes.values():
            pane.forget()
        self._results = results
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
        shown = next((pane.canvas for pane in self.panes.values() if not pane.isHidden()), None)
        if shown is None or not self._choices:
            return {}
        canvas = next((p.canvas for p in self.panes.values() if p.canvas.hasFocus() and not p.isHidden()), shown)
        steps = {"step_left": (-1, 0), "step_right": (1, 0), "step_up": (0, -1), "step_down": (0, 1)}
        return {
            **{id_: Deed(lambda by=by: canvas.step(*by)) for id_, by in steps.items()},
            "search": Deed(self._start_search),
            "next_hit": Deed(lambda: self.step_search(1), lambda: bool(self._found)),
            "previous_hit": Deed(lambda: self.step_search(-1), lambda: bool(self._found)),
            "toggle": Deed(canvas.toggle_current),
            "close_around": Deed(canvas.close_around),
            "open_all": Deed(lambda: self._each(GraphPane.open_all)),
            "open_first": Deed(lambda: self._each(GraphPane.open_first_sight)),
            "fit": Deed(canvas.fit),
            "fit_selection": Deed(canvas.fit_selection),
            "reset_zoom": Deed(canvas.open_view),
            "zoom_in": Deed(canvas.zoom_in),
            "zoom_out": Deed(canvas.zoom_out),
            "turn": Deed(self._turn),
            "swap": Deed(self.heating.toggle),
        }

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

    def _turn(self) -> None:
        self._fixed, self._downwards = True, not self._downwards
        self._show_graphs()

    def _each(self, deed: Callable[[GraphPane], None]) -> None:
        for pane in self.panes.values():
            if not pane.isHidden():
                deed(pane)

    def _fit(self) -> None:
        for pane in self.panes.values():
            pane.canvas.fit()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self.legend.setVisible(self.height() >= LEGEND_FROM)
        if not self._fixed and self._choices and self._wanted_direction() != self._downwards:
            self._show_graphs()

    def _wanted_direction(self) -> bool:
        if self._fixed:
            return self._downwards
        count = 2 if self.choice and self.choice.graphs(self.level, Direction.BACKWARD) else 1
        flatness = self.width() / count / max(self.height() - 70, 1)
        return self._downwards if TALL < flatness < FLAT else flatness <= TALL

    def _show_graphs(self) -> None:
        if self.choice is None or self._results is None:
            return
        self._downwards = self._wanted_direction()
        self.chooser.setToolTip(plain_tip(self.choice.title))
        self.turn.setToolTip("Lay out left to right" if self._downwards else "Lay out top to bottom")
        report = self._results.reports[self.choice.report][1]
        colouring = self.heating.colouring if self.heating.colouring not in TIMED else Colouring.KERNEL
        for direction, pane in self.panes.items():
            indices = self.choice.graphs(self.level, direction)
            pane.setVisible(bool(indices))
            if indices and self.choice.is_step:
                pane.show_parts(1, 0)
                request = Request(self.choice.report, -1, self._downwards, colouring, step=indices)
                pane.show_step(whole_step(report, indices, direction), request, report.graphs)
            elif indices:
                part = min(self._parts[direction], len(indices) - 1)
                pane.show_parts(len(indices), part)
                request = Request(self.choice.report, indices[part], self._downwards, colouring)
                pane.show_graph(report.graphs[indices[part]], request, report.graphs)
        self.heating.refresh()
        self._mark_selection(self._state.selection, reveal=False)

    def _pick_listed(self, direction: Direction, node: int) -> None:
        self.panes[direction].go_to(node)
        self._pick(direction, node)

    # the shared selection

    def _pick(self, direction: Direction, node: int) -> None:
        self._state.pick(self._pick_of(self.panes[direction], node))

    def _hover(self, direction: Direction, node: int) -> None:
        if self.panes[direction].request is not None:
            self._state.hover(self._pick_of(self.panes[direction], node))

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
        self.chooser.setCurrentIndex(place.choice)
        self._level = place.level
        self._choose()
        self._parts = dict.fromkeys(Direction, place.part)
        self._show_graphs()

    def _mark_selection(self, selection: Selection, *, reveal: bool) -> None:
        for pane in self.panes.values():
            nodes = self._selected(pane, selection)
            request, pick = pane.request, selection.pick
            own = request is not None and pick.report == request.report and pick.graph in pane.graphs
            pane.select(nodes, reveal=reveal and bool(nodes) and not own)

    @staticmethod
    def _selected(pane: GraphPane, selection: Selection) -> list[int]:
        if pane.request is None or pane.isHidden():
            return []
        own = [(graph, node) for report, graph, node in selection.nodes if report == pane.request.report]
        return [at for graph, node in own if (at := pane.node_at(graph, node)) >= 0]

    # searching

    def _start_search(self) -> None:
        self.search.setFocus(Qt.FocusReason.ShortcutFocusReason)
        self.search.selectAll()

    def _leave_search(self) -> None:
        self.search.clear()
        shown = [pane for pane in self.panes.values() if not pane.isHidden()]
        if shown:
            shown[0].canvas.setFocus(Qt.FocusReason.ShortcutFocusReason)

    def _search(self, text: str, *, reveal: bool = True) -> None:
        shown = [(direction, pane) for direction, pane in self.panes.items() if not pane.isHidden()]
        self._found = [(direction, node) for direction, pane in shown for node in pane.search(text)]
        self._at = -1
        self.found.setText((f"{len(self._found)} found" if self._found else "none") if text.strip() else "")
        if reveal and self._found:
            self.step_search(1)

    def step_search(self, step: int) -> None:
        """Goes to the next or the previous match, around the end."""
        if not self._found:
            return
        self._at = (self._at + step) % len(self._found) if self._at >= 0 or step > 0 else len(self._found) - 1
        direction, node = self._found[self._at]
        self.panes[direction].go_to(node)
        self.found.setText(f"{self._at + 1} of {len(self._found)}")


SPEC = ViewSpec(id="graphs", title="Graphs", area=Area.CENTRE, factory=GraphsView, empty=empty)
