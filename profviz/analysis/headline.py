"""The figures of the strip on top: what was measured, or what opened traces hold; unknown is a dash with its reason."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from profviz.analysis.per_step import counted_per_step, has_gpu
from profviz.model.compile_report import CompileReport
from profviz.model.results import HeadlineItem, Side
from profviz.model.run import EAGER, Run, VariantResult
from profviz.model.speedup import break_even_steps, compile_cost_ns, speed_up
from profviz.model.units import UNKNOWN, format_count, format_ns, format_percent, format_ratio

Reports = Sequence[tuple[str, CompileReport]]


def make_headline(run: Run | None, sides: Sequence[Side], reports: Reports) -> tuple[HeadlineItem, ...]:
    """From a run its timing and compiler figures; from opened files what they contain."""
    first, second = _two(run, sides)
    items: list[HeadlineItem] = []
    if run is not None:
        eager, other = run.variant(EAGER), _compiled(run, second)
        items += [_median("eager", "eager", eager), _median("compiled", _title(other), other), _speed_up(eager, other)]
    if run is not None or first is not None:
        items += [_kernels(first, second), _busy(first, second)]
    if run is not None:
        items.append(_first_call(run.variant(EAGER), _compiled(run, second)))
    elif first is not None:
        items += [_kernel_time(first, second), _span(first, second)]
    if run is not None or reports:
        other = _compiled(run, second) if run is not None else None
        report = _report(reports, other.id if other else "")
        items += [_breaks(report), _recompiles(other, report)]
        if run is None and report is not None:
            items.append(HeadlineItem("compile_time", "compile time", format_ns(report.compile_ns), "all graphs"))
    return tuple(items)


@dataclass(frozen=True, slots=True)
class Busy:
    """GPU use, both in ns a step: `busy_ns` is the union over all GPU events, within `window_ns`.

    `timed` says whether the window is a step without the profiler.
    """

    busy_ns: int
    window_ns: int
    timed: bool = False

    @property
    def fraction(self) -> float:
        return min(1.0, self.busy_ns / self.window_ns) if self.window_ns else 0.0


def gpu_use(side: Side) -> Busy | None:
    """Busy and wall time a step; None without GPU work.

    The wall time is the median step without the profiler where one was timed: profiling slows the host several
    times over and kernels hardly at all, so that a profiled step shows idle time that is not there. Else it runs from
    the first profiled step's begin to the last one's end on CPU and GPU, shared out; a trace without steps is taken
    as one step, over the span of its GPU work.
    """
    if not side.steps:
        occupancy = side.occupancy
        return Busy(occupancy.busy_ns, occupancy.span_ns) if occupancy.kernels else None
    busy = [step.gpu_busy_ns for step in side.steps if step.gpu_busy_ns is not None]
    if not busy:
        return None
    count = len(side.steps)
    timing = side.result.timing if side.result else None
    if timing is not None and timing.median_ns:
        return Busy(sum(busy) // count, timing.median_ns, timed=True)
    end = max(max(step.end_ns, step.gpu_last_ns or 0) for step in side.steps)
    return Busy(sum(busy) // count, (end - min(step.start_ns for step in side.steps)) // count)


def _two(run: Run | None, sides: Sequence[Side]) -> tuple[Side | None, Side | None]:
    """The sides that are compared: eager and the first compiled one of a run, the first two of opened traces."""
    if run is None:
        return (sides[0] if sides else None), (sides[1] if len(sides) > 1 else None)
    eager = next((side for side in sides if side.id == EAGER), None)
    return eager, next((side for side in sides if side.id != EAGER), None)


def _compiled(run: Run, side: Side | None) -> VariantResult | None:
    others = [variant for variant in run.variants if variant.id != EAGER]
    shown = [variant for variant in others if side is not None and variant.id == side.id]
    return next(iter(shown or others), None)


def _title(variant: VariantResult | None) -> str:
    return "compiled" if variant is None or variant.id == "default" else f"compiled · {variant.id}"


def _median(item: str, title: str, variant: VariantResult | None) -> HeadlineItem:
    if variant is None:
        return HeadlineItem(item, title, UNKNOWN, "not run")
    timing = variant.timing
    if timing is None or timing.median_ns is None:
        why = "failed" if variant.failure else "not measured"
        return HeadlineItem(item, title, UNKNOWN, why, "bad" if variant.failure else "plain")
    return HeadlineItem(item, title, format_ns(timing.median_ns), f"IQR {format_ns(timing.iqr_ns)}")


def _speed_up(eager: VariantResult | None, other: VariantResult | None) -> HeadlineItem:
    found = speed_up(eager, other)
    if found is None:
        return HeadlineItem("speed_up", "speed-up", UNKNOWN, "needs both medians")
    tone = "plain" if not found.is_clear else "good" if found.ratio > 1 else "bad"
    detail = f"{found.low:.2f} – {found.high:.2f}"
    return HeadlineItem("speed_up", "speed-up", format_ratio(found.ratio), detail, tone)


def _kernels(first: Side | None, second: Side | None) -> HeadlineItem:
    shown = [side for side in (first, second) if side is not None]
    on_gpu = any(has_gpu(side) for side in shown)
    title = "kernels / step" if on_gpu else "ops / step"
    if not shown:
        return HeadlineItem("kernels", title, UNKNOWN, "no trace")
    counts = [counted_per_step(side) if has_gpu(side) == on_gpu else None for side in shown]
    if all(count is None for count in counts):
        totals = [side.occupancy.kernels if has_gpu(side) else None for side in shown]
        why = "no steps marked" if on_gpu else "no GPU activity"
        return HeadlineItem("kernels", "kernels", " → ".join(map(format_count, totals)), why)
    return HeadlineItem("kernels", title, " → ".join(map(format_count, counts)), _fewer(counts))


def _fewer(counts: Sequence[float | None]) -> str:
    if len(counts) < 2 or not counts[0] or counts[1] is None:
        return ""
    change = 1 - counts[1] / counts[0]
    if change == 0:
        return "the same number"
    return f"{format_percent(abs(change))} {'fewer' if change > 0 else 'more'}"


def _busy(first: Side | None, second: Side | None) -> HeadlineItem:
    shown = [side for side in (first, second) if side is not None]
    uses = [gpu_use(side) for side in shown]
    if not any(uses):
        return HeadlineItem("busy", "GPU busy", UNKNOWN, "no GPU activity" if shown else "no trace")
    value = " → ".join(format_percent(use.fraction if use else None) for use in uses)
    idle = " → ".join(format_ns(max(0, use.window_ns - use.busy_ns) if use else None) for use in uses)
    return HeadlineItem("busy", "GPU busy", value, f"idle {idle}")


def _kernel_time(first: Side, second: Side | None) -> HeadlineItem:
    shown = [side for side in (first, second) if side is not None]
    times = [side.occupancy.kernel_sum_ns if has_gpu(side) else None for side in shown]
    detail = "sum over streams" if any(times) else "no GPU activity"
    return HeadlineItem("kernel_time", "kernel time", " → ".join(map(format_ns, times)), detail)


def _span(first: Side, second: Side | None) -> HeadlineItem:
    shown = [side for side in (first, second) if side is not None]
    value = " → ".join(format_ns(side.trace.span_ns) for side in shown)
    steps = " → ".join(format_count(len(side.steps)) for side in shown)
    return HeadlineItem("span", "traced", value, f"{steps} steps")


def _first_call(eager: VariantResult | None, other: VariantResult | None) -> HeadlineItem:
    if other is None or other.first_call_ns is None:
        return HeadlineItem("first_call", "first call", UNKNOWN, "not measured")
    return HeadlineItem("first_call", "first call", format_ns(other.first_call_ns), _pays_back(eager, other), "warn")


def _pays_back(eager: VariantResult | None, other: VariantResult) -> str:
    """When compiling has paid for itself, as far as the medians tell."""
    found = speed_up(eager, other)
    if found is None or compile_cost_ns(other) is None:
        return "compilation included"
    if not found.is_clear:
        return "no clear gain to pay it back"
    steps = break_even_steps(eager, other)
    return "never pays back, as measured" if steps is None else f"pays back after {format_count(steps)} steps"


def _report(reports: Reports, variant: str) -> CompileReport | None:
    """The report of the variant that is shown; of opened files the first."""
    return next((report for name, report in reports if variant in (name, "")), None)


def break_places(report: CompileReport) -> int:
    """How many lines of the user's broke the graph; one line may do so for several reasons."""
    return len({(one.source.file, one.source.line) for one in report.breaks})


def _breaks(report: CompileReport | None) -> HeadlineItem:
    if report is None:
        return HeadlineItem("breaks", "breaks", UNKNOWN, "no compile log")
    count = break_places(report)
    graphs = f"{format_count(report.graph_count)} graph{'' if report.graph_count == 1 else 's'}"
    tone = "bad" if count else "good" if report.graph_count else "plain"
    return HeadlineItem("breaks", "breaks", format_count(count), graphs, tone)


def _recompiles(other: VariantResult | None, report: CompileReport | None) -> HeadlineItem:
    if report is None:
        return HeadlineItem("recompiles", "recompiles", UNKNOWN, "no compile log")
    count = len(report.recompiles)
    late = other.recompiles if other else 0
    detail = f"{format_count(late)} during timing" if late else ""
    return HeadlineItem("recompiles", "recompiles", format_count(count), detail, "warn" if count or late else "good")
