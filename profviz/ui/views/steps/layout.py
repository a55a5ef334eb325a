"""Series of measured steps, rows of profiled steps and their texts; pure, no Qt and no pyqtgraph."""

from __future__ import annotations

from dataclasses import dataclass

from profviz.model.results import Results, SliceKind, Step
from profviz.model.run import EAGER, Timing, VariantResult
from profviz.model.units import format_count, format_exact_ns, format_ns, format_percent
from profviz.ui.widgets.plot_values import SampleSeries
from profviz.ui.widgets.table_columns import Column

NS_PER_MS = 1e6
EAGER_KIND = SliceKind.POINTWISE
OTHER_KINDS = (SliceKind.FUSED, SliceKind.GEMM, SliceKind.ATTENTION, SliceKind.CONVOLUTION, SliceKind.REDUCTION)


@dataclass(frozen=True, slots=True)
class StepRow:
    """A profiled step of one side."""

    side: int
    side_title: str
    step: Step

    @property
    def dur_ns(self) -> int:
        return self.step.end_ns - self.step.start_ns

    @property
    def gpu_span_ns(self) -> int | None:
        """From the first GPU start to the last GPU end launched within the step."""
        first, last = self.step.gpu_first_ns, self.step.gpu_last_ns
        return None if first is None or last is None else last - first

    @property
    def busy_share(self) -> float | None:
        """Busy part of the span of the step's own GPU work: never above one, unlike a share of host time."""
        busy, span = self.step.gpu_busy_ns, self.gpu_span_ns
        return busy / span if busy is not None and span else None


def empty(results: Results) -> str:
    if not timed(results) and not rows(results):
        return "No step was timed and no trace marks its steps (ProfilerStep#N)"
    return ""


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


def rows(results: Results) -> tuple[StepRow, ...]:
    return tuple(
        StepRow(position, side.title, step) for position, side in enumerate(results.sides) for step in side.steps
    )


COLUMNS = (
    Column("side", lambda row: row.side_title, width=104, stretch=True),
    Column("step", lambda row: str(row.step.number), key=lambda row: row.step.number, numeric=True, width=56),
    Column(
        "host time",
        lambda row: format_ns(row.dur_ns),
        key=lambda row: row.dur_ns,
        numeric=True,
        width=88,
        tip=lambda row: format_exact_ns(row.dur_ns),
        copy=lambda row: str(row.dur_ns),
    ),
    Column(
        "kernels", lambda row: format_count(row.step.kernels), key=lambda row: row.step.kernels, numeric=True, width=72
    ),
    Column(
        "GPU busy",
        lambda row: format_ns(row.step.gpu_busy_ns),
        key=lambda row: row.step.gpu_busy_ns,
        numeric=True,
        width=88,
        tip=lambda row: "Union of the GPU work launched in the step",
    ),
    Column(
        "GPU span",
        lambda row: format_ns(row.gpu_span_ns),
        key=lambda row: row.gpu_span_ns,
        numeric=True,
        width=88,
        tip=lambda row: "First GPU start to last GPU end launched in the step",
    ),
    Column(
        "busy / span",
        lambda row: format_percent(row.busy_share),
        key=lambda row: row.busy_share,
        numeric=True,
        width=88,
        tip=lambda row: "GPU busy as a share of the GPU span",
    ),
    Column("ops", lambda row: format_count(row.step.ops), key=lambda row: row.step.ops, numeric=True, width=64),
)


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
