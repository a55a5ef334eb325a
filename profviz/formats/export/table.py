"""One row a slice: the columns of every table that is exported, with what each of them leaves unsaid."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from profviz.formats.export.exporter import Task
from profviz.model.trace import I64, MISSING, Flag, GpuColumns, Trace

Array = npt.NDArray[Any]
STATES = ("", "unfinished", "absurd")
"""What flags say of a slice's duration; those with one are in no sum."""
_NAMES = {"graph": "graph_id", "graph_node": "graph_node_id"}
_MERGED = ("slice", "device", "stream")


@dataclass(frozen=True, slots=True, eq=False)
class TableColumn:
    """`take(rows)` gives the values of slices; where `texts` is set these are numbers of texts.

    MISSING or NaN stand for what the file does not say, unless `is_known` is set: then every value is one.
    """

    name: str
    take: Callable[[I64], Array]
    texts: tuple[str, ...] | None = None
    is_known: bool = False


def unsaid(values: Array) -> npt.NDArray[np.bool_]:
    return np.isnan(values) if values.dtype.kind == "f" else values == MISSING


def row_chunks(task: Task, size: int) -> Iterator[I64]:
    """The selected slices in order of time, as many at once as `size`; tells how far it is."""
    rows = np.flatnonzero(task.selection.slices)
    rows = rows[np.argsort(task.trace.slices.start_ns[rows], kind="stable")]
    task.total = len(rows)
    for begin in range(0, len(rows), size):
        yield rows[begin : begin + size]
        task.written = min(begin + size, len(rows))
        task.tick(task.written)


def table_columns(trace: Trace) -> tuple[TableColumn, ...]:
    slices, lanes = trace.slices, trace.lanes

    def plain(name: str, column: Array, *, is_known: bool = False) -> TableColumn:
        return TableColumn(name, lambda rows: _wide(column[rows]), is_known=is_known)

    def of_lane(name: str, texts: list[str]) -> TableColumn:
        return TableColumn(name, lambda rows: slices.lane[rows], tuple(texts))

    return (
        plain("start_ns", slices.start_ns, is_known=True),
        plain("dur_ns", slices.dur_ns, is_known=True),
        TableColumn("name", lambda rows: slices.name[rows], trace.names),
        TableColumn("category", lambda rows: slices.category[rows], trace.categories),
        of_lane("process", [lane.process for lane in lanes]),
        of_lane("thread", [lane.thread for lane in lanes]),
        of_lane("pid", [lane.pid for lane in lanes]),
        of_lane("tid", [lane.tid for lane in lanes]),
        of_lane("lane_kind", [lane.kind.value for lane in lanes]),
        TableColumn("device", _of_gpu_or_lane(trace, "device")),
        TableColumn("stream", _of_gpu_or_lane(trace, "stream")),
        plain("depth", slices.row, is_known=True),
        TableColumn("state", lambda rows: _states(slices.flags[rows]), STATES),
        plain("correlation", slices.correlation),
        plain("external_id", slices.external),
        *_gpu_table_columns(trace.gpu),
    )


def _wide(values: Array) -> Array:
    """Numbers in 64 bits, whatever a trace's columns make do with: the tables of all traces are to fit together."""
    return values.astype(np.float64 if values.dtype.kind == "f" else np.int64)


def _states(flags: Array) -> Array:
    return np.where(flags & Flag.UNFINISHED, 1, np.where(flags & Flag.ABSURD, 2, 0))


def _of_gpu_or_lane(trace: Trace, name: str) -> Callable[[I64], Array]:
    of_lane = np.array([getattr(lane, name) for lane in trace.lanes], dtype=np.int64)
    of_gpu = _spread(trace.gpu.slice, getattr(trace.gpu, name))

    def take(rows: I64) -> Array:
        found = of_gpu(rows)
        return np.where(found == MISSING, of_lane[trace.slices.lane[rows]], found)

    return take


def _gpu_table_columns(gpu: GpuColumns) -> Iterator[TableColumn]:
    for field in dataclasses.fields(gpu):
        column: Array = getattr(gpu, field.name)
        name = _NAMES.get(field.name, field.name)
        if field.name in _MERGED:
            continue
        if column.ndim == 1:
            yield TableColumn(name, _spread(gpu.slice, column))
        else:
            for axis, letter in enumerate("xyz"):
                yield TableColumn(f"{name}_{letter}", _spread(gpu.slice, column[:, axis]))


def _spread(at: I64, column: Array) -> Callable[[I64], Array]:
    """A column of GPU slices by slice, unsaid for all others."""
    nothing = np.nan if column.dtype.kind == "f" else MISSING

    def take(rows: I64) -> Array:
        if not len(at):
            return np.full(len(rows), nothing)
        place = np.minimum(at.searchsorted(rows), len(at) - 1)
        return np.where(at[place] == rows, _wide(column[place]), nothing)

    return take
