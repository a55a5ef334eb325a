"""A job's life: one ending, whatever happens in it."""

from __future__ import annotations

import threading
from typing import Any

from profviz.engine.events import Event, Finished, JobCancelled, JobFailed
from profviz.engine.job import Cancellation, Emit, Job, Stopped
from profviz.model.errors import UserError

LIMIT_S = 30.0


def ending_of(work: Any) -> Event:
    seen: list[Event] = []
    assert Job(work, emit=seen.append, name="test").wait(LIMIT_S)
    (event,) = seen
    return event


def test_a_bug_ends_the_job_with_a_report_to_copy() -> None:
    def work(cancellation: Cancellation, emit: Emit) -> Finished:
        raise ZeroDivisionError("not foreseen")

    event = ending_of(work)
    assert isinstance(event, JobFailed)
    assert "not foreseen" in event.bug_report
    assert "test_job.py" in event.bug_report
    assert "profviz 0" in event.bug_report


def test_a_users_error_is_no_bug() -> None:
    def work(cancellation: Cancellation, emit: Emit) -> Finished:
        raise UserError("what", why="why", hint="hint")

    event = ending_of(work)
    assert isinstance(event, JobFailed)
    assert (event.error.what, event.bug_report) == ("what", "")


def test_cancel_reaches_the_work_and_its_callbacks() -> None:
    began, called = threading.Event(), threading.Event()

    def work(cancellation: Cancellation, emit: Emit) -> Finished:
        cancellation.on_request(called.set)
        began.set()
        assert called.wait(LIMIT_S)
        cancellation.check()
        return Finished()

    seen: list[Event] = []
    job = Job(work, emit=seen.append, name="test")
    assert began.wait(LIMIT_S)
    assert job.running
    assert not job.wait(0.0)
    job.cancel()
    assert job.wait(LIMIT_S)
    assert seen == [JobCancelled()]
    job.cancel()


def test_a_callback_that_comes_late_is_called_at_once() -> None:
    cancellation = Cancellation()
    cancellation.request()
    late: list[int] = []
    cancellation.on_request(lambda: late.append(1))
    assert late == [1]
    try:
        cancellation.check()
    except Stopped:
        return
    raise AssertionError("it did not stop")
