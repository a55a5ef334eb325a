"""Reads one event's text that is not valid JSON: bare NaN, control bytes, broken UTF-8, stray commas."""

from __future__ import annotations

import re
from dataclasses import dataclass

# a string that does not end takes all that is left: looking again from each quote in it would cost its square
_STRING_TOKEN = r'"(?:[^"\\]|\\.)*(?:"|\\?\Z)'
_BARE_TOKEN = r"(?<![\w.])[+-]?(?:nan(?:\(\w*\))?|infinity|inf|1\.#\w+)(?![\w.])|,(?=\s*[}\]])"
_TOKEN = re.compile(f"{_STRING_TOKEN}|{_BARE_TOKEN}", re.IGNORECASE | re.DOTALL)
_BARE = re.compile(_BARE_TOKEN, re.IGNORECASE)
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
    if "\\" in text:
        made.text = _TOKEN.sub(lambda match: _replace(match[0], made), text).encode()
    else:
        made.text = _mend_between_quotes(text, made).encode()
    return made


def _mend_between_quotes(text: str, made: Mended) -> str:
    """The same where no quote is escaped: every other part is a string, and few parts need any mending."""
    parts = text.split('"')
    for place in range(0, len(parts), 2):
        if len(parts[place]) > 1:
            parts[place] = _BARE.sub(lambda match: _replace(match[0], made), parts[place])
    if _CONTROL.search(text):
        for place in range(1, len(parts), 2):
            parts[place] = _mend_string(parts[place], made)
    return '"'.join(parts)


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
