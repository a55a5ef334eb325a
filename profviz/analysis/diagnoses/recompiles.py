"""Do changing inputs recompile: what the log says of failed guards, and what the timing caught."""

from __future__ import annotations

from profviz.analysis.diagnosis import Case, Diagnosis
from profviz.model.compile_report import Recompile
from profviz.model.findings import Evidence, Finding, Verdict

QUESTION = "Do inputs recompile?"
CURE = "Mark the changing size dynamic (torch._dynamo.mark_dynamic, or dynamic=True), or keep it constant."


def diagnose(case: Case) -> list[Finding]:
    late = sum(variant.recompiles for variant in case.compiled)
    if not case.reports:
        if not case.compiled:
            return []
        if not late:
            return [Finding("recompiles", QUESTION, "unknown", Verdict.UNKNOWN, "Unknown: there is no compile log.")]
    report = case.reports[0][1] if case.reports else None
    found = report.recompiles if report else ()
    refused = [frame for frame in report.frames if frame.is_over_limit] if report else []
    if not found and not late and not refused:
        return [Finding("recompiles", QUESTION, "no", Verdict.GOOD, "Every frame was compiled once.")]
    text = f"{len(found)} recompilation{'s' * (len(found) != 1)}"
    if late:
        text += f", {late} of them while steps were timed (left out of the median)"
    elif any(variant.timing for variant in case.compiled):
        text += ", none while steps were timed"
    text += "."
    if refused:
        names = ", ".join(dict.fromkeys(frame.function or frame.compile_id for frame in refused))
        text += f" The limit was reached: {names} runs eager for inputs that fit none of them."
    evidence = tuple(Evidence(_told(one), one.source) for one in found)
    verdict = Verdict.BAD if late or refused else Verdict.DEPENDS
    return [Finding("recompiles", QUESTION, "yes", verdict, text, CURE, evidence)]


def _told(one: Recompile) -> str:
    """The guard that failed last speaks for the older ones, which failed as well."""
    reason = one.reasons[0] if one.reasons else "no reason logged"
    more = f" (and {len(one.reasons) - 1} more)" if len(one.reasons) > 1 else ""
    return f"{one.function}: {reason}{more}"


DIAGNOSIS = Diagnosis("recompiles", QUESTION, diagnose)
