"""Starts the worker as the engine does, by frames over its pipes, and looks after its processes."""

from __future__ import annotations

import contextlib
import importlib.util
import os
import signal
import subprocess
import sys
import textwrap
import threading
import time
import uuid
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from profviz.model.run import RunRequest
from profviz.protocol.messages import Blob, Done, Failed, Found, Inspect, Log, Message, Result, StageProgress, Start
from profviz.protocol.wire import Writer, read_frames

ROOT = Path(__file__).parents[2]
MARK = "PROFVIZ_TEST_MARK"

needs_torch = pytest.mark.skipif(importlib.util.find_spec("torch") is None, reason="torch is not installed here")
needs_proc = pytest.mark.skipif(not Path("/proc/self/environ").exists(), reason="looks for processes in /proc")


@dataclass
class Heard:
    """What a worker said, in order, and how it ended."""

    messages: list[Message] = field(default_factory=list)
    blobs: dict[str, bytes] = field(default_factory=dict)
    status: int | None = None
    stderr: str = ""

    def of(self, kind: type[Any]) -> list[Any]:
        return [message for message in self.messages if isinstance(message, kind)]

    def result(self, variant: str) -> dict[str, Any]:
        """The fields known of a variant, later ones over earlier ones."""
        merged: dict[str, Any] = {}
        for message in self.of(Result):
            if message.variant == variant:
                merged |= message.fields
        return merged

    @property
    def failures(self) -> list[Any]:
        return [message.failure for message in self.of(Failed)]

    @property
    def found(self) -> Any:
        return self.of(Found)[-1].workload

    @property
    def done(self) -> bool | None:
        return self.messages[-1].ok if self.messages and isinstance(self.messages[-1], Done) else None

    @property
    def stages(self) -> list[tuple[str, str]]:
        return [(m.stage, m.variant) for m in self.of(StageProgress) if m.state == "begin"]

    @property
    def logs(self) -> str:
        return "\n".join(message.text for message in self.of(Log))


class Worker:
    """A running worker; `heard` fills up from a thread until its stdout ends."""

    def __init__(self, **env: str) -> None:
        self.mark = uuid.uuid4().hex
        self.heard = Heard()
        self._stderr: list[bytes] = []
        self.process = subprocess.Popen(
            [sys.executable, "-m", "profviz.worker"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            cwd=ROOT,
            env={**os.environ, MARK: self.mark, **env},
        )
        self._threads = [threading.Thread(target=self._read), threading.Thread(target=self._read_stderr)]
        for thread in self._threads:
            thread.start()

    def send(self, message: Message) -> None:
        assert self.process.stdin
        Writer(self.process.stdin).send(message)

    def _read(self) -> None:
        for message, payload in read_frames(self.process.stdout):
            self.heard.messages.append(message)
            if isinstance(message, Blob):
                self.heard.blobs[message.name] = payload

    def _read_stderr(self) -> None:
        self._stderr += iter(lambda: self.process.stderr.read1(1 << 16), b"")

    def wait_for(self, ready: Callable[[Heard], bool], limit_s: float = 120) -> None:
        deadline = time.monotonic() + limit_s
        while not ready(self.heard):
            assert self.process.poll() is None, (
                f"ended early: {self.heard.messages[-3:]} {b''.join(self._stderr)[-2000:]!r}"
            )
            assert time.monotonic() < deadline, f"waited in vain: {self.heard.messages[-3:]}"
            time.sleep(0.02)

    def finish(self, limit_s: float = 200) -> Heard:
        """Waits for the end (the stdin stays open until then, as the engine keeps it)."""
        self.heard.status = self.process.wait(limit_s)
        for thread in self._threads:
            thread.join(10)
        self.heard.stderr = b"".join(self._stderr).decode(errors="replace")
        self._close()
        return self.heard

    def pids(self) -> list[int]:
        """Every living process that was started, directly or not, by this worker."""
        found = []
        wanted = f"{MARK}={self.mark}".encode()
        for entry in Path("/proc").glob("[0-9]*"):
            with contextlib.suppress(OSError):
                alive = (entry / "stat").read_text().rpartition(")")[2].split()[0] != "Z"
                if alive and wanted in (entry / "environ").read_bytes().split(b"\0"):
                    found.append(int(entry.name))
        return found

    def _close(self) -> None:
        for stream in (self.process.stdin, self.process.stdout, self.process.stderr):
            with contextlib.suppress(OSError):
                stream.close()

    def end(self) -> None:
        for pid in self.pids() if Path("/proc/self").exists() else []:
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
        self.process.kill()
        self.process.wait()
        for thread in self._threads:
            thread.join(10)
        self._close()


@contextlib.contextmanager
def workers() -> Iterator[Callable[..., Worker]]:
    """Starts workers, and ends all of them whatever happens."""
    started: list[Worker] = []

    def start(**env: str) -> Worker:
        started.append(Worker(**env))
        return started[-1]

    try:
        yield start
    finally:
        for worker in started:
            worker.end()


@pytest.fixture
def start_worker() -> Iterator[Callable[..., Worker]]:
    with workers() as start:
        yield start


@pytest.fixture
def script(tmp_path: Path) -> Callable[[str], str]:
    """Writes a script and gives its path."""

    def write(text: str, name: str = "subject.py") -> str:
        path = tmp_path / name
        path.write_text(textwrap.dedent(text))
        return str(path)

    return write


def run_to_end(
    start: Callable[..., Worker], path: str, *, inspect: bool = False, env: Any = None, **request: Any
) -> Heard:
    """One whole conversation; a short run unless `request` says otherwise."""
    worker = start(**(env or {}))
    short = {"steps": 4, "rounds": 2, "profile_steps": 2, "variants": ("eager",), "device": "cpu"}
    wanted = RunRequest(script=path, **{**short, **request})
    worker.send(Inspect(wanted) if inspect else Start(wanted))
    return worker.finish()
