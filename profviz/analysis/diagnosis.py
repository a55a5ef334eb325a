"""What a diagnosis is to the registry, and what it is given."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from profviz.model.compile_report import CompileReport
from profviz.model.findings import Finding
from profviz.model.results import Side
from profviz.model.run import EAGER, Run, VariantResult


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
        return tuple(side for side in self.sides if side.report is not None or (side.result and side.id != EAGER))


@dataclass(frozen=True, slots=True)
class Diagnosis:
    """`diagnose` gives the findings, none where the question does not arise."""

    id: str
    title: str
    diagnose: Callable[[Case], list[Finding]]
