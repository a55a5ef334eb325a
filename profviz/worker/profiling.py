"""Runs a few steps under torch.profiler and exports the Chrome trace; timing happens elsewhere, never here."""

from __future__ import annotations

import gzip
import shutil
from pathlib import Path
from typing import Any

import torch
from torch.profiler import ProfilerActivity, profile, schedule

from profviz.worker.timing import Stopwatch, Subject
from profviz.worker.workload import BoundWorkload

_WARMUP_STEPS = 1


def _activities(device: torch.device) -> list[ProfilerActivity]:
    return [ProfilerActivity.CPU, ProfilerActivity.CUDA] if device.type == "cuda" else [ProfilerActivity.CPU]


def initialise_profiler(device: torch.device) -> None:
    """Uses the profiler once: its first use after a CUDA graph was captured can hang or crash."""
    with profile(activities=_activities(device)):
        torch.ones(8, device=device).add_(1)


def profile_steps(
    workload: BoundWorkload,
    stopwatch: Stopwatch,
    subject: Subject,
    *,
    steps: int,
    with_stack: bool,
    path: Path,
) -> Path:
    """Profiles `steps` annotated steps (ProfilerStep#N) and writes them gzipped to `path`.

    The export hangs on `on_trace_ready`, with `repeat=1`: an export after the block would see the next, empty cycle.
    """
    plain = path.with_suffix("")
    batches = [workload.next_batch() for _ in range(steps + _WARMUP_STEPS)]
    stopwatch.synchronize()
    with profile(
        activities=_activities(workload.device),
        schedule=schedule(wait=0, warmup=_WARMUP_STEPS, active=steps, repeat=1),
        on_trace_ready=lambda profiler: profiler.export_chrome_trace(str(plain)),
        record_shapes=True,
        with_stack=with_stack,
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
