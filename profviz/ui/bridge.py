"""Brings job events from the jobs' own threads to the GUI thread, in order, without flooding it."""

from __future__ import annotations

import threading
import time
from collections import deque
from collections.abc import Callable
from typing import Protocol

from PySide6.QtCore import QObject, Qt, QTimer, Signal

from profviz.engine.events import Event, Finished, JobCancelled, JobFailed

Emit = Callable[[Event], None]
TURN_S = 0.008
"""How long events are handed out before the window gets to paint and to listen again."""


class Job(Protocol):
    """What the engine gives for work in progress."""

    @property
    def running(self) -> bool: ...

    def cancel(self) -> None: ...

    def wait(self, timeout: float | None = None) -> bool: ...


class _Queue:
    """Events of one job on their way; `closed` drops what still comes."""

    def __init__(self, wake: Callable[[], None]) -> None:
        self._lock = threading.Lock()
        self._events: deque[Event] = deque()
        self._wake = wake
        self._closed = False

    def put(self, event: Event) -> None:
        with self._lock:
            if self._closed:
                return
            self._events.append(event)
            if len(self._events) == 1:
                self._wake()

    def take(self) -> Event | None:
        """The oldest event; it leaves the queue only when `done` is called, so `put` wakes once a batch."""
        with self._lock:
            return self._events[0] if self._events else None

    def done(self) -> None:
        with self._lock:
            if self._events:
                self._events.popleft()

    def close(self) -> None:
        with self._lock:
            self._closed = True
            self._events.clear()


class JobSlot(QObject):
    """Holds at most one job of a purpose; starting another cancels it, and its late events are never seen."""

    said = Signal(object)
    """Not `event`: that is what Qt calls for every event, and it would keep the argument of each."""
    running_changed = Signal(bool)
    _wake = Signal(object)

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._job: Job | None = None
        self._old: list[Job] = []
        self._queue: _Queue | None = None
        self._running = False
        self._wake.connect(self._drain, Qt.ConnectionType.QueuedConnection)

    @property
    def running(self) -> bool:
        return self._running

    def start(self, launch: Callable[[Emit], Job]) -> None:
        """`launch` is called here and given the `emit` for the new job."""
        self._drop()
        queue = _Queue(lambda: self._wake.emit(queue))
        self._queue = queue
        self._set_running(running=True)
        try:
            self._job = launch(queue.put)
        except BaseException:
            self._drop()
            self._set_running(running=False)
            raise

    def cancel(self) -> None:
        """Asks the job to end; its last events still arrive."""
        if self._job is not None:
            self._job.cancel()

    def abandon(self) -> None:
        """Cancels the job and ignores whatever it still says."""
        self._drop()
        self._set_running(running=False)

    def close(self, *, timeout_s: float) -> bool:
        """Cancels everything and waits; true when all jobs ended in time."""
        self._drop()
        self._set_running(running=False)
        deadline = time.monotonic() + timeout_s
        for job in self._old:
            job.wait(max(0.0, deadline - time.monotonic()))
        self._old = [job for job in self._old if job.running]
        return not self._old

    def _drop(self) -> None:
        if self._queue is not None:
            self._queue.close()
            self._queue = None
        if self._job is not None:
            self._job.cancel()
            self._old = [job for job in [*self._old, self._job] if job.running]
            self._job = None

    def _drain(self, queue: _Queue) -> None:
        deadline = time.monotonic() + TURN_S
        while queue is self._queue and (event := queue.take()) is not None:
            self._deliver(event)
            queue.done()
            if time.monotonic() > deadline:
                QTimer.singleShot(0, self, lambda: self._drain(queue))
                return

    def _deliver(self, event: Event) -> None:
        if isinstance(event, Finished | JobFailed | JobCancelled):
            self._set_running(running=False)
        self.said.emit(event)

    def _set_running(self, *, running: bool) -> None:
        if running != self._running:
            self._running = running
            self.running_changed.emit(running)


class Bridge(QObject):
    """One slot a purpose: opening files, inspecting a script, running it, probing an interpreter, exporting."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.opening = JobSlot(self)
        self.inspecting = JobSlot(self)
        self.running = JobSlot(self)
        self.probing = JobSlot(self)
        self.exporting = JobSlot(self)

    @property
    def slots(self) -> tuple[JobSlot, ...]:
        return (self.opening, self.inspecting, self.running, self.probing, self.exporting)

    def close(self, *, timeout_s: float = 3.0) -> bool:
        """Every job is told first and waited for afterwards, so that they end side by side."""
        for slot in self.slots:
            slot.abandon()
        ended = [slot.close(timeout_s=timeout_s) for slot in self.slots]
        return all(ended)
