"""Texts rendered once as stencils, so that hundreds of names cost one native call a frame; knows no profiler."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from PySide6.QtCore import QPointF, Qt
from PySide6.QtGui import QFont, QFontMetricsF, QImage, QPainter

from profviz.core.columns import I32, I64, U8, Mask

WIDEST_PX = 640
"""What of a text is longer is never shown in a bar."""

ROOM = 8 << 20
"""So many bytes of stencils are kept; then all are forgotten, and those that show are made again."""

UNKNOWN = -1
FEWEST_PX = 18
"""What is left of a cut text is at least some three letters: fewer say nothing."""

ELLIPSIS = "…"
FAINT = 110
"""Letters touch: what of a column has less ink is between two of them."""


@dataclass(frozen=True, slots=True, eq=False)
class Pieces:
    """What to stamp for n texts with some room each: first byte, width in px, and whether an ellipsis follows."""

    first: I32
    width: I32
    is_cut: Mask


class Stencils:
    """Texts of one font in device pixels. A text's number stays good until `make_room`."""

    def __init__(self, font: QFont, ratio: float) -> None:
        self._font = QFont(font)
        self._font.setPixelSize(max(1, round(font.pixelSize() * ratio)))
        metrics = QFontMetricsF(self._font)
        self._ascent = round(metrics.ascent())
        self.height = self._ascent + round(metrics.descent())
        self.stride = round(WIDEST_PX * ratio)
        self._fewest = round(FEWEST_PX * ratio)
        self._image = QImage(self.stride, self.height, QImage.Format.Format_ARGB32_Premultiplied)
        self._tables: dict[int, tuple[Sequence[str], I32]] = {}
        self._forget()

    def _forget(self) -> None:
        self._bytes = np.zeros(1 << 16, dtype=np.uint8)
        self._used = 0
        self._numbers: dict[str, int] = {}
        self._first: list[int] = []
        self._width: list[int] = []
        self._cuts: list[I32] = []
        self._columns: tuple[I32, I32, I32, I32] | None = None
        self._tables.clear()
        self.ellipsis = self._number(ELLIPSIS)

    @property
    def stencil(self) -> U8:
        return self._bytes

    def make_room(self) -> None:
        """Forgets all texts where they have become too many."""
        if self._used > ROOM:
            self._forget()

    def numbers(
        self, names: Sequence[str], at: I64, shown_as: Callable[[str], str], *, most_new: int
    ) -> tuple[I32, int]:
        """For places `at` in `names` the number of each text, UNKNOWN for those that have to wait.

        Also how many texts were not rendered before: no more than `most_new` of them are now.
        """
        table = self._table(names)
        found = table[at]
        unknown = found == UNKNOWN
        if not unknown.any():
            return found, 0
        missing = np.unique(at[unknown])
        for place in missing[:most_new].tolist():
            table[place] = self._number(shown_as(names[place]))
        return table[at], len(missing)

    def _table(self, names: Sequence[str]) -> I32:
        known = self._tables.get(id(names))
        if known is None or known[0] is not names:
            known = self._tables[id(names)] = (names, np.full(len(names), UNKNOWN, dtype=np.int32))
        return known[1]

    def _number(self, text: str) -> int:
        number = self._numbers.get(text)
        if number is None:
            number = self._numbers[text] = len(self._first)
            self._add(self._rendered(text))
        return number

    def _rendered(self, text: str) -> U8:
        """The strength of each pixel, shape (height, width)."""
        self._image.fill(Qt.GlobalColor.transparent)
        painter = QPainter(self._image)
        painter.setFont(self._font)
        painter.setPen(Qt.GlobalColor.white)
        painter.drawText(QPointF(0, self._ascent), text)
        painter.end()
        pixels = np.frombuffer(self._image.constBits(), dtype=np.uint8).reshape(self.height, -1, 4)
        inked = np.flatnonzero(pixels[..., 3].any(axis=0))
        return np.ascontiguousarray(pixels[:, : int(inked[-1]) + 1 if len(inked) else 0, 3])

    def _add(self, alpha: U8) -> None:
        while self._used + alpha.size > len(self._bytes):
            self._bytes = np.concatenate([self._bytes, np.zeros_like(self._bytes)])
        self._bytes[self._used : self._used + alpha.size] = alpha.reshape(-1)
        self._first.append(self._used)
        self._width.append(alpha.shape[1])
        self._cuts.append(_cuts(alpha))
        self._used += alpha.size
        self._columns = None

    def pieces(self, numbers: I32, rooms: I32) -> Pieces:
        """What of each text fits into so many px: all of it, or letters up to an ellipsis; nothing below a few px."""
        first, width, cuts, cut_first = self._as_columns()
        own = width[numbers]
        is_cut = own > rooms
        left = np.clip(rooms - width[self.ellipsis] - 1, 0, np.maximum(own - 1, 0))
        shown = np.where(is_cut, cuts[cut_first[numbers] + left], own)
        shown[is_cut & (shown < self._fewest)] = 0
        return Pieces(first[numbers], shown.astype(np.int32), is_cut & (shown > 0))

    def _as_columns(self) -> tuple[I32, I32, I32, I32]:
        if self._columns is None:
            width = np.array(self._width, dtype=np.int32)
            sizes = np.array([len(cuts) for cuts in self._cuts])
            cut_first = (np.cumsum(sizes) - sizes).astype(np.int32)
            self._columns = np.array(self._first, dtype=np.int32), width, np.concatenate(self._cuts), cut_first
        return self._columns

    @property
    def widths(self) -> I32:
        """Of each text, which is also how many bytes a line of it has."""
        return self._as_columns()[1]

    def place(self, number: int) -> tuple[int, int]:
        """First byte and width of one text."""
        return self._first[number], self._width[number]


def _cuts(alpha: U8) -> I32:
    """For each room from 0 px on the last place between two letters in it."""
    is_free = alpha.max(axis=0, initial=0) < FAINT
    places = np.arange(max(1, alpha.shape[1]), dtype=np.int32)
    if not alpha.shape[1]:
        return places
    return np.maximum.accumulate(np.where(is_free, places, 0)).astype(np.int32)
