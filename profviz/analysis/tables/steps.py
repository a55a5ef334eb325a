"""One row for each profiled step: how long it took, what the GPU did of what was launched in it."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from profviz.analysis.steps import step_slices
from profviz.analysis.tables.columns import Array, numbers
from profviz.analysis.tables.within import Within
from profviz.model.questions import UNKNOWN, ColumnTable, TableColumn, Unanswered, Unit
from profviz.model.results import Side, Step
from profviz.model.trace import I64, MISSING
from profviz.model.units import format_count, format_ns

NO_WORK = "No GPU work was launched in this step, as far as the trace tells"


def steps(side: Side, within: Within) -> ColumnTable | Unanswered:
    """Steps in order of time; those that reach into the ranges, whole."""
    if not side.steps:
        return Unanswered("The trace marks no steps (ProfilerStep#N)")
    start = np.array([step.start_ns for step in side.steps], dtype=np.int64)
    end = np.array([step.end_ns for step in side.steps], dtype=np.int64)
    at = np.flatnonzero(within.reached(start, end))
    shown = [side.steps[place] for place in at.tolist()]
    length = (end - start)[at]
    columns = (
        numbers("step", "step", Unit.COUNT, at + 1, about="As the timelines count and align them"),
        numbers("number", "ProfilerStep#", Unit.COUNT, _whole([step.number for step in shown]), about="As recorded"),
        numbers("start_ns", "begins at", Unit.MOMENT, start[at]),
        numbers("length_ns", "host time", Unit.NS, length, about="From the step's begin to its end on the host"),
        *_gpu_columns(shown),
        numbers(
            "kernels", "kernels", Unit.COUNT, _whole([step.kernels for step in shown]), about="Launched in the step"
        ),
        numbers(
            "ops", "ops", Unit.COUNT, _whole([step.ops for step in shown]), about="Innermost operators begun in it"
        ),
    )
    footer = f"{format_count(len(shown))} profiled steps"
    if len(shown):
        footer += f" · host time {format_ns(float(np.median(length)))} in the median"
    footer += within.note("whole steps that reach into it")
    return ColumnTable("Steps", columns, slice=_slices(side, at), footer=footer)


def _gpu_columns(shown: Sequence[Step]) -> tuple[TableColumn, ...]:
    busy = _known([step.gpu_busy_ns for step in shown])
    span = _known([_span_ns(step) for step in shown])
    known = (busy != UNKNOWN) & (span != UNKNOWN)
    share = np.where(known & (span > 0), busy / np.maximum(span, 1), np.nan)

    def column(id_: str, title: str, unit: Unit, values: Array, about: str) -> TableColumn:
        return numbers(id_, title, unit, values, about=about, unknown=NO_WORK)

    return (
        column("busy_ns", "GPU busy", Unit.NS, busy, "Union of the GPU work launched in the step, whenever it ran"),
        column("span_ns", "GPU span", Unit.NS, span, "First GPU start to last GPU end of the work launched in it"),
        column("idle_ns", "GPU idle", Unit.NS, np.where(known, span - busy, UNKNOWN), "GPU span less GPU busy"),
        column("busy_share", "busy / span", Unit.SHARE, share, "GPU busy as a share of GPU span"),
    )


def _whole(values: list[int]) -> I64:
    return np.array(values, dtype=np.int64)


def _span_ns(step: Step) -> int | None:
    first, last = step.gpu_first_ns, step.gpu_last_ns
    return None if first is None or last is None else last - first


def _known(values: list[int | None]) -> I64:
    return np.array([UNKNOWN if value is None else value for value in values], dtype=np.int64)


def _slices(side: Side, at: I64) -> I64:
    """The steps' own slices: `Side.steps` lists them in the same order."""
    found, _ = step_slices(side.trace)
    return found[at] if len(found) == len(side.steps) else np.full(len(at), MISSING, dtype=np.int64)
