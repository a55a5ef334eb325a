"""Events made of the columns alone: arrows of a selection, and everything where a trace has no text behind it."""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from profviz.formats.chrome.event import ARG_KEYS
from profviz.formats.chrome.series import MEMORY_ARGS
from profviz.formats.export.clock import Clock
from profviz.formats.export.exporter import Task
from profviz.formats.export.json_text import Fields, encode, object_text, us_text
from profviz.formats.export.selection import MEMORY_NAME, Selection
from profviz.model.trace import MISSING, Flag, GpuColumns, Lane, LaneKind, Trace

CHUNK = 4096
_NUMBER = re.compile(r"-?(?:0|[1-9][0-9]{0,18})")
_ARGS = {"shared_bytes": "shared", "occupancy_pct": "occupancy", "bandwidth_gbps": "bandwidth"}
"""Of GPU columns that have other names than their args."""
_MEMORY = {column: ARG_KEYS[arg] for column, (arg, _) in MEMORY_ARGS.items()}
MOST_CHILDREN = 1_000


class MadeFields:
    """Events of a task."""

    def __init__(self, task: Task, clock: Clock) -> None:
        self._task = task
        self._trace: Trace = task.trace
        self._selection: Selection = task.selection
        self._clock = clock
        self._names = [encode(name) for name in task.trace.names]
        self._categories = [encode(name) for name in task.trace.categories]
        self._threads: list[Fields] = [*(thread_fields(lane) for lane in task.trace.lanes), {}]  # no lane: no thread
        self._gpu = _gpu_columns(task.trace.gpu)

    def chunks(self) -> Iterator[list[Fields]]:
        """All that a trace's columns tell."""
        yield list(self._metadata())
        rows = np.flatnonzero(self._selection.slices)
        self._task.total = len(rows)
        for begin in range(0, len(rows), CHUNK):
            yield [self.slice(row) for row in rows[begin : begin + CHUNK].tolist()]
            self._task.tick(min(begin + CHUNK, len(rows)))
        yield list(self._instants())
        yield list(self._memory())
        yield list(self._counters())

    def _us(self, time_ns: int) -> bytes:
        return self._clock.since_start(int(time_ns))

    def _metadata(self) -> Iterator[Fields]:
        lanes = self._trace.lanes
        titles: dict[str, str] = {}
        # a CPU process may have the number of a GPU; its name is the file's, the GPU's was made
        for lane in sorted(lanes, key=lambda lane: lane.kind is LaneKind.GPU):
            titles.setdefault(lane.pid, lane.process)
        for number, (pid, title) in enumerate(titles.items()):
            if title:
                yield {**_metadata("process_name", "name", title), "pid": _id(pid)}
            yield {**_metadata("process_sort_index", "sort_index", number), "pid": _id(pid)}
        for number, (lane, thread) in enumerate(zip(lanes, self._threads, strict=False)):
            if lane.thread:
                yield {**_metadata("thread_name", "name", lane.thread), **thread}
            yield {**_metadata("thread_sort_index", "sort_index", number), **thread}

    def slice(self, row: int) -> Fields:
        """A slice as complete event; as begun where it has no end."""
        slices = self._trace.slices
        is_open = int(slices.flags[row]) & Flag.UNFINISHED
        return {
            "ph": b'"B"' if is_open else b'"X"',
            "name": self._names[slices.name[row]],
            "cat": self._categories[slices.category[row]],
            **self._threads[slices.lane[row]],
            "ts": self._us(slices.start_ns[row]),
            **({} if is_open else {"dur": us_text(int(slices.dur_ns[row]))}),
            **self._args(row),
        }

    def _args(self, row: int) -> Fields:
        slices, gpu = self._trace.slices, self._trace.gpu
        ids = {
            ARG_KEYS["external"]: int(slices.external[row]),
            ARG_KEYS["correlation"]: int(slices.correlation[row]),
        }
        found = {key: encode(value) for key, value in ids.items() if value != MISSING}
        at = int(gpu.slice.searchsorted(row))
        if at < len(gpu) and gpu.slice[at] == row:
            for name, column in self._gpu:
                value = column[at].tolist()
                if value == value and value not in (MISSING, [MISSING] * 3):
                    found[name] = encode(value)
        if shape := self._trace.shapes.of(row):
            found[ARG_KEYS["dims"]] = shape.encode()
        return {"args": object_text(found)} if found else {}

    def _instants(self) -> Iterator[Fields]:
        instants = self._trace.instants
        for row in np.flatnonzero(self._selection.instants).tolist():
            yield {
                "ph": b'"i"',
                "s": b'"t"',
                "name": self._names[instants.name[row]],
                "cat": self._categories[instants.category[row]],
                **self._threads[instants.lane[row]],
                "ts": self._us(instants.time_ns[row]),
            }

    def _memory(self) -> Iterator[Fields]:
        memory = self._trace.memory
        for row in np.flatnonzero(self._selection.memory).tolist():
            values = {key: int(getattr(memory, name)[row]) for name, key in _MEMORY.items()}
            yield {
                "ph": b'"i"',
                "s": b'"t"',
                "name": encode(MEMORY_NAME),
                "cat": encode("cpu_instant_event"),
                **self._threads[memory.lane[row]],
                "ts": self._us(memory.time_ns[row]),
                "args": encode({key: value for key, value in values.items() if value != MISSING}),
            }

    def _counters(self) -> Iterator[Fields]:
        for counter in self._trace.counters:
            if not (self._selection.holds_lane(counter.lane) and self._selection.holds_name(counter.name)):
                continue
            head = {"ph": b'"C"', "name": encode(counter.name), **self._threads[counter.lane]}
            for time, value in zip(counter.time_ns.tolist(), counter.value.tolist(), strict=True):
                if self._selection.holds_time(time):
                    # the series has no other name than the counter: the reader puts both together
                    yield {**head, "ts": self._us(time), "args": encode({"": value})}

    def arrows(self, spelled: Callable[[int], Fields] | None = None) -> Iterator[list[Fields]]:
        """Arrows between selected slices, with ids of their own; `spelled(slice)` gives a slice's pid and tid."""
        flows, slices = self._trace.flows, self._trace.slices
        drawn = (flows.source != MISSING) & (flows.target != MISSING)
        rows = np.flatnonzero(drawn)
        chosen = self._selection.slices[flows.source[rows]] & self._selection.slices[flows.target[rows]]
        thread = spelled or (lambda row: self._threads[slices.lane[row]])
        for begin in range(0, len(rows), CHUNK):
            chunk = rows[begin : begin + CHUNK][chosen[begin : begin + CHUNK]].tolist()
            yield [end for row in chunk for end in self._arrow(row, thread)]

    def _arrow(self, row: int, thread: Callable[[int], Fields]) -> Iterator[Fields]:
        flows = self._trace.flows
        category = self._categories[flows.category[row]]
        head = {"name": category, "cat": category, "id": b"%d" % (row + 1)}
        for phase, at in ((b'"s"', int(flows.source[row])), (b'"f"', int(flows.target[row]))):
            bound = {"bp": b'"e"'} if phase == b'"f"' else {}
            yield {"ph": phase, **head, **thread(at), "ts": self._us(foremost_time(self._trace, at)), **bound}


