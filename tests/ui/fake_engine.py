"""An engine without processes: tests hand it the events of a job, in the job's own thread, and see what was asked."""

from __future__ import annotations

import queue
import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

from profviz.engine.events import Event, Finished, JobCancelled, JobFailed
from profviz.model.run import Device, Environment, InputSpec, RunRequest, VariantOption, VariantSpec, Workload

ENVIRONMENT = Environment(
    python="3.11.7",
    executable="/envs/torch/bin/python",
    platform="Linux",
    torch="2.13.0",
    compiler="g++",
    devices=(Device("cpu", 0, "8 cores"), Device("cuda", 0, "NVIDIA H200", memory_bytes=139 << 30)),
    variants=(
        VariantSpec("eager", "Eager", "As the script runs it.", compiled=False),
        VariantSpec(
            "default",
            "Compiled",
            "torch.compile with its defaults.",
            compiled=True,
            options=(
                VariantOption("dynamic", "Dynamic shapes", "choice", "auto", ("auto", "on", "off")),
                VariantOption("fullgraph", "One graph or fail", "bool", False),
                VariantOption("cache_limit", "Recompile limit", "int", 8),
                VariantOption("backend", "Backend", "str", "inductor"),
            ),
        ),
        VariantSpec("max-autotune", "Max autotune", "Tries many kernels.", compiled=True, unavailable="needs a GPU"),
    ),
)
WORKLOAD = Workload(
    script="mlp.py",
    model="model",
    model_class="Sequential",
    parameters=25_174_016,
    inputs=(InputSpec("input", (64, 1024), "float32", "cpu"),),
    can_train=True,
    found=("model: module-level name", "inputs: module-level tensor"),
    missing=("loss_fn: no such name, so a step only runs forward",),
    candidates=("model", "Net"),
)


@dataclass
class FakeJob:
    """Emits what `say` is given, from its own thread; cancelling it says JobCancelled unless `deaf`."""

    emit: Callable[[Event], None]
    deaf: bool = False
    cancelled: bool = False
    _events: queue.Queue[Event | None] = field(default_factory=queue.Queue)

    def __post_init__(self) -> None:
        self._thread = threading.Thread(target=self._work, name="profviz-fake", daemon=True)
        self._thread.start()

    @property
    def running(self) -> bool:
        return self._thread.is_alive()

    def say(self, *events: Event) -> None:
        for event in events:
            self._events.put(event)

    def cancel(self) -> None:
        self.cancelled = True
        if not self.deaf:
            self._events.put(JobCancelled())

    def stop(self) -> None:
        self._events.put(None)

    def wait(self, timeout: float | None = None) -> bool:
        self._thread.join(timeout)
        return not self.running

    def _work(self) -> None:
        while (event := self._events.get()) is not None:
            self.emit(event)
            if isinstance(event, Finished | JobFailed | JobCancelled):
                return


class FakeEngine:
    def __init__(self) -> None:
        self.opened: list[tuple[str, ...]] = []
        self.inspected: list[RunRequest] = []
        self.ran: list[RunRequest] = []
        self.interpreters: list[str] = []
        self.jobs: list[FakeJob] = []

    @property
    def job(self) -> FakeJob:
        return self.jobs[-1]

    def open_files(self, paths: Sequence[str], *, emit: Any) -> FakeJob:
        self.opened.append(tuple(paths))
        return self._job(emit)

    def inspect_script(self, request: RunRequest, *, interpreter: str, emit: Any) -> FakeJob:
        self.inspected.append(request)
        self.interpreters.append(interpreter)
        return self._job(emit)

    def run_script(self, request: RunRequest, *, interpreter: str, session_path: str, emit: Any) -> FakeJob:
        self.ran.append(request)
        self.interpreters.append(interpreter)
        return self._job(emit)

    def stop(self) -> None:
        for job in self.jobs:
            job.stop()

    def _job(self, emit: Callable[[Event], None]) -> FakeJob:
        self.jobs.append(FakeJob(emit))
        return self.jobs[-1]
