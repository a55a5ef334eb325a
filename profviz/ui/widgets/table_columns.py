"""What a table column is, as a value: how a row reads, sorts and looks; no Qt, so that layouts can use it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True)
class Column:
    """How one column shows a row: `text` for reading, `key` for sorting (default the text).

    `tone` gives a tone name, `dot` an index into the palette's kinds, `bar` a fraction in [0, 1], `tip` plain text.
    `width` is in pixels; a `stretch` column takes what is left. A text that does not fit
    loses its end, or its start with `keep_end`. `copy` is what Ctrl+C writes, default the text.
    """

    title: str
    text: Callable[[Any], str]
    key: Callable[[Any], Any] | None = None
    numeric: bool = False
    width: int = 88
    stretch: bool = False
    mono: bool = False
    keep_end: bool = False
    tone: Callable[[Any], str] | None = None
    dot: Callable[[Any], int] | None = None
    bar: Callable[[Any], float] | None = None
    tip: Callable[[Any], str] | None = None
    copy: Callable[[Any], str] | None = None
