"""What stacked bars and their table of figures show, as values; no Qt, so that layouts can use them."""

from __future__ import annotations

import enum
from collections.abc import Callable
from dataclasses import dataclass


class Pattern(enum.Enum):
    """How an area is filled, so that colour is never the only sign."""

    SOLID = "solid"
    FALLING = "falling lines"
    RISING = "rising lines"
    CROSSED = "crossed lines"
    DOTTED = "dots"
    UPRIGHT = "upright lines"
    EMPTY = "outline"


@dataclass(frozen=True, slots=True)
class Fill:
    """A colour of the palette, by `kind` (an index) or else by `tone`, and a pattern."""

    tone: str = "plain"
    pattern: Pattern = Pattern.SOLID
    kind: int = -1


@dataclass(frozen=True, slots=True)
class Piece:
    """One part of a bar: `id` is the owner's, the first of `texts` that fits is written into it, `tip` says all."""

    id: int
    amount: int
    fill: Fill
    texts: tuple[str, ...]
    tip: str


@dataclass(frozen=True, slots=True)
class StackRow:
    """One bar of length `amount`, made of the pieces that `make` gives from left to right; `id` is the owner's.

    They are made when the bar is painted: of thousands few are ever seen.

    `group` is written above the first row of several that belong together, `total` at the bar's end.
    """

    id: int
    title: str
    amount: int
    make: Callable[[], tuple[Piece, ...]]
    total: str
    group: str = ""

    @property
    def pieces(self) -> tuple[Piece, ...]:
        return self.make()


@dataclass(frozen=True, slots=True)
class FigureRow:
    """One line of the table beside: `values` as read, one a column of numbers.

    With a `change` a bar shows it from where the changes of the rows above have led to; a `fill` of None marks a total.
    """

    id: int
    title: str
    fill: Fill | None
    values: tuple[str, ...]
    tip: str = ""
    change: int | None = None
