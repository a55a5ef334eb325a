"""Do graph breaks limit it: where the graph broke, and which frames were skipped whole."""

from __future__ import annotations

import statistics
from collections.abc import Sequence

import numpy as np

from profviz.analysis.break_costs import break_costs
from profviz.analysis.break_fixes import fix_of
from profviz.analysis.compiled_calls import REGION, in_steps, on_cpu
from profviz.analysis.diagnosis import Case, Diagnosis, Subject, told_apart
from profviz.analysis.headline import break_places
from profviz.analysis.per_step import has_gpu
from profviz.model.break_cost import BreakCost
from profviz.model.compile_report import CompileReport, GraphBreak
from profviz.model.findings import Evidence, Finding, Verdict
from profviz.model.units import format_count, format_ns

QUESTION = "Do graph breaks limit it?"
CHEAP = 0.01
"""Of a step: a GPU that idles no longer at the breaks would gain nothing that can be measured without them."""


def diagnose(case: Case) -> list[Finding]:
    return told_apart(case.subjects, _finding)


def _finding(subject: Subject) -> Finding:
    report = subject.report
    if report is None:
        return _without_log(subject)
    if not report.graph_count and not report.breaks and not report.skipped:
        text = "Unknown: the log tells of no graph at all."
        return Finding("breaks", QUESTION, "unknown", Verdict.UNKNOWN, text)
    if not report.breaks and not report.skipped and not report.unplaced:
        if subject.is_cut:
            text = f"Unknown: the log ends while it is compiled; no break until then, {_graphs(report)}."
            return Finding("breaks", QUESTION, "unknown", Verdict.UNKNOWN, text)
        return Finding("breaks", QUESTION, "no", Verdict.GOOD, f"No break; {_graphs(report)}.")
    costs = _costs(subject, report)
    advice = next((words for at in _order(report, costs) if (words := _advice(report.breaks[at]))), "")
    text = _text(report) + _cost_text(costs)
    cheap = _is_cheap(subject, costs) and not report.skipped and not report.unplaced
    answer, verdict = ("little", Verdict.DEPENDS) if cheap else ("yes", Verdict.BAD)
    return Finding("breaks", QUESTION, answer, verdict, text, advice, _evidence(report, subject.name, costs))


def _without_log(subject: Subject) -> Finding:
    """How often a trace goes into compiled code tells of breaks, though neither of their lines nor of their reasons."""
    text = "Unknown: there is no compile log"
    side = subject.side
    if side is not None and side.steps:
        each = len(in_steps(side, np.flatnonzero(on_cpu(side.trace, REGION)))) / len(side.steps)
        if each:
            text += f"; a step enters compiled code {'once' if each == 1 else f'{format_count(each)} times'}"
            text += ", so something breaks it up or several functions are compiled" if each > 1 else ""
    text += ". Record one with TORCH_TRACE=DIR and open it beside the trace."
    return Finding("breaks", QUESTION, "unknown", Verdict.UNKNOWN, text)


def _advice(found: GraphBreak) -> str:
    """What usually helps at that line, else torch's own first hint."""
    fix = fix_of(found)
    return fix.words if fix else next(iter(found.hints), "")


def _costs(subject: Subject, report: CompileReport) -> tuple[BreakCost, ...]:
    """The most expensive first; none without a trace of that report."""
    side = subject.side
    return break_costs(side.trace, report, side.steps) if side is not None else ()


def _is_cheap(subject: Subject, costs: Sequence[BreakCost]) -> bool:
    """Whether the GPU is idle at all breaks, each of known cost, for next to nothing of a profiled step."""
    side = subject.side
    idle = [cost.idle_ns for cost in costs if cost.idle_ns is not None]
    if side is None or not side.steps or not has_gpu(side) or not idle or len(idle) < len(costs):
        return False
    step_ns = statistics.median(step.end_ns - step.start_ns for step in side.steps)
    return sum(idle) < CHEAP * step_ns


def _order(report: CompileReport, costs: Sequence[BreakCost]) -> list[int]:
    return [cost.index for cost in costs] or list(range(len(report.breaks)))


def _cost_text(costs: Sequence[BreakCost]) -> str:
    """Gaps of different breaks never overlap, so their times add up."""
    known = [cost for cost in costs if cost.cpu_ns is not None]
    if not known:
        return ""
    text = f" Going from graph to graph takes {format_ns(sum(cost.cpu_ns or 0 for cost in known))} a step"
    back = [cost.backward_ns for cost in known if cost.backward_ns is not None]
    text += f" forward and {format_ns(sum(back))} backward" if back else ""
    idle = [cost.idle_ns for cost in known if cost.idle_ns is not None]
    if not idle:
        return f"{text}."
    none = ", which GPU work hides: it is idle for none of it."
    return text + (f", with the GPU idle for {format_ns(sum(idle))} of it." if sum(idle) else none)


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
    text = f"{one.source.place} {_price(cost)}{one.reason}"
    region = cost.gaps[0].before if cost is not None and cost.gaps else -1
    return Evidence(text, source=one.source, variant=name, slice=region)


def _price(cost: BreakCost | None) -> str:
    """Before the reason, which may be long."""
    if cost is None or cost.cpu_ns is None:
        return ""
    waits = f", {format_ns(cost.waits_ns)} of it waiting for the GPU" if cost.waits_ns else ""
    return f"({format_ns(cost.both_ns)} a step{waits}) "


def _graphs(report: CompileReport) -> str:
    return f"{report.graph_count} graph{'s' * (report.graph_count != 1)} compiled"


DIAGNOSIS = Diagnosis("breaks", QUESTION, diagnose)
