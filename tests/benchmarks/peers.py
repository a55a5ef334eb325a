"""One reader on one file in this process: profviz in its ways of reading, and what others use to read traces.

`python peers.py READER FILE` prints one line of JSON: the CPU seconds of all threads and the wall seconds that loading
took (without starting, importing and, for a parser that takes text, reading the file), and the events that it gave.
Raises ImportError where a package is missing; `bench_load.py` runs this and also measures memory from outside.
"""

from __future__ import annotations

import gc
import json
import resource
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from itertools import pairwise
from pathlib import Path
from typing import Any

sys.path[0] = str(Path(__file__).parents[2])  # profviz of this checkout, and no module of this folder by accident


class Stopwatch:
    """CPU seconds of this process with all its threads, and wall seconds, of what runs inside `running`."""

    cpu_s = wall_s = 0.0

    @contextmanager
    def running(self) -> Iterator[None]:
        usage, began = resource.getrusage(resource.RUSAGE_SELF), time.perf_counter()
        yield
        self.wall_s += time.perf_counter() - began
        spent = resource.getrusage(resource.RUSAGE_SELF)
        self.cpu_s += spent.ru_utime - usage.ru_utime + spent.ru_stime - usage.ru_stime


Result = tuple[int, dict[str, Any]]
"""Events that the reader gave, and what else is worth knowing."""


def profviz_open(watch: Stopwatch, path: Path) -> Result:
    """All that a user waits for: lanes, links, categories, kernels; or the same from what an earlier opening kept."""
    from profviz.formats.registry import open_document

    with watch.running():
        document = open_document(path)
    assert document.trace is not None
    return document.trace.event_count, {"was_kept": document.keep is None}


def profviz_parse(watch: Stopwatch, path: Path) -> Result:
    """Text to columns alone, as a parser does it."""
    import profviz.formats.registry  # noqa: F401  # all that is needed, before the clock runs

    with watch.running():
        tables, _text = columns_of(path)
    return len(tables["events.offset"]), {}


def profviz_after(watch: Stopwatch, path: Path) -> Result:
    """All that comes after the parse until every row can be drawn: lanes, depths, links, rows, levels of detail."""
    import numpy as np

    from profviz.analysis.kinds import slice_kinds
    from profviz.core.rows import rows_of
    from profviz.formats.chrome.build import build_trace
    from profviz.formats.chrome.text import EventText
    from profviz.model.notes import NoteBook

    tables, place = columns_of(path)
    with watch.running():
        text = EventText(place, tables.take("events.offset"), tables.take("events.length"), tables.kept)
        trace = build_trace(tables, title="", meta={}, text=text, notes=NoteBook())
        slices, kinds = trace.slices, slice_kinds(trace)
        bounds = np.searchsorted(slices.lane, np.arange(len(trace.lanes) + 1)).tolist()
        drawn = 0
        for first, last in pairwise(bounds):
            rows = rows_of(slices.start_ns, slices.dur_ns, kinds, depth=slices.row[first:last], first=first)
            drawn += sum(len(row.detail) for row in rows)
    return drawn, {"slices": len(slices.start_ns)}


def columns_of(path: Path) -> tuple[Any, Any]:
    """The parser's tables, and the text they were read from."""
    from profviz.formats.chrome.gather import gather
    from profviz.formats.chrome.reader import make_scanner
    from profviz.formats.chrome.tables import join
    from profviz.formats.chrome.text import label_of, text_of
    from profviz.formats.source import Source
    from profviz.model.notes import NoteBook

    gc.disable()
    text = Source.open(path).text()
    with closing(text.blocks()) as blocks:
        gathered = gather(blocks, NoteBook(), make=make_scanner, tick=lambda: None, workers=0)
    tables = join(gathered.scanners, gathered.piles, gathered.stretches, text=text_of, label=label_of)
    for name in list(tables.waiting):
        tables[name]  # each is put together when it is first asked for
    return tables, text


def profviz_keep(watch: Stopwatch, path: Path) -> Result:
    """Writing what makes the next opening short, after opening."""
    from profviz.formats.registry import open_document

    document = open_document(path)
    assert document.trace is not None
    with watch.running():
        if document.keep is not None:
            document.keep()
    return document.trace.event_count, {}


def orjson_loads(watch: Stopwatch, path: Path) -> Result:
    import orjson

    text = path.read_bytes()
    gc.disable()
    with watch.running():
        trace = orjson.loads(text)
    return len(trace["traceEvents"]), {}


def json_loads(watch: Stopwatch, path: Path) -> Result:
    text = path.read_bytes()
    gc.disable()
    with watch.running():
        trace = json.loads(text)
    return len(trace["traceEvents"]), {}


def msgspec_typed(watch: Stopwatch, path: Path) -> Result:
    """Only the fields of a timeline, as structs: the fastest that a Python package offers, times as float."""
    import msgspec

    number, either = int | None, int | str | None
    args = [("correlation", number, None), ("external", number, None), ("stream", number, None)]
    args_type = msgspec.defstruct("Args", args, rename={"external": "External id"}, gc=False)
    must = [("ph", str), ("name", str), ("ts", float), ("pid", int | str), ("tid", int | str)]
    may = [("cat", str | None, None), ("dur", float | None, None), ("id", either, None)]
    event_type = msgspec.defstruct("Event", [*must, *may, ("args", args_type | None, None)], gc=False)
    trace_type = msgspec.defstruct("Trace", [("traceEvents", list[event_type])])  # type: ignore[valid-type]
    text = path.read_bytes()
    gc.disable()
    with watch.running():
        trace = msgspec.json.decode(text, type=trace_type)
    return len(trace.traceEvents), {}  # type: ignore[attr-defined]


def hta_parse(watch: Stopwatch, path: Path) -> Result:
    """What TraceAnalysis does with one rank's file, its default back-end."""
    import logging

    from hta.common import trace

    logging.disable()
    inner, parse = Stopwatch(), trace.parse_trace_dataframe

    def timed(*args: Any) -> Any:
        with inner.running():
            return parse(*args)

    trace.parse_trace_dataframe = timed
    with watch.running():
        _meta, frame, _symbols = trace.parse_trace_file(str(path))
    return len(frame), {"parse_trace_dataframe_cpu_s": inner.cpu_s}


READERS: dict[str, Callable[[Stopwatch, Path], Result]] = {
    "open": profviz_open,
    "parse": profviz_parse,
    "after": profviz_after,
    "keep": profviz_keep,
    "orjson": orjson_loads,
    "json": json_loads,
    "msgspec": msgspec_typed,
    "hta": hta_parse,
}


def main() -> int:
    reader, path = READERS[sys.argv[1]], Path(sys.argv[2])
    watch = Stopwatch()
    events, detail = reader(watch, path)
    print(json.dumps({"cpu_s": watch.cpu_s, "wall_s": watch.wall_s, "events": events, "detail": detail}))
    sys.stdout.flush()
    return 0


if __name__ == "__main__":
    sys.exit(main())
