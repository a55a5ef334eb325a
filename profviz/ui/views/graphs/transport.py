"""The bar that plays a step: a play-head over both timelines, and the nodes that run at it light up."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from typing import Any

from PySide6.QtCore import Qt, QTimer, Signal
from PySide6.QtGui import QHideEvent, QKeyEvent
from PySide6.QtWidgets import QHBoxLayout, QPushButton, QSlider, QWidget

from profviz.model.questions import Question
from profviz.model.units import format_ns
from profviz.ui.view_state import ViewState
from profviz.ui.views.graphs.choices import Direction
from profviz.ui.views.graphs.pane import GraphPane
from profviz.ui.views.graphs.playing import SLOWER, Script
from profviz.ui.widgets.graph_chooser import Chooser
from profviz.ui.widgets.panel_text import TextLabel

FRAME_MS = 33
NOTCHES = 10_000


class HeadSlider(QSlider):
    """`stepped` is called with -1 or 1 for the arrow keys to the left and right: from kernel to kernel."""

    def __init__(self, stepped: Callable[[int], None]) -> None:
        super().__init__(Qt.Orientation.Horizontal)
        self._stepped = stepped

    def keyPressEvent(self, event: QKeyEvent) -> None:
        by = {Qt.Key.Key_Left: -1, Qt.Key.Key_Right: 1}.get(Qt.Key(event.key()))
        if by is None:
            super().keyPressEvent(event)
        else:
            self._stepped(by)


class Transport(QWidget):
    """Hidden while it is not wanted or there is nothing to play. `name_of` gives the name of a slice of a side."""

    wanted_changed = Signal(bool)

    def __init__(
        self, state: ViewState, panes: Mapping[Direction, GraphPane], name_of: Callable[[int, int], str]
    ) -> None:
        super().__init__()
        self._state, self._panes, self._name_of = state, panes, name_of
        self._report = -1
        self._script = Script(())
        self._lit: tuple[int, ...] | None = None
        self._wanted = False
        self._last = 0.0
        self.at_ns = 0
        self.play = QPushButton("Play")
        self.back, self.on = QPushButton("‹"), QPushButton("›")
        self.speed, self.side = Chooser(), Chooser()
        self.slider = HeadSlider(self.step)
        self.words = TextLabel(role="muted", wrap=False)
        self._timer = QTimer(self)
        self._timer.setInterval(FRAME_MS)
        self._timer.timeout.connect(self._tick)
        self._build()
        self.hide()

    def _build(self) -> None:
        for part, name, tip in (
            (self.play, "Play the step", "Play or pause (P)"),
            (self.back, "Previous kernel", "Previous kernel (,)"),
            (self.on, "Next kernel", "Next kernel (.)"),
            (self.speed, "Speed", "How many times slower than it ran"),
            (self.side, "Side that lights the nodes", "Whose kernels light the nodes up"),
            (self.slider, "Play-head", "Where in the step the play-head is; the arrow keys step by kernel"),
        ):
            part.setAccessibleName(name)
            part.setToolTip(tip)
        self.speed.addItems([f"{slower:,}× slower".replace(",", " ") for slower in SLOWER])
        self.speed.setCurrentIndex(1)
        self.slider.setRange(0, NOTCHES)
        self.words.setMinimumWidth(1)
        row = QHBoxLayout(self)
        row.setContentsMargins(8, 0, 8, 0)
        row.setSpacing(6)
        for part in (self.play, self.back, self.on, self.speed, self.side):
            row.addWidget(part)
        row.addWidget(self.slider, 1)
        row.addWidget(self.words, 2)
        self.play.clicked.connect(self.toggle)
        self.back.clicked.connect(lambda: self.step(-1))
        self.on.clicked.connect(lambda: self.step(1))
        self.slider.sliderMoved.connect(lambda notch: self.go_to(notch * self._script.length_ns // NOTCHES))
        self.side.activated.connect(lambda: self._show())

    # what is played

    def show_report(self, report: int) -> None:
        """Asks for the runs of a report's step, -1 for none; the same again changes nothing."""
        if report == self._report:
            return
        self._report = report
        self._take(Script(()))
        if report >= 0:
            self._state.ask(Question("step runs", -1, (report,)), self._answered)

    def forget(self) -> None:
        self._report = -1
        self._take(Script(()))

    def _answered(self, question: Question, answer: Any) -> None:
        if question.args == (self._report,) and isinstance(answer, tuple):
            self._take(Script(answer))

    def _take(self, script: Script) -> None:
        self.pause()
        self._script, self._lit, self.at_ns = script, None, 0
        self.side.clear()
        self.side.addItems([side.title for side in script.sides])
        self.side.setCurrentIndex(len(script.sides) - 1)
        self.setVisible(self._wanted and self.usable)
        self.clear()

    @property
    def usable(self) -> bool:
        return bool(self._script.sides)

    def want(self, *, wanted: bool) -> None:
        """Shows or hides the bar."""
        if wanted != self._wanted:
            self._wanted = wanted
            self.setVisible(wanted and self.usable)
            if self.isVisible():
                self.slider.setFocus(Qt.FocusReason.ShortcutFocusReason)  # so that the arrow keys are its
            self.wanted_changed.emit(wanted)

    # playing

    @property
    def is_playing(self) -> bool:
        return self._timer.isActive()

    def toggle(self) -> None:
        """Plays or pauses; at the end it begins anew."""
        if self.is_playing:
            self.pause()
        elif self.usable:
            self.want(wanted=True)
            self.at_ns = 0 if self.at_ns >= self._script.length_ns else self.at_ns
            self._last = time.perf_counter()
            self._timer.start()
            self.play.setText("Pause")
            self._show()

    def pause(self) -> None:
        self._timer.stop()
        self.play.setText("Play")

    def step(self, by: int) -> None:
        """To the start of the next or previous kernel of the side that lights the nodes."""
        self.pause()
        if self.usable:
            self.want(wanted=True)
            self.go_to(self._script.step(self.side.currentIndex(), self.at_ns, by))

    def go_to(self, at_ns: int) -> None:
        self.at_ns = min(max(at_ns, 0), self._script.length_ns)
        self._show()

    def clear(self) -> None:
        """Takes the play-head away."""
        self._state.show_play({})
        self._lit = None
        for pane in self._panes.values():
            pane.light(())

    def hideEvent(self, event: QHideEvent) -> None:
        super().hideEvent(event)
        self.pause()
        self.clear()

    def _tick(self) -> None:
        now = time.perf_counter()
        passed, self._last = now - self._last, now
        self.go_to(self.at_ns + int(passed * 1e9 / SLOWER[max(self.speed.currentIndex(), 0)]))
        if self.at_ns >= self._script.length_ns:
            self.pause()

    def _show(self) -> None:
        which = self.side.currentIndex()
        running = self._script.running(which, self.at_ns)
        self._state.show_play(self._script.moments(self.at_ns))
        if not self.slider.isSliderDown():
            self.slider.setValue(self.at_ns * NOTCHES // max(self._script.length_ns, 1))
        side = self._script.sides[which].side if self.usable else -1
        names = " · ".join(self._name_of(side, run.slice) for run in running) or "idle"
        self.words.setText(f"{format_ns(self.at_ns)} of {format_ns(self._script.length_ns)}   {names}")
        lit = tuple(run.slice for run in running)
        if lit != self._lit:
            self._lit = lit
            for pane in self._panes.values():
                pane.light([place for run in running for place in run.nodes])
