"""Durations of same-named slices, of steps and of measured steps: quantiles and shared bins, in whole nanoseconds."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

import numpy as np

from profviz.model.durations import Durations, DurationSeries, Spread
from profviz.model.questions import Question, Unanswered
from profviz.model.results import Results, Side
from profviz.model.trace import I64, Trace

MOST_BINS = 48
FINEST, COARSEST = 24, 3
"""Logarithmic bins a decade."""
WIDE = 30
"""From so many times the smallest duration to the largest, bins are logarithmic unless someone says otherwise."""

Found = tuple[int, str, I64, int]
"""Side, title, sorted durations, a slice or -1."""


def answer_durations(results: Results, question: Question) -> Durations | Unanswered:
    """Args: (what, scale, name, category); what is "slices", "steps" or "measured", scale "auto", "linear" or "log"."""
    what, scale, name, category = (str(arg) for arg in question.args)
    if what == "slices":
        found = [_slices(results, side, name, category) for side in range(len(results.sides))]
    else:
        taken = _measured if what == "measured" else _steps
        found = [(at, side.title, taken(side), -1) for at, side in enumerate(results.sides)]
    return gather(what, found, scale=scale) or Unanswered("No side has such durations.")


def gather(what: str, found: Sequence[Found], *, scale: str = "auto") -> Durations | None:
    """The bins that hold all, and each side's counts in them; None where there is nothing."""
    found = [one for one in found if len(one[2])]
    if not found:
        return None
    least = min(int(values[0]) for _, _, values, _ in found)
    most = max(int(values[-1]) for _, _, values, _ in found)
    is_log = scale == "log" or (scale == "auto" and most > WIDE * max(1, least))
    edges = log_edges(least, most) if is_log else linear_edges(least, most)
    series = [
        DurationSeries(side, title, spread_of(values), counts_in(values, edges), first)
        for side, title, values, first in found
    ]
    return Durations(what, edges, is_log, tuple(series))


def slices_named(trace: Trace, name: str, category: str) -> I64:
    """The slices of this name and category that ended, in slice order."""
    if name not in trace.names or category not in trace.categories:
        return np.zeros(0, dtype=np.int64)
    slices = trace.slices
    alike = (slices.name == trace.names.index(name)) & (slices.category == trace.categories.index(category))
    return np.flatnonzero(alike & (slices.flags == 0)).astype(np.int64)


def spread_of(ordered: I64) -> Spread:
    """Of ascending durations, at least one."""
    return Spread(
        count=len(ordered),
        total_ns=int(ordered.sum()),
        min_ns=int(ordered[0]),
        median_ns=quantile(ordered, 1, 2),
        p95_ns=quantile(ordered, 95, 100),
        max_ns=int(ordered[-1]),
    )


def quantile(ordered: I64, part: int, of: int) -> int:
    """The quantile `part`/`of` of ascending values, interpolated exactly and rounded to a whole one."""
    low, rest = divmod(part * (len(ordered) - 1), of)
    below, above = int(ordered[low]), int(ordered[min(low + 1, len(ordered) - 1)])
    return round(below + Fraction(rest * (above - below), of))


def linear_edges(least: int, most: int) -> I64:
    """Multiples of 1, 2 or 5 times a power of ten, at most MOST_BINS + 1 bins, from `least` to beyond `most`."""
    width = next(w for w in _round_widths() if (most // w) - (least // w) < MOST_BINS)
    first, last = least // width, most // width + 1
    return np.arange(first, last + 1, dtype=np.int64) * width


def log_edges(least: int, most: int) -> I64:
    """Whole numbers as near to equal ratios as they can be: from `least` or below to beyond `most`."""
    a_decade = round(min(FINEST, max(COARSEST, MOST_BINS / (1 + np.log10(max(1, most) / max(1, least))))))
    edges, power = [0, 1], 0
    while edges[-1] <= most:
        power += 1
        edge = round(10 ** (power / a_decade))
        if edge > edges[-1]:
            edges.append(edge)
    first = next(at for at in range(len(edges) - 1, -1, -1) if edges[at] <= least)
    return np.array(edges[first:], dtype=np.int64)


def counts_in(ordered: I64, edges: I64) -> I64:
    """How many of ascending values lie in each bin [edge, next edge)."""
    return np.diff(np.searchsorted(ordered, edges)).astype(np.int64)


def _round_widths() -> Sequence[int]:
    return [factor * 10**power for power in range(18) for factor in (1, 2, 5)]


def _slices(results: Results, side: int, name: str, category: str) -> Found:
    trace = results.sides[side].trace
    alike = slices_named(trace, name, category)
    return side, results.sides[side].title, np.sort(trace.slices.dur_ns[alike]), int(alike[0]) if len(alike) else -1


def _steps(side: Side) -> I64:
    return np.sort(np.array([step.end_ns - step.start_ns for step in side.steps], dtype=np.int64))


def _measured(side: Side) -> I64:
    timing = side.result.timing if side.result is not None else None
    return np.sort(np.array(timing.samples_ns if timing is not None else (), dtype=np.int64))
