"""The text of each event, kept for what the columns do not hold, and how texts in it are read."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Protocol

import msgspec
import numpy as np
import numpy.typing as npt

from profviz.formats.chrome.event import BAD_JSON
from profviz.formats.chrome.mend import mend

WINDOW_BYTES = 1 << 16


class Place(Protocol):
    """Where a text lies."""

    def read_at(self, offset: int, length: int) -> bytes:
        """Bytes of the decoded text."""
        ...


class EventText:
    """The full JSON object of an event by its number, read from the file's text when asked for.

    `offsets` and `lengths` have shape (events,); `kept` holds texts that need no reading.
    """

    def __init__(
        self, place: Place, offsets: npt.NDArray[np.uint64], lengths: npt.NDArray[np.uint32], kept: Mapping[int, bytes]
    ) -> None:
        self._place = place
        self.offsets = offsets
        self.lengths = lengths
        self._kept = kept
        self._window = 0, b""  # replaced as a whole: any thread may ask

    def __len__(self) -> int:
        return len(self.offsets)

    def offset(self, event: int) -> int:
        """Where the event's text begins in the file's."""
        return int(self.offsets[event])

    def raw(self, event: int) -> bytes:
        """An event's text; whoever asks for one tends to ask for its neighbours next, so these are read with it."""
        found = self._kept.get(event)
        if found is not None:
            return found
        offset, length = self.offset(event), int(self.lengths[event])
        start, window = self._window
        if not start <= offset <= offset + length <= start + len(window):
            start, window = offset, self._place.read_at(offset, max(length, WINDOW_BYTES))
            self._window = start, window
        return window[offset - start : offset - start + length]

    def __call__(self, event: int) -> dict[str, Any]:
        return decoded(self.raw(event)) if 0 <= event < len(self.offsets) else {}


def decoded(text: bytes) -> dict[str, Any]:
    """An event's object; nothing when even mending makes none of it."""
    return object_in(text) or {}


def object_in(text: bytes) -> dict[str, Any] | None:
    """The object that a text is, mended where need be; None when it is none."""
    try:
        value = msgspec.json.decode(text)
    except BAD_JSON:
        try:
            value = msgspec.json.decode(mend(text).text)
        except BAD_JSON:
            return None
    return value if isinstance(value, dict) else None


def short(text: bytes) -> str:
    """The beginning of a text, as notes cite it."""
    return text[:120].decode(errors="replace")


def text_of(raw: bytes) -> str:
    """A text as a scanner numbers it: a JSON string without its quotes, any other value behind a zero byte."""
    if raw[:1] == b"\0":
        return raw[1:].decode(errors="replace")
    if b"\\" in raw:
        return msgspec.json.decode(b'"' + raw + b'"', type=str)
    return raw.decode(errors="replace")


def label_of(raw: bytes) -> int | float | str | None:
    """A process or thread id: a number where the file writes one, None where it says nothing."""
    if not raw:
        return None
    if raw[:1] != b"\0":
        return text_of(raw)
    token = raw[1:]
    try:
        value = int(token) if token.lstrip(b"-").isdigit() and len(token) < 400 else float(token)
    except ValueError:
        return token.decode(errors="replace")
    return value if value == value else token.decode(errors="replace")
