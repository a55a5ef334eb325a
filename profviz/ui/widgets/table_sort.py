"""Sorting and filtering of table rows with numpy; knows rows only as keys and texts."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

I64 = npt.NDArray[np.int64]


def sort_order(keys: Sequence[Any], *, descending: bool) -> I64:
    """Indices that sort `keys` (ints, floats or texts); ties keep their order, unknown (None) comes last either way."""
    missing = np.fromiter((key is None for key in keys), dtype=bool, count=len(keys))
    known = np.flatnonzero(~missing)
    ranks = _ranks([keys[index] for index in known])
    order = known[np.argsort(-ranks if descending else ranks, kind="stable")]
    return np.concatenate((order, np.flatnonzero(missing))).astype(np.int64)


def _ranks(keys: list[Any]) -> npt.NDArray[Any]:
    """Numbers that sort as `keys` do; integers stay int64 so that long times compare exactly."""
    if not keys:
        return np.zeros(0, dtype=np.int64)
    if isinstance(keys[0], str):
        folded = [key.casefold() for key in keys]
        rank = {text: position for position, text in enumerate(sorted(set(folded)))}
        return np.fromiter((rank[text] for text in folded), dtype=np.int64, count=len(folded))
    return np.asarray(keys)


def matching(texts: Sequence[str], words: str) -> I64:
    """Indices of the casefolded `texts` that hold every word of `words`."""
    wanted = words.casefold().split()
    return np.asarray(
        [index for index, text in enumerate(texts) if all(word in text for word in wanted)], dtype=np.int64
    )


def to_tsv(header: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """Tab-separated lines; tabs and line ends inside a cell become spaces so that the shape survives."""
    lines = [header, *rows]
    return "\n".join("\t".join(" ".join(cell.split()) for cell in line) for line in lines)
