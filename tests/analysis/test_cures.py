"""The usual cures of a recompile, in the order of its failed guards."""

from __future__ import annotations

from profviz.analysis.cures import LIMIT, answer_cures, cures
from profviz.model.compile_report import CompileReport, FailedGuard, Recompile
from profviz.model.questions import Question
from profviz.model.results import Results

SIZE = FailedGuard("tensor 'x' size mismatch at index 0. expected 16, actual 24", name="x size at index 0")
DTYPE = FailedGuard("tensor 'x' dtype mismatch. expected Float, actual Half", name="x dtype")


def again(*failed: FailedGuard, over_limit: bool = False) -> Recompile:
    return Recompile("0/1", "forward", None, tuple(one.text for one in failed), failed, over_limit=over_limit)


def test_each_cure_once_and_the_limit_last() -> None:
    found = cures(again(SIZE, DTYPE, SIZE, over_limit=True))
    assert ["mark_dynamic" in words for words in found] == [True, False, False]
    assert "dtype" in found[1]
    assert found[2] == LIMIT
    assert cures(again(FailedGuard("who knows"))) == ()


def test_the_answer_is_in_the_order_of_the_report() -> None:
    report = CompileReport("2.13", None, (), (), (), (again(DTYPE), again()), (), (), graph_count=0, compile_ns=None)
    results = Results("", "", (), (("a", report),), (), ())
    found = answer_cures(results, Question("cures", -1, (0,)))
    assert [len(words) for words in found] == [1, 0]
