"""The short questions to a worker: what an interpreter offers, what a script holds. Measures nothing."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from profviz.engine.conversation import Conversation
from profviz.engine.events import EnvironmentKnown, Finished, LogLine, StageMoved, WorkloadFound
from profviz.engine.interpreters import choose_interpreter
from profviz.engine.job import Cancellation, Emit
from profviz.engine.worker_process import Frame
from profviz.model.errors import UserError
from profviz.model.run import Failure, RunRequest
from profviz.protocol.messages import Announce, Failed, Found, Inspect, Probe, StageProgress


def ask_worker(question: Inspect | Probe, *, interpreter: str, cancellation: Cancellation, emit: Emit) -> Finished:
    """Emits what the worker answers; raises UserError when it could not."""
    failures: list[Failure] = []
    if isinstance(question, Inspect):
        question = Inspect(with_whole_path(question.request))

    def handle(frame: Frame) -> None:
        if isinstance(frame.message, Failed):
            failures.append(frame.message.failure)
        else:
            emit_plain(frame, emit)

    talk = Conversation(question, interpreter=choose_interpreter(interpreter), cancellation=cancellation, emit=emit)
    try:
        done = talk.run(handle)
    except UserError:
        if failures:  # it said why before it ended
            raise user_error(failures[0], emit=emit) from None
        raise
    if failures:
        raise user_error(failures[0], emit=emit)
    if not done.ok:
        raise UserError("The worker gave up without a reason.", hint="The log may say more.")
    return Finished()


def emit_plain(frame: Frame, emit: Emit) -> None:
    """Hands on the messages that need no folding."""
    message = frame.message
    if isinstance(message, Announce):
        emit(EnvironmentKnown(message.environment))
    elif isinstance(message, Found):
        emit(WorkloadFound(message.workload))
    elif isinstance(message, StageProgress):
        emit(StageMoved(message))


def user_error(failure: Failure, *, emit: Emit) -> UserError:
    """A worker's failure as an error; its traceback goes to the log."""
    for line in failure.traceback.splitlines():
        emit(LogLine("error", line))
    return UserError(failure.what, why=failure.why, hint=failure.hint)


def with_whole_path(request: RunRequest) -> RunRequest:
    """The request with the script's absolute path; raises UserError when there is no such file."""
    path = Path(request.script).expanduser().absolute()
    if path.is_dir():
        raise UserError(f"{path} is a folder.", hint="Name a Python script.")
    if not path.is_file():
        raise UserError(f"There is no script {path}.", hint="Check the path.")
    return replace(request, script=str(path))
