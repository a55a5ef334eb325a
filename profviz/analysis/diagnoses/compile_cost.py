"""Is compile cost in the way: the first call against the steps it takes to earn it back."""

from __future__ import annotations

from profviz.analysis.compile_cost import break_even, compile_cost
from profviz.analysis.diagnosis import Case, Diagnosis
from profviz.model.compile_cost import BreakEven, CompileStage
from profviz.model.compile_report import CompileReport
from profviz.model.findings import Finding, Verdict
from profviz.model.run import VariantResult
from profviz.model.speedup import speed_up
from profviz.model.units import format_count, format_ns, format_ratio

QUESTION = "Is compile cost in the way?"


def diagnose(case: Case) -> list[Finding]:
    if not case.compiled:
        return []
    compiled = case.compiled[0]
    report = next((report for name, report in case.reports if name == compiled.id), None)
    return [_finding(case.eager, compiled, report)]


def _finding(eager: VariantResult | None, compiled: VariantResult, report: CompileReport | None) -> Finding:
    found = speed_up(eager, compiled)
    even = break_even(eager, compiled)
    if found is None or even is None:
        text = "Unknown: the steady state of both variants was not measured."
        return Finding("compile_cost", QUESTION, "unknown", Verdict.UNKNOWN, text)
    paid = f"Compiling and warming up cost {format_ns(even.cost_ns)}{_mostly(report, compiled)}"
    if not found.is_clear:
        text = f"{paid}; the medians differ by less than their spread ({format_ratio(found.ratio)})."
        return Finding("compile_cost", QUESTION, "unclear", Verdict.DEPENDS, text, "Time more steps for an answer.")
    if even.steps is None:
        text = f"{paid} and never pays back, on this measurement: compiled steps are slower."
        return Finding("compile_cost", QUESTION, "yes", Verdict.BAD, text, "Run it eager at this size.")
    text = f"{paid}; it pays back after {format_count(even.steps)} steps{_interval(even)}."
    return Finding("compile_cost", QUESTION, "depends", Verdict.DEPENDS, text)


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


DIAGNOSIS = Diagnosis("compile_cost", QUESTION, diagnose)
