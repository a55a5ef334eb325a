"""Are graphs too small to be worth compiling: how many operations each of Dynamo's graphs holds."""

from __future__ import annotations

import statistics

from profviz.analysis.diagnosis import Case, Diagnosis, Subject, told_apart
from profviz.model.compile_report import CompiledFrame, CompileReport
from profviz.model.findings import Evidence, Finding, Verdict
from profviz.model.graph import Graph, Stage
from profviz.model.units import format_count

QUESTION = "Are graphs too small?"
TINY = 5
"""Operations up to which a graph gives Inductor next to nothing to fuse, and costs guards and a call all the same."""
SHOWN = 5


def diagnose(case: Case) -> list[Finding]:
    return told_apart(case.subjects, _finding)


def _finding(subject: Subject) -> Finding | None:
    """Nothing where most graphs are large enough, or nothing but a small model was compiled in one."""
    report = subject.report
    sizes = [(operations(graph), graph) for graph in report.graphs if graph.stage is Stage.DYNAMO] if report else []
    tiny = sorted(((size, graph) for size, graph in sizes if size <= TINY), key=lambda one: one[0])
    if report is None or len(sizes) < 2 or 2 * len(tiny) < len(sizes):
        return None
    median = statistics.median_low(size for size, _ in sizes)
    text = (
        f"{format_count(len(tiny))} of {format_count(len(sizes))} graphs hold {TINY} operations or fewer "
        f"({format_count(median)} in the median one): little to fuse, and each is guarded and called for itself."
    )
    advice = "Take out the breaks between them, or compile the function around them as one."
    evidence = tuple(_evidence(report, graph, size, subject.name) for size, graph in tiny[:SHOWN])
    return Finding("tiny_graphs", QUESTION, "yes", Verdict.DEPENDS, text, advice, evidence)


def operations(graph: Graph) -> int:
    """Nodes that compute something: neither inputs nor outputs."""
    return sum(node.op.startswith("call_") for node in graph.nodes)


def _evidence(report: CompileReport, graph: Graph, size: int, name: str) -> Evidence:
    frame = next((one for one in report.frames if one.compile_id == graph.compile_id), None)
    source = next((node.source for node in graph.nodes if node.source is not None), frame.source if frame else None)
    what = f"{graph.compile_id} {_function(frame)}".strip()
    return Evidence(f"{what}: {format_count(size)} operation{'s' * (size != 1)}", source, name)


def _function(frame: CompiledFrame | None) -> str:
    return frame.function if frame else ""


DIAGNOSIS = Diagnosis("tiny_graphs", QUESTION, diagnose)
