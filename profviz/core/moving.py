"""Columns packed, put together from parts and picked from: whole numbers in and out; knows no trace."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from profviz.core import columns
from profviz.core.columns import I32, I64, U32

Column = npt.NDArray[Any]
Whole = npt.NDArray[np.integer[Any]]

_PART = 1 << 15
_PLACES = (np.uint8, np.uint16, np.uint32, np.int32, np.uint64, np.int64)


def extremes(column: Whole) -> tuple[int, int]:
    """The least and the greatest of at least one value."""
    if not columns.NATIVE:
        return int(column.min()), int(column.max())
    low, high = columns.native.extremes(np.ascontiguousarray(column))
    return int(low), int(high)


def lessened(column: Whole, base: int, kind: np.dtype[Any]) -> Whole:
    """The column's values less `base`, in a type that holds them."""
    if not columns.NATIVE:
        return np.subtract(column, column.dtype.type(base), dtype=column.dtype).astype(kind)
    out = np.empty(len(column), dtype=kind)
    columns.native.lessen(np.ascontiguousarray(column), base, out)
    return out


def put(
    out: Whole, part: Whole, bounds: I64, *, base: int = 0, moves: I64 | None = None, known: U32 | None = None
) -> None:
    """Writes spans of a part to where they belong in `out`.

    `bounds` has shape (spans, 3): from and to where in the part, and where in `out`. The values are `base` more than
    they stand in the part and those of each span its move besides, shape (spans,); where `known` is given they count
    in it. Arithmetic wraps as that of `out`'s type.
    """
    if not columns.NATIVE:
        plain_put(out, part, bounds, base=base, moves=moves, known=known)
        return
    alike = len(part) > 0 and part.strides == (0,) and not part[0]
    columns.native.put(None if alike else part, bounds.reshape(-1), moves, base, known, _unsigned(out))


def plain_put(out: Whole, part: Whole, bounds: I64, *, base: int, moves: I64 | None, known: U32 | None) -> None:
    by = moves.tolist() if moves is not None else [0] * len(bounds)
    for (first, last, at), move in zip(bounds.tolist(), by, strict=True):
        values = part[first:last].astype(np.uint64) + np.uint64((base + move) % (1 << 64))
        out[at : at + last - first] = (values if known is None else known[values]).astype(out.dtype)


def picked(column: Column, places: Whole) -> Column:
    """The column's values at `places`, of shape (places,); places beyond either end give the value there."""
    if columns.NATIVE and any(places.dtype == kind for kind in _PLACES) and column.ndim == 1:
        out = np.empty(len(places), dtype=column.dtype)
        columns.native.pick(_unsigned(np.ascontiguousarray(column)), np.ascontiguousarray(places), _unsigned(out))
        return out
    return plain_picked(column, places)


def plain_picked(column: Column, places: Whole) -> Column:
    """In parts, for numpy widens all places before it begins."""
    out = np.empty(len(places), dtype=column.dtype)
    for at in range(0, len(places), _PART):
        np.take(column, places[at : at + _PART], out=out[at : at + _PART], mode="clip")
    return out


def inverse(order: U32) -> I32:
    """Where each place went, shape (n,) as `order`, which holds each of 0 to n - 1 once."""
    out = np.empty(len(order), dtype=np.int32)
    for at in range(0, len(order), _PART):
        out[order[at : at + _PART]] = np.arange(at, min(at + _PART, len(order)), dtype=np.int32)
    return out


def _unsigned(column: Column) -> Column:
    """The same memory as unsigned integers, which is how bytes are moved whatever they mean."""
    return column.view(np.dtype(f"u{column.dtype.itemsize}"))
