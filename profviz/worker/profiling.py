"""Runs a few steps under torch.profiler and exports the Chrome trace; timing happens elsewhere, never here.

What is recorded is bounded: one step is recorded first to see how many events it makes, and as many follow as the
limit has room for.
"""

from __future__ import annotations

import gzip
import shutil
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch
from torch.profiler import ProfilerActivity, profile, schedule

from profviz.worker.failures import WorkerError
from profviz.worker.timing import Stopwatch, Subject
from profviz.worker.workload import BoundWorkload

_WARMUP_STEPS = 1


@dataclass(frozen=True)
class Plan:
    """What fits below the event limit, and in `told` why that is less than was asked for (empty when it is not)."""

    steps: int
    with_stack: bool
    told: tuple[str, ...] = ()


def _activities(device: torch.device) -> list[ProfilerActivity]:
    return [ProfilerActivity.CPU, ProfilerActivity.CUDA] if device.type == "cuda" else [ProfilerActivity.CPU]


def initialise_profiler(device: torch.device) -> None:
    """Uses the profiler once: its first use after a CUDA graph was captured can hang or crash."""
    with profile(activities=_activities(device)):
        torch.ones(8, device=device).add_(1)


def plan_profile(
    workload: BoundWorkload, stopwatch: Stopwatch, subject: Subject, *, steps: int, with_stack: bool, event_limit: int
) -> Plan:
    """How many steps to profile, and whether with Python stacks; `event_limit` 0 means without a limit.

    A step in which something still compiles never gets stacks: they would be the compiler's, by the million. Raises
    WorkerError when even one step has more events than the limit.
    """
    told: list[str] = []
    if with_stack and any(compiled for _, compiled in stopwatch.round(subject, 1)):
        told.append("no Python stacks: something still compiles in each step, and they would be the compiler's own")
        with_stack = False
    if not event_limit:
        return Plan(steps, with_stack, tuple(told))
    events = count_events(workload, stopwatch, subject, with_stack=with_stack)
    if events > event_limit and with_stack:
        told.append(f"no Python stacks: with them one step makes {events} events, and the limit is {event_limit}")
        with_stack = False
        events = count_events(workload, stopwatch, subject, with_stack=False)
    if events > event_limit:
        raise WorkerError(
            f"One step makes {events} profiler events, more than the limit of {event_limit}",
            why="A trace of that size takes long to write and to open. What was timed before is kept.",
            hint="Take smaller inputs or fewer layers for the profile, or raise the limit on events.",
        )
    fitting = min(steps, event_limit // max(1, events))
    if fitting < steps:
        told.append(f"{fitting} of {steps} steps: each makes {events} events, and the limit is {event_limit}")
    return Plan(fitting, with_stack, tuple(told))


def count_events(workload: BoundWorkload, stopwatch: Stopwatch, subject: Subject, *, with_stack: bool) -> int:
    """The number of events that one step makes under the profiler; nothing is exported."""
    batch = workload.next_batch()
    stopwatch.synchronize()
    with profile(activities=_activities(workload.device), record_shapes=True, with_stack=with_stack) as profiler:
        _step(stopwatch, subject, batch)
    results = profiler.profiler.kineto_results if profiler.profiler else None
    return len(results.events()) if results else 0


def profile_steps(
    workload: BoundWorkload,
    stopwatch: Stopwatch,
    subject: Subject,
    *,
    plan: Plan,
    path: Path,
) -> Path:
    """Profiles the plan's steps, annotated ProfilerStep#N, and writes them gzipped to `path`.

    The export hangs on `on_trace_ready`, with `repeat=1`: an export after the block would see the next, empty cycle.
    """
    plain = path.with_suffix("")
    batches = [workload.next_batch() for _ in range(plan.steps + _WARMUP_STEPS)]
    stopwatch.synchronize()
    with profile(
        activities=_activities(workload.device),
        schedule=schedule(wait=0, warmup=_WARMUP_STEPS, active=plan.steps, repeat=1),
        on_trace_ready=lambda profiler: profiler.export_chrome_trace(str(plain)),
        record_shapes=True,
        with_stack=plan.with_stack,
    ) as profiler:
        for batch in batches:
            _step(stopwatch, subject, batch)
            profiler.step()
    _compress(plain, path)
    return path


def _step(stopwatch: Stopwatch, subject: Subject, batch: Any) -> None:
    stopwatch.run(subject, batch)
    stopwatch.synchronize()  # the step's GPU work falls within its annotation


def _compress(plain: Path, path: Path) -> None:
    with plain.open("rb") as source, gzip.open(path, "wb", 4) as target:
        shutil.copyfileobj(source, target, 1 << 20)
    plain.unlink()
