"""Fetches the times of the graphs shown and puts them on the panes: heat, the slowest, and the words of a node."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

from PySide6.QtCore import QTimer

from profviz.model.graph import GraphTimes
from profviz.model.questions import Question
from profviz.model.units import format_ns
from profviz.ui.view_state import ViewState
from profviz.ui.views.graphs.choices import Direction
from profviz.ui.views.graphs.heat import TIMED, slowest
from profviz.ui.views.graphs.labels import Colouring
from profviz.ui.views.graphs.pane import GraphPane
from profviz.ui.widgets.graph_chooser import Chooser
from profviz.ui.widgets.graph_morph import MorphSlider

SOON_MS = 30


class Heating:
    """`colouring` is the view's chooser; `chosen` is called with a direction and a node of the list of the slowest."""

    def __init__(
        self,
        state: ViewState,
        panes: Mapping[Direction, GraphPane],
        colouring: Chooser,
        chosen: Callable[[Direction, int], None],
    ) -> None:
        self._state, self._panes, self._colouring, self._chosen = state, panes, colouring, chosen
        self._listed: list[tuple[Direction, int]] = []
        self.slowest = Chooser()
        self.slowest.setAccessibleName("The slowest")
        self.slowest.setToolTip("The ten slowest nodes or kernels; choosing one selects it")
        self.slowest.activated.connect(self._choose)
        self.slowest.setMaximumWidth(230)
        self.slowest.hide()
        self.fusion = MorphSlider("Eager", "Fused", name="From one box a kernel to fused groups")
        self.fusion.moved.connect(self._fuse)
        self._soon = QTimer(self.slowest, singleShot=True, interval=SOON_MS)
        self._soon.timeout.connect(self._show_all)

    @property
    def colouring(self) -> Colouring:
        return list(Colouring)[max(self._colouring.currentIndex(), 0)]

    def toggle(self) -> None:
        """From fused groups to eager boxes and back, with the times of each."""
        wanted = Colouring.COMPILED if self.colouring is Colouring.EAGER else Colouring.EAGER
        self._colouring.setCurrentIndex(list(Colouring).index(wanted))
        self._colouring.activated.emit(self._colouring.currentIndex())

    def follow_colour(self) -> None:
        """Eager times belong to boxes, compiled ones to groups."""
        if self.colouring in TIMED:
            self.fusion.run_to(1.0 if self.colouring is Colouring.COMPILED else 0.0)

    def _fuse(self, share: float, moving: bool) -> None:  # noqa: FBT001 - a signal's
        for pane in self._panes.values():
            pane.fuse(share, moving=moving)

    def refresh(self) -> None:
        """Asks for the times of what the panes show, and shows what is known."""
        for pane in self._panes.values():
            if pane.isHidden() or pane.request is None:
                continue
            for graph in pane.graphs:
                question = Question("graph times", -1, (pane.request.report, graph))
                self._state.ask(question, partial(self._answered, pane))
        self._show_all()

    def _answered(self, pane: GraphPane, question: Question, answer: Any) -> None:
        if pane.request is None or not isinstance(answer, GraphTimes):
            return
        report, graph = int(str(question.args[0])), int(str(question.args[1]))
        if report == pane.request.report and graph in pane.graphs:
            pane.learn_times(graph, answer)
            if not self._soon.isActive():  # a step may be of hundreds of graphs: show what came of them together
                self._soon.start()

    def _show_all(self) -> None:
        self._soon.stop()
        for pane in self._panes.values():
            pane.show_heat(self.colouring)
        self._explain_fusion()
        self._list()

    def _explain_fusion(self) -> None:
        known = any(pane.has_kernels for pane in self._panes.values() if not pane.isHidden())
        self.fusion.setEnabled(known)
        what = (
            "Left: one box a kernel, as eager runs them. Right: the groups that the compiler fused (T)"
            if known
            else "No two boxes of these graphs are known to share a kernel"
        )
        self.fusion.setToolTip(what)

    def _list(self) -> None:
        timed = self.colouring in TIMED
        self.slowest.setVisible(timed)
        if not timed:  # nobody sees the list, and to rank thousands of nodes takes its time
            self._listed = []
            self.slowest.clear()
            return
        found = [
            (slow, direction)
            for direction, pane in self._panes.items()
            if not pane.isHidden() and pane.graph is not None and pane.times is not None
            for slow in slowest(pane.graph, pane.times, self.colouring)
        ]
        found = sorted(found, key=lambda pair: -pair[0].time_ns)[:10]
        self._listed = [(direction, slow.node) for slow, direction in found]
        self.slowest.clear()
        self.slowest.addItem(f"The {len(found)} slowest" if found else "No times known")
        self.slowest.addItems([f"{format_ns(slow.time_ns)}   {slow.name}" for slow, _ in found])

    def _choose(self, index: int) -> None:
        if 0 < index <= len(self._listed):
            self._chosen(*self._listed[index - 1])
