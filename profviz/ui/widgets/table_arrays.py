"""Columns of a table whose rows are places in numpy arrays: how each unit reads, sorts and is copied.

Takes any table that has the parts named here, and must not know where it comes from.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any, Protocol

import profviz.model.units as units
from profviz.model.units import format_bytes, format_count, format_exact_ns, format_ns, format_percent, format_ratio
from profviz.ui.widgets.table_columns import Column
from profviz.ui.widgets.table_values import UNKNOWN, Array, Values

WIDTHS = {"count": 72, "ns": 84, "bytes": 84, "share": 80, "GB/s": 88, "moment": 124, "address": 132, "ratio": 72}
BAR_WIDTH, KIND_WIDTH, LEAST_TEXT, WIDE_TEXT, NAME_WIDTH = 124, 144, 80, 200, 272
NO_BAR = -1.0
PIXELS_A_LETTER = 7
MANY_LETTERS = 24


class ArrayColumn(Protocol):
    """`values` of a text column index `texts`; the smallest int64 and NaN are unknown, for the reason `unknown`."""

    @property
    def id(self) -> str: ...
    @property
    def title(self) -> str: ...
    @property
    def unit(self) -> Any: ...
    @property
    def values(self) -> Array: ...
    @property
    def texts(self) -> tuple[str, ...]: ...
    @property
    def about(self) -> str: ...
    @property
    def unknown(self) -> str: ...
    @property
    def is_change(self) -> bool: ...


def array_columns(
    columns: Sequence[ArrayColumn],
    kinds: Array,
    *,
    titles: dict[str, str] | None = None,
    shorten: Callable[[str], str] = str,
) -> tuple[Column, ...]:
    """One `Column` each; rows are their places. `kinds` (rows,) colours the column "kind" and may be empty.

    `titles` rename columns by id, `shorten` makes of texts what cells show of them. The first text column takes what
    width is left.
    """
    names = titles or {}
    made = []
    for place, one in enumerate(columns):
        title = names.get(one.id, one.title)
        if one.unit.value == "text":
            made.append(_text_column(one, title, is_first=place == 0, kinds=kinds, shorten=shorten))
        else:
            made.append(_number_column(one, title))
    return tuple(made)


def unit_text(unit: str, value: float, *, is_change: bool = False) -> str:
    """A known value as it reads in a cell."""
    if is_change and value:
        return ("−" if value < 0 else "+") + _FORMATS[unit](abs(value))
    return _FORMATS[unit](value)


_FORMATS: dict[str, Callable[[Any], str]] = {
    "count": format_count,
    "ns": lambda value: f"{value} ns" if abs(value) < 1_000 else format_ns(value),
    "bytes": format_bytes,
    "share": lambda value: format_percent(value, digits=1),
    "GB/s": lambda value: f"{value:.3g} GB/s" if value < 1_000 else f"{value:,.0f} GB/s".replace(",", " "),
    "moment": format_exact_ns,
    "address": hex,
    "ratio": format_ratio,
}


def _text_column(
    own: ArrayColumn, title: str, *, is_first: bool, kinds: Array, shorten: Callable[[str], str]
) -> Column:
    texts, numbers = own.texts, own.values

    def text(row: int) -> str:
        at = numbers[row]
        return units.UNKNOWN if at < 0 else shorten(texts[at])

    def whole(row: int) -> str:
        return own.unknown if numbers[row] < 0 else texts[numbers[row]]

    is_kind = own.id == "kind" and len(kinds) > 0
    return Column(
        title,
        text,
        width=KIND_WIDTH if own.id == "kind" else NAME_WIDTH if is_first else _text_width(own),
        stretch=is_first,
        mono=own.id == "name",
        dot=(lambda row: int(kinds[row])) if is_kind else None,
        tone=lambda row: "muted" if numbers[row] < 0 else "plain",
        tip=whole,
        copy=lambda row: "" if numbers[row] < 0 else texts[numbers[row]],
        about=own.about,
        id=own.id,
        unit="text",
        values=Values(numbers, texts, shorten=shorten),
    )


def _text_width(own: ArrayColumn) -> int:
    """Room for most of some of the texts."""
    shown = [len(own.texts[at]) for at in own.values[:200].tolist() if at >= 0]
    longest = max(shown, default=0)
    return min(WIDE_TEXT, max(LEAST_TEXT, 20 + PIXELS_A_LETTER * min(longest, MANY_LETTERS)))


def _number_column(own: ArrayColumn, title: str) -> Column:
    unit, numbers = own.unit.value, own.values

    def known(row: int) -> Any:
        """The value as a plain number, None for unknown."""
        value = numbers[row].item()
        return None if value == UNKNOWN or (isinstance(value, float) and math.isnan(value)) else value

    def text(row: int) -> str:
        value = known(row)
        return units.UNKNOWN if value is None else unit_text(unit, value, is_change=own.is_change)

    def tip(row: int) -> str:
        value = known(row)
        return own.unknown if value is None else _exact(unit, value) or own.about

    def tone(row: int) -> str:
        value = known(row)
        if value is None or (own.is_change and not value):
            return "muted"
        return ("good" if value < 0 else "bad") if own.is_change else "plain"

    is_bar = own.id == "share"
    return Column(
        title,
        text,
        numeric=True,
        width=max(BAR_WIDTH if is_bar else WIDTHS[unit], 24 + PIXELS_A_LETTER * len(title)),
        tone=tone,
        bar=(lambda row: known(row) if known(row) is not None else NO_BAR) if is_bar else None,
        tip=tip,
        copy=lambda row: "" if known(row) is None else str(known(row)),
        about=own.about,
        id=own.id,
        unit=unit,
        values=Values(numbers),
    )


def _exact(unit: str, value: float) -> str:
    """What a cell rounds, without rounding."""
    if unit in ("ns", "moment"):
        return format_exact_ns(int(value))
    return f"{value:,} B".replace(",", " ") if unit == "bytes" else ""
