"""What the headless commands say about results, as lines of text for people."""

from __future__ import annotations

import statistics
from collections.abc import Callable, Sequence

from profviz.analysis.per_step import busy_per_step_ns, kernels_per_step, operators_per_step
from profviz.analysis.time_breakdown import break_down
from profviz.cli_text import note_lines, pairs, table
from profviz.model.breakdown import shown_parts
from profviz.model.compile_report import CompileReport
from profviz.model.findings import Finding
from profviz.model.results import KernelRow, Results, Side
from profviz.model.run import EAGER, Failure, Run, VariantResult
from profviz.model.speedup import SpeedUp, speed_up
from profviz.model.units import UNKNOWN, format_bytes, format_count, format_ns, format_percent, format_ratio

ROWS = 10
NAME_COLUMNS = 60


def result_lines(results: Results) -> list[str]:
    """Everything about opened files: a run's comparison, then each trace, then each compile log."""
    if results.run is not None:
        return run_lines(results.run, results)
    lines: list[str] = []
    for side in results.sides:
        lines += [f"{side.title}: a trace", *side_lines(side), *note_lines(side.notes), ""]
    for name, report in results.reports:
        lines += [f"{name}: a compile log", *compile_lines(report), ""]
    return [*lines, *finding_lines(results.findings)[1:], *note_lines(results.notes)]


def finding_lines(findings: Sequence[Finding]) -> list[str]:
    """Each after an empty line: question and answer, the sentence, what to do."""
    lines: list[str] = []
    for finding in findings:
        lines += ["", f"  {finding.question} {finding.answer}.", f"    {finding.text}"]
        lines += [f"    {finding.advice}"] if finding.advice else []
    return lines


def run_lines(run: Run, results: Results | None) -> list[str]:
    title = [results.title, results.subtitle] if results else [run.request.script]
    lines = [" · ".join(part for part in title if part)]
    lines += ["", *table(variant_table(run, results))] if run.variants else []
    for variant in run.variants:
        lines += failure_lines(f"{variant.id} failed", variant.failure)
        if variant.check is not None and not variant.check.equal:
            lines.append(f"\n  {variant.id}: outputs differ from eager's: {variant.check.detail or variant.check.name}")
    for name, report in results.reports if results else ():
        lines += ["", f"  {name}: what the compiler did", *compile_lines(report, indent="    ")]
    lines += finding_lines(results.findings) if results else []
    lines += failure_lines("the run failed" if run.state == "failed" else run.state, run.failure)
    return [*lines, *(["", *note_lines(results.notes)] if results and results.notes else [])]


def variant_table(run: Run, results: Results | None) -> list[tuple[str, ...]]:
    """A head and a row a variant; what counts work is kernels where a GPU did any, else CPU operators."""
    sides = {side.id: side for side in results.sides} if results else {}
    on_gpu = any(side.occupancy.lanes for side in sides.values())
    work = ("kernels/step", "GPU busy/step") if on_gpu else ("operators/step",)
    count = gpu_cells if on_gpu else cpu_cells
    rows: list[tuple[str, ...]] = [
        ("variant", "median step", "spread (IQR)", "speed-up", "first call", *work, "recompiles")
    ]
    for variant in run.variants:
        timing, side = variant.timing, sides.get(variant.id)
        rows.append(
            (
                variant.id,
                format_ns(timing.median_ns if timing else None),
                format_ns(timing.iqr_ns if timing else None),
                speed_up_text(run, variant),
                format_ns(variant.first_call_ns),
                *(count(side) if side else [UNKNOWN] * len(work)),
                format_count(variant.recompiles),
            )
        )
    return rows


def gpu_cells(side: Side) -> tuple[str, ...]:
    return format_count(kernels_per_step(side)), format_ns(busy_per_step_ns(side))


def cpu_cells(side: Side) -> tuple[str, ...]:
    return (format_count(operators_per_step(side)),)


