"""Waits for a job on the command line: events are handled on the main thread, Ctrl-C cancels the job."""

from __future__ import annotations

import contextlib
import queue
import signal
from collections.abc import Callable, Iterator
from typing import Any

from profviz.engine.events import Event, Finished, JobCancelled, JobFailed
from profviz.engine.jobs import Emit, Job

Ending = Finished | JobFailed | JobCancelled
POLL_S = 0.2


def follow(launch: Callable[[Emit], Job], handle: Callable[[Event], None]) -> Ending:
    """Starts a job, hands on every event but the last, and gives that. A second Ctrl-C changes nothing."""
    events: queue.SimpleQueue[Event] = queue.SimpleQueue()
    with interruptible():
        job = launch(events.put)
        try:
            return _ending(job, events, handle)
        finally:
            job.cancel()
            job.wait()


def _ending(job: Job, events: queue.SimpleQueue[Event], handle: Callable[[Event], None]) -> Ending:
    while True:
        try:
            event = events.get(timeout=POLL_S)  # with a timeout, for Windows does not interrupt a wait without
            if isinstance(event, Finished | JobFailed | JobCancelled):
                return event
            handle(event)
        except queue.Empty:
            continue
        except KeyboardInterrupt:
            job.cancel()


@contextlib.contextmanager
def interruptible() -> Iterator[None]:
    """Being told to end (by a scheduler, by a closed terminal) is taken like Ctrl-C: what was measured is saved.

    A signal that we were started to ignore (by nohup) stays ignored.
    """

    def interrupt(number: int, frame: Any) -> None:
        raise KeyboardInterrupt

    numbers = [getattr(signal, name) for name in ("SIGTERM", "SIGHUP") if hasattr(signal, name)]
    heard = [number for number in numbers if signal.getsignal(number) is not signal.SIG_IGN]
    before = {number: signal.signal(number, interrupt) for number in heard}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
