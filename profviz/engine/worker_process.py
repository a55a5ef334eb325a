"""One worker: starts it, brings its messages and its prints to one inbox, and ends it without a trace."""

from __future__ import annotations

import contextlib
import os
import queue
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import BinaryIO, cast

from profviz.engine.bundle import worker_bundle
from profviz.engine.log_funnel import LogFunnel
from profviz.engine.process_tree import Process, descendants, kill_all
from profviz.model.errors import UserError
from profviz.protocol.messages import Message
from profviz.protocol.wire import CutOff, WireError, Writer, read_frames

GRACE_S = 1.2
"""How long a worker may take to end by itself; with it a cancel stays below two seconds."""
JOIN_S = 0.5
CHUNK_BYTES = 64 << 10
INBOX_FRAMES = 64
_HINT = "Choose a Python that has torch with --python, or set PROFVIZ_PYTHON."


@dataclass(frozen=True, slots=True)
class Frame:
    """A message and the bytes that came with it."""

    message: Message
    payload: bytes = b""


@dataclass(frozen=True, slots=True)
class StreamEnd:
    """The worker's messages ended; `problem` is set when they ended as they must not, `foreign` when by other bytes."""

    problem: str = ""
    foreign: bool = False


class Nudge:
    """Put into the inbox to wake whoever waits for it."""


class WorkerProcess:
    """A running worker. `inbox` gets its frames in order, then one `StreamEnd`; `log` what it prints.

    Messages wait for whoever reads them: the pipe fills, and the worker with it, instead of this process' memory.
    """

    def __init__(self, interpreter: str) -> None:
        self.interpreter = interpreter
        self.inbox: queue.Queue[Frame | StreamEnd | Nudge] = queue.Queue(INBOX_FRAMES)
        self.log = LogFunnel()
        self._leaving = threading.Event()
        self._closing = threading.Lock()
        self._below: list[Process] = []
        self._process = _start(interpreter)
        self._stdin, stdout, stderr = _pipes(self._process)
        self._writer = Writer(self._stdin)
        self._threads = (
            self._spawn(lambda: _pump(stderr, self.log), "stderr"),
            self._spawn(lambda: self._read(stdout), "stdout"),
        )

    @property
    def pid(self) -> int:
        return self._process.pid

    def send(self, message: Message) -> None:
        """A worker that is gone already says so by the end of its stream, not here."""
        with contextlib.suppress(OSError, ValueError):
            self._writer.send(message)

    def next(self, timeout_s: float) -> Frame | StreamEnd | Nudge | None:
        """The next item of the inbox, None when nothing came."""
        try:
            return self.inbox.get(timeout=timeout_s)
        except queue.Empty:
            return None

    def nudge(self) -> None:
        """Makes `next` return soon; never blocks (an inbox that is full wakes its reader anyway)."""
        with contextlib.suppress(queue.Full):
            self.inbox.put_nowait(Nudge())

    def close_stdin(self) -> None:
        """Tells the worker to end: it kills what it started and leaves. May be called from any thread.

        What it had started is noted before, for a worker that leaves without doing so loses its children.
        """
        with self._closing, contextlib.suppress(OSError, ValueError):
            if not self._stdin.closed:
                self._below = descendants(self.pid)
                self._stdin.close()

    def stop(self, *, grace_s: float = GRACE_S) -> int:
        """Ends the worker and everything below it, kindly at first; returns its exit status."""
        self._leaving.set()
        self.close_stdin()
        deadline = time.monotonic() + grace_s
        while self._process.poll() is None and time.monotonic() < deadline:
            self._drain()
            with contextlib.suppress(subprocess.TimeoutExpired):
                self._process.wait(timeout=0.02)
        if self._process.poll() is None:
            self._below += descendants(self.pid)
            _kill_group(self._process)
        kill_all(self._below)
        status = self._process.wait()
        self._join()
        return status

    def _drain(self) -> None:
        """A reader that waits for room in the inbox must get to the end of its stream."""
        with contextlib.suppress(queue.Empty):
            while True:
                self.inbox.get_nowait()

    def _join(self) -> None:
        """A process that left the worker's tree can hold a pipe open: its reader is not waited for longer."""
        deadline = time.monotonic() + JOIN_S
        for thread in self._threads:
            while thread.is_alive() and time.monotonic() < deadline:
                self._drain()
                thread.join(timeout=0.02)

    def _spawn(self, work: Callable[[], None], name: str) -> threading.Thread:
        thread = threading.Thread(target=work, name=f"profviz-worker-{name}", daemon=True)
        thread.start()
        return thread

    def _read(self, stream: BinaryIO) -> None:
        end = StreamEnd()
        with stream:
            try:
                for message, payload in read_frames(stream):
                    self._deliver(Frame(message, payload))
            except Exception as error:  # foreign bytes can upset the decoder in more ways than one
                text = str(error) if isinstance(error, WireError) else f"{type(error).__name__}: {error}"
                end = StreamEnd(text, foreign=not isinstance(error, CutOff))
        self._deliver(end)

    def _deliver(self, item: Frame | StreamEnd) -> None:
        while not self._leaving.is_set():
            with contextlib.suppress(queue.Full):
                self.inbox.put(item, timeout=0.1)
                return


def _pipes(process: subprocess.Popen[bytes]) -> tuple[BinaryIO, BinaryIO, BinaryIO]:
    assert process.stdin is not None
    assert process.stdout is not None
    assert process.stderr is not None
    return cast(BinaryIO, process.stdin), cast(BinaryIO, process.stdout), cast(BinaryIO, process.stderr)


def _pump(stream: BinaryIO, funnel: LogFunnel) -> None:
    """Brings a pipe's bytes to a funnel until the pipe ends."""
    with stream:
        while data := os.read(stream.fileno(), CHUNK_BYTES):
            funnel.feed(data)


def _start(interpreter: str) -> subprocess.Popen[bytes]:
    command = [interpreter, "-u", "-X", "faulthandler", str(worker_bundle())]
    pipe = subprocess.PIPE
    session = sys.platform != "win32"
    # set by macOS' framework builds for their own children; it would make another Python take ours for its home
    environment = {name: value for name, value in os.environ.items() if name != "__PYVENV_LAUNCHER__"}
    try:
        return subprocess.Popen(
            command, stdin=pipe, stdout=pipe, stderr=pipe, env=environment, start_new_session=session
        )
    except FileNotFoundError:
        raise UserError(f"There is no interpreter {interpreter}.", why="The file does not exist.", hint=_HINT) from None
    except OSError as error:
        why = error.strerror or str(error)
        raise UserError(f"{interpreter} cannot be started.", why=f"{why}.", hint=_HINT) from None


def _kill_group(process: subprocess.Popen[bytes]) -> None:
    with contextlib.suppress(OSError):
        if sys.platform == "win32":
            process.kill()
        else:
            os.killpg(process.pid, signal.SIGKILL)
