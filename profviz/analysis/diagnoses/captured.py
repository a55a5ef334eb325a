"""Was enough captured: how much of the GPU time (or operator time) runs inside compiled graphs."""

from __future__ import annotations

import re

import numpy as np

from profviz.analysis.diagnosis import Case, Diagnosis
from profviz.analysis.linking import Mask, category_mask, enclosing_operator
from profviz.analysis.occupancy import usable_gpu
from profviz.model.categories import is_annotation, is_operator
from profviz.model.findings import Finding, Verdict
from profviz.model.results import Side, SliceKind
from profviz.model.trace import Slices, Trace
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
    work = usable_gpu(trace)
    if not len(work):
        return _operator_share(trace, calls, inside), "operator time"
    # a collective's time is mostly the wait for another rank
    gpu = work[side.kinds[work] != SliceKind.COMMUNICATION]
    what = "GPU time" if len(gpu) == len(work) else "GPU time without communication"
    asker = np.where(side.links.launch[gpu] >= 0, side.links.launch[gpu], side.links.op[gpu])
    within = np.where(asker >= 0, inside[asker], False)
    captured = int(slices.dur_ns[gpu[within]].sum())
    return _share(captured, int(slices.dur_ns[gpu].sum())), what


def _operator_share(trace: Trace, calls: Mask, inside: Mask) -> float:
    """Time of the calls against theirs and that of the outermost eager operators.

    The operators around a call (a compiled region and the resumed ones it goes on in) are neither: what broke out
    of the graph stands within them too. A call's own time counts, since fused CPU kernels need not show as operators.
    """
    slices = trace.slices
    eager = category_mask(trace, is_operator) & ~inside & ~_around(slices, calls) & (slices.flags == 0)
    outermost = eager & (enclosing_operator(slices, eager) < 0)
    captured = int(slices.dur_ns[calls & (enclosing_operator(slices, calls) < 0)].sum())
    return _share(captured, captured + int(slices.dur_ns[outermost].sum()))


def _around(slices: Slices, calls: Mask) -> Mask:
    """Shape (slices,): which slices have a call somewhere within."""
    found = np.zeros(len(slices), dtype=bool)
    level = slices.parent[calls]
    while len(level := np.unique(level[level >= 0])):
        level = level[~found[level]]
        found[level] = True
        level = slices.parent[level]
    return found


def _share(part_ns: int, whole_ns: int) -> float:
    return part_ns / whole_ns if whole_ns else 0.0


DIAGNOSIS = Diagnosis("captured", QUESTION, diagnose)
