"""A column's values as numpy, with what sorting and filtering need of them worked out once; knows no rows and no Qt."""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

Array = npt.NDArray[Any]
I64 = npt.NDArray[np.int64]
Mask = npt.NDArray[np.bool_]
UNKNOWN = int(np.iinfo(np.int64).min)
"""In whole numbers; in real ones it is NaN."""

MOST_SHORTENED = 20_000


class Values:
    """`numbers` has shape (rows,), int64 or float64; where there are `texts` they index those.

    Texts sort as `shorten` shows them, if they are not too many for that, and are searched whole.
    """

    def __init__(
        self, numbers: Array, texts: tuple[str, ...] | None = None, *, shorten: Callable[[str], str] = str
    ) -> None:
        self.numbers = numbers
        self.texts = texts
        self._shorten = shorten
        self._orders: dict[bool, I64] = {}

    def __len__(self) -> int:
        return len(self.numbers)

    @cached_property
    def known(self) -> Mask:
        numbers = self.numbers
        return ~np.isnan(numbers) if numbers.dtype.kind == "f" else numbers != UNKNOWN

    def order(self, *, descending: bool) -> I64:
        """Indices that sort; ties keep their order, unknown comes last either way."""
        if descending not in self._orders:
            self._orders[descending] = self._order(descending=descending)
        return self._orders[descending]

    def holding(self, word: str) -> Mask:
        """Which rows' texts hold a casefolded word; looked for in each different text once."""
        used, folded = self._used
        return self._spread(used, np.array([word in text for text in folded], dtype=bool))

    def being(self, text: str) -> Mask:
        """Which rows' texts are this one, in whatever case."""
        used, folded = self._used
        return self._spread(used, np.array([one == text for one in folded], dtype=bool))

    def _order(self, *, descending: bool) -> I64:
        keys = self._ranks if self.texts is not None else self.numbers
        if self.known.all():
            return stable_order(keys, descending=descending)
        known = np.flatnonzero(self.known)
        sorted_ = known[stable_order(keys[known], descending=descending)]
        return np.concatenate((sorted_, np.flatnonzero(~self.known)))

    @cached_property
    def _used(self) -> tuple[I64, list[str]]:
        """The texts that rows have, as numbers and casefolded."""
        used = np.unique(self.numbers[self.known])
        texts = self.texts or ()
        return used, [texts[at].casefold() for at in used.tolist()]

    @cached_property
    def _ranks(self) -> I64:
        """Where each row's text stands in the order of all of them."""
        used, folded = self._used
        if len(used) <= MOST_SHORTENED:
            texts = self.texts or ()
            folded = [self._shorten(texts[at]).casefold() for at in used.tolist()]
        place = {text: rank for rank, text in enumerate(sorted(set(folded)))}
        return self._spread(used, np.array([place[text] for text in folded], dtype=np.int64))

    def _spread(self, used: I64, values: Array) -> Array:
        """A value a used text as one a row; rows without a text get none."""
        made = np.zeros((len(self.texts or ()) + 1,), dtype=values.dtype)
        made[used] = values
        return made[np.where(self.known, self.numbers, -1)]


def stable_order(keys: Array, *, descending: bool) -> I64:
    """Indices that sort `keys`, shape (n,); ties keep their order.

    Sorts numbers that hold key and place: several times as fast as numpy's stable sort.
    """
    if len(keys) < 2:
        return np.arange(len(keys), dtype=np.int64)
    bits = len(keys).bit_length()
    place = np.arange(len(keys), dtype=np.int64)
    least, most = keys.min(), keys.max()
    if keys.dtype.kind == "f" or int(most) - int(least) >= 1 << (63 - bits):
        place = np.argsort(keys)
        ordered = keys[place]
        rank = np.concatenate(([0], np.cumsum(ordered[1:] != ordered[:-1]))).astype(np.int64)
        rank = rank[-1] - rank if descending else rank
    else:
        rank = most - keys if descending else keys - least
    packed = (rank << bits) | place
    packed.sort()
    return packed & ((1 << bits) - 1)
