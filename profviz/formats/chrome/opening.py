"""Recognises a Chrome trace and makes a document of it."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import closing
from dataclasses import replace

from profviz.formats.cache import SourceKey, holds, load, source_key, store
from profviz.formats.chrome.broken import EVENT_START
from profviz.formats.chrome.reader import ReadTrace, read_stream
from profviz.formats.chrome.text import EventText
from profviz.formats.document import Document, Progress
from profviz.formats.format import Format
from profviz.formats.source import Source
from profviz.model.errors import NothingInside
from profviz.model.notes import Note, NoteBook
from profviz.model.trace import Trace

_EVENTS = re.compile(rb'"traceEvents"\s*:')
_OUR_KEYS = re.compile(rb'"(?:schemaVersion|deviceProperties|displayTimeUnit|distributedInfo|baseTimeNanoseconds)"\s*:')
LONG_HEAD = 60_000
"""An object whose beginning is this long without events may still come to them."""
LONG_BYTES, LONG_PACKED_BYTES = 96 << 20, 8 << 20
"""A file of this size takes long enough to read that its beginning is shown first."""
PREVIEW_BYTES = 16 << 20
_PHASE = re.compile(rb'"ph"\s*:\s*"')


def sniff(head: bytes, name: str) -> int:
    """How sure it is that this is the beginning of a Chrome trace."""
    text = head.lstrip()
    if text[:1] == b"{":
        if _EVENTS.search(text):
            return 95
        if _OUR_KEYS.search(text):
            return 80
        if EVENT_START.match(text) and _PHASE.search(text):  # one event a line
            return 70
        return 20 if text.rstrip() == b"{}" or len(head) >= LONG_HEAD else 0
    if text[:1] == b"[":
        if _PHASE.search(text):
            return 90
        return 20 if text[1:].strip() in (b"", b"]") or EVENT_START.match(text[1:].lstrip()) else 0
    return 0


def read(source: Source, progress: Progress | None) -> Document:
    """Raises UserError when the file holds no event at all."""
    text = source.text()
    key = source_key(source.path, member=source.member) if source.path else None
    stored = load(key) if key else None
    if stored is not None:
        args = EventText(text, stored.offsets, stored.lengths, {})
        return _document(source, replace(stored.trace, args=args), stored.notes)
    tick = (lambda: progress(text.done, max(text.size, text.done))) if progress else (lambda: None)
    with closing(text.blocks()) as blocks:
        reading = read_stream(blocks, text, title=title_of(source.name), tick=tick)
    _refuse_empty(source, reading)
    book = NoteBook()
    book.extend(text.notes)
    book.extend(reading.notes)
    document = _document(source, reading.trace, book.notes())
    return replace(document, keep=lambda: _keep(key, document)) if key else document


def preview(source: Source) -> Document | None:
    """The beginning of a trace that takes long to read and was not read before."""
    text = source.text(keeps_ways=False)
    key = source_key(source.path, member=source.member) if source.path else None
    if text.size < (LONG_PACKED_BYTES if text.is_packed else LONG_BYTES) or (key and holds(key)):
        return None
    with closing(text.blocks()) as blocks:
        reading = read_stream(_first(blocks), text, title=title_of(source.name))
    if not reading.trace.event_count:
        return None
    return _document(source, reading.trace, (Note("beginning"),))


def _first(blocks: Iterator[bytes]) -> Iterator[bytes]:
    """As much of the text as can be read and drawn at once."""
    done = 0
    for block in blocks:
        yield block
        done += len(block)
        if done >= PREVIEW_BYTES:
            return


def _keep(key: SourceKey, document: Document) -> None:
    trace = document.trace
    if trace is not None and isinstance(trace.args, EventText):
        store(key, trace=trace, notes=document.notes, offsets=trace.args.offsets, lengths=trace.args.lengths)


def _document(source: Source, trace: Trace, notes: tuple[Note, ...]) -> Document:
    return Document(trace.title, source.path, notes, trace=trace)


def _refuse_empty(source: Source, reading: ReadTrace) -> None:
    if reading.trace.event_count:
        return
    if not reading.has_events and reading.trace.meta:
        raise NothingInside(f"{source.name} is not a trace", why="It is JSON without trace events.")
    raise NothingInside(
        f"{source.name} is empty: the exporter wrote no data",
        why="It is a trace without a single event that can be read.",
        hint="Record again: the profiler must see at least one step before it exports.",
    )


def title_of(name: str) -> str:
    """The file's name without what says only how it is packed."""
    return re.sub(r"(?:\.pt\.trace|\.trace)?(?:\.json)?(?:\.(?:gz|xz|zst|zip))*$", "", name) or name


FORMAT = Format(
    id="chrome_trace",
    title="Chrome trace",
    suffixes=(".json", ".json.gz", ".json.xz", ".json.zst", ".zip", ".pt.trace.json", ".pt.trace.json.gz"),
    sniff=sniff,
    read=read,
    preview=preview,
)
