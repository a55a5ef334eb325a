"""Chrome trace JSON that any viewer opens: strictly valid, times exact, defects repaired as profviz shows them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import chain
from pathlib import Path
from typing import Any

from profviz.formats.chrome.values import integer
from profviz.formats.export.event_fields import EventFields
from profviz.formats.export.exporter import Exporter, Task, opened
from profviz.formats.export.json_text import Fields, encode, object_text
from profviz.formats.export.made_fields import MadeFields
from profviz.model.trace import MISSING, Trace

LONG_META_BYTES = 32 << 10
"""More than this stands behind the events, so that the file's beginning tells what it is."""


def write(task: Task, path: Path) -> None:
    """Streams the events; memory does not grow with their text."""
    meta = {key: value for key, value in task.trace.meta.items() if key != "traceEvents"}
    keys = b"".join(encode(key) + b":" + encode(value) + b",\n" for key, value in meta.items())
    is_long = len(keys) > LONG_META_BYTES
    with opened(path) as file:
        file.write(b"{\n" + (b"" if is_long else keys) + b'"traceEvents":[\n')
        for part in _joined(_chunks(task), task):
            file.write(part)
        file.write(b"\n]" + (b",\n" + keys.rstrip(b",\n") if is_long else b"") + b"}\n")


def _joined(chunks: Iterable[list[Fields]], task: Task) -> Iterator[bytes]:
    for chunk in chunks:
        if chunk:
            yield (b",\n" if task.written else b"") + b",\n".join(map(object_text, chunk))
            task.written += len(chunk)


def _chunks(task: Task) -> Iterator[list[Fields]]:
    trace, first_ns = task.trace, _first_ns(task.trace)
    made = MadeFields(task, first_ns=first_ns)
    if not has_text(trace):
        return chain(made.chunks(), made.arrows())
    told = EventFields(task, made, first_ns=first_ns)
    if task.selection.is_whole:
        return told.chunks()

    def thread(row: int) -> Fields:
        fields = told.fields(int(trace.slices.event[row]))
        return {key: fields[key] for key in ("pid", "tid") if key in fields}

    return chain(told.chunks(), made.arrows(thread))


def has_text(trace: Trace) -> bool:
    """Whether the file that a trace was read from can be asked for its events."""
    return trace.event_count > 0 and (hasattr(trace.args, "raw") or bool(trace.args(0)))


def _first_ns(trace: Trace) -> int:
    """What the file's own clock shows at t=0: the rest of the origin is in its top-level keys, which are kept."""
    base: Any = integer(trace.meta.get("baseTimeNanoseconds"))
    return trace.origin_ns if base == MISSING else trace.origin_ns - int(base)


EXPORTER = Exporter(
    id="chrome",
    title="Chrome trace JSON",
    suffixes=(".json", ".json.gz"),
    items="events",
    write=write,
)
