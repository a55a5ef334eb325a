"""Short questions to a worker, and every way in which an interpreter can be none."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from profviz.engine.events import EnvironmentKnown, Event, Finished, JobCancelled, JobFailed, LogLine, WorkloadFound
from profviz.engine.job import Cancellation, Emit, Job
from profviz.engine.jobs import inspect_script
from profviz.engine.worker_job import ask_worker
from profviz.model.run import RunRequest
from profviz.protocol.messages import Probe

Finish = Callable[..., Any]


def probe(interpreter: str) -> Callable[[Emit], Job]:
    def work(cancellation: Cancellation, emit: Emit) -> Finished | JobFailed | JobCancelled:
        return ask_worker(Probe(), interpreter=interpreter, cancellation=cancellation, emit=emit)

    return lambda emit: Job(work, emit=emit, name="probe")


def test_probe_announces_the_environment(interpreter: Callable[..., str], finish: Finish) -> None:
    events = finish(probe(interpreter("normal")))
    assert events.only(EnvironmentKnown).environment.torch == "2.13.0"
    assert events.ending == Finished()


def test_inspection_says_what_was_found(interpreter: Callable[..., str], script: str, finish: Finish) -> None:
    events = finish(lambda emit: inspect_script(RunRequest(script), interpreter=interpreter("normal"), emit=emit))
    assert events.only(WorkloadFound).workload.model_class == "Net"
    assert events.ending == Finished()


def test_a_script_that_raises_gives_its_own_traceback(
    interpreter: Callable[..., str], script: str, finish: Finish
) -> None:
    events = finish(lambda emit: inspect_script(RunRequest(script), interpreter=interpreter("fail"), emit=emit))
    assert isinstance(events.ending, JobFailed)
    assert events.ending.error.what == "The script raised ValueError."
    assert events.ending.bug_report == ""
    assert LogLine("error", '  File "model.py", line 3') in events


@pytest.mark.parametrize(("behaviour", "words"), [("version", "another version"), ("mute", "could not start")])
def test_a_foreign_worker_is_refused(
    interpreter: Callable[..., str], finish: Finish, behaviour: str, words: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("profviz.engine.conversation.HELLO_LIMIT_S", 0.5)
    events = finish(probe(interpreter(behaviour)))
    assert isinstance(events.ending, JobFailed)
    assert words in events.ending.error.what
    assert events.ending.error.hint


def executable(path: Path, text: str) -> str:
    path.write_text(text)
    path.chmod(0o755)
    return str(path)


@pytest.mark.skipif(os.name != "posix", reason="needs shell scripts")
@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("#!/bin/sh\necho no such option >&2\nexit 2\n", "no such option"),
        ("#!/bin/sh\nexit 0\n", "status 0"),
        ("#!/bin/sh\necho hello; exit 0\n", "hello"),
        ("#!/bin/sh\nyes 2>/dev/null\n", "y"),
        ("not a program\n", ""),
        ('#!/bin/sh\necho \'{"kind": "done", "data": {"ok": true}}\'\n', "out of turn"),
        ("#!/bin/sh\nawk 'BEGIN { while (n++ < 200000) printf \"[\" }'; echo\n", ""),
    ],
    ids=["rejects options", "ends at once", "prints", "prints without end", "no program", "answers early", "deep json"],
)
def test_what_is_no_interpreter_says_so(tmp_path: Path, finish: Finish, text: str, why: str) -> None:
    path = executable(tmp_path / "python", text)
    ending = finish(probe(path)).ending
    assert isinstance(ending, JobFailed)
    assert path in ending.error.what
    assert why in ending.error.why
    assert "--python" in ending.error.hint
    assert not ending.bug_report


def test_an_interpreter_that_is_not_there_says_so(tmp_path: Path, finish: Finish) -> None:
    ending = finish(probe(str(tmp_path / "bin" / "python"))).ending
    assert isinstance(ending, JobFailed)
    assert "There is no interpreter" in ending.error.what


def test_a_python_that_is_too_old_says_so_itself(tmp_path: Path, finish: Finish) -> None:
    """The bundle's own first lines, with a version that no Python has yet."""
    code = (
        "import sys, zipfile; path = sys.argv[-1]; text = zipfile.ZipFile(path).read('__main__.py').decode();"
        "exec(text.replace('(3, 11)', '(9, 9)'))"
    )
    path = executable(tmp_path / "python", f'#!/bin/sh\nexec "{sys.executable}" -c "{code}" "$@"\n')
    ending = finish(probe(path)).ending
    assert isinstance(ending, JobFailed)
    assert ending.error.what == "The chosen interpreter is too old."


def test_cancel_ends_a_worker_that_says_nothing(interpreter: Callable[..., str]) -> None:
    """`nothing_left_behind` sees that the process is gone."""
    seen: list[Event] = []
    job = probe(interpreter("mute"))(seen.append)
    job.cancel()
    job.cancel()
    assert job.wait(30.0)
    assert seen == [JobCancelled()]
    assert not job.running
