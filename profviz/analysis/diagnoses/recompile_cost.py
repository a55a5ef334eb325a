"""Is compile time wasted on recompiles: what of it went into frames that had been compiled before."""

from __future__ import annotations

from profviz.analysis.diagnosis import Case, Diagnosis, Subject, told_apart
from profviz.model.findings import Evidence, Finding, Verdict
from profviz.model.units import format_ns, format_percent

QUESTION = "Is compile time spent twice?"
FELT = 0.1
MOSTLY = 0.5
SHOWN = 5


def diagnose(case: Case) -> list[Finding]:
    return told_apart(case.subjects, _finding)


def _finding(subject: Subject) -> Finding | None:
    report = subject.report
    timed = [(one.dur_ns, one) for one in report.recompiles if one.dur_ns] if report else []
    again_ns = sum(dur_ns for dur_ns, _ in timed)
    if report is None or not report.compile_ns or again_ns < FELT * report.compile_ns:
        return None
    share = again_ns / report.compile_ns
    part = f"{format_ns(again_ns)} of {format_ns(report.compile_ns)} ({format_percent(min(1.0, share))})"
    text = f"{part} of compiling went into frames that had been compiled before."
    verdict = Verdict.BAD if share >= MOSTLY else Verdict.DEPENDS
    advice = (
        "What makes them be compiled again is told under recompiles; a warm cache (same inputs, same torch) saves most."
    )
    ordered = sorted(timed, key=lambda each: -each[0])[:SHOWN]
    evidence = tuple(
        Evidence(f"{one.compile_id} {one.function}: {format_ns(dur_ns)}", one.source, subject.name)
        for dur_ns, one in ordered
    )
    return Finding("recompile_cost", QUESTION, "yes", verdict, text, advice, evidence)


DIAGNOSIS = Diagnosis("recompile_cost", QUESTION, diagnose)
