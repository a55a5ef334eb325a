"""Was enough captured: how much of the GPU time (or operator time) runs inside compiled graphs."""

from __future__ import annotations

import re

import numpy as np

from profviz.analysis.diagnosis import Case, Diagnosis
from profviz.analysis.linking import category_mask, enclosing_operator
from profviz.model.categories import is_annotation, is_operator
from profviz.model.findings import Finding, Verdict
from profviz.model.results import Side
from profviz.model.units import format_percent

_CALL = re.compile(r"## Call CompiledFxGraph ")
QUESTION = "Was enough captured?"
ENOUGH = 0.9
LITTLE = 0.5


def diagnose(case: Case) -> list[Finding]:
    sides = case.compiled_sides
    if not sides:
        return []
    side = sides[0]
    share = captured_share(side)
    if share is None:
        text = "Unknown: the trace marks no compiled graph (CUDA graph replays and torch before 2.9 do not)."
        return [Finding("captured", QUESTION, "unknown", Verdict.UNKNOWN, text)]
    fraction, what = share
    verdict = Verdict.GOOD if fraction >= ENOUGH else Verdict.DEPENDS if fraction >= LITTLE else Verdict.BAD
    answer = {Verdict.GOOD: "yes", Verdict.DEPENDS: "partly", Verdict.BAD: "no"}[verdict]
    text = f"{format_percent(fraction, digits=1)} of {what} runs inside compiled graphs."
    advice = (
        "" if verdict is Verdict.GOOD else "The rest runs eager: graph breaks, the optimizer, or code around the model."
    )
    return [Finding("captured", QUESTION, answer, verdict, text, advice)]


def captured_share(side: Side) -> tuple[float, str] | None:
    """The share of GPU time launched inside compiled graphs, or of operator time on a CPU; None without such ranges."""
    trace = side.trace
    slices = trace.slices
    named = np.array([bool(_CALL.match(name)) for name in trace.names], dtype=bool)
    if not len(slices) or not named.any():
        return None
    calls = named[slices.name] & category_mask(trace, is_annotation)
    inside = (enclosing_operator(slices, calls) >= 0) | calls
    gpu = trace.gpu.slice
    if len(gpu):
        asker = np.where(side.links.launch[gpu] >= 0, side.links.launch[gpu], side.links.op[gpu])
        within = np.where(asker >= 0, inside[asker], False)
        return _share(slices.dur_ns[gpu], within), "GPU time"
    outermost = category_mask(trace, is_operator) & (enclosing_operator(slices, category_mask(trace, is_operator)) < 0)
    return _share(slices.dur_ns[outermost], inside[outermost]), "operator time"


def _share(dur_ns: np.ndarray, within: np.ndarray) -> float:
    total = int(dur_ns.sum())
    return int(dur_ns[within.astype(bool)].sum()) / total if total else 0.0


DIAGNOSIS = Diagnosis("captured", QUESTION, diagnose)
