"""Series of measured steps and their texts; pure, no Qt and no pyqtgraph."""

from __future__ import annotations

from profviz.model.results import Results, SliceKind
from profviz.model.run import EAGER, Timing, VariantResult
from profviz.model.units import format_count, format_ns
from profviz.ui.widgets.plot_values import SampleSeries

NS_PER_MS = 1e6
EAGER_KIND = SliceKind.POINTWISE
OTHER_KINDS = (SliceKind.FUSED, SliceKind.GEMM, SliceKind.ATTENTION, SliceKind.CONVOLUTION, SliceKind.REDUCTION)


def empty(results: Results) -> str:
    return "" if timed(results) else "No step was timed: profiled steps are in the table of steps"


def timed(results: Results) -> tuple[VariantResult, ...]:
    """The run's variants whose steady state was measured, in the run's order."""
    variants = results.run.variants if results.run else ()
    return tuple(
        one for one in variants if one.timing is not None and (one.timing.samples_ns or one.timing.discarded_ns)
    )


def series(results: Results) -> tuple[SampleSeries, ...]:
    kinds = iter(OTHER_KINDS * 4)
    return tuple(
        _series(one.title, EAGER_KIND if one.id == EAGER else next(kinds), one.timing)
        for one in timed(results)
        if one.timing is not None
    )


def round_starts(results: Results) -> tuple[float, ...]:
    """Positions between two rounds, of the variant with the most samples; variants alternate by round."""
    rounds = max((one.timing.rounds for one in timed(results) if one.timing), key=len, default=())
    return tuple(i - 0.5 for i in range(1, len(rounds)) if rounds[i] != rounds[i - 1])


def legend(results: Results) -> tuple[tuple[str, int, str], ...]:
    """(symbol, kind, text) for each series: the figures that the lines and bands show."""
    made = []
    for one, symbol, variant in zip(series(results), "●■▼◆⬟⬢" * 4, timed(results), strict=False):
        made.append((symbol, one.kind, f"{variant.title}  {timing_text(variant.timing)}"))
    return tuple(made)


def timing_text(timing: Timing | None) -> str:
    if timing is None or not timing.samples_ns:
        return "no steady step"
    parts = [f"median {format_ns(timing.median_ns)}", f"IQR {format_ns(timing.iqr_ns)}"]
    parts.append(f"{format_count(len(timing.samples_ns))} steps")
    if timing.discarded_ns:
        parts.append(f"{format_count(len(timing.discarded_ns))} left out (×): something compiled")
    return " · ".join(parts)


def _series(title: str, kind: SliceKind, timing: Timing) -> SampleSeries:
    low, high = timing.quantile_ns(0.25), timing.quantile_ns(0.75)
    return SampleSeries(
        title=title,
        kind=int(kind),
        positions=tuple(float(i) for i in range(len(timing.samples_ns))),
        values_ms=tuple(value / NS_PER_MS for value in timing.samples_ns),
        median_ms=_ms(timing.median_ns),
        low_ms=_ms(low),
        high_ms=_ms(high),
        apart_positions=tuple(-float(i + 1) for i in range(len(timing.discarded_ns))),
        apart_ms=tuple(value / NS_PER_MS for value in timing.discarded_ns),
    )


def _ms(value_ns: int | None) -> float | None:
    return None if value_ns is None else value_ns / NS_PER_MS
