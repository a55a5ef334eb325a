"""One selection, with the tape: from a tape's node to its slices and the same work elsewhere, and from those back."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from profviz.analysis.arrows import callers
from profviz.analysis.selecting import Linked, NodePlace, distinct, same_work
from profviz.model.categories import is_operator
from profviz.model.graph import SourceLine
from profviz.model.results import Results, Side
from profviz.model.tape import EagerTape


def from_tape(results: Results, report: int, node: int) -> Linked:
    """A node's operators, engine's calls and GPU work, and what does the same work in compiled runs."""
    tape = results.tape_at(report)
    assert tape is not None
    own = ((report, 0, node),)
    source = tape.tape.nodes[node].source
    sources = (source,) if source is not None else ()
    if tape.side < 0:
        return Linked((), own, (), sources)
    slices = tape.links.slices_of(node)
    alike = same_work(results, tape.side, _work_of(results.sides[tape.side], tape, node))
    found = dict.fromkeys([*((tape.side, index) for index in slices), *alike.slices])
    return Linked(tuple(found), (*own, *alike.nodes), alike.kernels, distinct([*sources, *alike.sources]))


def with_tape(results: Results, linked: Linked, *, line: SourceLine | None = None) -> Linked:
    """What was found, with the nodes of tapes that stand for its slices, or were made at the line that was chosen."""
    if not results.tapes or any(results.tape_at(report) for report, _, _ in linked.nodes):
        return linked
    nodes: dict[NodePlace, None] = {}
    slices = dict.fromkeys(linked.slices)
    sources = list(linked.sources)
    for number, tape in enumerate(results.tapes, start=len(results.reports)):
        found = dict.fromkeys(
            node for side, index in linked.slices if side == tape.side for node in _at(results, tape, index)
        )
        if line is not None:
            found |= dict.fromkeys(_at_line(tape, line))
            slices |= {(tape.side, index): None for node in found for index in tape.links.slices_of(node)}
        nodes |= {(number, 0, node): None for node in found}
        sources += [source for node in found if (source := tape.tape.nodes[node].source) is not None]
    return replace(linked, slices=tuple(slices), nodes=(*linked.nodes, *nodes), sources=distinct(sources))


def _at(results: Results, tape: EagerTape, index: int) -> Iterable[int]:
    """The node whose operator or engine's call lies around a slice; of a whole operator those that it made."""
    side, node_of = results.sides[tape.side], tape.links.node_of
    asked = int(side.links.op[index]) if side.links.op[index] >= 0 else index
    for around in callers(side.trace.slices, asked):
        if around in node_of:
            return (node_of[around],)
    if not is_operator(side.trace.category_of(index)):
        return ()
    return dict.fromkeys(node_of[one] for one in _inside(side, index) if one in node_of)


def _inside(side: Side, index: int) -> range:
    """What comes after a slice on its lane and begins before it ends."""
    slices = side.trace.slices
    last = int(side.trace.lane_bounds()[int(slices.lane[index]) + 1])
    end = int(slices.start_ns[index] + slices.dur_ns[index])
    return range(index + 1, index + 1 + int(slices.start_ns[index + 1 : last].searchsorted(end, side="right")))


def _at_line(tape: EagerTape, line: SourceLine) -> list[int]:
    return [
        number
        for number, node in enumerate(tape.tape.nodes)
        if node.source is not None and (node.source.file, node.source.line) == (line.file, line.line)
    ]


def _work_of(side: Side, tape: EagerTape, node: int) -> set[int]:
    """The slices by which eager work is known elsewhere: GPU work, or where there is none operators."""
    links = tape.links
    work = {*links.forward_work.get(node, ()), *links.backward_work.get(node, ())}
    if len(side.trace.gpu):
        return work
    around = {one for index in links.forward.get(node, ()) for one in callers(side.trace.slices, index)}
    inside = {one for index in links.backward.get(node, ()) for one in (index, *_inside(side, index))}
    return around | inside
