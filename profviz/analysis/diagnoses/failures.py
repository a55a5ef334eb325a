"""What failed in a run: first, since nothing else can be read without it."""

from __future__ import annotations

from profviz.analysis.diagnosis import Case, Diagnosis
from profviz.model.findings import Evidence, Finding, Verdict
from profviz.model.run import Failure


def diagnose(case: Case) -> list[Finding]:
    if case.run is None:
        return []
    failures = [variant.failure for variant in case.run.variants if variant.failure]
    if case.run.failure:
        failures.insert(0, case.run.failure)
    return [_finding(failure) for failure in failures]


def _finding(failure: Failure) -> Finding:
    where = " in ".join(part for part in (failure.variant, failure.stage.replace("_", " ")) if part)
    return Finding(
        id="failed",
        question=f"What failed{f' ({where})' if where else ''}?",
        answer="failed",
        verdict=Verdict.BAD,
        text=" ".join(_sentence(part) for part in (failure.what, failure.why) if part),
        advice=failure.hint,
        evidence=(Evidence(failure.traceback, variant=failure.variant),) if failure.traceback else (),
    )


def _sentence(text: str) -> str:
    """Two texts that stand behind each other need an end between them."""
    return text if text.endswith((".", "!", "?", ":")) else f"{text}."


DIAGNOSIS = Diagnosis("failures", "Did anything fail?", diagnose)
