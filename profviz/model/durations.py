"""Many durations summed up: quantiles, and counts in bins that several series share; plain values."""

from __future__ import annotations

from dataclasses import dataclass

from profviz.model.trace import I64


@dataclass(frozen=True, slots=True)
class Spread:
    """Of `count` durations in ns. Quantiles interpolate between order statistics (Hyndman and Fan's type 7)."""

    count: int
    total_ns: int
    min_ns: int
    median_ns: int
    p95_ns: int
    max_ns: int

    @property
    def mean_ns(self) -> int:
        return round(self.total_ns / self.count)


@dataclass(frozen=True, slots=True, eq=False)
class DurationSeries:
    """One side's durations: `counts[i]` lie in the i-th bin. `first` is a slice of the name, or -1 for steps."""

    side: int
    title: str
    spread: Spread
    counts: I64
    first: int = -1


@dataclass(frozen=True, slots=True, eq=False)
class Durations:
    """Series over the same bins [edges[i], edges[i + 1]) in whole ns; `edges` has shape (bins + 1,).

    `is_log` says that bins are equally wide in the logarithm, as nearly as whole nanoseconds allow. A side without any
    such duration has no series.
    """

    what: str
    edges: I64
    is_log: bool
    series: tuple[DurationSeries, ...]
