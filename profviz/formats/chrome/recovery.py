"""What to do where an array of events goes wrong: mend the event there, or find the next one.

Works on a window of bytes, so that both scanners come to the same end whatever blocks the file was read in.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from typing import Any

from profviz.formats.chrome.mend import Mended, mend

WINDOW = 1 << 20
"""Bytes looked at behind a damage; no event is longer that could not be read as it stands."""
CREDIT = 4 << 20
CREDIT_PER_BYTE = 4

_KEY = rb'"(?:ph|name|cat|pid|tid|ts|id|args|dur|s|bp|sf)"\s*:'
RESYNC = re.compile(rb"[,\[}]\s*(\{)\s*" + _KEY)
_STRUCTURE = re.compile(rb'"(?:[^"\\]|\\.)*"|[{}\[\]]', re.DOTALL)
_VALUE: Any = json.JSONDecoder()


@dataclass(frozen=True, slots=True)
class Found:
    """The broken thing ends `length` bytes on; `mended` is set when it can be read after all.

    `is_cut` says that the file ends inside it.
    """

    length: int
    mended: Mended | None = None
    is_cut: bool = False


class Recovery:
    """Remembers how much looking ahead the bytes read so far have earned, so that all of it stays linear."""

    def __init__(self) -> None:
        self._credit = CREDIT

    def earn(self, count: int) -> None:
        self._credit = min(self._credit + CREDIT_PER_BYTE * count, 16 * CREDIT)

    def candidates(self, window: bytes, *, is_last: bool) -> list[Found]:
        """What could be made of the broken element at the window's beginning: ways to read it, last one to skip it.

        `window` holds up to `WINDOW` bytes; `is_last` says that the file ends with it.
        """
        if window[:1] != b"{":
            return [_foreign(window, is_last=is_last)]
        follow = RESYNC.search(window, 1)
        limit = follow.start() + (window[follow.start()] == 0x7D) if follow else len(window)
        near = len(window[:limit].rstrip(b" \t\r\n,"))
        found: list[Found] = []
        if window[near - 1] == 0x7D:
            found.append(Found(near, mend(window[:near])))
        end = self._balanced_end(window, limit)
        if end > 0 and end != near:
            found.append(Found(end, mend(window[:end])))
        if follow:
            found.append(Found(near))
        elif end > 0:
            found.append(Found(end))
        else:
            found.append(Found(len(window), is_cut=is_last))
        return found

    def _balanced_end(self, window: bytes, limit: int) -> int:
        """Behind the bracket that closes the first one, -1 when there is none as far as credit reaches."""
        reach = min(len(window), limit + self._credit)
        depth = 0
        end = -1
        for match in _STRUCTURE.finditer(window, 0, reach):
            mark = match[0]
            if mark in (b"{", b"["):
                depth += 1
            elif mark in (b"}", b"]"):
                depth -= 1
                if depth == 0:
                    end = match.end()
                    break
        self._credit -= max(0, (reach if end < 0 else end) - limit)
        return end


def _foreign(window: bytes, *, is_last: bool) -> Found:
    """Something that is no object: a whole JSON value is stepped over, anything else up to the next event."""
    text = window.decode("latin-1")
    try:
        end = _VALUE.raw_decode(text)[1]
    except (ValueError, RecursionError):
        end = 0
    if 0 < end < len(window):
        return Found(end)
    follow = RESYNC.search(window)
    if follow:
        return Found(follow.start(1))
    close = window.find(b"]", 1)
    if close > 0:
        return Found(close)
    return Found(len(window), is_cut=is_last)
