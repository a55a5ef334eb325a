"""What is typed to filter a table: words that rows must hold, and comparisons such as `total>1ms` or `kind=gemm`."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from profviz.ui.widgets.table_columns import Column
from profviz.ui.widgets.table_values import Mask, Values

_TOKEN = re.compile(r'(?:[^\s"]|"[^"]*"?)+')
_COMPARISON = re.compile(r"(?P<column>[^<>=!]+)(?P<sign><=|>=|!=|=|<|>)(?P<value>.+)", re.DOTALL)
_NUMBER = re.compile(r"(?P<number>-?\d+(?:\.\d*)?|-?\.\d+)(?P<unit>[a-zµμ%×/]*)")
_FACTORS = {
    "ns": {"": 1, "ns": 1, "us": 1_000, "µs": 1_000, "μs": 1_000, "ms": 1_000_000, "s": 1_000_000_000},
    "bytes": {
        **{"": 1, "b": 1, "kb": 1_000, "mb": 10**6, "gb": 10**9, "tb": 10**12},
        **{"kib": 1 << 10, "mib": 1 << 20, "gib": 1 << 30, "tib": 1 << 40},
    },
    "count": {"": 1, "k": 1_000, "m": 10**6},
    "share": {"": 1, "%": Fraction(1, 100)},
    "GB/s": {"": 1, "gb/s": 1, "tb/s": 1_000, "mb/s": Fraction(1, 1_000)},
    "ratio": {"": 1, "x": 1, "×": 1},
}
_FACTORS["moment"] = _FACTORS["ns"]


@dataclass(frozen=True, slots=True)
class Comparison:
    """`value` is a number in the column's own unit, or a casefolded text."""

    column: Column
    sign: str
    value: Fraction | str

    def rows(self) -> Mask:
        values = self.column.values
        assert values is not None
        if isinstance(self.value, str):
            same = values.being(self.value)
            return same if self.sign == "=" else ~same & values.known
        return _compared(values, self.sign, self.value)


def parse(text: str, columns: Sequence[Column]) -> tuple[list[str], list[Comparison]]:
    """Casefolded words and comparisons; what names no column, or compares it with nothing it could be, is a word."""
    words, comparisons = [], []
    for token in _TOKEN.findall(text.casefold()):
        found = _comparison(token, columns)
        if found is None:
            words.append(token.replace('"', ""))
        else:
            comparisons.append(found)
    return [word for word in words if word], comparisons


def rows_passing(text: str, columns: Sequence[Column], count: int) -> Mask:
    """Which of `count` rows hold every word, each in any of their texts, and pass every comparison."""
    passing = np.ones(count, dtype=bool)
    words, comparisons = parse(text, columns)
    texts = [column.values for column in columns if column.values is not None and column.values.texts is not None]
    for word in words:
        found = np.zeros(count, dtype=bool)
        for values in texts:
            found |= values.holding(word)
        passing &= found
    for comparison in comparisons:
        passing &= comparison.rows()
    return passing


def _comparison(token: str, columns: Sequence[Column]) -> Comparison | None:
    match = _COMPARISON.fullmatch(token)
    column = _named(match["column"], columns) if match else None
    if match is None or column is None or column.values is None:
        return None
    if column.values.texts is not None:
        is_equal = match["sign"] in ("=", "!=")
        return Comparison(column, match["sign"], match["value"].replace('"', "")) if is_equal else None
    value = _value(match["value"].replace(" ", "").replace('"', ""), _FACTORS.get(column.unit, {"": 1}))
    return None if value is None else Comparison(column, match["sign"], value)


def _named(text: str, columns: Sequence[Column]) -> Column | None:
    """The column of that title or id, else the only one whose title begins so or has it in it; blanks do not count."""
    wanted = _plain(text)
    if not wanted:
        return None
    titles = [_plain(column.title) for column in columns]
    for column, title in zip(columns, titles, strict=True):
        if wanted in (title, _plain(column.id)):
            return column
    for fits in (str.startswith, str.__contains__):
        found = [column for column, title in zip(columns, titles, strict=True) if fits(title, wanted)]
        if found:
            return found[0] if len(found) == 1 else None
    return None


def _plain(text: str) -> str:
    return "".join(one for one in text.casefold() if one.isalnum())


def _value(text: str, factors: dict[str, int | Fraction]) -> Fraction | None:
    match = _NUMBER.fullmatch(text)
    factor = factors.get(match["unit"]) if match else None
    return None if match is None or factor is None else Fraction(match["number"]) * factor


def _compared(values: Values, sign: str, value: Fraction) -> Mask:
    """Whole numbers are compared exactly; unknown passes no comparison."""
    numbers = values.numbers
    if numbers.dtype.kind == "f":
        below, above, same = numbers < float(value), numbers > float(value), numbers == float(value)
    else:
        floor = value.numerator // value.denominator
        is_whole = value.denominator == 1
        floor = min(max(floor, -(1 << 63) + 1), (1 << 63) - 2)
        below = numbers < floor + (not is_whole)
        above = numbers > floor
        same = (numbers == floor) & is_whole
    passing = {"<": below, ">": above, "=": same, "<=": below | same, ">=": above | same, "!=": ~same}[sign]
    return passing & values.known
