"""What a view asks about compile time: one report's spans shared out over stages, and when compiling pays back."""

from __future__ import annotations

from profviz.analysis.compile_cost import break_even, compile_cost
from profviz.model.compile_cost import CompileAccount
from profviz.model.questions import Question, Unanswered
from profviz.model.results import Results
from profviz.model.run import EAGER


def answer_compile(results: Results, question: Question) -> CompileAccount | Unanswered:
    """`question.args` is the report's position. A report of a run is labelled with its variant."""
    (position,) = question.args
    assert isinstance(position, int)
    label, report = results.reports[position]
    if not report.events:
        return Unanswered("This compile log says nothing of when its stages ran")
    run = results.run
    own = run.variant(label) if run else None
    return CompileAccount(compile_cost(report, own), break_even(run.variant(EAGER) if run else None, own))
