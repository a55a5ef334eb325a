"""Do changing inputs recompile: what the log says of failed guards, and what the timing caught."""

from __future__ import annotations

from profviz.analysis.diagnosis import Case, Diagnosis
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
    found = case.reports[0][1].recompiles if case.reports else ()
    if not found and not late:
        return [Finding("recompiles", QUESTION, "no", Verdict.GOOD, "Every frame was compiled once.")]
    text = f"{len(found)} recompilation{'s' * (len(found) != 1)}"
    text += f", {late} of them while steady steps were timed (left out of the median)." if late else ", all in warm-up."
    evidence = tuple(Evidence(f"{one.function}: {reason}", one.source) for one in found for reason in one.reasons)
    return [Finding("recompiles", QUESTION, "yes", Verdict.BAD if late else Verdict.DEPENDS, text, CURE, evidence)]


DIAGNOSIS = Diagnosis("recompiles", QUESTION, diagnose)