def speed_up_text(run: Run, variant: VariantResult) -> str:
    """Eager's median by the variant's, with its interval where that leaves open which is faster."""
    found = None if variant.id == EAGER else speed_up(run.variant(EAGER), variant)
    return UNKNOWN if found is None else speed_up_words(found)


def speed_up_words(found: SpeedUp) -> str:
    interval = "" if found.is_clear else f" ({format_ratio(found.low)} to {format_ratio(found.high)})"
    return format_ratio(found.ratio) + interval


def failure_lines(title: str, failure: Failure | None) -> list[str]:
    if failure is None:
        return []
    texts = [failure.what, failure.why, failure.traceback.rstrip(), failure.hint]
    lines = [line for text in texts for line in text.splitlines()]
    return ["", f"  {title}:", *(f"    {line}" for line in lines)]


def side_lines(side: Side) -> list[str]:
    gpu = side.occupancy
    counts = f"{format_count(side.trace.event_count)} ({format_count(len(side.trace.slices))} slices)"
    rows = [("events", counts), ("span", format_ns(side.trace.span_ns))]
    if gpu.lanes == 0:
        rows.append(("GPU", gpu.absence))
    else:
        share = gpu.busy_ns / gpu.span_ns if gpu.span_ns else None
        busy = f"{format_ns(gpu.busy_ns)}, {format_percent(share)} of the {format_ns(gpu.span_ns)} it spans"
        kernels = f"{format_count(gpu.kernels)} of {format_count(gpu.distinct_kernels)} names"
        rows += [
            ("kernels", f"{kernels}, {format_ns(gpu.kernel_sum_ns)} summed over {_plural(gpu.lanes, 'stream')}"),
            ("copies", format_count(gpu.copies)),
            ("GPU busy", busy),
            ("CUDA graphs", f"{_plural(gpu.graph_launches, 'launch', 'launches')}" if gpu.graph_launches else ""),
            ("unlinked", f"{_plural(gpu.unlinked, 'GPU event')} without a launch" if gpu.unlinked else ""),
        ]
    if side.steps:
        kernels = f", {format_count(kernels_per_step(side))} kernels" if gpu.lanes else ""
        work = f"{format_count(operators_per_step(side))} operators{kernels}"
        rows.append(("steps", f"{len(side.steps)} of {format_ns(step_ns(side))} with {work} (medians)"))
    rows.append(wall_row(side))
    return [*pairs(rows), *top_rows(side)]


def wall_row(side: Side) -> tuple[str, str]:
    """Where the wall time of the median step went, or that of the whole recording; in parts that sum to it."""
    found = break_down(side)
    step = found.median_step
    wall, what = (found.whole, "the recording") if step is None else (step.wall, f"step {step.number}, the median")
    parts = sorted(shown_parts([wall], found.parts), key=lambda part: -wall.parts_ns[part])
    if not parts:
        return "wall time", ""
    texts = (f"{part.title} {format_percent(wall.parts_ns[part] / wall.wall_ns, digits=1)}" for part in parts)
    return "wall time", f"{format_ns(wall.wall_ns)} of {what}: {', '.join(texts)}"


def top_rows(side: Side) -> list[str]:
    """The rows of the kernel (or operator) table that take the most time."""
    if not side.table:
        return []
    head = (f"top {side.table_of}", "calls", "total", "mean", "share")
    return ["", *table([head, *(_table_row(row) for row in side.table[:ROWS])])]


def _table_row(row: KernelRow) -> tuple[str, ...]:
    return (
        _short(row.name),
        format_count(row.calls),
        format_ns(row.total_ns),
        format_ns(row.mean_ns),
        format_percent(row.share),
    )


def compile_lines(report: CompileReport, *, indent: str = "  ") -> list[str]:
    rows = [
        ("graphs", format_count(report.graph_count)),
        ("compile time", format_ns(report.compile_ns)),
        ("graph breaks", format_count(len(report.breaks))),
        *(
            ("", f"{found.source.file}:{found.source.line}  {found.reason} ({found.count} ×)")
            for found in report.breaks
        ),
        ("recompiles", format_count(len(report.recompiles))),
        *(("", f"{found.function}: {'; '.join(found.reasons)}") for found in report.recompiles[:ROWS]),
        *artifact_rows(report),
    ]
    return pairs(rows, indent=indent)


