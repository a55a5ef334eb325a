"""One piece of work on a thread of its own that can be cancelled; knows nothing of what the work is."""

from __future__ import annotations

import platform
import threading
import traceback
from collections.abc import Callable

from profviz import __version__
from profviz.engine.events import Event, Finished, JobCancelled, JobFailed
from profviz.model.errors import UserError

Emit = Callable[[Event], None]
Work = Callable[["Cancellation", Emit], Finished | JobFailed | JobCancelled]


class Stopped(Exception):
    """Raised inside a job's work once it was cancelled; never leaves the job."""


class Cancellation:
    """Whether a job was told to stop; callbacks run at once, in the thread that cancels, and must not block."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._requested = False
        self._callbacks: list[Callable[[], None]] = []

    @property
    def requested(self) -> bool:
        return self._requested

    def request(self) -> None:
        with self._lock:
            callbacks, self._callbacks = self._callbacks, []
            self._requested = True
        for callback in callbacks:
            callback()

    def on_request(self, callback: Callable[[], None]) -> None:
        """Calls `callback` when the job is cancelled, or right away when it already was."""
        with self._lock:
            late = self._requested
            if not late:
                self._callbacks.append(callback)
        if late:
            callback()

    def check(self) -> None:
        """Raises `Stopped` once the job was cancelled."""
        if self._requested:
            raise Stopped


class Job:
    """Runs `work` on its own thread and emits its events there, the last one being how it ended."""

    def __init__(self, work: Work, *, emit: Emit, name: str) -> None:
        self._work = work
        self._emit = emit
        self._cancellation = Cancellation()
        # A daemon: a job that hangs in foreign code must not keep the application from ending.
        self._thread = threading.Thread(target=self._run, name=f"profviz-{name}", daemon=True)
        self._thread.start()

    @property
    def running(self) -> bool:
        return self._thread.is_alive()

    def cancel(self) -> None:
        """Asks the job to end and returns at once; `JobCancelled` follows unless it was about to end anyway."""
        self._cancellation.request()

    def wait(self, timeout: float | None = None) -> bool:
        """Waits for the end, at most `timeout` seconds; true when the job has ended."""
        self._thread.join(timeout)
        return not self._thread.is_alive()

    def _run(self) -> None:
        ending = self._ending()
        self._emit(ending)
        if isinstance(ending, Finished) and ending.afterwards is not None:
            ending.afterwards()

    def _ending(self) -> Finished | JobFailed | JobCancelled:
        try:
            return self._work(self._cancellation, self._emit)
        except Stopped:
            return JobCancelled()
        except UserError as error:
            return JobFailed(error)
        except Exception as error:
            return failed_by_bug(error)


def failed_by_bug(error: BaseException, *, session_path: str = "") -> JobFailed:
    """The ending of a job that met an error nobody foresaw, with a report to copy. Call it while handling `error`."""
    what = UserError(
        "Something went wrong inside profviz.",
        why=f"{type(error).__name__}: {error}",
        hint="This is a bug: please report it with the text below.",
    )
    return JobFailed(what, session_path, bug_report=bug_report(error))


def bug_report(error: BaseException) -> str:
    """Versions and the traceback, as plain text."""
    trace = "".join(traceback.format_exception(error))
    return f"profviz {__version__}, Python {platform.python_version()}, {platform.platform()}\n\n{trace}"
