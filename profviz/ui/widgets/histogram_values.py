"""What a histogram shows and where: bars, ticks and texts from whole numbers; no Qt, so that layouts can use it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from profviz.model.units import format_count, format_ns, format_percent

I64 = npt.NDArray[np.int64]
F64 = npt.NDArray[np.float64]
TICK_PX = 76
SERIES_KINDS = (4, 9, 1, 3, 2, 5)
"""The palette's kinds that tell series apart, in the order of the sides."""

_UNITS = ((10**9, "s"), (10**6, "ms"), (10**3, "µs"), (1, "ns"))


@dataclass(frozen=True, slots=True, eq=False)
class HistogramSeries:
    """`counts` (bins,) of one title; `kind` indexes the palette's kinds, `median_ns` is marked where it is known."""

    title: str
    kind: int
    counts: I64
    median_ns: int | None = None

    @property
    def total(self) -> int:
        return int(self.counts.sum())


@dataclass(frozen=True, slots=True, eq=False)
class HistogramData:
    """Series over the same bins [edges[i], edges[i + 1]) in whole ns, (bins + 1,), ascending.

    With `is_log` every bin is drawn equally wide, whatever it spans. `marked_ns` is a value to point out. `noun` is the
    plural of what is counted.
    """

    edges: I64
    is_log: bool
    series: tuple[HistogramSeries, ...]
    marked_ns: int | None = None
    noun: str = "slices"

    @property
    def bins(self) -> int:
        return len(self.edges) - 1

    @property
    def by_share(self) -> bool:
        """Several series stand as shares of their own totals, or the smaller one could not be seen."""
        return len(self.series) > 1


def xs_of(data: HistogramData, values: Sequence[int] | I64, *, left: float, width: float) -> F64:
    """Where values stand between `left` and `left + width`; those outside all bins at the border."""
    edges = data.edges
    if data.is_log:
        return left + np.interp(values, edges, np.arange(len(edges))) * width / max(1, data.bins)
    return left + np.interp(values, edges, (edges - edges[0]) / max(1, int(edges[-1] - edges[0]))) * width


def bin_at(data: HistogramData, x: float, *, left: float, width: float) -> int:
    """The bin that is drawn at x; those at the border for an x beside it."""
    borders = xs_of(data, data.edges, left=left, width=width)
    return int(np.clip(np.searchsorted(borders, x, side="right") - 1, 0, data.bins - 1))


def heights(data: HistogramData) -> list[F64]:
    """For each series the height of its bars: 1 is the tallest of all."""
    parts = [one.counts / max(1, one.total) if data.by_share else one.counts.astype(np.float64) for one in data.series]
    tallest = max((float(part.max()) for part in parts if len(part)), default=0.0)
    return [part / tallest if tallest else part for part in parts]


def top_text(data: HistogramData) -> str:
    """What the tallest bar stands for."""
    if data.by_share:
        return format_percent(max(float(one.counts.max()) / max(1, one.total) for one in data.series), digits=1)
    return format_count(max((int(one.counts.max()) for one in data.series), default=0))


def ticks(data: HistogramData, *, width: float) -> list[tuple[int, str]]:
    """Round values on the axis with their texts, far enough apart to be read."""
    wanted = max(2, int(width // TICK_PX))
    low, high = int(data.edges[0]), int(data.edges[-1])
    values = _log_ticks(data, wanted) if data.is_log else []
    if len(values) < 2:
        step = next(f * 10**p for p in range(19) for f in (1, 2, 5) if (high - low) <= f * 10**p * wanted)
        values = list(range(-(-low // step) * step, high + 1, step))
    return [(value, exact_text(value)) for value in values]


def _log_ticks(data: HistogramData, wanted: int) -> list[int]:
    """Powers of ten, with twos and fives between them where there is room; fewer than two where none fit."""
    low, high = max(1, int(data.edges[0])), int(data.edges[-1])
    found: list[int] = []
    for factors in ((1, 2, 5), (1, 3), (1,)):
        found = [f * 10**p for p in range(19) for f in factors if low <= f * 10**p <= high]
        if len(found) <= wanted + 1:
            return found
    return found[:: -(-len(found) // wanted)]


def exact_text(value_ns: int) -> str:
    """A whole number of ns in the unit that suits it, without rounding: 12.5 µs."""
    size, unit = next(((s, u) for s, u in _UNITS if value_ns >= s), _UNITS[-1])
    whole, rest = divmod(value_ns, size)
    digits = f"{rest:0{len(str(size)) - 1}d}".rstrip("0") if rest else ""
    return f"{whole}{'.' if digits else ''}{digits} {unit}"


def bin_text(data: HistogramData, index: int) -> str:
    """The bin's bounds in full; its upper edge is not in it."""
    return f"{exact_text(int(data.edges[index]))} to {exact_text(int(data.edges[index + 1]))}"


def count_text(data: HistogramData, one: HistogramSeries, index: int) -> str:
    """How many of a series are in a bin, and which share of it that is."""
    count = int(one.counts[index])
    return f"{format_count(count)} · {format_percent(count / max(1, one.total), digits=1)}"


def about_text(data: HistogramData) -> str:
    """The marked value behind its sign, and how wide the bins are."""
    marked = f"▼ {exact_text(data.marked_ns)} · " if data.marked_ns is not None else ""
    if data.is_log:
        return f"{marked}{data.bins} bins of equal ratio"
    return f"{marked}bins of {exact_text(int(data.edges[1] - data.edges[0]))}"


def spoken(data: HistogramData, index: int) -> str:
    """All that the picture tells, for who cannot see it; with the bin at `index` where it is not -1."""
    parts = []
    for one in data.series:
        median = f", median {format_ns(one.median_ns)}" if one.median_ns is not None else ""
        parts.append(f"{one.title}: {format_count(one.total)} {data.noun}{median}")
    if data.marked_ns is not None:
        parts.append(f"the selected one takes {exact_text(data.marked_ns)}")
    if 0 <= index < data.bins:
        counted = ", ".join(f"{one.title} {count_text(data, one, index)}" for one in data.series)
        parts.insert(0, f"{bin_text(data, index)}: {counted}")
    return ". ".join(parts)


def nothing() -> HistogramData:
    empty: Any = np.zeros(1, dtype=np.int64)
    return HistogramData(empty, is_log=False, series=())
