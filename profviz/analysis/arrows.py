"""The arrows that lead from and to a slice: operator to launch to GPU work, and forward to backward operators."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from profviz.model.categories import FORWARD_TO_BACKWARD, is_operator
from profviz.model.questions import Question
from profviz.model.results import Results, Side
from profviz.model.trace import I64, Slices, Trace

MOST_PAIRS = 256
Pair = tuple[int, int]


def answer_chain(results: Results, question: Question) -> tuple[Pair, ...]:
    """Args: (slice, whole); pairs of slices of that side, from cause to effect, those nearest to the slice first."""
    index, whole = question.args
    side = results.sides[question.side]
    assert isinstance(index, int)
    return whole_chain(side, index) if whole else one_hop(side, index)


def one_hop(side: Side, index: int) -> tuple[Pair, ...]:
    """The arrows that begin or end at the slice itself, MOST_PAIRS at most."""
    return _distinct([*_causes(side, index)[:1], *_effects(side, index), *_autograd_pairs(side.trace, (index,))])


def whole_chain(side: Side, index: int) -> tuple[Pair, ...]:
    """From the operator over the launch to the GPU work, and across autograd's arrow all that the other end did.

    MOST_PAIRS at most. The arrow of autograd is that of the innermost operator around the slice that has one.
    """
    causes = _causes(side, index)
    top = causes[-1][0] if causes else index
    pairs = [*causes, *_effects(side, index), *_work_pairs(side, _effects(side, index))]
    crossing = autograd_of(side.trace, top)
    pairs += crossing
    around = {end for pair in crossing for end in pair}
    for other in around - set(callers(side.trace.slices, top)):
        own = _effects(side, other)
        pairs += [*own, *_work_pairs(side, own)]
    return _distinct(pairs)


def callers(slices: Slices, index: int) -> tuple[int, ...]:
    """The slice and all those around it on its lane, innermost first."""
    found = []
    while index >= 0:
        found.append(index)
        index = int(slices.parent[index])
    return tuple(found)


def autograd_of(trace: Trace, index: int) -> tuple[Pair, ...]:
    """Autograd's arrows (forward, backward) at the innermost slice around `index`, itself included, that has any.

    What autograd's engine does beside a node, such as adding gradients up, has those of that node.
    """
    around = callers(trace.slices, index)
    pairs = _autograd_pairs(trace, around)
    for own in around:
        mine = tuple(pair for pair in pairs if own in pair)
        if mine:
            return mine
    return _beside(trace, tuple(one for one in around if is_operator(trace.category_of(one))))


def _beside(trace: Trace, around: tuple[int, ...]) -> tuple[Pair, ...]:
    """The arrows to the nodes that the innermost of these operators calls."""
    arrows = _crossing(trace)
    caller = trace.slices.parent[trace.flows.target[arrows]]
    for own in around:
        found = arrows[caller == own]
        if len(found):
            return _pairs_at(trace, found)
    return ()


def launches_within(side: Side, index: int) -> I64:
    """The calls that a slice made, itself or in what it called, and that put work on a GPU; in slice order."""
    inside = within(side.trace.slices, index)
    return inside[side.links.gpu_count[inside] > 0]


def within(slices: Slices, index: int) -> I64:
    """All that is nested in a slice at any depth, in slice order."""
    lane_end = int(np.searchsorted(slices.lane, slices.lane[index], side="right"))
    end_ns = slices.start_ns[index] + slices.dur_ns[index]
    last = index + int(np.searchsorted(slices.start_ns[index:lane_end], end_ns, side="right"))
    parent = slices.parent[index:last].astype(np.int64) - index
    known = np.zeros(last - index, dtype=bool)
    known[:1] = True
    while True:
        deeper = known | ((parent >= 0) & known[np.maximum(parent, 0)])
        if (deeper == known).all():
            return index + np.flatnonzero(known)[1:]
        known = deeper


def _causes(side: Side, index: int) -> list[Pair]:
    """Upwards from GPU work or a call: (launch, work), (operator, launch)."""
    launch, op = int(side.links.launch[index]), int(side.links.op[index])
    pairs = [(launch, index)] if launch >= 0 else []
    return [*pairs, (op, launch if launch >= 0 else index)] if op >= 0 else pairs


def _effects(side: Side, index: int) -> list[Pair]:
    """Downwards from a call to its work, from an operator to its calls or else to those of what it called."""
    links = side.links
    count, first = int(links.gpu_count[index]), int(links.first_gpu[index])
    if count > 0:
        return [(index, work) for work in links.launched[first : first + min(count, MOST_PAIRS)].tolist()]
    if not is_operator(side.trace.category_of(index)):
        return []
    asked = np.flatnonzero(links.op == index)
    unlaunched = np.isin(asked, side.trace.gpu.slice) & (links.launch[asked] < 0)
    asked = asked[(links.gpu_count[asked] > 0) | unlaunched]
    if not len(asked):
        asked = launches_within(side, index)
    return [(index, call) for call in asked[:MOST_PAIRS].tolist()]


def _work_pairs(side: Side, calls: Iterable[Pair]) -> list[Pair]:
    return [pair for _, call in calls if side.links.gpu_count[call] > 0 for pair in _effects(side, call)]


def _autograd_pairs(trace: Trace, ends: tuple[int, ...]) -> tuple[Pair, ...]:
    arrows = _crossing(trace)
    touching = np.isin(trace.flows.source[arrows], ends) | np.isin(trace.flows.target[arrows], ends)
    return _pairs_at(trace, arrows[touching])


def _crossing(trace: Trace) -> I64:
    """The places in `Trace.flows` of autograd's arrows, both ends of which are known."""
    flows = trace.flows
    if FORWARD_TO_BACKWARD not in trace.categories:
        return np.zeros(0, dtype=np.int64)
    own = flows.category == trace.categories.index(FORWARD_TO_BACKWARD)
    return np.flatnonzero(own & (flows.source >= 0) & (flows.target >= 0)).astype(np.int64)


def _pairs_at(trace: Trace, arrows: I64) -> tuple[Pair, ...]:
    return tuple(zip(trace.flows.source[arrows].tolist(), trace.flows.target[arrows].tolist(), strict=True))


def _distinct(pairs: Iterable[Pair]) -> tuple[Pair, ...]:
    return tuple(dict.fromkeys(pairs))[:MOST_PAIRS]
