"""Reads Chrome traces: a stream of text in, trace and notes out; a user's file never raises."""

from __future__ import annotations

import gc
import os
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from profviz.core.heap import give_back
from profviz.formats.chrome.build import build_trace
from profviz.formats.chrome.gather import Gathered, gather
from profviz.formats.chrome.tables import Scanner, join
from profviz.formats.chrome.text import EventText, Place, label_of, text_of
from profviz.formats.chrome.twin import TwinScanner
from profviz.formats.document import Progress
from profviz.model.categories import GPU_WORK
from profviz.model.notes import Note, NoteBook
from profviz.model.trace import Trace

try:
    from profviz.core._scan import Scanner as NativeScanner
except ImportError:  # no compiler where profviz was installed
    HAS_NATIVE = False
else:
    HAS_NATIVE = True

GPU_CATEGORIES = tuple(sorted(name.encode() for name in GPU_WORK))
BLOCK = 2 << 20


@dataclass(frozen=True, slots=True)
class ReadTrace:
    """A trace, what was wrong with its file, and whether the file has a list of events at all."""

    trace: Trace
    notes: tuple[Note, ...]
    has_events: bool


class Held:
    """Text that is in memory as a whole."""

    def __init__(self, text: bytes) -> None:
        self._text = text
        self.done = 0

    def blocks(self, size: int = BLOCK) -> Iterator[bytes]:
        """The text in parts of `size` bytes; `done` counts those that were taken."""
        for at in range(0, len(self._text), size):
            self.done = min(at + size, len(self._text))
            yield self._text[at : at + size]

    def read_at(self, offset: int, length: int) -> bytes:
        return self._text[offset : offset + length]


def make_scanner() -> Scanner:
    """The native scanner, or its twin where that was not built or PROFVIZ_PURE is set."""
    if not HAS_NATIVE or os.environ.get("PROFVIZ_PURE"):
        return TwinScanner(GPU_CATEGORIES)
    return NativeScanner(GPU_CATEGORIES)


def read_chrome_trace(text: bytes, *, title: str, progress: Progress | None = None) -> tuple[Trace, tuple[Note, ...]]:
    """The trace in a text that is in memory, and every kind of defect met in it.

    `progress` is told bytes done and bytes in all.
    """
    held = Held(text)
    tick = (lambda: progress(held.done, len(text))) if progress else (lambda: None)
    reading = read_stream(held.blocks(), held, title=title, tick=tick)
    return reading.trace, reading.notes


def read_stream(
    blocks: Iterable[bytes],
    place: Place,
    *,
    title: str,
    tick: Callable[[], None] = lambda: None,
    make: Callable[[], Scanner] = make_scanner,
    workers: int = 0,
) -> ReadTrace:
    """The trace in a stream of UTF-8 text and every kind of defect met in it.

    Times keep every digit down to the nanosecond; finer digits are rounded half away from zero. Time zero is the
    earliest slice, instant or counter sample. `place` gives parts of the text again later on; `tick` is called now
    and then and may raise to stop.
    """
    notes = NoteBook()
    with _no_collector():
        gathered = gather(blocks, notes, make=make, tick=tick, workers=workers)
        cut_at, meta, has_events = gathered.cut_at, gathered.meta, gathered.has_array
        trace = _build(gathered, place, title=title, meta=meta, notes=notes)
        give_back()
    if cut_at >= 0:
        notes.add("truncated", offset=cut_at, text=_last_event(trace))
    found = notes.notes()
    if not trace.event_count and not found:
        found = (Note("empty"),)
    return ReadTrace(trace, found, has_events)


def _build(gathered: Gathered, place: Place, *, title: str, meta: dict[str, Any], notes: NoteBook) -> Trace:
    tables = join(gathered.scanners, gathered.piles, gathered.stretches, text=text_of, label=label_of)
    gathered.scanners.clear()
    text = EventText(place, tables.take("events.offset"), tables.take("events.length"), tables.kept)
    return build_trace(tables, title=title, meta=meta, text=text, notes=notes)


def _last_event(trace: Trace) -> str:
    if not trace.event_count:
        return "no complete event"
    return f"last complete event: {trace.args(trace.event_count - 1).get('name') or ''}"


@contextmanager
def _no_collector() -> Iterator[None]:
    """Bulk lists hold no cycles; walking them again and again costs more than reading the file."""
    was_on = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_on:
            gc.enable()
