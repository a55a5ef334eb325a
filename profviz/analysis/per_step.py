"""Figures a step: medians over the profiled steps, None where the trace does not say."""

from __future__ import annotations

import statistics

from profviz.model.results import Side


def has_gpu(side: Side) -> bool:
    """Whether the trace holds any GPU work."""
    return side.occupancy.kernels + side.occupancy.copies > 0


def kernels_per_step(side: Side) -> float | None:
    """None without GPU work or steps."""
    if not side.steps or not has_gpu(side):
        return None
    return statistics.median(step.kernels for step in side.steps)


def operators_per_step(side: Side) -> float | None:
    """Innermost CPU operators; None without steps."""
    return statistics.median(step.ops for step in side.steps) if side.steps else None


def busy_per_step_ns(side: Side) -> int | None:
    """Over the steps that have GPU work, rounded to a whole ns."""
    busy = [step.gpu_busy_ns for step in side.steps if step.gpu_busy_ns is not None]
    return round(statistics.median(busy)) if busy else None


def counted_per_step(side: Side) -> float | None:
    """Kernels, or operators where the trace has no GPU work."""
    return kernels_per_step(side) if has_gpu(side) else operators_per_step(side)
