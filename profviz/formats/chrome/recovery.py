"""What to do where an array of events goes wrong: mend the event there, or find the next one.

Works on a window of bytes, so that both scanners come to the same end whatever blocks the file was read in.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from typing import Any

from profviz.formats.chrome.broken import EVENT_KEY, end_of_broken
from profviz.formats.chrome.mend import Mended, mend

WINDOW = 1 << 20
"""Bytes looked at behind a damage; no event is longer that could not be read as it stands."""
CREDIT = 4 << 20
FREE_REACH = 1 << 14
CREDIT_PER_BYTE = 4

RESYNC = re.compile(rb"[,\[}]\s*(\{)\s*" + EVENT_KEY)
_VALUE: Any = json.JSONDecoder()
_AFTER_VALUE = re.compile(rb'[ \t\r\n]*(?:\]|,[ \t\r\n]*(?!"(?:[^"\\]|\\.)*"[ \t\r\n]*:)|\Z)', re.DOTALL)


@dataclass(frozen=True, slots=True)
class Found:
    """The broken thing ends `length` bytes on; `mended` is set when it can be read after all.

    `is_cut` says that the file ends inside it.
    """

    length: int
    mended: Mended | None = None
    is_cut: bool = False


class Recovery:
    """Remembers how far was looked ahead against what the text read so far has earned: all of it stays linear."""

    def __init__(self) -> None:
        self._spent = 0

    def candidates(self, window: bytes, at: int, *, is_last: bool) -> list[Found]:
        """What could be made of the broken element at the window's beginning: ways to read it, last one to skip it.

        `window` holds up to `WINDOW` bytes from `at` of the file; `is_last` says that the file ends with it.
        """
        if window[:1] != b"{":
            return [self._foreign(window, at, is_last=is_last)]
        end = self._end(window, 1, at, is_last=is_last)
        if end < 0:
            return [Found(len(window), is_cut=is_last)]
        near = len(window[:end].rstrip(b" \t\r\n,"))
        mended = [Found(near, mend(window[:near]))] if window[near - 1] == 0x7D else []
        return [*mended, Found(near)]

    def _end(self, window: bytes, start: int, at: int, *, is_last: bool) -> int:
        """Where the broken thing ends, at the latest where something begins like an event; -1 when there is neither."""
        credit = CREDIT + CREDIT_PER_BYTE * at - self._spent
        reach = min(len(window), FREE_REACH + max(0, credit))
        end = end_of_broken(window, start, reach, is_last=is_last)
        self._spent += max(0, (reach if end < 0 else end) - FREE_REACH)
        if end < 0:
            follow = RESYNC.search(window, start)
            end = follow.start(1) if follow else -1
        return end

    def _foreign(self, window: bytes, at: int, *, is_last: bool) -> Found:
        """Something that is no object: a whole JSON value is stepped over, anything else up to the next event."""
        end = _value_end(window) or (1 if window[0] in b"[]" else self._end(window, 0, at, is_last=is_last))
        return Found(end) if end >= 0 else Found(len(window), is_cut=is_last)


def _value_end(window: bytes) -> int:
    """Behind the JSON value at the window's beginning, 0 when there is none that an array could go on behind."""
    text = window.decode("latin-1")
    try:
        end: int = _VALUE.raw_decode(text)[1]
    except (ValueError, RecursionError):
        return 0
    return end if _AFTER_VALUE.match(window, end) else 0
