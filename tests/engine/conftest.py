"""Fake interpreters: commands that start the fake worker whatever they are told to start."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from profviz.engine.events import Event, Finished, JobCancelled, JobFailed
from profviz.engine.job import Emit, Job

FAKE = Path(__file__).parent.parent / "fake_worker.py"
LIMIT_S = 60.0
"""A safeguard: a job that takes longer hangs."""

MakeInterpreter = Callable[..., str]


@pytest.fixture
def interpreter(tmp_path: Path) -> MakeInterpreter:
    """`interpreter(behaviour, stage)` is the path of a command that runs the fake worker that way."""
    if os.name != "posix":
        pytest.skip("the fake interpreters are shell scripts")

    def make(behaviour: str, stage: str = "") -> str:
        command = f'exec "{sys.executable}" "{FAKE}" {behaviour} {stage}'
        return shell_script(tmp_path / f"python-{behaviour}-{stage}", command)

    return make


def shell_script(path: Path, text: str) -> str:
    path.write_text(f"#!/bin/sh\n{text}\n")
    path.chmod(0o755)
    return str(path)


@pytest.fixture
def script(tmp_path: Path) -> str:
    path = tmp_path / "model.py"
    path.write_text("model = None  # the fake worker reads nothing of it\n")
    return str(path)


class Events(list[Event]):
    """What a job emitted, in order."""

    def of(self, *kinds: type) -> list[Event]:
        return [event for event in self if isinstance(event, kinds)]

    def only(self, kind: type) -> Event:
        (event,) = self.of(kind)
        return event

    @property
    def ending(self) -> Finished | JobFailed | JobCancelled:
        (event,) = self.of(Finished, JobFailed, JobCancelled)
        assert event is self[-1], "something came after the ending"
        assert isinstance(event, Finished | JobFailed | JobCancelled)
        return event


@pytest.fixture
def finish() -> Callable[..., Events]:
    return run_to_end


def run_to_end(launch: Callable[[Emit], Job], *, cancel_at: Callable[[Event], bool] | None = None) -> Events:
    """Runs a job to its end; cancels it at the first event that `cancel_at` holds for."""
    events = Events()
    jobs: list[Job] = []

    def emit(event: Event) -> None:
        events.append(event)
        if cancel_at is not None and cancel_at(event) and jobs:
            jobs[0].cancel()

    jobs.append(launch(emit))
    assert jobs[0].wait(LIMIT_S), "the job hangs"
    return events
