"""Reads one event's text that is not valid JSON: bare NaN, control bytes, broken UTF-8, stray commas."""

from __future__ import annotations

import re
from dataclasses import dataclass

# a string that does not end takes all that is left: looking again from each quote in it would cost its square
_TOKEN = re.compile(
    r'"(?:[^"\\]|\\.)*(?:"|\\?\Z)'
    r"|(?<![\w.])[+-]?(?:nan(?:\(\w*\))?|infinity|inf|1\.#\w+)(?![\w.])"
    r"|,(?=\s*[}\]])",
    re.IGNORECASE | re.DOTALL,
)
_CONTROL = re.compile(r"[\x00-\x1f]")
_ESCAPE = re.compile(
    r"\\(?:(?P<pair>ud[89ab][\da-f]{2}\\ud[c-f][\da-f]{2})|(?P<half>ud[89a-f][\da-f]{2})"
    r'|(?P<good>["\\/bfnrt]|u[\da-f]{4})|.?)',
    re.DOTALL | re.IGNORECASE,
)
_SHORT = {"\n": "\\n", "\r": "\\r", "\t": "\\t"}


@dataclass(slots=True)
class Mended:
    """The text made whole as far as it could be, and how often which defect was met."""

    text: bytes = b""
    bad_text: int = 0
    non_finite: int = 0


def mend(raw: bytes) -> Mended:
    """Makes plain JSON of an event's text where single tokens are wrong; what else is wrong stays so.

    Bare NaN and infinities become null, bytes that are not UTF-8 and stray control characters replacement marks.
    """
    made = Mended()
    try:
        text = raw.decode()
    except UnicodeDecodeError:
        text = raw.decode(errors="replace")
        made.bad_text += 1
    made.text = _TOKEN.sub(lambda match: _replace(match[0], made), text).encode()
    return made


def _replace(token: str, made: Mended) -> str:
    if token.startswith('"'):
        return _mend_string(token, made)
    if token == ",":
        return ""
    made.non_finite += 1
    return "null"


def _mend_string(token: str, made: Mended) -> str:
    if _CONTROL.search(token):
        made.bad_text += 1
        token = _CONTROL.sub(lambda match: _SHORT.get(match[0], "�"), token)
    if "\\" not in token:
        return token
    return _ESCAPE.sub(lambda match: _mend_escape(match, made), token)


def _mend_escape(match: re.Match[str], made: Mended) -> str:
    """Half a surrogate pair is no character; an escape that JSON does not know keeps its backslash."""
    if match["pair"] or match["good"]:
        return match[0]
    made.bad_text += 1
    return "\\ufffd" if match["half"] else "\\\\" + match[0][1:]
