"""Is compile cost in the way: the first call against the steps it takes to earn it back."""

from __future__ import annotations

from profviz.analysis.diagnosis import Case, Diagnosis
from profviz.model.findings import Finding, Verdict
from profviz.model.run import VariantResult
from profviz.model.speedup import break_even_steps, compile_cost_ns, speed_up
from profviz.model.units import format_count, format_ns, format_ratio

QUESTION = "Is compile cost in the way?"


def diagnose(case: Case) -> list[Finding]:
    return [_finding(case.eager, case.compiled[0])] if case.compiled else []


def _finding(eager: VariantResult | None, compiled: VariantResult) -> Finding:
    found = speed_up(eager, compiled)
    cost_ns = compile_cost_ns(compiled)
    if found is None or cost_ns is None:
        text = "Unknown: the steady state of both variants was not measured."
        return Finding("compile_cost", QUESTION, "unknown", Verdict.UNKNOWN, text)
    paid = f"Compiling and warming up cost {format_ns(cost_ns)}"
    if not found.is_clear:
        text = f"{paid}; the medians differ by less than their spread ({format_ratio(found.ratio)})."
        return Finding("compile_cost", QUESTION, "unclear", Verdict.DEPENDS, text, "Time more steps for an answer.")
    steps = break_even_steps(eager, compiled)
    if steps is None:
        text = f"{paid} and never pays back, on this measurement: compiled steps are slower."
        return Finding("compile_cost", QUESTION, "yes", Verdict.BAD, text, "Run it eager at this size.")
    text = f"{paid}; it pays back after {format_count(steps)} steps."
    return Finding("compile_cost", QUESTION, "depends", Verdict.DEPENDS, text)


DIAGNOSIS = Diagnosis("compile_cost", QUESTION, diagnose)
