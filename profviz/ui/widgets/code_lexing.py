"""Colours of code as plain spans, worked out in slices of time so that a long text never blocks; knows no widget."""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from typing import Any

from pygments.lexer import Lexer
from pygments.lexers import get_lexer_by_name
from pygments.token import Token
from pygments.util import ClassNotFound

Span = tuple[int, int, str]
"""First column and length in UTF-16 units (Qt's), and the name of a style."""

STYLES = (
    (Token.Comment, "comment"),
    (Token.Literal.String, "string"),
    (Token.Literal.Number, "number"),
    (Token.Keyword, "keyword"),
    (Token.Operator.Word, "keyword"),
    (Token.Name.Decorator, "function"),
    (Token.Name.Function, "function"),
    (Token.Name.Class, "function"),
    (Token.Name.Builtin, "builtin"),
    (Token.Name.Tag, "keyword"),
    (Token.Generic.Inserted, "added"),
    (Token.Generic.Deleted, "removed"),
    (Token.Generic.Subheading, "function"),
)


@dataclass(frozen=True, slots=True)
class Segment:
    """Characters [start, end) of a text are in `language` (a Pygments alias); an unknown one stays uncoloured."""

    start: int
    end: int
    language: str


@dataclass(frozen=True, slots=True)
class Mark:
    """A line (by its shown number) that stands out: `sign` in the gutter, `tone` as background, `note` at its end."""

    line: int
    tone: str = "accent"
    sign: str = "▸"
    note: str = ""


def normalised(text: str) -> str:
    """`text` with line ends that Qt's blocks agree with: one block a line."""
    text = text.replace("\r\n", "\n").replace("\r", "\n")
    return text.replace("\u2028", " ").replace("\u2029", " ").replace("\x00", "\ufffd")


class Lexing:
    """The spans of each line of one text; `advance` works for a while, dropping the object cancels the rest.

    Pygments is a Python generator: a second thread would fight the window for the interpreter, slices do not.
    """

    def __init__(self, text: str, segments: tuple[Segment, ...]) -> None:
        self._lines = text.split("\n")
        self.spans: list[list[Span]] = [[] for _ in self._lines]
        self._line = 0
        self._line_start = 0
        self._tokens = _tokens(text, segments)
        self.done = False

    @property
    def line(self) -> int:
        """Lines before this one are finished."""
        return len(self._lines) if self.done else self._line

    def advance(self, *, budget_s: float) -> bool:
        """Works for about `budget_s` seconds (None of it when done); True when all is coloured."""
        until = time.perf_counter() + budget_s
        for count, (start, value, style) in enumerate(self._tokens):
            self._place(start, value, style)
            if count % 64 == 63 and time.perf_counter() > until:
                return False
        self.done = True
        return True

    def _place(self, start: int, value: str, style: str) -> None:
        """Cuts a token at line ends, as a span belongs to one line."""
        for part in value.split("\n"):
            self._go_to(start)
            if part.strip():
                line = self._lines[self._line]
                column = start - self._line_start
                self.spans[self._line].append((utf16(line[:column]), utf16(part), style))
            start += len(part) + 1

    def _go_to(self, position: int) -> None:
        while self._line + 1 < len(self._lines) and position > self._line_start + len(self._lines[self._line]):
            self._line_start += len(self._lines[self._line]) + 1
            self._line += 1


def utf16(text: str) -> int:
    """Length in UTF-16 units: Qt counts a character outside the basic plane twice."""
    return len(text) if text.isascii() else len(text.encode("utf-16-le", "surrogatepass")) // 2


def _tokens(text: str, segments: tuple[Segment, ...]) -> Iterator[tuple[int, str, str]]:
    for segment in segments:
        lexer = _lexer(segment.language)
        if lexer is None:
            continue
        for start, kind, value in lexer.get_tokens_unprocessed(text[segment.start : segment.end]):
            style = _style(kind)
            if style:
                yield segment.start + start, value, style


def _lexer(language: str) -> Any:
    try:
        lexer: Lexer = get_lexer_by_name(language)
    except ClassNotFound:
        return None
    return lexer


@cache
def _style(kind: Any) -> str:
    return next((style for parent, style in STYLES if kind in parent), "")
