"""Runs a script in a worker, folds what comes and saves it; ends with results to show, however the run ended."""

from __future__ import annotations

import time
from dataclasses import replace
from pathlib import Path

from profviz.engine.compile_follower import CompileFollower
from profviz.engine.conversation import Conversation
from profviz.engine.events import Finished, JobCancelled, JobFailed, LogLine, ResultsReady, RunChanged
from profviz.engine.interpreters import choose_interpreter
from profviz.engine.job import Cancellation, Emit, Stopped, failed_by_bug
from profviz.engine.results import results_of_session
from profviz.engine.run_fold import RunFold
from profviz.engine.session_keeper import SessionKeeper
from profviz.engine.worker_job import emit_plain, user_error, with_whole_path
from profviz.engine.worker_process import Frame
from profviz.formats.session import read_session
from profviz.model.errors import UserError
from profviz.model.run import Failure, RunRequest
from profviz.protocol.messages import StageProgress, Start

SCRIPT_BYTES = 4 << 20
Ending = Finished | JobFailed | JobCancelled


def capture_run(
    request: RunRequest, *, interpreter: str, session_path: str, cancellation: Cancellation, emit: Emit
) -> Ending:
    """The whole run. What was measured is in the session in every case; raises only before anything was."""
    request = with_whole_path(request)
    fold = RunFold(request, started_ns=time.time_ns())
    fold.add_source(request.script, _text_of(request.script))
    keeper = SessionKeeper(session_path, script=request.script, contents=lambda: fold.contents)
    keeper.start()
    talk = Conversation(
        Start(request), interpreter=choose_interpreter(interpreter), cancellation=cancellation, emit=emit
    )
    ending = _drive(_Listener(fold, keeper, emit), talk)
    emit(RunChanged(fold.run))
    try:
        if fold.measured:
            _show(keeper.path, emit)
    except Exception as error:  # the run is saved: its place must not be lost over a defect in showing it
        return failed_by_bug(error, session_path=str(keeper.path))
    return ending


class _Listener:
    """What happens with each message of a run."""

    def __init__(self, fold: RunFold, keeper: SessionKeeper, emit: Emit) -> None:
        self.fold = fold
        self.keeper = keeper
        self.emit = emit
        self.follower = CompileFollower()

    def __call__(self, frame: Frame) -> None:
        emit_plain(frame, self.emit)
        if self.fold.take(frame):
            self.emit(RunChanged(self.fold.run))
            self.keeper.changed()
            self.follow(frame)
        self.save(at_once=isinstance(frame.message, StageProgress) and frame.message.state == "end")
        for problem in self.fold.problems:
            self.emit(LogLine("warning", problem))
        self.fold.problems.clear()

    def follow(self, frame: Frame) -> None:
        """A run never ends over a defect in showing how it goes."""
        try:
            seen = self.follower.take(frame)
        except Exception as error:
            self.emit(LogLine("warning", f"What was compiled so far could not be shown: {error!r}"))
            return
        if seen is not None:
            self.emit(seen)

    def save(self, *, at_once: bool = False) -> None:
        """At a stage's end at once: what it measured is then safe from whatever the next one does to this process.

        A disk that is full for a while does not end the run: only the last writing must succeed.
        """
        try:
            self.keeper.catch_up(at_once=at_once)
        except UserError as error:
            self.emit(LogLine("warning", str(error)))

    def close(self, state: str, *, log_tail: str) -> None:
        """Saves the run in the state it ended in; what was measured is not lost over a place that is full."""
        self.fold.end(state, log_tail=log_tail)
        error = self.keeper.write_anywhere()
        if error is not None:
            self.emit(LogLine("warning", f"{error}\nThe session is in {self.keeper.path} instead."))


def _drive(listener: _Listener, talk: Conversation) -> Ending:
    """Runs the conversation to its end and saves the run in the state it ended in."""
    keeper = listener.keeper  # its path may change with the last writing
    try:
        done = talk.run(listener, tick=listener.save)
    except Stopped:
        listener.close("cancelled", log_tail=talk.log_text)
        return JobCancelled(str(keeper.path))
    except UserError as error:
        return _failed(listener, talk, error)
    except Exception as error:
        failed = failed_by_bug(error)
        listener.fold.fail(Failure(failed.error.what, failed.error.why, traceback=failed.bug_report))
        listener.close("failed", log_tail=talk.log_text)
        return replace(failed, session_path=str(keeper.path))
    if listener.fold.run.failure is not None or not (done.ok or listener.fold.measured):
        return _failed(listener, talk, UserError("The worker gave up without a reason."))
    listener.close("done", log_tail=talk.log_text)
    return Finished(str(keeper.path))


def _failed(listener: _Listener, talk: Conversation, error: UserError) -> JobFailed:
    """The worker's own account of why comes before ours of how it ended."""
    fold = listener.fold
    if fold.run.failure is None:
        fold.fail(Failure(error.what, error.why, error.hint))
    else:
        error = user_error(fold.run.failure, emit=listener.emit)
    listener.close("failed", log_tail=talk.log_text)
    return JobFailed(error, str(listener.keeper.path))


def _show(path: Path, emit: Emit) -> None:
    """Opens the session just written, so that what is shown now is what will be shown later."""
    session, notes = read_session(path)
    emit(ResultsReady(results_of_session(session, notes=notes, path=str(path))))


def _text_of(path: str) -> str:
    try:
        with Path(path).open("rb") as file:
            return file.read(SCRIPT_BYTES).decode("utf-8", "replace")
    except OSError as error:
        raise UserError(f"The script {path} cannot be read.", why=error.strerror or str(error)) from None