def foremost_time(trace: Trace, row: int) -> int:
    """A time at which a slice is the innermost one of its lane, its start where there is none."""
    slices = trace.slices
    low, high = (int(at) for at in np.searchsorted(slices.lane, [slices.lane[row], slices.lane[row] + 1]))
    start, end = int(slices.start_ns[row]), int(slices.start_ns[row] + slices.dur_ns[row])
    time = start
    for _ in range(MOST_CHILDREN):
        inner = low + int(slices.start_ns[low:high].searchsorted(time, side="right")) - 1
        child = MISSING
        while inner not in (row, MISSING):
            if int(slices.start_ns[inner] + slices.dur_ns[inner]) > time or int(slices.start_ns[inner]) == time:
                child = inner
            inner = int(slices.parent[inner])
        if inner == row and child == MISSING:
            return time
        time = max(time + 1, int(slices.start_ns[child] + slices.dur_ns[child])) if child != MISSING else end
        if time >= end:
            break
    return start


def thread_fields(lane: Lane) -> Fields:
    return {key: _id(value) for key, value in (("pid", lane.pid), ("tid", lane.tid)) if value}


def _id(text: str) -> bytes:
    return text.encode() if _NUMBER.fullmatch(text) else encode(text)


def _metadata(name: str, key: str, value: str | int) -> Fields:
    return {"ph": b'"M"', "name": encode(name), "args": encode({key: value})}


def _gpu_columns(gpu: GpuColumns) -> list[tuple[str, Any]]:
    names = [field.name for field in dataclasses.fields(gpu) if field.name != "slice"]
    return [(ARG_KEYS[_ARGS.get(name, name)], getattr(gpu, name)) for name in names]
