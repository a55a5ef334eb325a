"""What to do where an array of events goes wrong: mend the event there, or find the next one.

Works on a window of bytes, so that both scanners come to the same end whatever blocks the file was read in.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from profviz.formats.chrome.broken import EVENT_KEY, end_of_broken
from profviz.formats.chrome.mend import Mended, mend
from profviz.formats.chrome.oversized import Follower

WINDOW = 1 << 20
"""Bytes looked at behind a damage; no event is longer that could not be read as it stands."""
CREDIT = 4 << 20
FREE_REACH = 1 << 10
SHORT = 1 << 12
SHORT_TOKEN = 64
CREDIT_PER_BYTE = 4

RESYNC = re.compile(rb"[,\[}]\s*(\{)\s*" + EVENT_KEY)
_MANY_LISTS = re.compile(rb"(?:\[[ \t\r\n]*){64,}|\]{64,}(?=\])")
"""The last closing one may be that of the events."""
_OPEN, _CLOSE, _OPEN_LIST = b"{}["
_VALUE: Any = json.JSONDecoder()
_LOOSE: Any = json.JSONDecoder(strict=False, parse_int=lambda text: None, parse_float=lambda text: None)
_AFTER_VALUE = re.compile(rb'[ \t\r\n]*(?:[\]{]|,[ \t\r\n]*(?!"(?:[^"\\]|\\.)*"[ \t\r\n]*:)|(\Z))', re.DOTALL)


@dataclass(frozen=True, slots=True)
class Remedy:
    """The broken thing ends `length` bytes on; `mended` is set when it can be read after all.

    `is_cut` says that the file ends inside it, `is_rest` that its beginning was skipped before.
    """

    length: int
    mended: Mended | None = None
    is_cut: bool = False
    is_rest: bool = False


class Recovery:
    """Remembers how far was looked ahead against what the text read so far has earned: all of it stays linear.

    `indent` is what stands before the first event on its line, None when it has none of its own.
    """

    def __init__(self, indent: bytes | None) -> None:
        self._spent = 0
        self._follower: Follower | None = None
        self._next_line = None if indent is None else re.compile(b"\n" + indent + rb"(\{)\s*" + EVENT_KEY)

    @property
    def is_inside(self) -> bool:
        """A broken event was skipped as far as was looked, and goes on: nothing in it is to be read."""
        return self._follower is not None

    def candidates(self, window: memoryview, at: int, *, is_last: bool) -> Iterator[Remedy]:
        """What could be made of the broken element at the window's beginning: ways to read it, last one to skip it.

        `window` holds up to `WINDOW` bytes from `at` of the file; `is_last` says that the file ends with it.
        """
        if self._follower:
            yield self._rest(self._follower, window, is_last=is_last)
            return
        if window[0] != _OPEN:
            yield self._foreign(window, at, is_last=is_last)
            return
        end = _loose_end(bytes(window[:SHORT]))
        if end > 0:  # nothing but single tokens is wrong with it: a file may have that in every event
            yield Remedy(end, mend(bytes(window[:end])))
        end = self._end(window, 1, at, is_last=is_last)
        if end < 0:
            follower = Follower()
            if not is_last and follower.end(bytes(window)) < 0:
                self._follower = follower
            yield Remedy(len(window), is_cut=is_last)
            return
        broken = bytes(window[:end]).rstrip(b" \t\r\n,")
        if broken[-1] == _CLOSE:
            yield Remedy(len(broken), mend(broken))
        yield Remedy(len(broken))

    def _rest(self, follower: Follower, window: memoryview, *, is_last: bool) -> Remedy:
        """The next part of a broken event: up to its end, or to where something begins like an event."""
        end = follower.end(bytes(window))
        follow = RESYNC.search(window)
        if follow and (end < 0 or follow.start(1) < end):
            end = follow.start(1)
        if end >= 0 or is_last:
            self._follower = None
        return Remedy(end if end >= 0 else len(window), is_cut=is_last and end < 0, is_rest=True)

    def _end(self, window: memoryview, start: int, at: int, *, is_last: bool) -> int:
        """Where the broken thing ends, at the latest where something begins like an event; -1 when there is neither."""
        reach = self._reach(window, at)
        line = self._next_line.search(window, start, reach) if self._next_line else None
        limit = line.start(1) if line else reach
        end = end_of_broken(window, start, limit, is_last=is_last, is_inside=bool(line and start))
        if end < 0 and line:
            end = line.start(1)
        self._spent += reach if end < 0 else end
        if end < 0:
            follow = RESYNC.search(window, start)
            end = follow.start(1) if follow else -1
        return end

    def _foreign(self, window: memoryview, at: int, *, is_last: bool) -> Remedy:
        """Something that is no object: a whole JSON value is stepped over, anything else up to the next event."""
        if run := _MANY_LISTS.match(window):
            return Remedy(run.end())
        reach = self._reach(window, at)
        short = min(SHORT, reach)
        end = _value_end(bytes(window[:short]), is_all=len(window) <= short)
        if end < 0 and window[0] == _OPEN_LIST:
            end = _value_end(bytes(window[:reach]), is_all=reach == len(window))
            self._spent += reach
        if end <= 0:
            self._spent += short
            end = 1 if window[0] in b"[]" else self._end(window, 0, at, is_last=is_last)
        return Remedy(end) if end >= 0 else Remedy(len(window), is_cut=is_last)

    def _reach(self, window: memoryview, at: int) -> int:
        return min(len(window), FREE_REACH + max(0, CREDIT + CREDIT_PER_BYTE * at - self._spent))


def indent_of(lead: bytes) -> bytes | None:
    """What stands before the first event on its line, None when it does not begin a line; `lead` is up to the event."""
    before = lead[: len(lead) - len(lead.lstrip(b" \t\r\n"))]
    return before[before.rindex(b"\n") + 1 :] if b"\n" in before else None


def _loose_end(text: bytes) -> int:
    """Behind the object at the text's beginning if only bare NaN, control bytes or broken UTF-8 are wrong with it."""
    try:
        end: int = _LOOSE.raw_decode(text.decode("latin-1"))[1]
    except (ValueError, RecursionError):
        return -1
    return end


def _value_end(text: bytes, *, is_all: bool) -> int:
    """Behind the JSON value at the text's beginning; 0 when there is none that an array could go on behind.

    -1 when it may go on behind the text, which `is_all` rules out.
    """
    try:
        end: int = _VALUE.raw_decode(text.decode("latin-1"))[1]
    except (ValueError, RecursionError):
        return 0 if is_all else -1
    if not is_all and end + SHORT_TOKEN > len(text):
        return -1
    after = _AFTER_VALUE.match(text, end)
    if after is None or (after[1] is not None and text[0] == _OPEN_LIST):  # a stray bracket takes in all that follows
        return 0
    return end
