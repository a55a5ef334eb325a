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
_OPTIMIZER = re.compile(r"Optimizer\.(?:step|zero_grad)#")
QUESTION = "Was enough captured?"
ENOUGH = 0.9
LITTLE = 0.5
ADVICE = "The rest runs eager: graph breaks, or code around the model such as the loss."


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
    advice = "" if verdict is Verdict.GOOD else ADVICE
    return [Finding("captured", QUESTION, answer, verdict, text, advice)]


def captured_share(side: Side) -> tuple[float, str] | None:
    """The share of GPU time launched inside compiled graphs, or of operator time on a CPU; None without such ranges.

    The optimizer's part is left out, which compiling a model does not reach, and that of collectives, which is mostly
    the wait for another rank.
    """
    trace = side.trace
    slices = trace.slices
    calls = _named(trace, _CALL) & category_mask(trace, is_annotation)
    if not calls.any():
        return None
    inside = _within(slices, calls)
    optimizer = _within(slices, _named(trace, _OPTIMIZER)) & ~inside
    gpu = usable_gpu(trace)
    if not len(gpu):
        what = "operator time without the optimizer" if optimizer.any() else "operator time"
        return _operator_share(trace, calls, inside, ~optimizer), what
    asker = np.where(side.links.launch[gpu] >= 0, side.links.launch[gpu], side.links.op[gpu])
    asked_in = [np.where(asker >= 0, mask[asker], False) for mask in (inside, optimizer)]
    waits = side.kinds[gpu] == SliceKind.COMMUNICATION
    counted = ~waits & ~asked_in[1]
    captured = int(slices.dur_ns[gpu[asked_in[0] & counted]].sum())
    left_out = [what for what, mask in (("the optimizer", asked_in[1]), ("communication", waits)) if mask.any()]
    what = " without ".join(["GPU time", *([" and ".join(left_out)] if left_out else [])])
    return _share(captured, int(slices.dur_ns[gpu[counted]].sum())), what


def _named(trace: Trace, pattern: re.Pattern[str]) -> Mask:
    """Shape (slices,): whose name begins so."""
    named = np.array([bool(pattern.match(name)) for name in trace.names], dtype=bool)
    return named[trace.slices.name] if len(named) else np.zeros(len(trace.slices), dtype=bool)


def _within(slices: Slices, ranges: Mask) -> Mask:
    """Shape (slices,): the ranges themselves and all that lies within one."""
    return ranges | (enclosing_operator(slices, ranges) >= 0)


def _operator_share(trace: Trace, calls: Mask, inside: Mask, counted: Mask) -> float:
    """Time of the calls against theirs and that of the outermost eager operators.

    The operators around a call (a compiled region and the resumed ones it goes on in) are neither: what broke out
    of the graph stands within them too. A call's own time counts, since fused CPU kernels need not show as operators.
    """
    slices = trace.slices
    eager = category_mask(trace, is_operator) & counted & ~inside & ~_around(slices, calls) & (slices.flags == 0)
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
