"""What a table column is, as a value: how a row reads, sorts and looks; no Qt, so that layouts can use it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from profviz.ui.widgets.table_values import Values


@dataclass(frozen=True, slots=True)
class Column:
    """How one column shows a row: `text` for reading, `key` for sorting (default the text).

    `tone` gives a tone name, `dot` an index into the palette's kinds or -1, `bar` a fraction in [0, 1] or
    less for none, `tip` plain text. `width` is in pixels; a `stretch` column takes what is left. A text that does not
    fit loses its end, or its start with `keep_end`. `copy` is what Ctrl+C writes, default the text.
    `about` says what the column holds, for its head's tool tip.
    Of large tables `values` holds the whole column, by which they are sorted and filtered; a row is its number then,
    `unit` says how numbers are typed into a filter, and `id` is another name to call the column by.
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
    about: str = ""
    id: str = ""
    unit: str = ""
    values: Values | None = None
