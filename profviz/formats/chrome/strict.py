"""What counts as a perfectly valid event, spelled out for the scanner in Python: RFC 8259 and nothing besides."""

from __future__ import annotations

import codecs
import json
import re
from typing import Any

from profviz.formats.chrome.tables import CUT, ODD

MAX_DEPTH = 512
_GAP = re.compile(rb"[ \t\r\n,]*")
_BLANK = re.compile(rb"\{[ \t\r\n]*\}")
_BRACKETS = re.compile(rb'"(?:[^"\\]|\\.)*(?:"|\\?\Z)|[\[\]{}]', re.DOTALL)
_HALF_TOKEN = re.compile(
    rb"(?:t|tr|tru|f|fa|fal|fals|n|nu|nul|-|\.|[eE][+-]?|\\(?:u[0-9a-fA-F]{0,3})?|u[0-9a-fA-F]{0,3})\Z"
)
_LONE_HALF = re.compile(rb"\\u[dD](?:[89abAB][0-9a-fA-F]{2}(?!\\u[dD][c-fC-F]|\\?u?[dD]?\Z)|[c-fC-F][0-9a-fA-F]{2})")
_ESCAPED_PAIR = re.compile(rb"\\\\|\\u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}")


def _refuse(token: str) -> Any:
    raise ValueError(token)


_finder: Any = json.JSONDecoder(parse_constant=_refuse, parse_int=lambda text: None, parse_float=lambda text: None)


def event_end(data: bytes, at: int, chars: str, start: int) -> tuple[int, int]:
    """Behind the object at `at`, and 0; or -1 and why it has no end.

    `chars` holds `data[start:]`, a character a byte.
    """
    try:
        return start + _finder.raw_decode(chars, at - start)[1], 0
    except json.JSONDecodeError as error:
        is_open = error.pos >= len(chars) or error.msg.startswith("Unterminated")
        may_go_on = is_open or _HALF_TOKEN.match(data, start + error.pos)
        return -1, CUT if may_go_on and _is_valid_so_far(data[at:]) else ODD
    except (ValueError, RecursionError):
        return -1, ODD


def gap_end(data: bytes, at: int) -> int:
    """Behind the blanks and commas at `at`."""
    gap = _GAP.match(data, at)
    return gap.end() if gap else at


def is_blank(event: Any) -> bool:
    """An object with nothing in it: a final one of a writer that wanted no trailing comma."""
    return _BLANK.fullmatch(event) is not None


def is_utf8(text: bytes) -> bool:
    if text.isascii():
        return True
    try:
        text.decode()
    except UnicodeDecodeError:
        return False
    return True


def _is_valid_so_far(text: bytes) -> bool:
    """Of a text that JSON's grammar allows to go on: whether its characters and nesting are valid too."""
    try:
        codecs.getincrementaldecoder("utf-8")().decode(text)
    except UnicodeDecodeError:
        return False
    return not _LONE_HALF.search(_ESCAPED_PAIR.sub(b"", text)) and is_flat_enough(text)


def is_flat_enough(text: bytes) -> bool:
    """No more than `MAX_DEPTH` brackets are open at once."""
    if text.count(b"[") + text.count(b"{") <= MAX_DEPTH:
        return True
    depth = 0
    for match in _BRACKETS.finditer(text):
        if match[0] in b"[{":
            depth += 1
            if depth > MAX_DEPTH:
                return False
        elif match[0] in b"]}":
            depth -= 1
    return True
