"""What is said of ranks that compiled the same, and of ranks that did not."""

from __future__ import annotations

from dataclasses import replace

from profviz.analysis.diagnoses.ranks import diagnose
from profviz.analysis.diagnosis import Case
from profviz.model.compile_report import (
    BreakReason,
    CompiledFrame,
    CompileReport,
    FailedGuard,
    GraphBreak,
    Recompile,
    SkippedFrame,
)
from profviz.model.findings import Finding, Verdict
from profviz.model.graph import Graph, Node, SourceLine, Stage
from profviz.model.ranks import job_ranks, ranks_text

LINE = SourceLine("/home/me/train.py", 7, "forward", "print(x)")
GRAPH = Graph(Stage.DYNAMO, "0/0", (Node("x", "placeholder", "x"), Node("y", "call_function", "relu")), ())
FRAME = CompiledFrame("0/0", "forward", LINE, 1, None)
ONE = CompileReport("2.13", 0, (FRAME,), (GRAPH,), (), (), (), (), graph_count=1, compile_ns=2_000_000_000)


def found_for(*reports: CompileReport) -> list[Finding]:
    return diagnose(Case(None, (), [(f"log{at}", report) for at, report in enumerate(reports)]))


def test_ranks_that_did_the_same_are_told_so_with_what_each_took() -> None:
    renamed = replace(GRAPH, nodes=(Node("l_y", "placeholder", "l_y"), GRAPH.nodes[1]))
    (finding,) = found_for(replace(ONE, rank=1, graphs=(renamed,), compile_ns=3_000_000_000), ONE)
    assert (finding.answer, finding.verdict, finding.evidence) == ("yes", Verdict.GOOD, ())
    assert finding.text == (
        "Ranks 0, 1 compiled the same 1 graph, with the same breaks and recompiles. "
        "Compiling took rank 0 2.00 s, rank 1 3.00 s."
    )


def test_what_only_some_ranks_did_is_evidence_at_its_line() -> None:
    broke = replace(
        ONE,
        rank=1,
        breaks=(GraphBreak(LINE, "print"),),
        skipped=(SkippedFrame("helper", LINE, None, BreakReason("loop")),),
        recompiles=(Recompile("0/1", "forward", LINE, (), (FailedGuard("a", "0/0", "x size at index 0"),)),),
        graphs=(replace(GRAPH, nodes=(*GRAPH.nodes, Node("z", "call_function", "neg"))),),
    )
    (finding,) = found_for(ONE, broke, replace(ONE, rank=2))
    assert (finding.answer, finding.verdict) == ("no", Verdict.BAD)
    assert [(one.text, one.variant) for one in finding.evidence] == [
        ("break at train.py:7 (print): rank 1 only", "log1"),
        ("helper not compiled at all: rank 1 only", "log1"),
        ("forward compiled again as 0/1 (x size at index 0): rank 1 only", "log1"),
        ("graph 0/0 of forward with 1 operations: ranks 0, 2 only", "log0"),
        ("graph 0/0 of forward with 2 operations: rank 1 only", "log1"),
    ]
    assert {one.source for one in finding.evidence} == {LINE}
    assert finding.text.startswith("Ranks 0–2 differ in 5 things: break at train.py:7 (print): rank 1 only.")


def test_logs_that_are_no_ranks_of_one_job_are_not_compared() -> None:
    assert found_for(ONE) == []
    assert found_for(ONE, ONE) == []
    assert found_for(ONE, replace(ONE, rank=None)) == []


def test_ranks_in_words() -> None:
    assert ranks_text([3, 0, 1, 2, 6, 8, 7]) == "0–3, 6–8"
    assert ranks_text([0, 1, 4]) == "0, 1, 4"
    assert job_ranks([("a", replace(ONE, rank=4)), ("b", ONE)]) == (4, 0)
    assert job_ranks([]) == ()
