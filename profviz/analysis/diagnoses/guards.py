"""Does guard overhead dominate: what checking guards takes of a profiled step. Said only where it is felt."""

from __future__ import annotations

import numpy as np

from profviz.analysis.compiled_calls import LOOKUP, in_steps, on_cpu
from profviz.analysis.diagnosis import Case, Diagnosis, Subject, told_apart
from profviz.model.compile_report import CompileReport
from profviz.model.findings import Evidence, Finding, Verdict
from profviz.model.results import Side
from profviz.model.trace import I64
from profviz.model.units import format_count, format_ns, format_percent

QUESTION = "Do guards cost much?"
FELT = 0.05
DOMINATES = 0.25
ADVICE = (
    "Compile fewer, larger graphs, each of which is guarded for itself; once inputs no longer change: "
    "torch.compiler.set_stance(skip_guard_eval_unsafe=True), or options={'guard_filter_fn': "
    "torch.compiler.skip_guard_on_inbuilt_nn_modules_unsafe}."
)


def diagnose(case: Case) -> list[Finding]:
    return told_apart(case.subjects, _finding)


def _finding(subject: Subject) -> Finding | None:
    side = subject.side
    if side is None or not side.steps:
        return None
    lookups = in_steps(side, np.flatnonzero(on_cpu(side.trace, LOOKUP)))
    took_ns = int(side.trace.slices.dur_ns[lookups].sum())
    steps_ns = sum(step.end_ns - step.start_ns for step in side.steps)
    if not len(lookups) or took_ns < FELT * steps_ns:
        return None
    count = len(side.steps)
    share = took_ns / steps_ns
    dominates = share >= DOMINATES
    each = len(lookups) / count
    text = (
        f"Finding the compiled code that fits takes {format_ns(took_ns // count)} of a profiled step of "
        f"{format_ns(steps_ns // count)} ({format_percent(share)}), in {format_count(each)} "
        f"check{'s' * (each != 1)}{_conditions(subject.report)}."
    )
    answer, verdict = ("yes", Verdict.BAD) if dominates else ("some", Verdict.DEPENDS)
    return Finding("guards", QUESTION, answer, verdict, text, ADVICE, _evidence(side, lookups))


def _conditions(report: CompileReport | None) -> str:
    count = sum(len(one.guards) for one in report.guards) if report else 0
    return f" of {format_count(count)} conditions" if count else ""


def _evidence(side: Side, lookups: I64) -> tuple[Evidence, ...]:
    longest = int(lookups[np.argmax(side.trace.slices.dur_ns[lookups])])
    took = format_ns(int(side.trace.slices.dur_ns[longest]))
    return (Evidence(f"the longest check: {took}", variant=side.id, slice=longest),)


DIAGNOSIS = Diagnosis("guards", QUESTION, diagnose)
