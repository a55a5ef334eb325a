"""Everything that is worked out about one slice when it is selected."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

import numpy as np

from profviz.analysis.arrows import autograd_of, callers
from profviz.analysis.durations import gather, slices_named
from profviz.analysis.selecting import fused_with
from profviz.model.categories import is_operator, is_python
from profviz.model.durations import Durations
from profviz.model.errors import UserError
from profviz.model.launch_settings import launch_settings
from profviz.model.questions import Question
from profviz.model.results import Results, Side
from profviz.model.slice_details import Counterpart, InStep, Launched, Neighbour, SliceDetails
from profviz.model.trace import I64, MISSING, Trace
from profviz.model.triton_binary import TritonBinary, find_binary, hash_of_launch

MOST_FRAMES = 200


def answer_slice(results: Results, question: Question) -> SliceDetails:
    """Args: (slice,)."""
    (index,) = question.args
    assert isinstance(index, int)
    side = results.sides[question.side]
    trace = side.trace
    args, args_missing = _args(trace, index)
    operators = _operators(side, index)
    frames_of, frames = _python(side, index, operators)
    told = [args, *(_args(trace, op)[0] for op in operators)] if not frames else []
    alike, rank = _alike(results, question.side, index)
    before, after = _neighbours(trace, index)
    forward, backward = _autograd(trace, operators[0] if operators else index)
    return SliceDetails(
        launched=_launched(side, index),
        operators=operators,
        shapes=next((text for one in (index, *operators) if (text := trace.shapes.of(one))), ""),
        forward=forward,
        backward=backward,
        frames=frames,
        frames_of=frames_of,
        stack=_told_stack(told),
        module=_told(told, "Module Hierarchy"),
        step=_in_step(side, index),
        before=before,
        after=after,
        counterparts=_counterparts(results, question.side, index),
        fused_with=fused_with(results, question.side, index),
        alike=alike,
        rank=rank,
        args=args,
        args_missing=args_missing,
        settings=launch_settings(_args(trace, operators[0])[0]) if operators else "",
        binary=_binary(side, index, operators),
    )


def _binary(side: Side, index: int, operators: tuple[int, ...]) -> TritonBinary | None:
    """Of a Triton kernel's work on the GPU, or of the operator that launches it."""
    binaries = side.result.triton_kernels if side.result is not None else ()
    if not binaries:
        return None
    events = [_args(side.trace, one)[0] for one in (index, *operators[:1])]
    call = next((event for event in events if hash_of_launch(event)), {})
    name = side.trace.name_of(index)
    return find_binary(binaries, name=name, hash_=hash_of_launch(call), settings=launch_settings(call))


def _args(trace: Trace, index: int) -> tuple[Mapping[str, Any], str]:
    """The event as the file has it, and why it is not there where it is not: the file may be gone by now."""
    event = int(trace.slices.event[index])
    try:
        return (trace.args(event) if event >= 0 else {}), ""
    except UserError as error:
        return {}, error.what


def _launched(side: Side, index: int) -> Launched | None:
    slices, links = side.trace.slices, side.links
    call = int(links.launch[index])
    if call < 0:
        return None
    begin, end, start = int(slices.start_ns[call]), int(slices.end_ns[call]), int(slices.start_ns[index])
    return Launched(call, start - begin, start - end, _queued(side, index, begin))


def _queued(side: Side, index: int, at_ns: int) -> int:
    """GPU slices on the lane that had been asked for before `at_ns` and began only after it."""
    slices, links = side.trace.slices, side.links
    work = side.trace.gpu.slice
    work = work[(slices.lane[work] == slices.lane[index]) & (links.launch[work] >= 0)]
    asked = slices.start_ns[links.launch[work]]
    return int(((asked < at_ns) & (slices.start_ns[work] > at_ns)).sum())


def _operators(side: Side, index: int) -> tuple[int, ...]:
    """The operator that asked for the slice and those around it, or those around the slice itself."""
    op = int(side.links.op[index])
    around = callers(side.trace.slices, op) if op >= 0 else callers(side.trace.slices, index)[1:]
    return tuple(one for one in around if is_operator(side.trace.category_of(one)))


def _python(side: Side, index: int, operators: tuple[int, ...]) -> tuple[int, tuple[int, ...]]:
    """Around which slice Python frames were found, and the frames; a backward operator has those of its forward one."""
    trace, launch = side.trace, int(side.links.launch[index])
    forward, _ = _autograd(trace, operators[0] if operators else index)
    for own in (index, launch, *operators[:1], *forward):
        around = callers(trace.slices, own)[1:] if own >= 0 else ()
        frames = tuple(one for one in around if is_python(trace.category_of(one)))
        if frames:
            return own, frames[:MOST_FRAMES]
    return MISSING, ()


