"""What the nodes of a tape took in the trace: their operators forward, the engine's calls backward."""

from __future__ import annotations

from collections.abc import Mapping

from profviz.analysis.graph_times import mean_a_step_ns
from profviz.model.questions import Question, Unanswered
from profviz.model.results import Results, Side
from profviz.model.tape import EagerTape, NodeTimes, TapeTimes


def answer_tape(results: Results, question: Question) -> TapeTimes | Unanswered:
    """Argument: the tape's number among `Results.tapes`."""
    tape = results.tapes[int(str(question.args[0]))]
    if tape.side < 0:
        return Unanswered("No trace of the eager run was recorded: times are not known.")
    side = results.sides[tape.side]
    nodes = tuple(_times(side, tape, node) for node in range(len(tape.tape.nodes)))
    return TapeTimes(nodes, bool(len(side.trace.gpu)), tape.links.notes)


def _times(side: Side, tape: EagerTape, node: int) -> NodeTimes:
    links = tape.links
    forward = links.forward.get(node, ())
    return NodeTimes(
        operator=side.trace.name_of(forward[0]) if forward else "",
        forward_ns=_mean(side, links.forward, node),
        backward_ns=_mean(side, links.backward, node),
        forward_gpu_ns=_mean(side, links.forward_work, node),
        backward_gpu_ns=_mean(side, links.backward_work, node),
    )


def _mean(side: Side, part: Mapping[int, tuple[int, ...]], node: int) -> int | None:
    slices = part.get(node)
    return mean_a_step_ns(side, slices) if slices else None
