"""Cuts a file into events: the strict way for whole files, a resynchronising one for broken ones.

Both give the same: (offset, length, event) one by one, and the file's other top-level keys.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import Any

import msgspec
import numpy as np

from profviz.formats.chrome.event import Event, decode_event, event_of
from profviz.formats.chrome.mend import mend
from profviz.model.notes import NoteBook

Found = tuple[int, int, Event]

_KEY = rb'"(?:ph|name|cat|pid|tid|ts|id|args|dur|s|bp|sf)"\s*:'
_RESYNC = re.compile(rb"[,\[}]\s*(\{)\s*" + _KEY)
_ARRAY = re.compile(rb'"traceEvents"\s*:\s*\[')
_STRUCTURE = re.compile(rb'"(?:[^"\\]|\\.)*"|[{}\[\]]', re.DOTALL)
_SECOND = re.compile(rb"(\A|\})\s*[\[{]")
_GAP = re.compile(rb"[\s,]*")
BAD_JSON = (msgspec.DecodeError, UnicodeDecodeError, RecursionError)
LONGEST_EVENT = 1 << 20
_LOOSE = msgspec.json.Decoder(dict[str, Any])
_TOP = msgspec.json.Decoder(dict[str, msgspec.Raw])
_ITEMS = msgspec.json.Decoder(list[msgspec.Raw])


class Scan:
    """The events of `data` and, once they were all taken, `meta` and the notes."""

    def __init__(self, data: bytes, notes: NoteBook) -> None:
        self.data = data
        self.notes = notes
        self.meta: dict[str, Any] = {}
        self._next: re.Match[bytes] | None = _RESYNC.search(b'[{"ph":')

    def events(self, tick: Callable[[int], None]) -> Iterator[Found]:
        """Yields every event in file order; `tick` is told the byte offset now and then."""
        items = self._strict_items()
        if items is None:
            yield from self._broken(tick)
            return
        find, size = self.data.find, 0
        base = _place(items[0], self.data) if items else 0
        for number, item in enumerate(items):
            base = find(b"{", base + size)  # between the elements of a valid array stand only blanks and a comma
            size = memoryview(item).nbytes
            if number % 4096 == 0:
                tick(base)
            if size == 2:  # a final {} of a writer that wanted no trailing comma
                continue
            event = self._decode(base, size, item)
            if event is not None:
                yield base, size, event

    def _strict_items(self) -> list[msgspec.Raw] | None:
        """The array's elements, or None when the file is not strictly JSON or holds other things than objects."""
        try:
            if self.data.lstrip()[:1] == b"[":
                items = _ITEMS.decode(self.data)
            else:
                top = _TOP.decode(self.data)
                items = _ITEMS.decode(top.pop("traceEvents", msgspec.Raw(b"[]")))
                self.meta = {key: msgspec.json.decode(value) for key, value in top.items()}
        except BAD_JSON:
            return None
        return items if all(memoryview(item)[0] == 0x7B for item in items) else None

    def _decode(self, offset: int, size: int, text: msgspec.Raw | bytes) -> Event | None:
        try:
            return decode_event(text)
        except BAD_JSON:
            return self._decode_mended(offset, bytes(text))

    def _decode_mended(self, offset: int, text: bytes) -> Event | None:
        try:
            made = mend(text)
        except (ValueError, RecursionError) as error:
            self.notes.add("bad_event", offset=offset, text=f"{error}: {text[:120].decode(errors='replace')}")
            return None
        for code, count in (("bad_text", made.bad_text), ("non_finite", made.non_finite)):
            if count:
                self.notes.add(code, count=count, offset=offset, text=str(made.value.get("name", ""))[:120])
        return event_of(made.value)

    def _broken(self, tick: Callable[[int], None]) -> Iterator[Found]:
        """Goes from one event's beginning to the next and keeps what can be read between."""
        at = self._first_event()
        last = ""
        number = 0
        while True:
            gap = _GAP.match(self.data, at)
            at = gap.end() if gap else at
            if self.data[at : at + 1] != b"{":
                if self.data[at : at + 1] == b"]":
                    self._after(at + 1)
                    return
                at = self._skip_foreign(at, last)
                if at < 0:
                    return
            end, event = self._one(at)
            if end < 0:
                self._cut(at, last)
                return
            if event is not None:
                last = event.name or ""
                yield at, end - at, event
            at = end
            number += 1
            if number % 1024 == 0:
                tick(at)

    def _first_event(self) -> int:
        """Where the events begin; the end of the file when it is an object that holds none."""
        match = _ARRAY.search(self.data)
        if match is None:
            return self.data.find(b"[") + 1 if self.data.lstrip()[:1] == b"[" else len(self.data)
        self.meta |= _loose(self.data[: match.start()].strip().rstrip(b",") + b"}") or {}
        return match.end()

    def _follow(self, at: int) -> re.Match[bytes] | None:
        """What looks like the next event's beginning at or after `at`, which only ever grows."""
        if self._next is not None and self._next.start() < at:
            self._next = _RESYNC.search(self.data, at)
        return self._next

    def _skip_foreign(self, at: int, last: str) -> int:
        """The next event's offset past something that is no event, -1 when there is none."""
        follow = self._follow(max(at - 1, 0))
        if at >= len(self.data):
            self._cut(at, last)
        elif follow is None:
            self._leftover(at, last)
        else:
            self.notes.add("bad_event", offset=at, text=self.data[at : at + 80].decode(errors="replace"))
        return follow.start(1) if follow else -1

    def _leftover(self, at: int, last: str) -> None:
        self.notes.add("bad_event", offset=at, text=self.data[at : at + 80].decode(errors="replace"))
        if b"]" not in self.data[at:]:
            self._cut(at, last)

    def _cut(self, at: int, last: str) -> None:
        self.notes.add("truncated", offset=at, text=f"last complete event: {last}" if last else "no complete event")

    def _one(self, at: int) -> tuple[int, Event | None]:
        """Where the event at `at` ends and what it says; end -1 when the file ends inside it."""
        follow = self._follow(at + 1)
        limit = follow.start() + (self.data[follow.start()] == 0x7D) if follow else len(self.data)
        text = self.data[at:limit].rstrip(b" \t\r\n,")
        if follow and text.endswith(b"}"):
            event = self._plain(text)
            if event is not None:
                return at + len(text), event
        end = self._balanced_end(at, min(limit + LONGEST_EVENT, len(self.data)) if follow else len(self.data))
        if end < 0 and follow is None:
            return -1, None
        if end < 0 or (follow and end > limit and self._plain(self.data[at:end]) is None):
            end = at + len(text)  # a quote or a bracket is missing: give up on this event only
        text = self.data[at:end]
        return end, None if text == b"{}" else self._decode(at, len(text), text)

    def _plain(self, text: bytes) -> Event | None:
        try:
            return decode_event(text)
        except BAD_JSON:
            return None

    def _balanced_end(self, at: int, limit: int) -> int:
        """Behind the bracket that closes the one at `at`, -1 when there is none before `limit`."""
        depth = 0
        for match in _STRUCTURE.finditer(self.data, at, limit):
            mark = match[0]
            if mark in (b"{", b"["):
                depth += 1
            elif mark in (b"}", b"]"):
                depth -= 1
                if depth == 0:
                    return match.end()
        return -1

    def _after(self, at: int) -> None:
        """Looks at what follows the events: more keys, or a second document."""
        rest = self.data[at:].strip()
        second = _SECOND.search(rest)
        if second:
            self.notes.add("second_document", offset=at + second.end(1), text=_short(rest[second.end(1) :]))
            rest = rest[: second.end(1)]
        bare = self.data.lstrip()[:1] == b"["
        tail = None if bare else _loose(b"{" + rest.lstrip(b","))
        if tail is None and not bare:
            tail = _loose(b"{" + rest.lstrip(b",") + b"}")
            self.notes.add("truncated", offset=len(self.data), text="after the last event")
        if tail is None and rest:
            self.notes.add("bad_event", offset=at, text="after the last event: " + _short(rest))
        self.meta |= tail or {}


def _place(item: msgspec.Raw, data: bytes) -> int:
    """The offset of a raw value in the text it was cut from."""
    return int(np.frombuffer(memoryview(item), np.uint8).ctypes.data - np.frombuffer(data, np.uint8).ctypes.data)


def _loose(text: bytes) -> dict[str, Any] | None:
    """The object in a text, mended where need be; None when it is none."""
    try:
        return _LOOSE.decode(text)
    except BAD_JSON:
        pass
    try:
        return mend(text).value
    except (ValueError, RecursionError):
        return None


def _short(text: bytes) -> str:
    return text[:80].decode(errors="replace")
