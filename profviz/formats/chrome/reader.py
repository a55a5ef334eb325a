"""Reads PyTorch's dialect of the Chrome trace format: bytes in, trace and notes out; a user's file never raises."""

from __future__ import annotations

import gc
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from profviz.formats.chrome.build import build_trace
from profviz.formats.chrome.rows import Rows
from profviz.formats.chrome.scan import Scan
from profviz.formats.chrome.text import EventText
from profviz.model.notes import Note, NoteBook
from profviz.model.trace import Trace

Progress = Callable[[int, int], None]


def read_chrome_trace(data: bytes, *, title: str, progress: Progress | None = None) -> tuple[Trace, tuple[Note, ...]]:
    """The trace in unpacked text and every kind of defect met in it.

    Times keep every digit down to the nanosecond; finer digits are rounded half away from zero. Time zero is the
    earliest slice, instant or counter sample; `progress` is told bytes done and bytes in all.
    """
    notes = NoteBook()
    scan = Scan(data, notes)
    rows = Rows(notes)
    text = EventText(data)
    offsets: list[int] = []
    lengths: list[int] = []
    with _no_collector():
        for number, (offset, length, event) in enumerate(scan.events(_ticker(progress, len(data)))):
            offsets.append(offset)
            lengths.append(length)
            rows.take(event, number, offset)
        text.fill(offsets, lengths)
        trace = build_trace(rows, title=title, meta=scan.meta, event_count=len(offsets), text=text)
    if not offsets and (not data.strip() or not notes.notes()):
        return trace, (Note("empty"),)
    return trace, notes.notes()


def _ticker(progress: Progress | None, size: int) -> Callable[[int], None]:
    return (lambda done: progress(done, size)) if progress else (lambda done: None)


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
