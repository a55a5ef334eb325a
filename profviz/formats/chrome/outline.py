"""The top level of a trace file: where its events begin, and what else stands beside them."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import msgspec

from profviz.formats.chrome.broken import EVENT_KEY, EVENT_START
from profviz.formats.chrome.event import BAD_JSON
from profviz.formats.chrome.strict import gap_end
from profviz.formats.chrome.text import object_in, short
from profviz.model.notes import NoteBook

MAX_VALUE_BYTES = 4 << 20
"""A top-level value beside the events is kept up to this size; none that profviz reads comes near it."""
TAIL_BYTES = 64 << 20
"""Text behind the events is looked at up to this size."""

_BLANK = re.compile(rb"[ \t\r\n]*")
_MEMBER = re.compile(rb'[ \t\r\n,]*("(?:[^"\\]|\\.)*")[ \t\r\n]*:[ \t\r\n]*', re.DOTALL)
_ARRAY = re.compile(rb'"traceEvents"\s*:\s*\[')
_NEXT_EVENT = re.compile(rb'\{[ \t\r\n]{0,12}"(?:ph|name|cat|pid|tid|ts|id|args|dur|s|bp|sf)"[ ]?:')
_LONGEST_LEAD = 24
_NEXT_LINE = re.compile(rb"\n[ \t]*\{[ \t\r\n]*" + EVENT_KEY)
_FAR = 1 << 14
"""So far behind a `]` that nothing sensible follows another event is looked for."""
_PHASE = re.compile(rb'"ph"\s{0,4}:\s{0,4}"')
_HALF_KEY = re.compile(rb'[ \t\r\n,]*(?:"(?:[^"\\]|\\.)*(?:\\?|"[ \t\r\n]*))?\Z', re.DOTALL)
_LONGEST_TOKEN = 16
"""So near to the end of the text what looks broken may be a literal or an escape that is not all there."""
_EVENT_KEYS = frozenset({"ph", "name", "cat", "pid", "tid", "ts", "dur", "args", "id", "bp", "s"})
_finder: Any = json.JSONDecoder(parse_int=lambda text: None, parse_float=lambda text: None)


@dataclass(slots=True)
class Opening:
    """Where the array's elements begin, -1 when there is none.

    `is_bare` says that no object is around it, `is_lines` that there is no array either: the events just follow,
    `is_cut` that the text ends before it says whether it has events; `damaged_at` is where something before them
    can't be read, or -1.
    """

    start: int = -1
    is_bare: bool = False
    is_lines: bool = False
    is_cut: bool = False
    damaged_at: int = -1
    meta: dict[str, Any] = field(default_factory=dict)


def find_events(head: bytes, *, is_last: bool) -> Opening | None:
    """Looks for the events in the beginning of a file; None when more of it is needed.

    What it decides does not depend on how much more than needed it is given.
    """
    at = gap_end(head, 0)
    if at == len(head):
        return Opening() if is_last else None
    if head[at] == 0x5B:
        return Opening(at + 1, is_bare=True)
    if head[at] != 0x7B:
        return _find_anywhere(head, at, at, {}) if is_last else None
    meta: dict[str, Any] = {}
    stop = _members(head, at + 1, meta, until="traceEvents")
    if stop.key is not None and head[stop.at : stop.at + 1] == b"[":
        return Opening(stop.at + 1, meta=meta)
    is_whole = stop.key is None and head[stop.at : stop.at + 1] == b"}"
    is_event = bool(meta.keys() & _EVENT_KEYS) if is_whole else EVENT_START.match(head, at) is not None
    if is_event and (is_whole or stop.is_broken or is_last):
        return Opening(at, is_bare=True, is_lines=True)
    if is_last:
        return _find_anywhere(head, at, stop.at, meta) if stop.is_broken else Opening(meta=meta, is_cut=not is_whole)
    return None


def _find_anywhere(head: bytes, start: int, at: int, meta: dict[str, Any]) -> Opening:
    """Looks for events where something at `at` can't be read; the text begins at `start`."""
    match, phase = _ARRAY.search(head, at), _PHASE.search(head, at)
    if match and (not phase or match.start() < phase.start()):
        return Opening(match.end(), meta=meta, damaged_at=at)
    if phase:
        return Opening(start, is_bare=True, is_lines=True)
    return Opening(meta=meta, is_cut=True)


