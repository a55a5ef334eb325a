"""Do graph breaks limit it: where the graph broke, and which frames were skipped whole."""

from __future__ import annotations

from collections.abc import Sequence

from profviz.analysis.break_costs import break_costs
from profviz.analysis.break_fixes import fix_of
from profviz.analysis.diagnosis import Case, Diagnosis
from profviz.analysis.headline import break_places
from profviz.model.break_cost import BreakCost
from profviz.model.compile_report import CompileReport, GraphBreak
from profviz.model.findings import Evidence, Finding, Verdict
from profviz.model.units import format_ns

QUESTION = "Do graph breaks limit it?"


def diagnose(case: Case) -> list[Finding]:
    if not case.reports:
        if not case.compiled:
            return []
        text = "Unknown: there is no compile log."
        return [Finding("breaks", QUESTION, "unknown", Verdict.UNKNOWN, text)]
    name, report = case.reports[0]
    if not report.graph_count and not report.breaks and not report.skipped:
        text = "Unknown: the log tells of no graph at all."
        return [Finding("breaks", QUESTION, "unknown", Verdict.UNKNOWN, text)]
    if not report.breaks and not report.skipped and not report.unplaced:
        return [Finding("breaks", QUESTION, "no", Verdict.GOOD, f"No break; {_graphs(report)}.")]
    costs = _costs(case, report)
    advice = next((words for at in _order(report, costs) if (words := _advice(report.breaks[at]))), "")
    text = _text(report) + _cost_text(costs)
    return [Finding("breaks", QUESTION, "yes", Verdict.BAD, text, advice, _evidence(report, name, costs))]


def _advice(found: GraphBreak) -> str:
    """What usually helps at that line, else torch's own first hint."""
    fix = fix_of(found)
    return fix.words if fix else next(iter(found.hints), "")


def _costs(case: Case, report: CompileReport) -> tuple[BreakCost, ...]:
    """The most expensive first; none without a trace of that report."""
    side = next((side for side in case.sides if side.report is report), None)
    return break_costs(side.trace, report, side.steps) if side is not None else ()


def _order(report: CompileReport, costs: Sequence[BreakCost]) -> list[int]:
    return [cost.index for cost in costs] or list(range(len(report.breaks)))


def _cost_text(costs: Sequence[BreakCost]) -> str:
    """Gaps of different breaks never overlap, so their times add up."""
    known = [cost for cost in costs if cost.cpu_ns is not None]
    if not known:
        return ""
    text = f" Going from graph to graph takes {format_ns(sum(cost.cpu_ns or 0 for cost in known))} a step"
    idle = [cost.gpu_idle_ns for cost in known if cost.gpu_idle_ns is not None]
    return text + (f", with the GPU idle for {format_ns(sum(idle))} of it." if idle else ".")


def _text(report: CompileReport) -> str:
    places = break_places(report)
    text = f"{places} line{'s break' if places != 1 else ' breaks'} the graph; {_graphs(report)}."
    if report.unplaced:
        several = len(report.unplaced) != 1
        text += f" {len(report.unplaced)} more reason{'s are' if several else ' is'} known only to Dynamo's counters,"
        text += " which name no line."
    if report.skipped:
        several = len(report.skipped) != 1
        text += f" {len(report.skipped)} frame{'s' * several} could not be compiled at all."
    return text


def _evidence(report: CompileReport, name: str, costs: Sequence[BreakCost]) -> tuple[Evidence, ...]:
    by_index = {cost.index: cost for cost in costs}
    broke = [_break_evidence(report.breaks[at], by_index.get(at), name) for at in _order(report, costs)]
    skipped = [
        Evidence(f"{one.function} ran eager: {one.reason.text}", source=one.cause or one.source, variant=name)
        for one in report.skipped
    ]
    return (*broke, *skipped)


def _break_evidence(one: GraphBreak, cost: BreakCost | None, name: str) -> Evidence:
    """Where its gap begins is where it can be looked at on the timeline."""
    text = f"{one.source.place} {one.reason}"
    if cost is not None and cost.cpu_ns is not None:
        text += f": {format_ns(cost.cpu_ns)} a step"
        text += f", {format_ns(cost.sync_ns)} of it waiting for the GPU" if cost.sync_ns else ""
    region = cost.gaps[0].before if cost is not None and cost.gaps else -1
    return Evidence(text, source=one.source, variant=name, slice=region)


def _graphs(report: CompileReport) -> str:
    return f"{report.graph_count} graph{'s' * (report.graph_count != 1)} compiled"


DIAGNOSIS = Diagnosis("breaks", QUESTION, diagnose)
