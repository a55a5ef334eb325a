"""Which graphs there are to choose from, how they pair to forward and backward, and where breaks cut them. Pure."""

from __future__ import annotations

import enum
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from profviz.model import compile_report
from profviz.model.compile_report import CompileReport, GraphBreak
from profviz.model.graph import Graph, Stage
from profviz.model.results import Results


class Level(enum.Enum):
    """A depth in the compiler, deepest first: that is where kernels are known."""

    POST_GRAD = "Post-grad"
    AOT = "AOTAutograd"
    JOINT = "AOT joint"
    DYNAMO = "Dynamo"
    TAPE = "Autograd tape"


class Direction(enum.Enum):
    FORWARD = "Forward"
    BACKWARD = "Backward"


_PLACES: Mapping[Stage, tuple[Level, Direction]] = {
    Stage.DYNAMO: (Level.DYNAMO, Direction.FORWARD),
    Stage.AOT_JOINT: (Level.JOINT, Direction.FORWARD),
    Stage.AOT_FORWARD: (Level.AOT, Direction.FORWARD),
    Stage.AOT_INFERENCE: (Level.AOT, Direction.FORWARD),
    Stage.AOT_BACKWARD: (Level.AOT, Direction.BACKWARD),
    Stage.POST_GRAD_FORWARD: (Level.POST_GRAD, Direction.FORWARD),
    Stage.POST_GRAD_INFERENCE: (Level.POST_GRAD, Direction.FORWARD),
    Stage.POST_GRAD_BACKWARD: (Level.POST_GRAD, Direction.BACKWARD),
    Stage.TAPE: (Level.TAPE, Direction.BACKWARD),
}


@dataclass(frozen=True, slots=True)
class Choice:
    """One compile id of one report. `parts` gives the indices of its graphs, several where DDP split one graph.

    With `is_step` it is all compile ids together, in order, to be shown as one.
    """

    report: int
    compile_id: str
    title: str
    parts: Mapping[tuple[Level, Direction], tuple[int, ...]]
    is_step: bool = False

    @property
    def levels(self) -> tuple[Level, ...]:
        """The levels it has, deepest first."""
        present = {level for level, _ in self.parts}
        return tuple(level for level in Level if level in present)

    def graphs(self, level: Level, direction: Direction) -> tuple[int, ...]:
        return self.parts.get((level, direction), ())


@dataclass(frozen=True, slots=True)
class Place:
    """Where a graph is found in the choosers."""

    choice: int
    level: Level
    direction: Direction
    part: int


def choices(results: Results) -> tuple[Choice, ...]:
    """All compile ids that have graphs, report by report, in the order the log has them; then the eager tapes."""
    found: list[Choice] = []
    for number, (title, report) in enumerate(results.reports):
        prefix = f"{title} · " if len(results.reports) > 1 else ""
        found += _of_report(number, report, prefix)
    for number, tape in enumerate(results.tapes, start=len(results.reports)):
        if tape.graph.nodes:
            title = f"Autograd tape · {results.report_title(tape.label)}"
            found.append(Choice(number, "", title, {(Level.TAPE, Direction.BACKWARD): (0,)}))
    return tuple(found)


def _of_report(number: int, report: CompileReport, prefix: str) -> list[Choice]:
    parts: dict[str, dict[tuple[Level, Direction], list[int]]] = {}
    for index in sorted(range(len(report.graphs)), key=lambda index: (part_of(report.graphs[index]), index)):
        graph = report.graphs[index]
        parts.setdefault(whole_id(graph), {}).setdefault(_PLACES[graph.stage], []).append(index)
    order = {compile_id: place for place, compile_id in enumerate(dict.fromkeys(map(whole_id, report.graphs)))}
    parts = dict(sorted(parts.items(), key=lambda item: order[item[0]]))
    made = []
    for order, (compile_id, found) in enumerate(parts.items(), start=1):
        if (aot := found.get((Level.AOT, Direction.BACKWARD))) and (Level.DYNAMO, Direction.FORWARD) in found:
            found[Level.DYNAMO, Direction.BACKWARD] = aot  # Dynamo has no backward; this is nearest to what was called
        title = f"{prefix}Graph {order} of {len(parts)} · {compile_id}{_cut(report.breaks, compile_id)}"
        made.append(Choice(number, compile_id, title, {place: tuple(indices) for place, indices in found.items()}))
    return made + ([_step(number, made, len(report.breaks), prefix)] if len(made) > 1 else [])


def _step(number: int, made: Sequence[Choice], breaks: int, prefix: str) -> Choice:
    """Every graph at each level that any has; where one lacks it, the deepest level it does have."""
    parts: dict[tuple[Level, Direction], tuple[int, ...]] = {}
    for level, direction in dict.fromkeys(place for choice in made for place in choice.parts):
        found: list[int] = []
        for choice in made:
            levels = [level, *(one for one in choice.levels if one is not Level.JOINT)]
            found += next((graphs for one in levels if (graphs := choice.graphs(one, direction))), ())
        parts[level, direction] = tuple(found)
    cuts = f", {breaks} break{'' if breaks == 1 else 's'}" if breaks else ""
    return Choice(number, "", f"{prefix}Whole step: {len(made)} graphs{cuts}", parts, is_step=True)


def part_of(graph: Graph) -> int:
    """The number of a piece of a graph that DDP split (compile id `5/0 part 3`), 0 for a whole graph."""
    number = graph.compile_id.partition(" part ")[2]
    return int(number) if number.isdecimal() else 0


def whole_id(graph: Graph) -> str:
    """The compile id, without the part."""
    return compile_report.whole_id(graph.compile_id)


def _cut(breaks: Sequence[GraphBreak], compile_id: str) -> str:
    """Where the graph ended early, and why; empty when it did not."""
    own = [each for each in breaks if compile_id in each.compile_ids]
    if not own:
        return ""
    first = own[0]
    reason = first.reason.strip().splitlines()[0].rstrip(".") if first.reason.strip() else "reason not in the log"
    more = f" (+{len(own) - 1} more)" if len(own) > 1 else ""
    return f" — broke at {first.source.place}: {reason}{more}"


def locate(choices: Sequence[Choice], report: int, graph: int) -> Place | None:
    for number, choice in enumerate(choices):
        if choice.report != report or choice.is_step:
            continue
        for (level, direction), indices in choice.parts.items():
            if graph in indices:
                return Place(number, level, direction, indices.index(graph))
    return None


def stage_words(graph: Graph) -> str:
    """`Forward · post-grad`, in the field's own words."""
    level, direction = _PLACES[graph.stage]
    inference = graph.stage in (Stage.AOT_INFERENCE, Stage.POST_GRAD_INFERENCE)
    way = "Inference" if inference else "Joint" if level is Level.JOINT else direction.value
    return f"{way} · {level.value}"


def empty(results: Results) -> str:
    """Why there is no graph to show; empty where there is one."""
    if any(tape.graph.nodes for tape in results.tapes):
        return ""
    if not results.reports:
        return "No compile log. Run the model here, or open the log that TORCH_TRACE writes beside the trace."
    if not any(report.graphs for _, report in results.reports):
        return "The compile log holds no graph: nothing was compiled, or every frame was skipped."
    return ""
