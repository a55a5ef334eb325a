"""Plots below each other; where one is pressed or dragged the timelines go."""

from __future__ import annotations

from functools import partial
from typing import Any

from PySide6.QtGui import QShowEvent
from PySide6.QtWidgets import QFrame, QScrollArea, QVBoxLayout, QWidget

from profviz.model.over_time import MemoryOverTime, QueuesOverTime
from profviz.model.questions import Question, Unanswered
from profviz.model.results import Results
from profviz.ui.view_state import TimeWindow, ViewState
from profviz.ui.views.over_time import layout
from profviz.ui.views.spec import Area, ViewSpec
from profviz.ui.widgets.palette import Palette
from profviz.ui.widgets.panel_text import Panel, TextLabel
from profviz.ui.widgets.step_plot import StepPlot
from profviz.ui.widgets.step_values import StepPlotData

WAITING = "Working out memory and launch queues …"


class OverTimeView(Panel):
    """Asks when it is first seen; shows all sides once all is known."""

    def __init__(self, state: ViewState, palette: Palette) -> None:
        super().__init__(name="Memory and queues")
        self._state = state
        self._colours = palette
        self._results: Results | None = None
        self._asked = False
        self._memory: dict[int, MemoryOverTime] = {}
        self._queues: dict[int, QueuesOverTime] = {}
        self._failed: list[str] = []
        self._shown: tuple[layout.SidePlot, ...] = ()
        self.plots: list[StepPlot] = []
        self.status = TextLabel(WAITING, role="muted")
        self.notes = TextLabel(role="muted")
        self._column = QVBoxLayout()
        self._build()
        state.window_changed.connect(self._show_window)
        state.alignment_changed.connect(self._refresh)
        self.seen.connect(self._ask)
        self.set_palette(palette)

    def show_results(self, results: Results) -> None:
        self._results = results
        self._asked = False
        self._memory, self._queues, self._failed = {}, {}, []
        self.show_message(layout.empty(results))
        self._refresh()
        self._ask()

    def set_palette(self, palette: Palette) -> None:
        self._colours = palette
        self.apply(palette)
        for plot in self.plots:
            plot.apply(palette)

    def widget(self) -> OverTimeView:
        return self

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self._ask()

    def _build(self) -> None:
        body = QWidget()
        body.setObjectName("panel_body")
        outer = QVBoxLayout(body)
        outer.setContentsMargins(4, 0, 4, 4)
        outer.setSpacing(4)
        outer.addWidget(self.notes)
        outer.addLayout(self._column)
        outer.addStretch(1)
        area = QScrollArea()
        area.setWidgetResizable(True)
        area.setFrameShape(QFrame.Shape.NoFrame)
        area.setWidget(body)
        area.setAccessibleName("Plots over time")
        self.column.addWidget(self.status)
        self.column.addWidget(area, 1)

    def _ask(self) -> None:
        if self._asked or self._results is None or layout.empty(self._results) or not self.is_seen:
            return
        self._asked = True
        for side in range(len(self._results.sides)):
            for id_ in ("memory", "queues"):
                self._state.ask(Question(id_, side), partial(self._take, self._results))

    def _take(self, results: Results, question: Question, found: Any) -> None:
        if results is not self._results:
            return
        if isinstance(found, Unanswered):
            self._failed.append(found.why)
        elif isinstance(found, MemoryOverTime):
            self._memory[question.side] = found
        else:
            self._queues[question.side] = found
        self._refresh()

    def _refresh(self, _: object = None) -> None:
        results = self._results
        known = len(self._memory) + len(self._queues) + len(self._failed)
        waiting = results is not None and known < 2 * len(results.sides)
        self.status.show_text("\n".join([*self._failed, *([WAITING] if waiting else [])]))
        self.status.setVisible(bool(self.status.text()))
        self._shown, notes = (), ""
        if results is not None and not waiting:
            self._shown = layout.plots(results, self._memory, self._queues)
            notes = "\n".join(layout.sentences(results, self._memory, self._queues))
        self.notes.show_text(notes)
        self.notes.setVisible(bool(notes))
        self._show_plots()
        self._show_window()

    def _show_plots(self) -> None:
        """Plots that stand there show other data: making them anew for each move of a side would take its time."""
        for plot in self.plots[len(self._shown) :]:
            self._column.removeWidget(plot)
            plot.hide()
            plot.deleteLater()
        del self.plots[len(self._shown) :]
        for number, plot in enumerate(self._shown):
            data = layout.moved(plot.data, self._offset(plot.side))
            if number < len(self.plots):
                self.plots[number].show_data(data)
            else:
                self._add(data, number)

    def _add(self, data: StepPlotData, number: int) -> None:
        made = StepPlot(self._colours, data)
        made.moved.connect(partial(self._go_to, number))
        self.plots.append(made)
        self._column.addWidget(made)

    def _show_window(self, _: object = None) -> None:
        if self._results is None:
            return
        span = layout.span(self._results, self._state.offsets_ns)
        for shown, plot in zip(self._shown, self.plots, strict=True):
            window = self._state.window_of(shown.side)
            plot.show_span(span, (window.start_ns, window.end_ns))

    def _go_to(self, number: int, time_ns: int) -> None:
        """Moves the window of a plot's side so that the time stands in its middle."""
        side = self._shown[number].side
        window = self._state.window_of(side)
        start = time_ns - window.span_ns // 2
        self._state.show_side_window(side, TimeWindow(start, start + window.span_ns))

    def _offset(self, side: int) -> int:
        offsets = self._state.offsets_ns
        return offsets[side] if side < len(offsets) else 0


SPEC = ViewSpec(id="over_time", title="Memory and queues", area=Area.BOTTOM, factory=OverTimeView, empty=layout.empty)
