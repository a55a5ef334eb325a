"""What a diagnosis is to the registry, and what it is given."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from profviz.analysis.compiled_calls import calls_compiled
from profviz.model.compile_report import CompileReport
from profviz.model.findings import Finding, Verdict
from profviz.model.results import Side
from profviz.model.run import EAGER, Run, VariantResult

UNKNOWN = "Unknown: "


@dataclass(frozen=True, slots=True, eq=False)
class Subject:
    """One way to run compiled, with what there is of it: its log, its trace, its timing. `name` labels its evidence."""

    name: str
    title: str
    report: CompileReport | None = None
    side: Side | None = None
    result: VariantResult | None = None

    @property
    def is_cut(self) -> bool:
        """Whether the run ended while this was still compiled for the first time: its log tells of a part."""
        return self.result is not None and self.result.first_call_ns is None


@dataclass(frozen=True, slots=True, eq=False)
class Case:
    """Everything known of a run or of opened files."""

    run: Run | None
    sides: Sequence[Side]
    reports: Sequence[tuple[str, CompileReport]]

    @property
    def eager(self) -> VariantResult | None:
        return self.run.variant(EAGER) if self.run else None

    @property
    def compiled(self) -> tuple[VariantResult, ...]:
        return tuple(variant for variant in self.run.variants if variant.id != EAGER) if self.run else ()

    @property
    def compiled_sides(self) -> tuple[Side, ...]:
        """Sides whose trace calls compiled code, or that a run says are compiled."""
        return tuple(
            side
            for side in self.sides
            if side.report is not None or (side.result and side.result.id != EAGER) or calls_compiled(side.trace)
        )

    @property
    def subjects(self) -> tuple[Subject, ...]:
        """Everything compiled, in the order it is shown: the variants of a run; else sides, then logs without one."""
        reports = dict(self.reports)
        if self.run is not None:
            sides = {side.id: side for side in self.sides}
            return tuple(
                Subject(one.id, one.title or one.id, reports.get(one.id), sides.get(one.id), one)
                for one in self.compiled
            )
        traced = [Subject(side.id, side.title, side.report, side, side.result) for side in self.compiled_sides]
        held = {id(one.report) for one in traced}
        return (*traced, *(Subject(name, name, report) for name, report in self.reports if id(report) not in held))


def told_apart(subjects: Sequence[Subject], diagnose: Callable[[Subject], Finding | None]) -> list[Finding]:
    """One finding for each answer: the first subject speaks for those that have the same, and names them."""
    found = [(one, finding) for one in subjects if (finding := diagnose(one)) is not None]
    groups: dict[tuple[str, str], list[tuple[Subject, Finding]]] = {}
    for subject, finding in found:
        groups.setdefault((finding.answer, finding.verdict.value), []).append((subject, finding))
    if len(subjects) == 1:
        return [finding for _, finding in found]
    return [_of_several(group) for group in groups.values()]


def _of_several(group: Sequence[tuple[Subject, Finding]]) -> Finding:
    subject, finding = group[0]
    unknown = finding.verdict is Verdict.UNKNOWN
    said = finding.text.removeprefix(UNKNOWN) if unknown else finding.text
    others = ", ".join(one.title for one, _ in group[1:])
    text = f"{UNKNOWN if unknown else ''}{subject.title}: {said}" + (f" Likewise: {others}." if others else "")
    return replace(finding, text=text)


@dataclass(frozen=True, slots=True)
class Diagnosis:
    """`diagnose` gives the findings, none where the question does not arise."""

    id: str
    title: str
    diagnose: Callable[[Case], list[Finding]]
