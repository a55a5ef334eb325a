"""Do graph breaks limit it: where the graph broke, and which frames were skipped whole."""

from __future__ import annotations

from profviz.analysis.diagnoses.recompiles import is_refused
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
    skipped = [frame for frame in report.frames if frame.fail and not is_refused(frame)]
    if not report.graph_count and not report.breaks and not skipped:
        text = "Unknown: the log tells of no graph at all."
        return [Finding("breaks", QUESTION, "unknown", Verdict.UNKNOWN, text)]
    if not report.breaks and not skipped:
        return [Finding("breaks", QUESTION, "no", Verdict.GOOD, f"No break; {_graphs(report)}.")]
    evidence = [Evidence(f"{one.source.place} {one.reason}", source=one.source, variant=name) for one in report.breaks]
    evidence += [
        Evidence(f"{frame.function} ran eager: {frame.fail.splitlines()[0]}", source=frame.source) for frame in skipped
    ]
    places = break_places(report)
    text = f"{places} line{'s break' if places != 1 else ' breaks'} the graph; {_graphs(report)}."
    if skipped:
        text += f" {len(skipped)} frame{'s' * (len(skipped) != 1)} could not be compiled at all."
    advice = next((hint for one in report.breaks for hint in one.hints), "")
    return [Finding("breaks", QUESTION, "yes", Verdict.BAD, text, advice, tuple(evidence))]


def _graphs(report: CompileReport) -> str:
    return f"{report.graph_count} graph{'s' * (report.graph_count != 1)} compiled"


DIAGNOSIS = Diagnosis("breaks", QUESTION, diagnose)