def artifact_rows(report: CompileReport) -> list[tuple[str, str]]:
    """How many texts the log holds, and what of it is newer than this version."""
    found = report.artifacts
    size = format_bytes(sum(one.size for one in found.items))
    rows = [("texts", f"{format_count(len(found))} of {len(found.counts())} kinds, {size} (--artifacts writes them)")]
    unknown = found.unknown_counts()
    return [*rows, *[("not known", f"{name} ({format_count(count)} ×)") for name, count in unknown.items()]]


def comparison_lines(a: Side, b: Side) -> list[str]:
    """The figures of two sides beside each other, then where their time differs most."""
    figures = [(title, figure(a), figure(b)) for title, figure in FIGURES]
    known = [row for row in figures if row[1:] != (UNKNOWN, UNKNOWN)]
    lines = table([("", a.title, b.title), *known])
    found = speed_up(a.result, b.result)
    if found is not None:
        lines += table([("speed-up", speed_up_words(found))])
    if a.table_of != b.table_of:
        return [*lines, "", f"  {a.title} has {a.table_of}, {b.title} {b.table_of}: their times do not compare."]
    before, after = ({row.name: row for row in side.table} for side in (a, b))
    names = sorted({**before, **after}, key=lambda name: -abs(_total_ns(after, name) - _total_ns(before, name)))
    rows = [
        (
            _short(name),
            _calls(before, name),
            _calls(after, name),
            _signed_ns(_total_ns(after, name) - _total_ns(before, name)),
        )
        for name in names[:ROWS]
    ]
    return [*lines, "", *table([(f"{a.table_of} that differ most", "calls", "calls", "difference"), *rows])]


def _calls(rows: dict[str, KernelRow], name: str) -> str:
    return format_count(rows[name].calls) if name in rows else "0"


def _total_ns(rows: dict[str, KernelRow], name: str) -> int:
    return rows[name].total_ns if name in rows else 0


FIGURES: tuple[tuple[str, Callable[[Side], str]], ...] = (
    ("events", lambda side: format_count(side.trace.event_count)),
    ("median step, not profiled", lambda side: format_ns(side.median_ns)),
    ("profiled steps", lambda side: format_count(len(side.steps))),
    ("profiled step", lambda side: format_ns(step_ns(side))),
    ("operators/step", lambda side: format_count(operators_per_step(side))),
    ("kernels/step", lambda side: format_count(kernels_per_step(side))),
    ("GPU busy/step", lambda side: format_ns(busy_per_step_ns(side))),
    ("kernels", lambda side: format_count(side.occupancy.kernels)),
    ("distinct kernels", lambda side: format_count(side.occupancy.distinct_kernels)),
    ("copies", lambda side: format_count(side.occupancy.copies)),
    ("kernel time, sum over streams", lambda side: _gpu_ns(side, side.occupancy.kernel_sum_ns)),
    ("GPU busy", lambda side: _gpu_ns(side, side.occupancy.busy_ns)),
    ("GPU span", lambda side: _gpu_ns(side, side.occupancy.span_ns)),
)


def step_ns(side: Side) -> float | None:
    """The median length of a profiled step on the CPU."""
    return statistics.median(step.end_ns - step.start_ns for step in side.steps) if side.steps else None


def _gpu_ns(side: Side, value_ns: int) -> str:
    return format_ns(value_ns) if side.occupancy.lanes else UNKNOWN


def _signed_ns(value_ns: int) -> str:
    return f"{'−' if value_ns < 0 else '+'}{format_ns(abs(value_ns))}"


def _short(name: str) -> str:
    return name if len(name) <= NAME_COLUMNS else name[: NAME_COLUMNS - 1] + "…"


def _plural(count: int, one: str, many: str = "") -> str:
    return f"{format_count(count)} {one if count == 1 else many or one + 's'}"
