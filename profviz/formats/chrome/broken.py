"""Where a broken event ends: its brackets are followed as far as they make sense, so that objects inside it are not
taken for the events after it."""

from __future__ import annotations

import re

EVENT_KEY = rb'"(?:ph|name|cat|pid|tid|ts|id|args|dur|s|bp|sf)"\s*:'
Text = bytes | memoryview

_MARK = re.compile(rb'["{}\[\]]')
_QUOTE = re.compile(rb'\\.|"', re.DOTALL)
_AFTER_STRING = re.compile(rb"[ \t\r\n]*(?:[,:}\]]|\{\s*" + EVENT_KEY + rb")")
_AFTER_EVENT = re.compile(rb'[ \t\r\n,]*(?:\{\s*["}]|\])')
_AFTER_ARRAY = re.compile(rb'[ \t\r\n]*(?:\}?[ \t\r\n]*\Z|,[ \t\r\n]*"(?:[^"\\]|\\.)*"[ \t\r\n]*:)', re.DOTALL)
EVENT_START = re.compile(rb"\{\s*" + EVENT_KEY)
_NEXT_EVENT = re.compile(rb"\}\s*,?\s*\{\s*" + EVENT_KEY)
_COLON_BYTES = 16
"""A key's colon stands so near behind it."""
_BLANK_REST = re.compile(rb"[ \t\r\n,]*\Z")
_OPEN_OBJECT, _CLOSE_OBJECT, _OPEN_ARRAY, _CLOSE_ARRAY, _MARKS = b'{}[]"'


def end_of_broken(text: Text, at: int, reach: int, *, is_last: bool, is_inside: bool) -> int:
    """From inside an event at `at`: where it ends or the next thing begins, -1 when that isn't found before `reach`.

    Strings begin behind and end before a structural character only, an object with the key of an event where a key
    should stand is the next event, and a bracket of the wrong kind closes what was left open inside. `is_inside` says
    that the next event begins at `reach`, unless one begins where nothing may.
    """
    stack = bytearray([_OPEN_OBJECT])
    has_strings = True
    while mark := _MARK.search(text, at, reach):
        place, kind = mark.start(), text[mark.start()]
        at = place + 1
        if kind == _MARKS:
            end = _string_end(text, place, reach) if has_strings else -1
            has_strings = end >= 0  # where one does not end, none does that begins later
            at = max(at, end)
        elif kind == _OPEN_ARRAY:
            stack.append(kind)
        elif kind == _OPEN_OBJECT:
            awaited = b":[," if is_inside else b":" if stack[-1] == _OPEN_OBJECT else b"[,"
            is_nested = is_inside and _begins_line(text, place)  # an event's line would have been the one at `reach`
            if not is_nested and _before(text, place) not in awaited and EVENT_START.match(text, place):
                return place
            stack.append(kind)
        elif kind == _CLOSE_OBJECT:
            outer = stack.rindex(_OPEN_OBJECT)
            if outer:
                del stack[outer:]
            elif _AFTER_EVENT.match(text, at) or (is_last and _BLANK_REST.match(text, at)):
                return at
        elif _OPEN_ARRAY in stack:
            del stack[stack.rindex(_OPEN_ARRAY) :]
        elif not is_inside and _AFTER_ARRAY.match(text, at):
            return place
    return -1


def _string_end(text: Text, quote: int, reach: int) -> int:
    """Where reading goes on behind the quote, -1 when a string begins there that does not end before `reach`."""
    before = _before(text, quote)
    if before not in b"\0{[,:" or (before != 0x3A and EVENT_START.match(text, quote + 1)):
        return quote + 1
    at = quote + 1
    while mark := _QUOTE.search(text, at, reach):
        at = mark.end()
        if mark[0] == b'"' and _AFTER_STRING.match(text, at):
            # in a whole string the quotes of an event's keys would be escaped
            begun = _NEXT_EVENT.search(text, quote, at + _COLON_BYTES)
            return begun.start() if begun and begun.start() < at else at
    return -1


def _begins_line(text: Text, at: int) -> bool:
    """Nothing but blanks stands before it on its line."""
    at -= 1
    while at >= 0 and text[at] in b" \t":
        at -= 1
    return at >= 0 and text[at] == 0x0A


def _before(text: Text, at: int) -> int:
    """The last byte before `at` that is no blank, 0 when there is none."""
    at -= 1
    while at >= 0 and text[at] in b" \t\r\n":
        at -= 1
    return text[at] if at >= 0 else 0
