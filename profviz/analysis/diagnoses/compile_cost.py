"""Is compile cost in the way: the first call against the steps it takes to earn it back, or compiling seen in steps."""

from __future__ import annotations

import numpy as np

from profviz.analysis.compile_cost import break_even, compile_cost
from profviz.analysis.compiled_calls import COMPILING, in_steps, on_cpu
from profviz.analysis.diagnosis import Case, Diagnosis, Subject, told_apart
from profviz.analysis.linking import enclosing_operator
from profviz.model.compile_cost import BreakEven, CompileStage
from profviz.model.compile_report import CompileReport
from profviz.model.findings import Evidence, Finding, Verdict
from profviz.model.results import Side
from profviz.model.run import VariantResult
from profviz.model.speedup import fastest, speed_up
from profviz.model.trace import I64
from profviz.model.units import format_count, format_ns, format_percent, format_ratio

QUESTION = "Is compile cost in the way?"


def diagnose(case: Case) -> list[Finding]:
    if case.run is None:
        return told_apart(case.subjects, _of_files)
    if not case.compiled:
        return []
    best = fastest(case.eager, case.compiled) or case.compiled[0]
    return [_of_run(case, best)]


def _of_run(case: Case, best: VariantResult) -> Finding:
    """The fastest variant answers; what the others cost and gain is its evidence."""
    report = next((report for name, report in case.reports if name == best.id), None)
    found, even = speed_up(case.eager, best), break_even(case.eager, best)
    if found is None or even is None:
        text = "Unknown: the steady state of both variants was not measured."
        return Finding("compile_cost", QUESTION, "unknown", Verdict.UNKNOWN, text)
    named = f"{best.title or best.id}: c" if len(case.compiled) > 1 else "C"
    paid = f"{named}ompiling and warming up cost {format_ns(even.cost_ns)}{_mostly(report, best)}"
    others = tuple(_other(case, one) for one in case.compiled if one is not best)
    steps = tuple(one for one in (_a_step(case, best),) if one is not None)
    if not found.is_clear:
        text = f"{paid}; the medians differ by less than their spread ({format_ratio(found.ratio)})."
        advice = "Time more steps for an answer."
        return Finding("compile_cost", QUESTION, "unclear", Verdict.DEPENDS, text, advice, (*others, *steps))
    if even.steps is None:
        text = (
            f"{paid} and never pays back, on this measurement: compiled steps are slower ({format_ratio(found.ratio)})."
        )
        advice = "Run it eager at this size, or give each step more to do."
        return Finding("compile_cost", QUESTION, "yes", Verdict.BAD, text, advice, (*others, *steps))
    text = f"{paid}; it pays back after {format_count(even.steps)} steps{_interval(even)}."
    text += f" Steps are timed without it: {format_ratio(found.ratio)} as fast as eager."
    return Finding("compile_cost", QUESTION, "depends", Verdict.DEPENDS, text, "", (*others, *steps))


def _other(case: Case, other: VariantResult) -> Evidence:
    found, even = speed_up(case.eager, other), break_even(case.eager, other)
    name = other.title or other.id
    if found is None or even is None:
        return Evidence(f"{name}: not measured", variant=other.id)
    clear = "" if found.is_clear else ", within the spread"
    back = "never pays back" if even.steps is None else f"pays back after {format_count(even.steps)} steps"
    text = f"{name}: {format_ns(even.cost_ns)}, then {format_ratio(found.ratio)} as fast as eager{clear}; {back}"
    return Evidence(text, variant=other.id, slice=_first_step(case, other))


def _a_step(case: Case, one: VariantResult) -> Evidence | None:
    found = _first_step(case, one)
    timing = one.timing
    if found < 0 or timing is None:
        return None
    text = (
        f"{one.title or one.id}: first call {format_ns(one.first_call_ns)}, then {format_ns(timing.median_ns)} a step"
    )
    return Evidence(text, variant=one.id, slice=found)


