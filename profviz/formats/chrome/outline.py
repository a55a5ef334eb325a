"""The top level of a trace file: where its events begin, and what else stands beside them."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass, field
from typing import Any

import msgspec

from profviz.formats.chrome.event import BAD_JSON
from profviz.formats.chrome.mend import mend
from profviz.model.notes import NoteBook

MAX_VALUE_BYTES = 4 << 20
"""A top-level value beside the events is kept up to this size; none that profviz reads comes near it."""
TAIL_BYTES = 64 << 20
"""Text behind the events is looked at up to this size."""

_BLANK = re.compile(rb"[ \t\r\n]*")
_MEMBER = re.compile(rb'[ \t\r\n,]*("(?:[^"\\]|\\.)*")[ \t\r\n]*:[ \t\r\n]*', re.DOTALL)
_ARRAY = re.compile(rb'"traceEvents"\s*:\s*\[')
_EVENT_KEYS = frozenset({"ph", "name", "cat", "pid", "tid", "ts", "dur", "args", "id", "bp", "s"})
_finder: Any = json.JSONDecoder(parse_int=lambda text: None, parse_float=lambda text: None)


@dataclass(slots=True)
class Opening:
    """Where the array's elements begin, -1 when there is none.

    `is_bare` says that no object is around it, `is_lines` that there is no array either: the events just follow,
    `is_cut` that the text ends before it says whether it has events.
    """

    start: int = -1
    is_bare: bool = False
    is_lines: bool = False
    is_cut: bool = False
    meta: dict[str, Any] = field(default_factory=dict)


def find_events(head: bytes, *, is_last: bool) -> Opening | None:
    """Looks for the events in the beginning of a file; None when more of it is needed."""
    at = _blank_end(head, 0)
    if at == len(head):
        return Opening() if is_last else None
    if head[at] == 0x5B:
        return Opening(at + 1, is_bare=True)
    if head[at] != 0x7B:
        return Opening(is_cut=True) if is_last else None
    meta: dict[str, Any] = {}
    key, place = _members(head, at + 1, meta, until="traceEvents")
    if key == "traceEvents" and head[place : place + 1] == b"[":
        return Opening(place + 1, meta=meta)
    if meta.keys() & _EVENT_KEYS and key is None and head[place : place + 1] == b"}":
        return Opening(at, is_bare=True, is_lines=True)
    if not is_last:
        return None
    match = _ARRAY.search(head)  # the text before the events is damaged
    return Opening(match.end() if match else -1, meta=meta, is_cut=head[place : place + 1] != b"}")


def read_tail(tail: bytes, offset: int, *, is_bare: bool, notes: NoteBook) -> dict[str, Any]:
    """What follows the events' `]`: more top-level values, or a second document; `offset` is where it stands."""
    meta: dict[str, Any] = {}
    at = 0
    if not is_bare:
        key, at = _members(tail, 0, meta, until="")
        if key is not None or tail[at : at + 1] != b"}":
            return meta | _damaged_tail(tail, at, offset, notes)
        at += 1
    at = _blank_end(tail, at)
    rest = tail[at:].rstrip()
    if rest[:1] in (b"[", b"{"):
        notes.add("second_document", offset=offset + at, text=_short(rest))
    elif rest.strip(b" \t\r\n,"):
        notes.add("bad_event", offset=offset + at, text="after the last event: " + _short(rest))
    return meta


def _damaged_tail(tail: bytes, at: int, offset: int, notes: NoteBook) -> dict[str, Any]:
    """Top-level values that can't be read as they stand."""
    rest = tail[at:].strip()
    for closing, code in ((b"", ""), (b"}", "truncated")):
        value = _loose(b"{" + rest.lstrip(b",") + closing)
        if value is not None:
            if code:
                notes.add(code, offset=offset + len(tail), text="after the last event")
            return value
    notes.add("truncated", offset=offset + len(tail), text="after the last event")
    if rest:
        notes.add("bad_event", offset=offset + at, text="after the last event: " + _short(rest))
    return {}


def _members(text: bytes, at: int, meta: dict[str, Any], *, until: str) -> tuple[str | None, int]:
    """Reads an object's members into `meta`; stops before the value of the key `until`, else gives no key.

    The place is then where reading stopped: at the closing bracket, or at a member that is broken or not all there.
    """
    chars = text.decode("latin-1")  # keeps every byte's place
    while match := _MEMBER.match(text, at):
        key = _decoded(match[1])
        if key == until:
            return key, match.end()
        try:
            end = _finder.raw_decode(chars, match.end())[1]
        except (ValueError, RecursionError):
            return None, at
        if end == len(text):
            return None, at  # a number may go on, and the object has not ended
        value = text[match.end() : end]
        if isinstance(key, str) and len(value) <= MAX_VALUE_BYTES:
            meta[key] = _decoded(value)
        at = end
    return None, _blank_end(text, at)


def _decoded(text: bytes) -> Any:
    try:
        return msgspec.json.decode(text)
    except BAD_JSON:
        pass
    wrapped = _loose(b'{"value":' + text + b"}")
    return wrapped["value"] if wrapped else None


def _loose(text: bytes) -> dict[str, Any] | None:
    """The object in a text, mended where need be; None when it is none."""
    try:
        value = msgspec.json.decode(text)
    except BAD_JSON:
        try:
            value = msgspec.json.decode(mend(text).text)
        except BAD_JSON:
            return None
    return value if isinstance(value, dict) else None


def _blank_end(text: bytes, at: int) -> int:
    gap = _BLANK.match(text, at)
    return gap.end() if gap else at


def _short(text: bytes) -> str:
    return text[:80].decode(errors="replace")
