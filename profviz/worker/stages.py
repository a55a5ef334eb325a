"""The stages of a run: their names, progress messages, and the watchdog that ends a stage which takes too long."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from profviz.protocol.messages import StageProgress


@dataclass(frozen=True)
class StageKind:
    """A stage by its id; `ticking` stages report each second, the others keep quiet so as not to disturb a clock."""

    id: str
    title: str
    ticking: bool = True


STAGES = (
    StageKind("loading", "Loading the script"),
    StageKind("eager_warmup", "Warming up eager"),
    StageKind("eager_timing", "Timing eager", ticking=False),
    StageKind("eager_profile", "Profiling eager", ticking=False),
    StageKind("eager_tape", "Recording eager's autograd tape"),
    StageKind("compiling", "Compiling and warming up"),
    StageKind("steady_timing", "Timing eager and compiled in turn", ticking=False),
    StageKind("compiled_profile", "Profiling compiled", ticking=False),
    StageKind("check", "Checking outputs against eager"),
    StageKind("graphs", "Collecting the compiler's graphs"),
)
_KINDS = {kind.id: kind for kind in STAGES}
_TICK_S = 1.0


class Stage:
    """A running stage; `step` tells how far it is."""

    def __init__(self, kind: StageKind, variant: str, total: int, send: Callable[[StageProgress], None]) -> None:
        self.kind = kind
        self.variant = variant
        self._total = total
        self._send = send
        self._count = 0
        self._detail = ""
        self._began_ns = time.monotonic_ns()

    @property
    def elapsed_ns(self) -> int:
        return time.monotonic_ns() - self._began_ns

    def step(self, *, count: int | None = None, detail: str | None = None) -> None:
        self._count = self._count if count is None else count
        self._detail = self._detail if detail is None else detail
        self.tell("step")

    def tell(self, state: str) -> None:
        progress = (self._count, self._total, self.elapsed_ns, self._detail)
        self._send(StageProgress(self.kind.id, self.variant, state, *progress))


class Stages:
    """Runs stages one after another; `overdue(stage)` is called from a thread of its own when one takes too long."""

    def __init__(
        self, send: Callable[[StageProgress], None], *, limit_s: float, overdue: Callable[[Stage], None]
    ) -> None:
        self._send = send
        self._limit_ns = int(limit_s * 1e9)
        self._overdue = overdue
        self._current: Stage | None = None
        self._over = threading.Event()
        self._thread = threading.Thread(target=self._watch, name="stage watchdog", daemon=True)
        self._thread.start()

    @contextmanager
    def stage(self, stage_id: str, *, variant: str = "", total: int = 0) -> Iterator[Stage]:
        stage = Stage(_KINDS[stage_id], variant, total, self._send)
        stage.tell("begin")
        self._current = stage
        try:
            yield stage
        finally:
            self._current = None
            stage.tell("end")

    def close(self) -> None:
        self._over.set()
        self._thread.join()

    def _watch(self) -> None:
        while not self._over.wait(_TICK_S):
            stage = self._current
            if stage is None:
                continue
            if self._limit_ns and stage.elapsed_ns > self._limit_ns:
                self._overdue(stage)
                return
            if stage.kind.ticking:
                stage.tell("step")
