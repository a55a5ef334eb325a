"""Recognises a Chrome trace and makes a document of it."""

from __future__ import annotations

import re

from profviz.formats.chrome.reader import read_chrome_trace
from profviz.formats.document import Document, Progress
from profviz.formats.format import Format
from profviz.formats.source import Source
from profviz.model.errors import UserError
from profviz.model.notes import NoteBook

_EVENTS = re.compile(rb'"traceEvents"\s*:')
_EVENT = re.compile(rb'\{\s*"(?:ph|name|cat|pid|tid|ts|id|args|dur|s|bp)"\s*:')
_OUR_KEYS = re.compile(rb'"(?:schemaVersion|deviceProperties|displayTimeUnit|distributedInfo|baseTimeNanoseconds)"\s*:')
LONG_HEAD = 60_000
"""An object whose beginning is this long without events may still come to them."""
_PHASE = re.compile(rb'"ph"\s*:\s*"')


def sniff(head: bytes, name: str) -> int:
    """How sure it is that this is the beginning of a Chrome trace."""
    text = head.lstrip()
    if text[:1] == b"{":
        if _EVENTS.search(text):
            return 95
        if _OUR_KEYS.search(text):
            return 80
        return 20 if text.rstrip() == b"{}" or len(head) >= LONG_HEAD else 0
    if text[:1] == b"[":
        if _PHASE.search(text):
            return 90
        return 20 if text[1:].strip() in (b"", b"]") or _EVENT.match(text[1:].lstrip()) else 0
    return 0


def read(source: Source, progress: Progress | None) -> Document:
    """Raises UserError when the file holds no event at all."""
    data, packing = source.read()
    trace, notes = read_chrome_trace(data, title=_title(source.name), progress=progress)
    if trace.event_count == 0 and data.strip() not in (b"", b"{}") and not _EVENTS.search(data) and data[:1] != b"[":
        raise UserError(f"{source.name} is not a trace", why="It is JSON without trace events.")
    if trace.event_count == 0:
        raise UserError(
            f"{source.name} is empty: the exporter wrote no data",
            why="It is a trace without a single event that can be read.",
            hint="Record again: the profiler must see at least one step before it exports.",
        )
    book = NoteBook()
    book.extend(packing)
    book.extend(notes)
    return Document(trace.title, source.path, FORMAT.id, book.notes(), trace=trace)


def _title(name: str) -> str:
    """The file's name without what says only how it is packed."""
    return re.sub(r"(?:\.pt\.trace|\.trace)?(?:\.json)?(?:\.(?:gz|xz|zst))*$", "", name) or name


FORMAT = Format(
    id="chrome_trace",
    title="Chrome trace",
    suffixes=(".json", ".json.gz", ".json.xz", ".json.zst", ".pt.trace.json", ".pt.trace.json.gz"),
    sniff=sniff,
    read=read,
)
