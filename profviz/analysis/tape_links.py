"""Where a tape's nodes are in the trace of the same program: the engine's calls by autograd's sequence number.

The tape is of a step of its own, so its numbers differ from those of each profiled step by one constant, which is
found by vote and checked by the nodes' names. Nodes without a number (they add to a parameter's gradient) run between
numbered ones, in order. The operator that made a node is the one the profiler's own arrow comes from.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from profviz.analysis.eager_ops import by_step
from profviz.analysis.provenance import gpu_work_under
from profviz.model.categories import FORWARD_TO_BACKWARD
from profviz.model.results import Side
from profviz.model.tape import Tape, TapeLinks
from profviz.model.trace import Trace

_CALL = re.compile(r"autograd::engine::evaluate_function: (.+)$")


@dataclass(frozen=True, slots=True)
class _Call:
    """The engine's call of a node: `name` is the node's, `sequence` -1 where it has none."""

    slice: int
    name: str
    sequence: int


def link_tape(tape: Tape, side: Side) -> TapeLinks:
    steps = [(step.start_ns, step.end_ns) for step in side.steps] or [(0, side.trace.span_ns + 1)]
    calls = _calls(side.trace)
    starts = side.trace.slices.start_ns[[call.slice for call in calls]] if calls else np.zeros(0, dtype=np.int64)
    backward: dict[int, list[int]] = defaultdict(list)
    unlinked = 0
    for chosen in by_step(starts.astype(np.int64), steps).values():
        own = [calls[at] for at in chosen]
        found = _match(tape, own)
        unlinked = max(unlinked, len(own) - len(found))
        for node, index in found:
            backward[node].append(index)
    forward = _forward(side.trace, backward)
    return _with_work(side, forward, backward, _notes(tape, backward, unlinked=unlinked))


def _calls(trace: Trace) -> list[_Call]:
    """In time order."""
    names = {number: match[1] for number, name in enumerate(trace.names) if (match := _CALL.match(name))}
    found = np.flatnonzero(np.isin(trace.slices.name, list(names)) & (trace.slices.flags == 0))
    found = found[np.argsort(trace.slices.start_ns[found], kind="stable")]
    return [_Call(index, names[int(trace.slices.name[index])], _sequence_of(trace, index)) for index in found.tolist()]


def _sequence_of(trace: Trace, index: int) -> int:
    event = int(trace.slices.event[index])
    args = trace.args(event).get("args") if event >= 0 else None
    found = args.get("Sequence number") if isinstance(args, Mapping) else None
    return found if type(found) is int and found >= 0 else -1


def _match(tape: Tape, calls: Sequence[_Call]) -> list[tuple[int, int]]:
    """(node, slice) of one step's calls."""
    ran = [number for number, node in enumerate(tape.nodes) if node.order is not None]
    numbered = {node.sequence: number for number in ran if (node := tape.nodes[number]).sequence is not None}
    counts = Counter(sequence for number in ran if (sequence := tape.nodes[number].sequence) is not None)
    for sequence in (one for one, count in counts.items() if count > 1):
        del numbered[sequence]  # forward passes in several threads count each on their own
    offset = _offset(tape, ran, calls)
    found: dict[int, int] = {}
    for call in calls:
        number = numbered.get(call.sequence - offset, -1) if call.sequence >= 0 else -1
        if number >= 0 and tape.nodes[number].name == call.name:
            found.setdefault(number, call.slice)
    return [*found.items(), *_between(tape, ran, calls, found)]


def _offset(tape: Tape, ran: Sequence[int], calls: Sequence[_Call]) -> int:
    """What most calls' numbers are ahead of the tape's, taken in the order both ran in."""
    mine = [(node.sequence, node.name) for number in ran if (node := tape.nodes[number]).sequence is not None]
    theirs = [(call.sequence, call.name) for call in calls if call.sequence >= 0]
    votes = Counter(
        other - own
        for (own, name), (other, said) in zip(mine, theirs, strict=False)
        if name == said and own is not None
    )
    return votes.most_common(1)[0][0] if votes else 0


def _between(tape: Tape, ran: Sequence[int], calls: Sequence[_Call], found: Mapping[int, int]) -> list[tuple[int, int]]:
    """Nodes without a number, by the numbered node that ran before: as many of them, with the same names."""
    by_slice = {index: node for node, index in found.items()}
    mine: dict[int, list[int]] = defaultdict(list)
    theirs: dict[int, list[_Call]] = defaultdict(list)
    last = -1
    for number in ran:
        if tape.nodes[number].sequence is None:
            mine[last].append(number)
        elif number in found:
            last = number
    last = -1
    for call in calls:
        if call.sequence < 0:
            theirs[last].append(call)
        else:
            last = by_slice.get(call.slice, last)
    pairs = []
    for before, nodes in mine.items():
        own = theirs[before]
        if [tape.nodes[node].name for node in nodes] == [call.name for call in own]:
            pairs += [(node, call.slice) for node, call in zip(nodes, own, strict=True)]
    return pairs


def _forward(trace: Trace, backward: Mapping[int, Sequence[int]]) -> dict[int, list[int]]:
    """By the profiler's arrows, which lead from an operator to what lies within the engine's call."""
    wanted = [number for number, name in enumerate(trace.categories) if name == FORWARD_TO_BACKWARD]
    flows = trace.flows
    chosen = np.isin(flows.category, wanted) & (flows.source >= 0) & (flows.target >= 0)
    node_of = {index: node for node, slices in backward.items() for index in slices}
    parent = trace.slices.parent
    found: dict[int, list[int]] = defaultdict(list)
    for source, target in zip(flows.source[chosen].tolist(), flows.target[chosen].tolist(), strict=True):
        at = target
        while at >= 0 and at not in node_of:
            at = int(parent[at])
        if at >= 0 and source not in found[node_of[at]]:
            found[node_of[at]].append(source)
    return {node: sorted(slices) for node, slices in found.items() if slices}


def _with_work(
    side: Side, forward: Mapping[int, list[int]], backward: Mapping[int, list[int]], notes: tuple[str, ...]
) -> TapeLinks:
    tops = sorted({index for part in (forward, backward) for slices in part.values() for index in slices})
    work = gpu_work_under(side.trace, side.links, np.array(tops, dtype=np.int64))
    return TapeLinks(
        forward={node: tuple(slices) for node, slices in forward.items()},
        backward={node: tuple(slices) for node, slices in backward.items()},
        forward_work=_work_of(forward, work),
        backward_work=_work_of(backward, work),
        node_of={index: node for part in (forward, backward) for node, slices in part.items() for index in slices},
        notes=notes,
    )


def _work_of(part: Mapping[int, Iterable[int]], work: Mapping[int, Sequence[int]]) -> dict[int, tuple[int, ...]]:
    found = {node: tuple(one for index in slices for one in work.get(index, ())) for node, slices in part.items()}
    return {node: slices for node, slices in found.items() if slices}


def _notes(tape: Tape, backward: Mapping[int, Sequence[int]], *, unlinked: int) -> tuple[str, ...]:
    missing = tape.ran - len(backward)
    notes = []
    if missing:
        notes.append(f"{missing} of {tape.ran} nodes have no call of autograd's engine in the trace.")
    if unlinked:
        notes.append(f"{unlinked} calls of a step are not on this tape: another pass ran them, or the steps differ.")
    return tuple(notes)
