"""Do graph breaks limit it: where the graph broke, and which frames were skipped whole."""

from __future__ import annotations

from profviz.analysis.diagnosis import Case, Diagnosis
from profviz.analysis.headline import break_places
from profviz.model.compile_report import CompileReport
from profviz.model.findings import Evidence, Finding, Verdict

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
    advice = next((hint for one in report.breaks for hint in one.hints), "")
    return [Finding("breaks", QUESTION, "yes", Verdict.BAD, _text(report), advice, _evidence(report, name))]


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


def _evidence(report: CompileReport, name: str) -> tuple[Evidence, ...]:
    broke = [Evidence(f"{one.source.place} {one.reason}", source=one.source, variant=name) for one in report.breaks]
    skipped = [
        Evidence(f"{one.function} ran eager: {one.reason.text}", source=one.cause or one.source, variant=name)
        for one in report.skipped
    ]
    return (*broke, *skipped)


def _graphs(report: CompileReport) -> str:
    return f"{report.graph_count} graph{'s' * (report.graph_count != 1)} compiled"


DIAGNOSIS = Diagnosis("breaks", QUESTION, diagnose)
