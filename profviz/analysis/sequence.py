"""Aligns two sequences in order: which entry of one is which entry of the other; knows only keys and scores."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence

import numpy as np
import numpy.typing as npt

BAND = 1_500
"""How far from the diagonal a pair may stand, in entries: it bounds time and memory at ten thousand entries each."""
_SKIP_FIRST, _SKIP_SECOND, _PAIR = 0, 1, 2


def align_in_order(
    first: Sequence[Hashable], second: Sequence[Hashable], score: Callable[[int, int], int]
) -> list[tuple[int, int]]:
    """Pairs (i, j), ascending in both, of the largest total score; `score(i, j)` of 0 or less never makes a pair.

    `score` is asked only where `first[i] == second[j]`. The alignment of Needleman and Wunsch (1970) with free gaps,
    kept within `BAND` of the diagonal.
    """
    if not first or not second:
        return []
    numbers: dict[Hashable, list[int]] = {}
    for j, key in enumerate(second):
        numbers.setdefault(key, []).append(j)
    reach = BAND + abs(len(first) - len(second))
    best = np.zeros(len(second) + 1, dtype=np.int64)
    moves: list[tuple[int, npt.NDArray[np.uint8]]] = []
    for i, key in enumerate(first):
        middle = i * len(second) // len(first)
        low, high = max(0, middle - reach), min(len(second), middle + reach)
        best, move = _next_row(best, low, high, [(j, score(i, j)) for j in numbers.get(key, ()) if low <= j < high])
        moves.append((low, move))
    return _walk_back(moves, len(second))


def _next_row(
    best: npt.NDArray[np.int64], low: int, high: int, scored: list[tuple[int, int]]
) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.uint8]]:
    """The best totals with one more entry of the first sequence, and how each within [low, high) came about."""
    paired = best.copy()
    for j, points in scored:
        if points > 0:
            paired[j + 1] = max(paired[j + 1], best[j] + points)
    row = np.maximum.accumulate(paired)
    window = np.s_[low + 1 : high + 1]
    move = np.full(high - low, _SKIP_SECOND, dtype=np.uint8)
    move[row[window] == best[window]] = _SKIP_FIRST
    for j, points in scored:
        if points > 0 and row[j + 1] == best[j] + points and row[j + 1] > best[j + 1]:
            move[j - low] = _PAIR
    return row, move


def _walk_back(moves: list[tuple[int, npt.NDArray[np.uint8]]], end: int) -> list[tuple[int, int]]:
    pairs = []
    i, j = len(moves), end
    while i and j:
        low, move = moves[i - 1]
        at = j - 1 - low
        step = _SKIP_SECOND if at >= len(move) else _SKIP_FIRST if at < 0 else move[at]
        if step == _PAIR:
            pairs.append((i - 1, j - 1))
        i -= step != _SKIP_SECOND
        j -= step != _SKIP_FIRST
    return pairs[::-1]
