"""Times steps without the profiler: the first call alone, warm-up until nothing compiles, then alternating rounds.

On a GPU each step stands between two CUDA events and the device is synchronised once a round: as in a training loop
the CPU may run ahead, so a step takes the longer of its GPU work and its launches. For small models that is launch
time, not kernel time. On a CPU a step is timed by `perf_counter_ns`. Making a batch is never within a step.
"""

from __future__ import annotations

import gc
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

import torch

from profviz.model.run import Timing
from profviz.worker.compile_watch import CompileWatch
from profviz.worker.workload import BoundWorkload, Call

QUIET_STEPS = 3
"""Warm-up ends after so many steps in a row without a compilation."""
WARMUP_LIMIT_STEPS = 50

Sample = tuple[int, bool]
"""A step's ns, and whether something compiled in it."""


@dataclass(frozen=True)
class Subject:
    """What is timed: a variant's id, its callable in the model's place, whether it replays CUDA graphs."""

    id: str
    call: Call
    cuda_graphs: bool = False


@dataclass
class Samples:
    """Grows round by round; `timing` is what is known so far."""

    clock: str
    steady_ns: list[int] = field(default_factory=list)
    rounds: list[int] = field(default_factory=list)
    discarded_ns: list[int] = field(default_factory=list)
    _round: int = 0

    def add(self, samples: Sequence[Sample]) -> None:
        """One round's steps."""
        for dur_ns, compiled in samples:
            if compiled:
                self.discarded_ns.append(dur_ns)
            else:
                self.steady_ns.append(dur_ns)
                self.rounds.append(self._round)
        self._round += 1

    @property
    def timing(self) -> Timing:
        return Timing(self.clock, tuple(self.steady_ns), tuple(self.rounds), tuple(self.discarded_ns))


@dataclass(frozen=True)
class WarmUp:
    """`first_ns` is the first call alone, `rest_ns` the steps after it; `settled`: compilation came to rest.

    `first_began_ns` is when the first call began on the wall clock.
    """

    first_ns: int
    rest_ns: tuple[int, ...]
    settled: bool
    first_began_ns: int


class Stopwatch:
    """Runs steps of one workload against the clock of its device."""

    def __init__(self, workload: BoundWorkload, watch: CompileWatch) -> None:
        self._workload = workload
        self._watch = watch
        self._on_gpu = workload.device.type == "cuda"

    def samples(self) -> Samples:
        return Samples("cuda_event" if self._on_gpu else "perf_counter")

    def synchronize(self) -> None:
        if self._on_gpu:
            torch.cuda.synchronize(self._workload.device)

    def run(self, subject: Subject, batch: Any) -> None:
        if subject.cuda_graphs and hasattr(torch.compiler, "cudagraph_mark_step_begin"):
            torch.compiler.cudagraph_mark_step_begin()  # outputs of the step before may be overwritten
        self._workload.step(subject.call, batch)

    def warm_up(self, subject: Subject, progress: Callable[[int], None]) -> WarmUp:
        """Steps until QUIET_STEPS in a row compiled nothing, at most WARMUP_LIMIT_STEPS; clock: synchronised wall."""
        times: list[int] = []
        quiet = began_ns = 0
        while quiet < QUIET_STEPS and len(times) < WARMUP_LIMIT_STEPS:
            step_began_ns, dur_ns, compiled = self._wall_step(subject)
            began_ns = began_ns or step_began_ns
            times.append(dur_ns)
            quiet = 0 if compiled or len(times) == 1 else quiet + 1
            progress(len(times))
        return WarmUp(times[0], tuple(times[1:]), settled=quiet >= QUIET_STEPS, first_began_ns=began_ns)

    def _wall_step(self, subject: Subject) -> tuple[int, int, bool]:
        """(when it began on the wall clock, ns it took, whether something compiled in it)."""
        batch = self._workload.next_batch()
        self.synchronize()
        before = self._watch.count
        clock_ns, began_ns = time.time_ns(), time.perf_counter_ns()
        self.run(subject, batch)
        self.synchronize()
        return clock_ns, time.perf_counter_ns() - began_ns, self._watch.count != before

    def round(self, subject: Subject, steps: int) -> list[Sample]:
        """`steps` consecutive steps."""
        batches = [self._workload.next_batch() for _ in range(steps)]
        self.synchronize()
        return self._gpu_round(subject, batches) if self._on_gpu else [self._cpu_step(subject, b) for b in batches]

    def _cpu_step(self, subject: Subject, batch: Any) -> Sample:
        before = self._watch.count
        began_ns = time.perf_counter_ns()
        self.run(subject, batch)
        return time.perf_counter_ns() - began_ns, self._watch.count != before

    def _gpu_round(self, subject: Subject, batches: list[Any]) -> list[Sample]:
        events = []
        for batch in batches:
            before = self._watch.count
            begin, end = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
            begin.record()
            self.run(subject, batch)
            end.record()
            events.append((begin, end, self._watch.count != before))
        self.synchronize()
        return [(round(begin.elapsed_time(end) * 1e6), compiled) for begin, end, compiled in events]

    @contextmanager
    def peak_memory(self, peaks: dict[str, int], subject: Subject) -> Iterator[None]:
        """Raises `peaks[subject.id]` to the most bytes torch had allocated on the GPU within; a CPU keeps no count."""
        if not self._on_gpu:
            yield
            return
        torch.cuda.reset_peak_memory_stats(self._workload.device)
        yield
        self.synchronize()
        peak = torch.cuda.max_memory_allocated(self._workload.device)
        peaks[subject.id] = max(peaks.get(subject.id, 0), peak)


def split_steps(steps: int, rounds: int) -> list[int]:
    """`steps` spread over at most `rounds` rounds, each of at least one step; the first ones take what is left over."""
    rounds = max(1, min(rounds, steps))
    size, extra = divmod(max(1, steps), rounds)
    return [size + (index < extra) for index in range(rounds)]


def alternate(
    stopwatch: Stopwatch,
    subjects: Sequence[Subject],
    samples: dict[str, Samples],
    *,
    rounds: Sequence[int],
    after_round: Callable[[int, dict[str, int]], None],
) -> None:
    """Times the subjects in turn, `rounds[i]` steps of each in round i, with the garbage collector off.

    One untimed step of each comes first: what ran before has left caches and allocator in its own state.
    """
    peaks: dict[str, int] = {}
    for subject in subjects:
        stopwatch.round(subject, 1)
    with _no_garbage_collection():
        for index, steps in enumerate(rounds):
            for subject in subjects:
                with stopwatch.peak_memory(peaks, subject):
                    samples[subject.id].add(stopwatch.round(subject, steps))
            after_round(index, peaks)


@contextmanager
def _no_garbage_collection() -> Iterator[None]:
    was_on = gc.isenabled()
    gc.collect()
    gc.disable()
    try:
        yield
    finally:
        if was_on:
            gc.enable()