def _first_step(case: Case, one: VariantResult) -> int:
    """The slice of its first profiled step, -1 without one."""
    side = next((side for side in case.sides if side.id == one.id), None)
    if side is None or not side.steps:
        return -1
    starts = np.flatnonzero(side.trace.slices.start_ns == side.steps[0].start_ns)
    return next((at for at in starts.tolist() if side.trace.name_of(at).startswith("ProfilerStep")), -1)


def _interval(even: BreakEven) -> str:
    """What the rounds that favour and disfavour it most say; empty where they say the same, or there was but one."""
    if even.low is None or even.low == even.high:
        return ""
    high = "never" if even.high is None else format_count(even.high)
    return f" ({format_count(even.low)} to {high} by single rounds)"


def _mostly(report: CompileReport | None, compiled: VariantResult) -> str:
    """The stage that took most of the first call, when it took at least a third of what is explained."""
    cost = compile_cost(report, compiled) if report is not None else None
    if cost is None or not cost.explained_ns:
        return ""
    sums: dict[CompileStage, int] = {}
    for part in cost.parts:
        sums[part.stage] = sums.get(part.stage, 0) + part.dur_ns
    stage = max(sums, key=lambda one: sums[one])
    if 3 * sums[stage] < cost.explained_ns:
        return ""
    return f" ({format_ns(sums[stage])} of the first call in: {stage.value})"


def _of_files(subject: Subject) -> Finding:
    """A trace tells whether anything compiles in its steps, a log what compiling took; neither times a steady step."""
    side, report = subject.side, subject.report
    total = f"the log counts {format_ns(report.compile_ns)} of compiling" if report and report.compile_ns else ""
    if side is None:
        text = f"Unknown: {total or 'the log does not say what compiling took'}; how long a step takes it cannot know."
        return Finding("compile_cost", QUESTION, "unknown", Verdict.UNKNOWN, text, _BESIDE)
    found, took_ns = _compiling(side)
    where = "profiled steps" if side.steps else "trace"
    if not len(found):
        text = f"Nothing compiles within the {where}" + (f"; {total}, before it." if total else ".")
        return Finding("compile_cost", QUESTION, "no", Verdict.GOOD, text)
    steps_ns = sum(step.end_ns - step.start_ns for step in side.steps) or side.trace.span_ns
    share = format_percent(took_ns / steps_ns if steps_ns else None)
    text = f"{format_ns(took_ns)} of the {where} ({share}) is compiling: their times say nothing of a steady step."
    advice = "Run the steps that compile before the profiler starts, and leave those out that compile again."
    return Finding("compile_cost", QUESTION, "yes", Verdict.BAD, text, advice, _compiled_here(side, found))


def _compiling(side: Side) -> tuple[I64, int]:
    """The outermost spans of the compiler that begin within profiled steps (anywhere without steps), and their sum."""
    slices = side.trace.slices
    spans = on_cpu(side.trace, COMPILING)
    found = in_steps(side, np.flatnonzero(spans & (enclosing_operator(slices, spans) < 0)))
    return found, int(slices.dur_ns[found].sum())


def _compiled_here(side: Side, found: I64) -> tuple[Evidence, ...]:
    """The longest first, at most three."""
    dur_ns = side.trace.slices.dur_ns
    longest = sorted(found.tolist(), key=lambda at: -int(dur_ns[at]))[:3]
    return tuple(
        Evidence(f"compiling for {format_ns(int(dur_ns[at]))}{_in_step(side, at)}", variant=side.id, slice=at)
        for at in longest
    )


def _in_step(side: Side, at: int) -> str:
    start = int(side.trace.slices.start_ns[at])
    number = next((step.number for step in side.steps if step.start_ns <= start < step.end_ns), None)
    return "" if number is None else f" in step {number}"


_BESIDE = "Open a trace of compiled steps beside it, or run the script here."

DIAGNOSIS = Diagnosis("compile_cost", QUESTION, diagnose)