def _autograd(trace: Trace, index: int) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """The forward and the backward ends of the arrows that lead away from what lies around `index`."""
    around = set(callers(trace.slices, index))
    pairs = autograd_of(trace, index)
    forward = tuple(source for source, _ in pairs if source not in around)
    return forward, tuple(target for source, target in pairs if source in around and target not in around)


def _told_stack(told: list[Mapping[str, Any]]) -> tuple[str, ...]:
    """The lines of a `Call stack`, which older versions write with semicolons."""
    text = _told(told, "Call stack")
    return tuple(line.strip() for line in text.replace(";", "\n").splitlines() if line.strip())[:MOST_FRAMES]


def _told(told: list[Mapping[str, Any]], key: str) -> str:
    for event in told:
        args = event.get("args")
        value = args.get(key) if isinstance(args, Mapping) else None
        if value:
            return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
    return ""


def _in_step(side: Side, index: int) -> InStep | None:
    """GPU work is in the step that its launch starts in, as in `Side.steps`."""
    slices, launch = side.trace.slices, int(side.links.launch[index])
    at = int(slices.start_ns[launch if launch >= 0 else index])
    found = next((n for n, one in enumerate(side.steps) if one.start_ns <= at < one.end_ns), -1)
    if found < 0:
        return None
    work = _asked_in(side, found)
    after = at - side.steps[found].start_ns
    place = np.flatnonzero(work == index)
    return InStep(found, after, int(place[0]), len(work)) if len(place) else InStep(found, after)


def _asked_in(side: Side, step: int) -> I64:
    """The GPU slices that were launched in a step, in order of launch."""
    slices, launch = side.trace.slices, side.links.launch
    work = side.trace.gpu.slice
    asked = slices.start_ns[np.where(launch[work] >= 0, launch[work], work)]
    inside = (asked >= side.steps[step].start_ns) & (asked < side.steps[step].end_ns) & (slices.flags[work] == 0)
    work, asked = work[inside], asked[inside]
    ordered: I64 = work[np.lexsort((slices.start_ns[work], asked))]
    return ordered


def _neighbours(trace: Trace, index: int) -> tuple[Neighbour | None, Neighbour | None]:
    """The slices before and after on the lane's row."""
    slices = trace.slices
    first, last = np.searchsorted(slices.lane, [slices.lane[index], slices.lane[index] + 1])
    row = first + np.flatnonzero(slices.row[first:last] == slices.row[index])
    at = int(np.searchsorted(row, index))
    start, end = slices.start_ns, slices.end_ns
    before = int(row[at - 1]) if at > 0 else -1
    after = int(row[at + 1]) if at + 1 < len(row) else -1
    return (
        Neighbour(before, int(start[index] - end[before])) if before >= 0 else None,
        Neighbour(after, int(start[after] - end[index])) if after >= 0 else None,
    )


def _alike(results: Results, side: int, index: int) -> tuple[Durations | None, int]:
    """Durations of the name's slices on all sides, and how many of the side's own are shorter than this one."""
    trace = results.sides[side].trace
    name, category = trace.name_of(index), trace.category_of(index)
    found, rank = [], -1
    for at, one in enumerate(results.sides):
        alike = slices_named(one.trace, name, category)
        durations = np.sort(one.trace.slices.dur_ns[alike])
        found.append((at, one.title, durations, int(alike[0]) if len(alike) else -1))
        if at == side and trace.slices.flags[index] == 0:
            rank = int(np.searchsorted(durations, trace.slices.dur_ns[index]))
    return gather("slices", found), rank


def _counterparts(results: Results, side: int, index: int) -> tuple[Counterpart, ...]:
    """On the other sides: the slice that has the same place among its name's in the step with the same place."""
    own = results.sides[side]
    name, category = own.trace.name_of(index), own.trace.category_of(index)
    step = _in_step(own, index)
    if step is None:
        return ()
    place = int(np.searchsorted(_alike_in(own, name, category, step.step), index))
    found = []
    for at, other in enumerate(results.sides):
        if at == side or step.step >= len(other.steps):
            continue
        alike = _alike_in(other, name, category, step.step)
        if place < len(alike):
            how = f"number {place + 1} of {len(alike)} with this name in step {step.step + 1}"
            found.append(Counterpart(at, int(alike[place]), how))
    return tuple(found)


def _alike_in(side: Side, name: str, category: str, step: int) -> I64:
    """The slices of a name that began in a step, GPU work by its launch; in slice order."""
    alike = slices_named(side.trace, name, category)
    launch = side.links.launch[alike]
    asked = side.trace.slices.start_ns[np.where(launch >= 0, launch, alike)]
    return alike[(asked >= side.steps[step].start_ns) & (asked < side.steps[step].end_ns)]
