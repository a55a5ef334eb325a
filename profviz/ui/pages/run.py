"""The run page: form at the left, progress and log at the right; tells what is wanted and shows what came."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QFrame, QHBoxLayout, QPushButton, QScrollArea, QSplitter, QVBoxLayout, QWidget

from profviz.engine.events import (
    CompileSeen,
    EnvironmentKnown,
    Event,
    Finished,
    JobCancelled,
    JobFailed,
    LogLine,
    RunChanged,
    StageMoved,
    WorkloadFound,
)
from profviz.model.results import Results
from profviz.model.run import Failure, Run
from profviz.ui.pages.run_compiling import CompilingPanel
from profviz.ui.pages.run_form import RunForm
from profviz.ui.pages.run_progress import LogPane, StageTable, partial_figures
from profviz.ui.widgets.shell_figures import FigureStrip
from profviz.ui.widgets.shell_labels import ElidedLabel, panel, set_tone

FORM_WIDTH = 432
_ENDINGS = {Finished: ("Done", "good"), JobCancelled: ("Cancelled", "warn"), JobFailed: ("Failed", "bad")}


class RunPage(QWidget):
    """`inspect` and `run` carry a request; `cancel` asks to stop either; `partial` to see what a failed run kept.

    `look` carries the results of a variant that is still compiled.
    """

    inspect = Signal(object)
    run = Signal(object)
    cancel = Signal()
    partial = Signal(str)
    look = Signal(object)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.form = RunForm()
        self.stages = StageTable()
        self.compiling = CompilingPanel()
        self.log = LogPane()
        self.figures = FigureStrip()
        self.figures.hide()
        self._busy = ""
        self._session = ""
        self._failures: set[tuple[str, str]] = set()
        self._run: Run | None = None
        self._looked: Results | None = None
        self.watched: Callable[[Results], bool] = lambda results: False
        """Whether newer ones may take the place of what was last looked at: it shows, and nothing in it is held."""
        outer = QVBoxLayout(self)
        outer.setContentsMargins(8, 8, 8, 8)
        outer.setSpacing(8)
        outer.addWidget(self._header())
        outer.addWidget(self._body(), 1)
        self.compiling.look.connect(self._look)
        self.form.discovery_changed.connect(self.ask_inspection)
        self.form.interpreter_changed.connect(self.ask_inspection)
        self.form.changed.connect(self._update_buttons)
        self._update_buttons()

    def open_script(self, path: str, *, interpreter: str) -> None:
        """Shows the script and asks for its inspection; runs nothing."""
        self.title.setText(Path(path).name)
        self.subtitle.setText(str(Path(path).parent))
        self.form.show_script(path, interpreter=interpreter)
        self.clear_progress()
        self.ask_inspection()

    @property
    def interpreter(self) -> str:
        return self.form.interpreter.text().strip()

    @property
    def blocked(self) -> str:
        return self._busy or self.form.blocked

    def ask_inspection(self) -> None:
        request = self.form.request()
        if request.script and self._busy != "A run is going on.":
            self.inspect.emit(request)

    def ask_run(self) -> None:
        if not self.blocked:
            self.run.emit(self.form.request())

    def begin(self, what: str) -> None:
        """`what` is inspect or run."""
        self._busy = "A run is going on." if what == "run" else "The script is still being looked at."
        if what == "run":
            self.clear_progress()
        self._say("Running…" if what == "run" else "Looking at the script…")
        self._update_buttons()

    def end(self, text: str, *, tone: str = "plain", session: str = "") -> None:
        self._busy = ""
        self._session = session
        self.stages.stop()
        self.log.flush()
        self._say(text, tone=tone)
        self._update_buttons()

    def end_inspection(self, event: Event) -> bool:
        """True when a run could start now."""
        if not isinstance(event, Finished):
            self.end("The script could not be looked at", tone="bad")
            return False
        self.end("")
        blocked = self.blocked
        self._say(blocked or "Ready to run", tone="warn" if blocked else "plain")
        return not blocked

    def end_run(self, event: Event) -> None:
        session = event.session_path
        saved = f"saved as {session}" if session else "nothing was measured"
        how, tone = _ENDINGS[type(event)]
        self.end(f"{how}, {saved}", tone=tone, session=session)

    def take(self, event: Event) -> None:
        """Shows one event of an inspection or a run."""
        if isinstance(event, EnvironmentKnown):
            self.form.show_environment(event.environment)
            self.stages.variant_titles = {spec.id: spec.title for spec in event.environment.variants}
        elif isinstance(event, WorkloadFound):
            self.form.show_workload(event.workload)
        elif isinstance(event, StageMoved):
            self.stages.move_stage(event)
        elif isinstance(event, LogLine):
            self.log.add(event.level, event.text)
        elif isinstance(event, RunChanged):
            self._show_run(event.run)
        elif isinstance(event, CompileSeen):
            title = self.stages.variant_titles.get(event.variant, event.variant)
            self.compiling.show_seen(event, title=title)
            if self._looked is not None and self.watched(self._looked):
                self._look()

    def has_shown(self, results: Results | None) -> bool:
        """Whether these are what was last asked to be looked at while something compiled."""
        return results is not None and results is self._looked

    def _look(self) -> None:
        from profviz.engine.results import results_so_far

        seen = self.compiling.seen
        if seen is not None and self._run is not None:
            self._looked = results_so_far(self._run, variant=seen.variant, report=seen.report)
            self.look.emit(self._looked)

    def clear_progress(self) -> None:
        self._run = self._looked = None
        self._failures.clear()
        self._session = ""
        self.stages.reset()
        self.compiling.forget()
        self.log.forget()
        self.figures.hide()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() == Qt.Key.Key_Escape and self._busy:
            self.cancel.emit()
        else:
            super().keyPressEvent(event)

    def _show_run(self, run: Run) -> None:
        self._run = run
        self.figures.setVisible(bool(run.variants))
        self.figures.show_figures(partial_figures(run))
        for failure in [variant.failure for variant in run.variants] + [run.failure]:
            if failure is not None and (failure.variant, failure.what) not in self._failures:
                self._failures.add((failure.variant, failure.what))
                self._log_failure(failure)

    def _log_failure(self, failure: Failure) -> None:
        where = f"{failure.variant}: " if failure.variant else ""
        for text in (f"{where}{failure.what}", failure.why, failure.hint, failure.traceback):
            if text:
                self.log.add("error", text)

    def _header(self) -> QFrame:
        frame = QFrame()
        frame.setProperty("panel", True)
        self.title = ElidedLabel(role="heading")
        self.subtitle = ElidedLabel(role="muted", mode=Qt.TextElideMode.ElideMiddle)
        self.status = ElidedLabel(role="muted")
        self.status.setAlignment(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
        self.run_button = self._button("Run", self.ask_run, tip="Ctrl+Enter")
        self.run_button.setProperty("primary", True)
        self.cancel_button = self._button("Cancel", self.cancel.emit, tip="Esc")
        self.partial_button = self._button("Show what was kept", lambda: self.partial.emit(self._session))
        names = QVBoxLayout()
        names.setSpacing(2)
        names.addWidget(self.title)
        names.addWidget(self.subtitle)
        row = QHBoxLayout(frame)
        row.setContentsMargins(16, 10, 12, 10)
        row.setSpacing(8)
        row.addLayout(names, 2)
        row.addWidget(self.status, 1)
        for button in (self.partial_button, self.cancel_button, self.run_button):
            row.addWidget(button)
        return frame

    @staticmethod
    def _button(text: str, slot: object, *, tip: str = "") -> QPushButton:
        button = QPushButton(text)
        button.setToolTip(tip)
        button.setMinimumWidth(88)
        button.clicked.connect(lambda: slot())
        return button

    def _body(self) -> QSplitter:
        area = QScrollArea()
        area.setWidgetResizable(True)
        area.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.form.setProperty("clear", True)
        area.setWidget(self.form)
        area.setMinimumWidth(320)
        area.setAccessibleName("What to run")
        body = QSplitter(Qt.Orientation.Horizontal)
        body.setHandleWidth(8)
        body.setChildrenCollapsible(False)
        body.addWidget(area)
        body.addWidget(self._right())
        body.setStretchFactor(1, 1)
        body.setSizes([FORM_WIDTH, 1000])
        return body

    def _right(self) -> QWidget:
        progress, column = panel(title="Progress")
        column.addWidget(self.stages, 1)
        log, log_column = panel(title="Log")
        log_column.addWidget(self.log, 1)
        halves = QSplitter(Qt.Orientation.Vertical)
        halves.setHandleWidth(8)
        halves.setChildrenCollapsible(False)
        halves.addWidget(progress)
        halves.addWidget(self.compiling)
        halves.addWidget(log)
        halves.setSizes([320, 240, 200])
        right = QWidget()
        outer = QVBoxLayout(right)
        outer.setContentsMargins(0, 0, 0, 0)
        outer.setSpacing(8)
        outer.addWidget(self.figures)
        outer.addWidget(halves, 1)
        return right

    def _say(self, text: str, *, tone: str = "plain") -> None:
        self.status.setText(text)
        set_tone(self.status, tone)

    def _update_buttons(self) -> None:
        self.run_button.setEnabled(not self.blocked)
        self.run_button.setToolTip(self.blocked or "Ctrl+Enter")
        self.cancel_button.setVisible(bool(self._busy))
        self.partial_button.setVisible(bool(self._session) and not self._busy)
