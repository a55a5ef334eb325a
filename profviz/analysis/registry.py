"""The diagnoses in the order they are shown. One that fails says so and leaves the others their turn."""

from __future__ import annotations

from collections.abc import Sequence

from profviz.analysis.diagnoses import (
    breaks,
    captured,
    compile_cost,
    cuda_graphs,
    dynamic_shapes,
    failures,
    guards,
    idle_gpu,
    outputs,
    ranks,
    recompile_cost,
    recompiles,
    tiny_graphs,
)
from profviz.analysis.diagnosis import Case, Diagnosis
from profviz.model.compile_report import CompileReport
from profviz.model.findings import Finding, Verdict
from profviz.model.results import Side
from profviz.model.run import Run

ANALYSES: tuple[Diagnosis, ...] = (
    failures.DIAGNOSIS,
    captured.DIAGNOSIS,
    breaks.DIAGNOSIS,
    recompiles.DIAGNOSIS,
    ranks.DIAGNOSIS,
    compile_cost.DIAGNOSIS,
    idle_gpu.DIAGNOSIS,
    cuda_graphs.DIAGNOSIS,
    guards.DIAGNOSIS,
    tiny_graphs.DIAGNOSIS,
    recompile_cost.DIAGNOSIS,
    dynamic_shapes.DIAGNOSIS,
    outputs.DIAGNOSIS,
)


def run_diagnoses(
    run: Run | None, sides: Sequence[Side], reports: Sequence[tuple[str, CompileReport]]
) -> tuple[Finding, ...]:
    """All findings; a diagnosis that raises becomes an unknown that carries its error."""
    case = Case(run, sides, reports)
    return tuple(finding for diagnosis in ANALYSES for finding in _attempt(diagnosis, case))


def _attempt(diagnosis: Diagnosis, case: Case) -> list[Finding]:
    try:
        return diagnosis.diagnose(case)
    except Exception as error:
        text = f"This diagnosis failed: {type(error).__name__}: {error}. Please report it as a bug."
        return [Finding(diagnosis.id, diagnosis.title, "unknown", Verdict.UNKNOWN, text)]
