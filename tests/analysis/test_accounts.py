"""What views ask of breaks and of compile time: answers of a real job, and of results without a trace or events."""

from __future__ import annotations

import pytest
from defect_files import SHARED

from profviz.analysis.questions import answer
from profviz.engine.results import results_of_documents
from profviz.formats.registry import open_document
from profviz.model.break_cost import BreakAccount
from profviz.model.compile_cost import CompileAccount
from profviz.model.compile_report import BreakReason, CompileReport, GraphBreak, SkippedFrame
from profviz.model.graph import SourceLine
from profviz.model.questions import Question, Unanswered
from profviz.model.results import Results

LINE = SourceLine("m.py", 3, "f", "print(x)")


def alone() -> Results:
    broken = GraphBreak(LINE, "Failed to trace builtin operator", plain="Python prints here", gb_id="GB0059")
    skipped = SkippedFrame("f", None, LINE, BreakReason("Failed to trace builtin operator", "Python prints here"))
    odd = SkippedFrame("g", None, None, BreakReason("nobody knows"))
    report = CompileReport("2.13", None, (), (), (broken,), (), (), (), 1, None, skipped=(skipped, odd))
    return Results("", "", (), (("a", report),), (), ())


def test_without_a_trace_no_cost_is_known_but_fixes_are() -> None:
    found = answer(alone(), Question("breaks", -1, (0,)))
    assert isinstance(found, BreakAccount)
    assert (found.side, found.costs) == (-1, (None,))
    assert found.fixes[0] is not None
    assert found.skipped_fixes[0] == found.fixes[0]
    assert found.fixes[0].before == "print(x)"
    assert found.skipped_fixes[1] is None


def test_a_log_without_events_says_so() -> None:
    found = answer(alone(), Question("compile cost", -1, (0,)))
    assert isinstance(found, Unanswered)
    assert "when its stages ran" in found.why


@pytest.mark.skipif(not SHARED.is_dir(), reason="the shared captures are not beside this checkout")
def test_a_real_job_has_costs_in_the_order_of_its_breaks() -> None:
    names = ("eager.json.gz", "compiled-default.json.gz", "compile-log.txt.gz")
    results = results_of_documents([open_document(SHARED / f"broken_train.{name}") for name in names])
    found = answer(results, Question("breaks", -1, (0,)))
    assert isinstance(found, BreakAccount)
    assert found.side == 1
    assert [cost.index for cost in found.costs if cost] == [0, 1]
    assert [len(cost.gaps) for cost in found.costs if cost] == [3, 3]
    account = answer(results, Question("compile cost", -1, (0,)))
    assert isinstance(account, CompileAccount)
    assert (account.even, account.cost.wall_ns) == (None, None)
    assert account.cost.explained_ns > 0
