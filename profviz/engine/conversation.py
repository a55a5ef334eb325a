"""Asks a worker one question and hands on what it answers, until it is done, dies or the job is cancelled."""

from __future__ import annotations

import math
import time
from collections.abc import Callable

from profviz.engine.events import LogLine
from profviz.engine.exit_status import describe_exit, last_lines
from profviz.engine.job import Cancellation, Emit, Stopped
from profviz.engine.worker_process import INBOX_FRAMES, Frame, StreamEnd, WorkerProcess
from profviz.model.errors import UserError
from profviz.protocol.messages import VERSION, Done, Failed, Hello, Inspect, Log, Probe, StageProgress, Start, Unknown

Handle = Callable[[Frame], None]
TICK_S = 0.2
HELLO_LIMIT_S = 60.0
LOG_TEXT_CHARS = 4_000
PROFILER_PROBE = "USDT:"
"""Torch's profiler announces its start and stop on stderr so; the script printed no such thing."""
SILENCE_MARGIN_S = 60.0
"""How much longer than a stage's own limit a worker may say nothing before it is taken for stuck."""


class Conversation:
    """One question to one worker. `log_text` is the end of what the script printed."""

    def __init__(
        self, question: Inspect | Start | Probe, *, interpreter: str, cancellation: Cancellation, emit: Emit
    ) -> None:
        self._question = question
        self._interpreter = interpreter
        self._cancellation = cancellation
        self._emit = emit
        self._stage: StageProgress | None = None
        self._greeted = False
        self._failed = False
        self._heard_s = time.monotonic()
        self._silence_limit_s = HELLO_LIMIT_S
        self.log_text = ""

    def run(self, handle: Handle, *, tick: Callable[[], None] = lambda: None) -> Done:
        """Calls `handle` for every message that is not about the conversation itself, and `tick` now and then.

        Raises UserError when the worker cannot be started, is none, or dies; Stopped when the job was cancelled,
        after what had already arrived was handled. No process is left in any case.
        """
        worker = WorkerProcess(self._interpreter)
        self._cancellation.on_request(worker.close_stdin)
        self._cancellation.on_request(worker.nudge)
        try:
            return self._listen(worker, handle, tick)
        except Stopped:
            self._handle_rest(worker, handle)
            raise
        finally:
            worker.stop()
            self._show_prints(worker, final=True)

    def _listen(self, worker: WorkerProcess, handle: Handle, tick: Callable[[], None]) -> Done:
        while True:
            self._cancellation.check()
            item = worker.next(TICK_S)
            self._show_prints(worker)
            tick()
            if isinstance(item, StreamEnd):
                raise self._ended(worker, item)
            if isinstance(item, Frame):
                self._heard_s = time.monotonic()
                if isinstance(item.message, Done) and self._greeted:
                    return item.message
                self._take(worker, item, handle)
            elif time.monotonic() - self._heard_s > self._silence_limit_s:
                raise self._stuck()

    def _take(self, worker: WorkerProcess, frame: Frame, handle: Handle) -> None:
        message = frame.message
        if isinstance(message, Hello):
            self._greet(worker, message)
        elif isinstance(message, Log):
            self._emit(LogLine(message.level, message.text[:LOG_TEXT_CHARS]))
        elif isinstance(message, Unknown):
            self._emit(LogLine("info", f"The worker sent a message this version does not know: {message.kind}."))
        elif not self._greeted and not isinstance(message, Failed):
            raise self._foreign("It answered out of turn.")
        else:
            if isinstance(message, StageProgress):
                self._stage = message
            handle(frame)

    def _greet(self, worker: WorkerProcess, hello: Hello) -> None:
        if hello.version != VERSION:
            raise UserError(
                "The worker speaks another version of the protocol.",
                why=f"It has version {hello.version}, this profviz needs {VERSION}.",
                hint="Install the same version of profviz on both sides.",
            )
        self._greeted = True
        self._silence_limit_s = _silence_limit_s(self._question)
        worker.send(self._question)

    def _handle_rest(self, worker: WorkerProcess, handle: Handle) -> None:
        """What was measured before the cancel is kept."""
        for _ in range(INBOX_FRAMES):
            item = worker.next(0.0)
            if item is None or isinstance(item, StreamEnd):
                return
            if isinstance(item, Frame) and self._greeted and not isinstance(item.message, Hello | Done | Failed):
                self._take(worker, item, handle)

    def _ended(self, worker: WorkerProcess, end: StreamEnd) -> UserError:
        status = worker.stop()
        self._show_prints(worker, final=True)
        self._cancellation.check()
        if not self._greeted:
            return self._foreign(end.problem or f"It ended with exit status {status}.")
        if end.foreign or (end.problem and status == 0):
            return UserError(
                "The worker's messages cannot be read.",
                why=end.problem,
                hint="Something in the worker wrote to its message stream; what was measured before is kept.",
            )
        return describe_exit(status, stage=self._stage, log_text=self.log_text)

    def _foreign(self, why: str) -> UserError:
        last = last_lines(self.log_text)
        return UserError(
            f"{self._interpreter} could not start the worker.",
            why=f"{why}\n{last}" if last else why,
            hint="Choose a Python 3.11 or newer that has torch with --python, or set PROFVIZ_PYTHON.",
        )

    def _stuck(self) -> UserError:
        if not self._greeted:
            return self._foreign(f"It said nothing for {HELLO_LIMIT_S:.0f} s.")
        return UserError(
            "The worker is stuck.",
            why=f"It said nothing for {self._silence_limit_s:.0f} s.",
            hint="What was measured before is kept.",
        )

    def _show_prints(self, worker: WorkerProcess, *, final: bool = False) -> None:
        for line in worker.log.take(time.monotonic(), final=final):
            self._emit(LogLine("torch" if line.startswith(PROFILER_PROBE) else "script", line))
        self.log_text = worker.log.text()


def _silence_limit_s(question: Inspect | Start | Probe) -> float:
    """A stage limit of zero means that the user wants to wait for ever."""
    if isinstance(question, Probe):
        return HELLO_LIMIT_S + SILENCE_MARGIN_S
    limit_s = question.request.stage_limit_s
    return max(limit_s, HELLO_LIMIT_S) + SILENCE_MARGIN_S if limit_s > 0 else math.inf
