"""Was enough captured: how much of the GPU time (or operator time) runs inside compiled graphs, and what does not."""

from __future__ import annotations

import re
from dataclasses import dataclass

import numpy as np

from profviz.analysis.compiled_calls import COMPILING, GRAPH_CALL, named, on_cpu
from profviz.analysis.diagnosis import Case, Diagnosis, Subject, told_apart
from profviz.analysis.linking import Mask, category_mask, enclosing_operator
from profviz.analysis.occupancy import usable_gpu
from profviz.model.categories import is_operator
from profviz.model.findings import Evidence, Finding, Verdict
from profviz.model.results import Side, SliceKind
from profviz.model.short_names import short_name
from profviz.model.trace import I64, Slices, Trace
from profviz.model.units import format_ns, format_percent

_AROUND = re.compile(r"TorchDynamo Cache Lookup|Pregraph bytecode|AOTDispatcher Runtime Wrapper|dynamo$")
"""What Dynamo and AOTAutograd do around a compiled call, and the compiler itself where it is seen at work."""
_OPTIMIZER = re.compile(r"Optimizer\.(?:step|zero_grad)#")
QUESTION = "Was enough captured?"
ENOUGH = 0.9
LITTLE = 0.5
SHOWN = 3
ADVICE = "The rest runs eager: graph breaks, or code around the model such as the loss."


@dataclass(frozen=True, slots=True, eq=False)
class Share:
    """How much of the time of `counted` slices ran inside compiled graphs; `outside` are those of them that did not."""

    fraction: float
    what: str
    outside: I64


def diagnose(case: Case) -> list[Finding]:
    return told_apart(case.subjects, _finding)


def _finding(subject: Subject) -> Finding:
    side = subject.side
    if side is None:
        text = "Unknown: without a trace of compiled steps nobody saw what ran outside of the graphs."
        return Finding("captured", QUESTION, "unknown", Verdict.UNKNOWN, text)
    share = captured(side)
    if share is None:
        text = "Unknown: the trace marks no compiled graph (CUDA graph replays and torch before 2.9 do not)."
        return Finding("captured", QUESTION, "unknown", Verdict.UNKNOWN, text)
    fraction = share.fraction
    verdict = Verdict.GOOD if fraction >= ENOUGH else Verdict.DEPENDS if fraction >= LITTLE else Verdict.BAD
    answer = {Verdict.GOOD: "yes", Verdict.DEPENDS: "partly", Verdict.BAD: "no"}[verdict]
    shown = format_percent(fraction, digits=1)
    if len(share.outside) and shown == format_percent(1.0, digits=1):
        shown = f"Over {format_percent(0.999, digits=1)}"
    text = f"{shown} of {share.what} runs inside compiled graphs."
    advice = "" if verdict is Verdict.GOOD else ADVICE
    return Finding("captured", QUESTION, answer, verdict, text, advice, _outside(side, share.outside))


def _outside(side: Side, outside: I64) -> tuple[Evidence, ...]:
    """What takes most of the time outside, by name, with the longest slice of each to look at."""
    slices = side.trace.slices
    names, at = np.unique(slices.name[outside], return_inverse=True)
    total = np.zeros(len(names), dtype=np.int64)
    np.add.at(total, at, slices.dur_ns[outside])
    made = []
    for place in np.argsort(-total, kind="stable")[:SHOWN].tolist():
        mine = outside[at == place]
        longest = int(mine[np.argmax(slices.dur_ns[mine])])
        per = " a step" if side.steps else ""
        took = format_ns(int(total[place]) // max(1, len(side.steps)))
        text = f"{took}{per} eager: {short_name(side.trace.name_of(longest))}"
        made.append(Evidence(text, variant=side.id, slice=longest))
    return tuple(made)


def captured(side: Side) -> Share | None:
    """Of GPU time launched inside compiled graphs, or of operator time on a CPU; None without such ranges.

    The optimizer's part is left out, which compiling a model does not reach, and that of collectives, which is mostly
    the wait for another rank.
    """
    trace = side.trace
    slices = trace.slices
    calls = on_cpu(trace, GRAPH_CALL)
    if not calls.any():
        return None
    inside = _within(slices, calls)
    optimizer = _within(slices, named(trace, _OPTIMIZER)) & ~inside
    gpu = usable_gpu(trace)
    if not len(gpu):
        what = "operator time without the optimizer" if optimizer.any() else "operator time"
        neither = _within(slices, named(trace, _AROUND) | named(trace, COMPILING))
        return _operator_share(trace, calls, inside, ~optimizer & ~neither, what)
    asker = np.where(side.links.launch[gpu] >= 0, side.links.launch[gpu], side.links.op[gpu])
    asked_in = [np.where(asker >= 0, mask[asker], False) for mask in (inside, optimizer)]
    waits = side.kinds[gpu] == SliceKind.COMMUNICATION
    counted = ~waits & ~asked_in[1]
    left_out = [what for what, mask in (("the optimizer", asked_in[1]), ("communication", waits)) if mask.any()]
    what = " without ".join(["GPU time", *([" and ".join(left_out)] if left_out else [])])
    captured_ns = int(slices.dur_ns[gpu[asked_in[0] & counted]].sum())
    return Share(_share(captured_ns, int(slices.dur_ns[gpu[counted]].sum())), what, gpu[counted & ~asked_in[0]])


def _within(slices: Slices, ranges: Mask) -> Mask:
    """Shape (slices,): the ranges themselves and all that lies within one."""
    return ranges | (enclosing_operator(slices, ranges) >= 0)


def _operator_share(trace: Trace, calls: Mask, inside: Mask, counted: Mask, what: str) -> Share:
    """Time of the calls against theirs and that of the outermost eager operators.

    The operators around a call (a compiled region and the resumed ones it goes on in) are neither: what broke out
    of the graph stands within them too. A call's own time counts, since fused CPU kernels need not show as operators.
    """
    slices = trace.slices
    eager = category_mask(trace, is_operator) & counted & ~inside & ~_around(slices, calls) & (slices.flags == 0)
    outermost = eager & (enclosing_operator(slices, eager) < 0)
    captured_ns = int(slices.dur_ns[calls & (enclosing_operator(slices, calls) < 0)].sum())
    outside = np.flatnonzero(outermost).astype(np.int64)
    return Share(_share(captured_ns, captured_ns + int(slices.dur_ns[outside].sum())), what, outside)


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
