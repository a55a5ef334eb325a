"""Chrome trace JSON that any viewer opens: strictly valid, times exact, defects repaired as profviz shows them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import chain
from pathlib import Path

from profviz.formats.export.clock import BASE, Clock, clock_of
from profviz.formats.export.event_fields import EventFields
from profviz.formats.export.exporter import Exporter, Task, opened
from profviz.formats.export.json_text import Fields, encode, object_text
from profviz.formats.export.made_fields import MadeFields
from profviz.model.trace import Trace

LONG_META_BYTES = 32 << 10
"""More than this stands behind the events, so that the file's beginning tells what it is."""


def write(task: Task, path: Path) -> None:
    """Streams the events; memory does not grow with their text."""
    clock = clock_of(task.trace)
    meta = {key: value for key, value in task.trace.meta.items() if key != "traceEvents"}
    if clock.shift_ns:
        meta[BASE] = clock.base_ns + clock.shift_ns
    keys = b"".join(encode(key) + b":" + encode(value) + b",\n" for key, value in meta.items())
    is_long = len(keys) > LONG_META_BYTES
    with opened(path) as file:
        file.write(b"{\n" + (b"" if is_long else keys) + b'"traceEvents":[\n')
        for part in _joined(_chunks(task, clock), task):
            file.write(part)
        file.write(b"\n]" + (b",\n" + keys.rstrip(b",\n") if is_long else b"") + b"}\n")


def _joined(chunks: Iterable[list[Fields]], task: Task) -> Iterator[bytes]:
    for chunk in chunks:
        if chunk:
            yield (b",\n" if task.written else b"") + b",\n".join(map(object_text, chunk))
            task.written += len(chunk)


def _chunks(task: Task, clock: Clock) -> Iterator[list[Fields]]:
    trace = task.trace
    made = MadeFields(task, clock)
    if not has_text(trace):
        return chain(made.chunks(), made.arrows())
    told = EventFields(task, made, clock)
    if task.selection.is_whole:
        return told.chunks()

    def thread(row: int) -> Fields:
        fields = told.fields(int(trace.slices.event[row]))
        return {key: fields[key] for key in ("pid", "tid") if key in fields}

    return chain(told.chunks(), made.arrows(thread))


def has_text(trace: Trace) -> bool:
    """Whether the file that a trace was read from can be asked for its events."""
    return trace.event_count > 0 and (hasattr(trace.args, "raw") or bool(trace.args(0)))


EXPORTER = Exporter(
    id="chrome",
    title="Chrome trace JSON",
    suffixes=(".json", ".json.gz"),
    items="events",
    write=write,
)
