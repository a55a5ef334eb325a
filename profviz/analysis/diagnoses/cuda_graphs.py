"""Were CUDA graphs skipped or recorded again and again, and why; said only where the log or the trace shows it."""

from __future__ import annotations

import re
from collections import Counter

from profviz.analysis.diagnosis import Case, Diagnosis, Subject, told_apart
from profviz.model.compile_report import CompileReport, CudaGraph
from profviz.model.findings import Evidence, Finding, Verdict
from profviz.model.graph import SourceLine
from profviz.model.units import format_count

QUESTION = "Are CUDA graphs skipped?"
# what to find in torch's reason -> the usual cure; the first that fits
_CURES: tuple[tuple[str, str], ...] = (
    (r"mutat", "Do not change inputs in place, or copy them inside the compiled function."),
    (r"cpu device|cpu tensor|not on cuda|multiple devices", "Put every tensor that the graph uses on the GPU."),
    (r"dynamic shape", "Pad to a few sizes, or set torch._inductor.config.triton.cudagraph_skip_dynamic_graphs."),
    (r"incompatible op", "Keep that operation out of the compiled function."),
    (
        r"pending.*backward|cudagraph_mark_step_begin",
        "Call torch.compiler.cudagraph_mark_step_begin() before each step.",
    ),
)


def diagnose(case: Case) -> list[Finding]:
    return told_apart(case.subjects, _finding)


def _finding(subject: Subject) -> Finding | None:
    report = subject.report
    skipped = [one for one in report.cuda_graphs if one.what == "skip"] if report else []
    again = [one for one in report.cuda_graphs if one.what == "re-record"] if report else []
    if report is None or not (skipped or again):
        return None
    parts = [f"{_graphs(skipped, 'runs', 'run')} without CUDA graphs"] if skipped else []
    parts += [f"{_graphs(again, 'was', 'were')} recorded again"] if again else []
    text = "; ".join(parts) + "."
    answer, verdict = ("yes", Verdict.BAD) if skipped else ("recorded again", Verdict.DEPENDS)
    evidence = tuple(_evidence(report, one, count, subject.name) for one, count in _counted([*skipped, *again]))
    return Finding("cuda_graphs", QUESTION, answer, verdict, text, _advice([*skipped, *again]), evidence)


def _graphs(found: list[CudaGraph], one: str, several: str) -> str:
    return f"1 graph {one}" if len(found) == 1 else f"{format_count(len(found))} graphs {several}"


def _counted(found: list[CudaGraph]) -> list[tuple[CudaGraph, int]]:
    """The first of each reason and how many have it, most first."""
    first: dict[tuple[str, str], CudaGraph] = {}
    for one in found:
        first.setdefault((one.what, one.reason), one)
    counts = Counter((one.what, one.reason) for one in found)
    return [(first[key], count) for key, count in counts.most_common()]


def _evidence(report: CompileReport, one: CudaGraph, count: int, name: str) -> Evidence:
    what = "skipped" if one.what == "skip" else "recorded again"
    text = f"{one.compile_id} {what}: {one.reason or 'no reason logged'}"
    return Evidence(text + (f" ({format_count(count)} ×)" if count > 1 else ""), _place(report, one), name)


def _place(report: CompileReport, one: CudaGraph) -> SourceLine | None:
    return next((frame.source for frame in report.frames if frame.compile_id == one.compile_id), None)


def _advice(found: list[CudaGraph]) -> str:
    reasons = " ".join(one.reason for one in found)
    return next((words for pattern, words in _CURES if re.search(pattern, reasons, re.IGNORECASE)), "")


DIAGNOSIS = Diagnosis("cuda_graphs", QUESTION, diagnose)
