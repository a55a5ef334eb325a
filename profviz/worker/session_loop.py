"""Serves one request of the engine: probe, inspect or run. Imports torch only once a request asks for it."""

from __future__ import annotations

import faulthandler
import os
import platform
import sys
import threading
import traceback
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from types import FrameType, ModuleType
from typing import BinaryIO

from profviz.model.run import Failure, RunRequest, Workload
from profviz.protocol.messages import VERSION, Announce, Done, Found, Hello, Inspect, Message, Probe, Start
from profviz.protocol.wire import WireError, Writer, read_frames
from profviz.worker import environment
from profviz.worker.failures import WorkerError, failure_of, trimmed_stack
from profviz.worker.outbox import Outbox
from profviz.worker.script import SourceSender, load_script
from profviz.worker.stages import Stage, Stages
from profviz.worker.variants.variant import Offer

_TIMED_OUT_STATUS = 3
_OVERDUE_HINTS = {
    "loading": 'Put loops that train or serve under  if __name__ == "__main__":  so that loading the file ends.',
    "compiled_profile": "A CUDA graph that was captured before the profiler's first use can make it hang; profviz uses "
    "it before. If it is only slow, raise the limit or profile fewer steps.",
    "eager_profile": "If it is only slow, raise the limit, profile fewer steps, or leave Python stacks out.",
    "eager_tape": "The step that records the tape is traced line by line. If it is only slow, raise the limit.",
    "compiling": "If it is only slow, raise the limit; a variant without autotuning compiles faster.",
}


def serve(*, requests: BinaryIO, results: BinaryIO) -> int:
    """Says hello, answers one request and ends with Done; always 0 once that was sent."""
    outbox = Outbox(Writer(results))
    outbox.send(Hello(VERSION, platform.python_version(), sys.executable, os.getpid()))
    try:
        frame = next(read_frames(requests), None)
    except WireError as error:
        outbox.failed(Failure("The worker was sent something that is no request", why=str(error)))
        frame = None
    if frame is not None:
        outbox.send(Done(_answer(frame[0], outbox)))
    return 0


def _answer(message: Message, outbox: Outbox) -> bool:
    """Whether the request was carried out; every failure was sent by then."""
    request = message.request if isinstance(message, Inspect | Start) else None
    session = Session(request, outbox)
    try:
        if request is None:
            return session.probe(message)
        return session.run() if isinstance(message, Start) else session.inspect()
    except WorkerError as error:
        outbox.failed(failure_of(error, script=session.script, stage=session.stage))
    except BaseException as error:  # a stage's own errors never come here: this one is ours
        text = "".join(traceback.format_exception(error))
        what = f"The worker itself failed: {type(error).__name__}: {error}"
        outbox.failed(Failure(what, why="This is a defect of profviz.", traceback=text, stage=session.stage))
    finally:
        session.close()
    return False


