"""What happens when files are opened and scripts run: starts jobs and tells the window; paints nothing."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Protocol, cast

from PySide6.QtCore import QObject, Signal

from profviz.engine.events import Event, Finished, JobCancelled, JobFailed, Loading, PreviewReady, ResultsReady
from profviz.model.errors import UserError
from profviz.model.results import Results
from profviz.model.run import RunRequest
from profviz.ui.bridge import Bridge, Emit, Job

SCRIPT_SUFFIX = ".py"


class Engine(Protocol):
    """The part of `profviz.engine.jobs` that the window uses."""

    def open_files(self, paths: Sequence[str], *, emit: Emit) -> Job: ...

    def inspect_script(self, request: RunRequest, *, interpreter: str, emit: Emit) -> Job: ...

    def run_script(self, request: RunRequest, *, interpreter: str, session_path: str, emit: Emit) -> Job: ...


def real_engine() -> Engine:
    from profviz.engine import jobs  # readers and numpy: not before the first paint

    return cast(Engine, jobs)


def kind_of(paths: Sequence[str], results: Results | None = None) -> str:
    """What the list of recent files calls it: script, session, comparison, log or trace."""
    if len(paths) > 1:
        return "comparison"
    suffix = Path(paths[0]).suffix if paths else ""
    if suffix in (SCRIPT_SUFFIX, ".profviz"):
        return "script" if suffix == SCRIPT_SUFFIX else "session"
    return "log" if results is not None and not results.sides else "trace"


class Controller(QObject):
    """`loading` carries a text and a fraction or None, an empty text when it is over."""

    problem = Signal(object, str)
    loading = Signal(str, object)
    script_opened = Signal(str)
    results_begun = Signal(object)
    results_opened = Signal(object, object)
    inspection_event = Signal(object)
    inspection_ended = Signal(object)
    run_event = Signal(object)
    run_ended = Signal(object)
    run_results = Signal(object, str)

    def __init__(self, engine: Engine | None = None, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._engine = engine
        self.bridge = Bridge(self)
        self._paths: tuple[str, ...] = ()
        self._opened: Results | None = None
        self._run_results: Results | None = None
        self.auto_run = False
        self.bridge.opening.said.connect(self._opening_said)
        self.bridge.inspecting.said.connect(self._inspection_said)
        self.bridge.running.said.connect(self._run_said)

    @property
    def engine(self) -> Engine:
        if self._engine is None:
            self._engine = real_engine()
        return self._engine

    def open_paths(self, paths: Sequence[str], *, auto_run: bool = False) -> None:
        """Files of any kind; a script is inspected, and run at once with `auto_run` when nothing is missing."""
        scripts = [path for path in paths if Path(path).suffix == SCRIPT_SUFFIX]
        if scripts and len(paths) > 1:
            hint = "Open the script alone; traces and logs can be opened together."
            self.problem.emit(UserError("A script cannot be opened together with other files.", hint=hint), "")
        elif scripts:
            self._open_script(scripts[0], auto_run=auto_run)
        elif paths:
            self._open_files(tuple(paths))

    def inspect(self, request: RunRequest, *, interpreter: str) -> None:
        engine = self.engine
        self.bridge.inspecting.start(lambda emit: engine.inspect_script(request, interpreter=interpreter, emit=emit))

    def run(self, request: RunRequest, *, interpreter: str) -> None:
        engine = self.engine
        self.bridge.inspecting.abandon()
        self._run_results = None
        self.bridge.running.start(
            lambda emit: engine.run_script(request, interpreter=interpreter, session_path="", emit=emit)
        )

    def cancel_run(self) -> None:
        self.auto_run = False
        self.bridge.inspecting.cancel()
        self.bridge.running.cancel()

    def cancel_loading(self) -> None:
        self.bridge.opening.cancel()
        self.bridge.exporting.cancel()

    def close(self, *, timeout_s: float = 3.0) -> bool:
        return self.bridge.close(timeout_s=timeout_s)

    def _open_script(self, path: str, *, auto_run: bool) -> None:
        if self.bridge.running.running:
            hint = "Cancel it or wait for its end, then open the other script."
            self.problem.emit(UserError("A run is going on.", hint=hint), "")
            return
        if not Path(path).is_file():
            self.problem.emit(UserError(f"There is no script {path}.", hint="Look at the path and try again."), "")
            return
        self.auto_run = auto_run
        self.script_opened.emit(str(Path(path).absolute()))

    def _open_files(self, paths: tuple[str, ...]) -> None:
        engine = self.engine
        self._paths, self._opened = paths, None
        self.loading.emit(f"Opening {', '.join(Path(path).name for path in paths)}", None)
        self.bridge.opening.start(lambda emit: engine.open_files(paths, emit=emit))

    def _opening_said(self, event: Event) -> None:
        if isinstance(event, Loading):
            self.loading.emit(event.text, event.fraction)
        elif isinstance(event, PreviewReady):
            self.results_begun.emit(event.results)
        elif isinstance(event, ResultsReady):
            self._opened = event.results
        elif isinstance(event, Finished | JobFailed | JobCancelled):
            self.loading.emit("", None)
            self._report(event)
            if self._opened is not None and isinstance(event, Finished):
                self.results_opened.emit(self._opened, self._paths)
            self._opened = None

    def _inspection_said(self, event: Event) -> None:
        if isinstance(event, Finished | JobFailed | JobCancelled):
            self._report(event)
            self.inspection_ended.emit(event)
        else:
            self.inspection_event.emit(event)

    def _run_said(self, event: Event) -> None:
        if isinstance(event, ResultsReady):
            self._run_results = event.results
        elif isinstance(event, Finished | JobFailed | JobCancelled):
            self._report(event)
            self.run_ended.emit(event)
            if self._run_results is not None and isinstance(event, Finished):
                self.run_results.emit(self._run_results, event.session_path)
            self._run_results = None
        else:
            self.run_event.emit(event)

    def _report(self, event: Event) -> None:
        if isinstance(event, JobFailed):
            self.problem.emit(event.error, event.bug_report)
