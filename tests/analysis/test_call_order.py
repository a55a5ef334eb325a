"""The order of a step's graphs is the trace's: a log that has them otherwise changes nothing."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from profviz.analysis.questions import answer
from profviz.engine.results import results_of_documents
from profviz.formats.registry import open_document
from profviz.model.questions import Question
from profviz.model.results import Results

SHARED = Path(__file__).parents[2].parent / "shared" / "traces"
pytestmark = pytest.mark.skipif(not SHARED.is_dir(), reason="the shared captures are not beside this checkout")
ASKED = Question("call order", -1, (0,))


@pytest.fixture(scope="module")
def results() -> Results:
    files = ("broken_train.compiled-default.json.gz", "broken_train.compile-log.txt.gz")
    return results_of_documents([open_document(SHARED / file) for file in files])


def test_graphs_are_told_in_the_order_in_which_a_step_called_them(results: Results) -> None:
    assert answer(results, ASKED) == ("0/0", "1/0", "2/0")


def test_the_log_s_order_does_not_matter(results: Results) -> None:
    title, report = results.reports[0]
    other = replace(report, graphs=tuple(reversed(report.graphs)))
    (side,) = results.sides
    turned = replace(results, reports=((title, other),), sides=(replace(side, report=other),))
    assert answer(turned, ASKED) == ("0/0", "1/0", "2/0")


def test_without_a_trace_nothing_is_known() -> None:
    results = results_of_documents([open_document(SHARED / "broken_train.compile-log.txt.gz")])
    assert answer(results, ASKED) == ()
