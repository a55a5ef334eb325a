"""What can be drawn of these results, what to ask for it, and the answer as series, rows and a sentence; no Qt."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from profviz.model.durations import Durations, DurationSeries
from profviz.model.questions import Question
from profviz.model.results import Results, Side
from profviz.model.units import format_count, format_exact_ns, format_ns
from profviz.ui.widgets.histogram_values import SERIES_KINDS, HistogramData, HistogramSeries
from profviz.ui.widgets.table_columns import Column

if TYPE_CHECKING:
    from profviz.ui.view_state import Selection

MEASURED, STEPS, SLICES = "measured", "steps", "slices"
TITLES = {MEASURED: "Measured steps", STEPS: "Profiled steps", SLICES: "Slices of a name"}
ABOUT = {
    MEASURED: "steps timed without the profiler",
    STEPS: "host time of ProfilerStep#N, with the profiler on",
    SLICES: "slices of this name",
}
SCALES = (("auto", "Auto"), ("linear", "Linear"), ("log", "Log"))
MOST_NAMES = 400
NO_NAME = "Select a slice on the timelines, or choose a name above."


@dataclass(frozen=True, slots=True)
class Named:
    """Slices are alike in name and category: a generated kernel and the call that launches it share their name."""

    name: str
    category: str


def empty(results: Results) -> str:
    return "" if any(choices(results)) else "No step was timed and there is no trace with slices"


def choices(results: Results) -> tuple[str, ...]:
    """What some side has, in the order offered."""
    has = {
        MEASURED: any(_is_timed(side) for side in results.sides),
        STEPS: any(side.steps for side in results.sides),
        SLICES: any(len(side.trace.slices) for side in results.sides),
    }
    return tuple(what for what, any_side in has.items() if any_side)


def selected(results: Results, selection: Selection) -> tuple[Named, int] | None:
    """The name of the picked slice, else of the first selected one, and how long that slice is."""
    for side, index in ((selection.pick.side, selection.pick.slice), *selection.slices):
        if 0 <= side < len(results.sides) and 0 <= index < len(results.sides[side].trace.slices):
            trace = results.sides[side].trace
            return Named(trace.name_of(index), trace.category_of(index)), int(trace.slices.dur_ns[index])
    return None


def names(results: Results) -> tuple[Named, ...]:
    """The kernels (or operators) of all sides, those that took longest first, MOST_NAMES at most."""
    totals: dict[Named, int] = {}
    for side in results.sides:
        for row in side.table:
            named = Named(row.name, side.trace.category_of(row.first_slice))
            totals[named] = totals.get(named, 0) + row.total_ns
    return tuple(sorted(totals, key=lambda named: -totals[named])[:MOST_NAMES])


def question(what: str, scale: str, named: Named | None) -> Question:
    name, category = (named.name, named.category) if what == SLICES and named is not None else ("", "")
    return Question("durations", -1, (what, scale, name, category))


def data(found: Durations, *, marked_ns: int | None) -> HistogramData:
    series = tuple(
        HistogramSeries(one.title, SERIES_KINDS[one.side % len(SERIES_KINDS)], one.counts, one.spread.median_ns)
        for one in found.series
    )
    noun = "slices" if found.what == SLICES else "steps"
    return HistogramData(found.edges, found.is_log, series, marked_ns, noun)


def summary(found: Durations) -> str:
    """How the medians of the first two sides compare, and what it is that was counted."""
    about = ABOUT[found.what]
    if len(found.series) < 2:
        return about
    first, second = (one.spread.median_ns for one in found.series[:2])
    ratio = f", {first / second:.2f}× as fast" if first and second else ""
    return f"median {format_ns(first)} → {format_ns(second)}{ratio} · {about}"


def _time(title: str, get: Callable[[DurationSeries], int]) -> Column:
    return Column(
        title,
        lambda row: format_ns(get(row)),
        key=get,
        numeric=True,
        width=76,
        tip=lambda row: format_exact_ns(get(row)),
        copy=lambda row: str(get(row)),
    )


COLUMNS = (
    Column(
        "side",
        lambda row: row.title,
        width=112,
        stretch=True,
        keep_end=True,
        dot=lambda row: SERIES_KINDS[row.side % len(SERIES_KINDS)],
        tip=lambda row: row.title,
    ),
    Column("n", lambda row: format_count(row.spread.count), key=lambda row: row.spread.count, numeric=True, width=56),
    _time("median", lambda row: row.spread.median_ns),
    _time("mean", lambda row: row.spread.mean_ns),
    _time("p95", lambda row: row.spread.p95_ns),
    _time("min", lambda row: row.spread.min_ns),
    _time("max", lambda row: row.spread.max_ns),
)


def _is_timed(side: Side) -> bool:
    return side.result is not None and side.result.timing is not None and bool(side.result.timing.samples_ns)
