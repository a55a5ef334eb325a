"""Turns collected rows into the columns of a trace: one clock, sorted lanes, nested slices."""

from __future__ import annotations

from typing import Any

import numpy as np

from profviz.core.nesting import Nesting, nest
from profviz.formats.chrome.arrows import pair_flows
from profviz.formats.chrome.rows import FAR_NS, Mark, Rows, integer, real, triple
from profviz.formats.chrome.series import build_counters
from profviz.formats.chrome.spans import close_spans
from profviz.formats.chrome.text import EventText
from profviz.model.trace import I64, MISSING, Flag, GpuColumns, Instants, Slices, Trace

SAMPLES = 5


def build_trace(rows: Rows, *, title: str, meta: dict[str, Any], event_count: int, text: EventText) -> Trace:
    """All columns; overlaps and open ends are noted in the rows' note book."""
    close_spans(rows, text)
    for mark in (*rows.instants, *rows.counters):
        rows.lanes.of_mark(mark.pid, mark.tid)
    first = _first_time(rows)
    lanes, places = rows.lanes.finish()
    place = np.array(places, dtype=np.int32)
    slices, back, crossing = _build_slices(rows, place, first)
    _note_overlaps(rows, slices, crossing, text)
    names = rows.names.texts()
    return Trace(
        title=title,
        origin_ns=_origin(meta, first),
        names=names,
        categories=rows.categories.texts(),
        lanes=lanes,
        slices=slices,
        gpu=_build_gpu(rows, back),
        instants=_build_instants(rows, place, first),
        counters=build_counters(rows, place, first, names, text),
        flows=pair_flows(rows, slices, place, first),
        event_count=event_count,
        meta=meta,
        args=text,
    )


def _first_time(rows: Rows) -> int:
    times = [mark.time for mark in (*rows.instants, *rows.counters)]
    starts = [min(rows.slices.start)] if rows.slices.start else []
    return min([*times, *starts], default=0)


def _origin(meta: dict[str, Any], first: int) -> int:
    base = integer(meta.get("baseTimeNanoseconds"))
    return first if base == MISSING else base + first


def _build_slices(rows: Rows, place: Any, first: int) -> tuple[Slices, I64, Nesting]:
    """The slice columns, for each collected row where it stands in them, and how they nest."""
    raw = rows.slices
    start = _shifted(raw.start, first)
    flags = np.array(raw.flags, dtype=np.uint8)
    dur = _open_ends(start, np.array(raw.dur, dtype=np.int64), flags, rows)
    lane = place[np.array(raw.lane, dtype=np.int64)] if raw.lane else np.zeros(0, dtype=np.int32)
    order = np.lexsort((-dur, start, lane))
    start, dur, lane = start[order], dur[order], lane[order]
    nesting = nest(start, start + dur, lane)
    slices = Slices(
        start_ns=start,
        dur_ns=dur,
        name=np.array(raw.name, dtype=np.int32)[order],
        category=np.array(raw.category, dtype=np.uint16)[order],
        lane=lane.astype(np.int32),
        row=nesting.row,
        parent=nesting.parent,
        correlation=np.array(raw.correlation, dtype=np.int64)[order],
        external=np.array(raw.external, dtype=np.int64)[order],
        event=np.array(raw.event, dtype=np.int64)[order],
        flags=flags[order],
    )
    back = np.empty(len(order), dtype=np.int64)
    back[order] = np.arange(len(order))
    return slices, back, nesting


def _shifted(times: list[int], first: int) -> I64:
    return np.array([time - first for time in times], dtype=np.int64)


def _open_ends(start: I64, dur: I64, flags: Any, rows: Rows) -> I64:
    """Unfinished slices reach to the end of the trace; absurd ones end where sums of two times still fit."""
    usable = flags == 0
    last = int((start + np.where(usable, dur, 0)).max()) if len(start) else 0
    stretched = np.where(flags & Flag.UNFINISHED, last - start, dur)
    return np.asarray(np.minimum(stretched, np.maximum(FAR_NS - start, 0)), dtype=np.int64)


def _note_overlaps(rows: Rows, slices: Slices, nesting: Nesting, text: EventText) -> None:
    names = rows.names.texts() if len(nesting.overlaps) else ()
    ends = slices.end_ns
    for later, earlier in zip(nesting.overlaps[:SAMPLES].tolist(), nesting.crossed[:SAMPLES].tolist(), strict=True):
        pair = " and ".join(names[slices.name[index]][:80] for index in (earlier, later))
        said = f"{pair} from {slices.start_ns[later]} ns to {ends[earlier]} ns"
        rows.notes.add("overlap", text=said, offset=text.offset(int(slices.event[later])))
    if len(nesting.overlaps) > SAMPLES:
        rows.notes.add("overlap", count=len(nesting.overlaps) - SAMPLES)


def _build_gpu(rows: Rows, back: I64) -> GpuColumns:
    raw = rows.slices.gpu
    at = back[np.array([row for row, _ in raw], dtype=np.int64)] if raw else np.zeros(0, dtype=np.int64)
    order = np.argsort(at)
    args = [raw[i][1] for i in order.tolist()]

    def column(field: str, *, bits: int = 63) -> Any:
        kind = np.int64 if bits == 63 else np.int32
        return np.array([integer(getattr(item, field), bits=bits) for item in args], dtype=kind)

    return GpuColumns(
        slice=at[order],
        device=column("device", bits=31),
        stream=column("stream", bits=31),
        grid=np.array([triple(item.grid) for item in args], dtype=np.int32).reshape(-1, 3),
        block=np.array([triple(item.block) for item in args], dtype=np.int32).reshape(-1, 3),
        registers=column("registers", bits=31),
        shared_bytes=column("shared"),
        bytes=column("bytes"),
        occupancy_pct=np.array([real(item.occupancy) for item in args], dtype=np.float64),
        graph=column("graph"),
        graph_node=column("graph_node"),
    )


def _build_instants(rows: Rows, place: Any, first: int) -> Instants:
    marks: list[Mark] = sorted(rows.instants, key=lambda mark: mark.time)
    return Instants(
        time_ns=_shifted([mark.time for mark in marks], first),
        name=np.array([mark.name for mark in marks], dtype=np.int32),
        category=np.array([mark.category for mark in marks], dtype=np.uint16),
        lane=np.array([place[rows.lanes.of_mark(mark.pid, mark.tid)] for mark in marks], dtype=np.int32),
        event=np.array([mark.event for mark in marks], dtype=np.int64),
    )
