"""Sums, extremes and unions of many things at once, by an integer key; exact, and no loop over the things."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from profviz.analysis.covering import covered_ns
from profviz.model.trace import I64

Array = npt.NDArray[Any]


@dataclass(frozen=True, slots=True, eq=False)
class Groups:
    """n things in g groups of equal key: group i is order[bounds[i]:bounds[i + 1]] of them, in their own order.

    `keys` has shape (g,), ascending; `order` (n,); `bounds` (g + 1,).
    """

    keys: I64
    order: I64
    bounds: I64

    def __len__(self) -> int:
        return len(self.keys)

    @property
    def counts(self) -> I64:
        return np.diff(self.bounds)

    @property
    def first(self) -> I64:
        """The first thing of each group."""
        return self.order[self.bounds[:-1]]

    def sums(self, values: Array) -> Array:
        """Shape (g,), of `values` (n,); whole numbers stay exact."""
        return self._reduced(np.add, values)

    def least(self, values: Array) -> Array:
        return self._reduced(np.minimum, values)

    def most(self, values: Array) -> Array:
        return self._reduced(np.maximum, values)

    def rows(self, *, places: I64) -> tuple[I64, I64]:
        """The groups in the order of `places` (some groups, each once), as things and bounds."""
        counts = self.counts[places]
        bounds = np.concatenate(([0], np.cumsum(counts))).astype(np.int64)
        within = np.arange(bounds[-1], dtype=np.int64) - np.repeat(bounds[:-1], counts)
        return self.order[np.repeat(self.bounds[places], counts) + within], bounds

    def _reduced(self, how: np.ufunc, values: Array) -> Array:
        if not len(self):
            return values[:0]
        return np.asarray(how.reduceat(values[self.order], self.bounds[:-1]))


def group(keys: Array) -> Groups:
    """Groups things by whole numbers, shape (n,)."""
    order = np.argsort(_narrow(keys), kind="stable").astype(np.int64)
    ordered = keys[order]
    starts = np.flatnonzero(np.concatenate((np.ones(min(1, len(keys)), dtype=bool), ordered[1:] != ordered[:-1])))
    bounds = np.concatenate((starts, [len(keys)])).astype(np.int64)
    return Groups(ordered[starts].astype(np.int64), order, bounds)


def _narrow(keys: Array) -> Array:
    """The keys in two bytes where they fit: numpy sorts those several times as fast."""
    fits = len(keys) > 0 and keys.min() >= 0 and keys.max() < 1 << 16
    return keys.astype(np.uint16) if fits else keys


def number_pairs(first: Array, second: Array) -> tuple[list[tuple[int, int]], I64]:
    """The different pairs in ascending order, and for each place which of them stands there; shape (n,) each."""
    firsts, seconds = np.unique(first), np.unique(second)
    packed = firsts.searchsorted(first) * len(seconds) + seconds.searchsorted(second)
    found = np.unique(packed)
    pairs = zip(
        firsts[found // max(1, len(seconds))].tolist(), seconds[found % max(1, len(seconds))].tolist(), strict=True
    )
    return list(pairs), found.searchsorted(packed).astype(np.int64)


def spread(groups: Groups, keys: I64, values: Array, *, fill: int) -> Array:
    """A value a group as one a key: `keys` are ascending and hold all of the groups', the others get `fill`."""
    made = np.full(len(keys), fill, dtype=values.dtype)
    made[keys.searchsorted(groups.keys)] = values
    return made


def unions_ns(groups: Groups, start_ns: I64, end_ns: I64) -> I64:
    """For each group how much time is covered by at least one of its intervals [start, end); shape (n,) to (g,)."""
    number = np.empty(len(groups.order), dtype=np.int64)
    number[groups.order] = np.repeat(np.arange(len(groups)), groups.counts)
    return covered_ns(start_ns, end_ns, _narrow(number), len(groups))


def rounded_means(total: I64, count: I64) -> I64:
    """Whole means, ties to even, without a float on the way; where the count is 0 the total itself."""
    whole, rest = np.divmod(total, np.maximum(count, 1))
    up = (2 * rest > count) | ((2 * rest == count) & (whole % 2 == 1))
    return np.asarray(whole + np.where(count > 1, up, False), dtype=np.int64)


def shares(values: I64) -> npt.NDArray[np.float64]:
    """Each value as a fraction of their sum."""
    whole = int(values.sum())
    return values / whole if whole else np.zeros(len(values))
