"""Step functions as pixel columns: the lowest and the highest value within each; pure numpy, whatever the length."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

I64 = npt.NDArray[np.int64]
F64 = npt.NDArray[np.float64]


def column_edges(start_ns: int, end_ns: int, columns: int) -> I64:
    """Where each of so many pixel columns of [start, end) begins, and where the last ends; shape (columns + 1,)."""
    span = end_ns - start_ns
    return np.array([start_ns + span * at // columns for at in range(columns + 1)], dtype=np.int64)


def step_extremes(time_ns: I64, value: npt.NDArray[np.generic], edges_ns: I64) -> tuple[F64, F64]:
    """Lowest and highest value within each column, NaN before the first entry; shape (columns,) each.

    Entry i holds from `time_ns[i]` (never falling) until the next. No spike is lost however narrow.
    """
    if not len(time_ns):
        nothing = np.full(len(edges_ns) - 1, np.nan)
        return nothing, nothing.copy()
    holding = time_ns.searchsorted(edges_ns[:-1], "right") - 1
    first = time_ns.searchsorted(edges_ns[:-1], "left")
    last = time_ns.searchsorted(edges_ns[1:], "left")
    values = np.append(value.astype(np.float64), 0.0)
    held = np.where(holding >= 0, values[holding], np.nan)
    pairs = np.stack([first, np.maximum(first, last)], axis=1).reshape(-1)
    some = last > first
    low = np.where(some, np.fmin(held, np.minimum.reduceat(values, pairs)[::2]), held)
    high = np.where(some, np.fmax(held, np.maximum.reduceat(values, pairs)[::2]), held)
    return low, high


def value_at(time_ns: I64, value: npt.NDArray[np.generic], moment_ns: int) -> float | None:
    """What holds at a moment, None before the first entry."""
    at = int(time_ns.searchsorted(moment_ns, "right")) - 1
    return float(value[at]) if at >= 0 else None  # type: ignore[arg-type]