def list_ends(text: bytes, at: int, *, is_bare: bool, is_last: bool) -> bool | None:
    """Whether the `]` at `at` ends the events: not when another one follows, or what no object around it goes on with.

    None when that can't be seen yet.
    """
    rest = gap_end(text, at + 1)
    if len(text) - rest < _LONGEST_LEAD and not is_last:
        return None
    if _NEXT_EVENT.match(text, rest):
        return False
    place = _blank_end(text, at + 1)
    after = text[place : place + 1]
    if not is_bare:
        return after in (b"", b",", b"}")
    if after in (b"", b"[", b"{"):
        return True
    if len(text) - place < _FAR and not is_last:
        return None
    return _NEXT_LINE.search(text, place, place + _FAR) is None


def read_tail(tail: bytes, offset: int, *, is_bare: bool, notes: NoteBook) -> dict[str, Any]:
    """What follows the events' `]`: more top-level values, or a second document; `offset` is where it stands."""
    meta: dict[str, Any] = {}
    at = 0
    if not is_bare:
        stop = _members(tail, 0, meta, until="")
        at = stop.at
        if meta.pop("traceEvents", None):
            notes.add("second_document", offset=offset, text='a second "traceEvents" in the same object')
        if tail[at : at + 1] != b"}":
            return meta | _damaged_tail(tail, stop, offset, notes)
        at += 1
    at = _blank_end(tail, at)
    rest = tail[at:].rstrip()
    if rest[:1] in (b"[", b"{"):
        notes.add("second_document", offset=offset + at, text=short(rest))
    elif rest.strip(b" \t\r\n,"):
        notes.add("bad_event", offset=offset + at, text="after the last event: " + short(rest))
    return meta


def _damaged_tail(tail: bytes, stop: _Stop, offset: int, notes: NoteBook) -> dict[str, Any]:
    """Top-level values that can't be read as they stand."""
    rest = tail[stop.at :].strip()
    whole = object_in(b"{" + rest.lstrip(b","))
    if whole is not None:
        return whole
    closed = object_in(b"{" + rest.lstrip(b",") + b"}")
    if closed is None and stop.is_broken:
        notes.add("bad_event", offset=offset + stop.at, text="after the last event: " + short(rest))
    else:
        notes.add("truncated", offset=offset + len(tail), text="after the last event")
    return closed or {}


class _Stop(NamedTuple):
    """Where reading members stopped: before the value of `key` where that was looked for, else at the closing bracket
    or at a member that is broken (then `is_broken` says so) or not all there."""

    key: str | None
    at: int
    is_broken: bool = False


def _members(text: bytes, at: int, meta: dict[str, Any], *, until: str) -> _Stop:
    """Reads an object's members into `meta`, up to the key `until`."""
    chars = text.decode("latin-1")  # keeps every byte's place
    while match := _MEMBER.match(text, at):
        key = _decoded(match[1])
        if key == until:
            return _Stop(key, match.end())
        try:
            end = _finder.raw_decode(chars, match.end())[1]
        except json.JSONDecodeError as error:
            is_open = error.msg.startswith("Unterminated") or error.pos + _LONGEST_TOKEN > len(text)
            return _Stop(None, at, not is_open)
        except (ValueError, RecursionError):
            return _Stop(None, at, True)
        if end == len(text):
            return _Stop(None, at)  # a number may go on, and the object has not ended
        value = text[match.end() : end]
        if isinstance(key, str) and len(value) <= MAX_VALUE_BYTES:
            meta[key] = _decoded(value)
        at = end
    end = _blank_end(text, at)
    return _Stop(None, end, text[end : end + 1] != b"}" and _HALF_KEY.match(text, at) is None)


def _decoded(text: bytes) -> Any:
    try:
        return msgspec.json.decode(text)
    except BAD_JSON:
        pass
    wrapped = object_in(b'{"value":' + text + b"}")
    return wrapped["value"] if wrapped else None


def _blank_end(text: bytes, at: int) -> int:
    gap = _BLANK.match(text, at)
    return gap.end() if gap else at
