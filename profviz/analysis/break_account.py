"""What a view asks about the graph breaks of a report: what each costs a step, and what to write instead."""

from __future__ import annotations

from profviz.analysis.break_costs import break_costs
from profviz.analysis.break_fixes import fix_of, fix_of_skipped
from profviz.model.break_cost import BreakAccount, BreakCost
from profviz.model.questions import Question
from profviz.model.results import Results


def answer_breaks(results: Results, question: Question) -> BreakAccount:
    """`question.args` is the report's position; its trace is that of the side it belongs to."""
    (position,) = question.args
    assert isinstance(position, int)
    report = results.reports[position][1]
    at = next((number for number, side in enumerate(results.sides) if side.report is report), -1)
    costs: dict[int, BreakCost] = {}
    if at >= 0:
        side = results.sides[at]
        costs = {cost.index: cost for cost in break_costs(side.trace, report, side.steps)}
    return BreakAccount(
        side=at,
        costs=tuple(costs.get(index) for index in range(len(report.breaks))),
        fixes=tuple(fix_of(found) for found in report.breaks),
        skipped_fixes=tuple(fix_of_skipped(found) for found in report.skipped),
    )
