"""Traces made to be exported, and what comes of them when they are opened again."""

from __future__ import annotations

import dataclasses
import gzip
import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from defect_files import load_text

from profviz.formats.export import export_trace
from profviz.model.notes import Note, Severity
from profviz.model.trace import Trace

Event = dict[str, Any]


def event(name: str, ts: Any, dur: Any = None, **more: Any) -> Event:
    timed = {} if dur is None else {"dur": dur}
    return {"ph": "X", "cat": "cpu_op", "name": name, "pid": 1, "tid": 1, "ts": ts, **timed, **more}


def trace_of(*events: Event, **meta: Any) -> Trace:
    return load_text(json.dumps({**meta, "traceEvents": events}))[0]


def strict(path: Path) -> Any:
    """The JSON of a file by the letter: UTF-8, no NaN, no half surrogate."""
    data = path.read_bytes()
    text = (gzip.decompress(data) if path.suffix == ".gz" else data).decode()
    value = json.loads(text, parse_constant=lambda token: pytest.fail(token))
    json.dumps(value, ensure_ascii=False).encode()
    return value


def exported(trace: Trace, folder: Path, **options: Any) -> tuple[Trace, dict[str, Note], list[Event]]:
    """The trace after it was written and opened again, its notes, and the events as they stand in the file."""
    path = folder / "out.json"
    export_trace(trace, path, **options)
    again, notes = load_text(path.read_bytes())
    return again, notes, strict(path)["traceEvents"]


def without_text(trace: Trace) -> Trace:
    return dataclasses.replace(trace, args=lambda event: {})


def told(trace: Trace) -> dict[str, Any]:
    """All that a trace's columns say, in words instead of numbers, whatever order its texts are in."""
    s, g, i, f = trace.slices, trace.gpu, trace.instants, trace.flows
    lanes = trace.lanes
    columns = ("start_ns", "dur_ns", "row", "parent", "correlation", "external", "flags", "lane")
    gpu = [getattr(g, field.name) for field in dataclasses.fields(g)]
    return {
        "origin": trace.origin_ns,
        "meta": {key: value for key, value in trace.meta.items() if key != "baseTimeNanoseconds"},  # see origin
        "lanes": lanes,
        "slices": [getattr(s, name).tolist() for name in columns],
        "names": [trace.names[name] for name in s.name.tolist()],
        "categories": [trace.categories[number] for number in s.category.tolist()],
        "gpu": [np.nan_to_num(column, nan=-7).tolist() for column in gpu],
        "instants": sorted(
            zip(i.time_ns.tolist(), (trace.names[name] for name in i.name.tolist()), i.lane.tolist(), strict=True)
        ),
        "flows": sorted(
            zip(f.source.tolist(), f.target.tolist(), (trace.categories[c] for c in f.category.tolist()), strict=True)
        ),
        "counters": sorted((c.lane, c.name, c.time_ns.tolist(), c.value.tolist()) for c in trace.counters),
        "shapes": [trace.shapes.of(row) for row in trace.shapes.slice.tolist()],
        "memory": [
            getattr(trace.memory, field.name).tolist()
            for field in dataclasses.fields(trace.memory)
            if field.name != "event"
        ],
    }


def worst(notes: dict[str, Note]) -> set[str]:
    return {code for code, note in notes.items() if note.severity >= Severity.WARNING}


PARTS = (
    event("before", 0, 10),
    event("into", 5, 10),
    event("Inside", 12, 2, tid=2),
    event("point", 10, 0, tid=3),
    event("at the end", 20, 5),
    {"ph": "i", "s": "t", "name": "instant", "pid": 1, "tid": 2, "ts": 13},
    {"ph": "i", "s": "t", "name": "late", "pid": 1, "tid": 2, "ts": 20},
    {"ph": "i", "s": "t", "name": "[memory]", "pid": 1, "tid": 2, "ts": 15, "args": {"Addr": 1, "Bytes": -8}},
    {"ph": "C", "name": "count", "pid": 1, "tid": 2, "ts": 14, "args": {"n": 1}},
    {"ph": "C", "name": "count", "pid": 1, "tid": 2, "ts": 20, "args": {"n": 2}},
    {"ph": "M", "name": "thread_name", "pid": 1, "tid": 2, "args": {"name": "worker"}},
)

GPU = event("k", 3, 2, cat="kernel", pid=0, tid=7, args={"device": 0, "stream": 7, "grid": [1, 2, 3], "correlation": 5})
