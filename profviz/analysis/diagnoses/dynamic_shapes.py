"""Are shapes dynamic: which sizes were compiled as symbols, and for which values. Said only where any was."""

from __future__ import annotations

from profviz.analysis.diagnosis import Case, Diagnosis, Subject, told_apart
from profviz.model.compile_report import Symbol
from profviz.model.findings import Evidence, Finding, Verdict

QUESTION = "Are shapes dynamic?"
ADVICE = (
    "Any size that fits is served by one compilation, by kernels that know less. For a few known sizes pad to them; "
    "to save the first compilation mark the size at once (torch._dynamo.mark_dynamic)."
)


def diagnose(case: Case) -> list[Finding]:
    return told_apart(case.subjects, _finding)


def _finding(subject: Subject) -> Finding | None:
    symbols = subject.report.symbols if subject.report else ()
    if not symbols:
        return None
    what = list(dict.fromkeys(one.of or one.name for one in symbols))
    compilations = len({one.compile_id for one in symbols})
    text = (
        f"{len(what)} size{'s were' if len(what) != 1 else ' was'} compiled as a symbol, in {compilations} "
        f"compilation{'s' * (compilations != 1)}."
    )
    evidence = tuple({_told(one): _evidence(one, subject.name) for one in symbols}.values())
    return Finding("dynamic_shapes", QUESTION, "yes", Verdict.DEPENDS, text, ADVICE, evidence)


def _told(one: Symbol) -> str:
    within = f", fits {_range(one.range)}" if one.range else ""
    return f"{one.compile_id}: {one.of or one.name} as {one.name}, was {one.value}{within}"


def _range(text: str) -> str:
    """`[2, int_oo]` is 2 or more, `[2, 64]` is 2 to 64; anything else as torch writes it."""
    ends = text.strip("[]").split(", ") if text.startswith("[") and text.endswith("]") else []
    if len(ends) != 2:
        return text
    return f"{ends[0]} or more" if ends[1] in ("int_oo", "oo") else f"{ends[0]} to {ends[1]}"


def _evidence(one: Symbol, name: str) -> Evidence:
    return Evidence(_told(one), one.stack[-1] if one.stack else None, name)


DIAGNOSIS = Diagnosis("dynamic_shapes", QUESTION, diagnose)