class Session:
    """One request from loading to the last result."""

    def __init__(self, request: RunRequest | None, outbox: Outbox) -> None:
        self._request = request
        self._outbox = outbox
        self._place = environment.scratch_folder()
        self._main_thread = threading.get_ident()
        self._workload = Workload(script=self.script)
        self.stage = ""
        limit_s = request.stage_limit_s if request else 0.0
        self._stages = Stages(self._note_stage, limit_s=limit_s, overdue=self._end_overdue)

    @property
    def script(self) -> str:
        return self._request.script if self._request else ""

    def close(self) -> None:
        self._stages.close()

    def probe(self, message: Message) -> bool:
        if not isinstance(message, Probe):
            raise WorkerError(f"This worker knows no request {type(message).__name__}", hint="Use one profviz version.")
        self._outbox.send(Announce(environment.describe()))
        return True

    def inspect(self) -> bool:
        return self._guarded(self._load) is not None

    def run(self) -> bool:
        loaded = self._guarded(self._load)
        if loaded is None:
            return False
        return self._guarded(lambda request: self._run_loaded(request, loaded)) is not None

    def _guarded(self, work: Callable[[RunRequest], object]) -> object:
        """What `work` gives, or None once its failure was sent: whatever the user's code raises ends here."""
        assert self._request is not None
        try:
            return work(self._request)
        except BaseException as error:
            self._outbox.failed(failure_of(error, script=self.script, stage=self.stage))
            return None

    def _load(self, request: RunRequest) -> tuple[object, SourceSender]:
        """Announces, loads the script and tells what was found; gives the workload's parts (None when it has none)."""
        path = Path(request.script).absolute()
        sources = SourceSender(path, self._outbox)
        with self._stages.stage("loading") as stage:
            sources.send_script()
            environment.prepare_process(request, self._place)
            environment.require_torch_installed()
            stage.step(detail=f"running {path.name}")
            return self._discover(path, request, sources), sources

    def _run_script(self, path: Path, request: RunRequest) -> ModuleType:
        """The script imports torch itself, and what it sets up before (CUDA_VISIBLE_DEVICES, say) counts."""
        try:
            return load_script(path)
        finally:
            environment.use_torch(threads=request.threads)
            self._outbox.send(Announce(environment.describe()))

    def _discover(self, path: Path, request: RunRequest, sources: SourceSender) -> object:
        try:
            module = self._run_script(path, request)
            from profviz.worker.discovery import discover

            workload, parts = discover(module, request)
        except BaseException as error:
            failure = failure_of(error, script=self.script, stage="loading")
            self._outbox.send(Found(Workload(script=request.script, problem=failure.what)))
            raise
        finally:
            sources.send_imported()
        self._outbox.send(Found(workload))
        self._workload = workload
        return parts if parts is not None else _no_workload(workload)

    def _run_loaded(self, request: RunRequest, loaded: object) -> bool:
        parts, sources = loaded  # type: ignore[misc]
        if isinstance(parts, WorkerError):
            raise parts
        from profviz.worker.capture_run import CaptureRun
        from profviz.worker.workload import BoundWorkload, pick_device

        with self._stages.stage("loading") as stage:
            device = pick_device(request.device)
            stage.step(detail=f"moving the model to {device}")
            workload = BoundWorkload(parts, device)
            self._outbox.send(Found(replace(self._workload, device=str(device))))
        if workload.optimizer_misses_model():
            text = "the optimizer holds none of the model's parameters: its steps change nothing"
            self._outbox.log(text, level="warning")
        offer = Offer(device.type, environment.find_compiler(), environment.has_triton())
        CaptureRun(request, workload, stages=self._stages, outbox=self._outbox, offer=offer, place=self._place).run()
        sources.send_imported()
        return True

    def _note_stage(self, progress: Message) -> None:
        self.stage = getattr(progress, "stage", self.stage)
        self._outbox.send(progress)

    def _end_overdue(self, stage: Stage) -> None:
        """Called by the watchdog: whatever holds the main thread can't be unwound, so the process ends."""
        frame: FrameType | None = sys._current_frames().get(self._main_thread)
        failure = Failure(
            f"{stage.kind.title} took longer than {stage.elapsed_ns // 1_000_000_000} s and was ended",
            why="The limit for a stage was reached; what was measured before is kept.",
            hint=_OVERDUE_HINTS.get(stage.kind.id, "If it is only slow, raise the limit or take fewer steps."),
            traceback=trimmed_stack(frame, script=self.script),
            stage=stage.kind.id,
            variant=stage.variant,
        )
        if stage.variant:
            self._outbox.failed(failure)
        self._outbox.failed(_of_the_run(failure))
        self._outbox.send(Done(ok=False))
        faulthandler.dump_traceback()
        os._exit(_TIMED_OUT_STATUS)


def _of_the_run(failure: Failure) -> Failure:
    return Failure(failure.what, failure.why, failure.hint, failure.traceback, failure.stage)


def _no_workload(workload: Workload) -> WorkerError:
    """Why a run can't start, as a value: an inspection is content with having told so."""
    if workload.needs_shapes:
        return WorkerError(
            "The model's inputs are not known",
            why=f"{workload.model} was found, but no `inputs` and no get_inputs() at module level.",
            hint="Give their shapes (--inputs 64x1024,8x16:int64), or add `inputs` to the script.",
        )
    return WorkerError(workload.problem or "The script holds no workload", hint="See what was looked for and found.")
