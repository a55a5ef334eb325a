"""Modules of the pieces that DDP splits a graph into: their inputs have no names, so each line's turns are counted.

Pieces run in order, so the n-th time that a line runs in all of them is the n-th time in Dynamo's whole graph. A line
whose turns do not come out even is not used. Pure.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from itertools import groupby

from profviz.model.graph import Graph, Node, Stage
from profviz.ui.views.graphs.choices import part_of, whole_id

Path = tuple[str, ...]
Line = tuple[str, int]
_FORWARD_OF = {
    Stage.AOT_BACKWARD: Stage.AOT_FORWARD,
    Stage.POST_GRAD_BACKWARD: Stage.POST_GRAD_FORWARD,
    Stage.AOT_JOINT: Stage.AOT_FORWARD,
}


class Known:
    """What was found out already, for the next piece of the same log."""

    def __init__(self) -> None:
        self.paths: dict[int, tuple[Path, ...]] = {}  # of whole graphs, by their id()
        self._counts: dict[int, Mapping[Line, int]] = {}
        self._runs: dict[int, list[tuple[Line, list[int]]]] = {}

    def runs(self, graph: Graph) -> list[tuple[Line, list[int]]]:
        """Each line with the nodes it asked for in one go; nodes without a line do not interrupt."""
        if id(graph) not in self._runs:
            self._runs[id(graph)] = list(_runs(graph))
        return self._runs[id(graph)]

    def counts(self, graph: Graph) -> Mapping[Line, int]:
        """How many turns each line has."""
        if id(graph) not in self._counts:
            self._counts[id(graph)] = Counter(line for line, _ in self.runs(graph))
        return self._counts[id(graph)]


def paths_of_piece(
    graph: Graph, siblings: Sequence[Graph], whole: Graph, paths: Sequence[Path], known: Known
) -> tuple[Path, ...]:
    """For each node of a piece its module, or nothing at all; `paths` are those of `whole`, Dynamo's graph."""
    stage = _FORWARD_OF.get(graph.stage, graph.stage)
    pieces = [one for one in siblings if one.stage is stage and whole_id(one) == whole.compile_id]
    pieces.sort(key=part_of)
    own = next((one for one in pieces if part_of(one) == part_of(graph)), None)
    if own is None:
        return ()
    owners = _owners(own, pieces, whole, paths, known)
    turns: dict[Line, int] = defaultdict(int)
    counts = known.counts(graph)
    found: list[Path] = [()] * len(graph.nodes)
    before: Path = ()
    for line, run in known.runs(graph):
        before = _owner(owners.get(line, []), turns[line], counts[line], backwards=graph.stage is not stage) or before
        turns[line] += 1
        for index in run:
            found[index] = before
    return _fill_in(graph, found) if any(found) else ()


def _runs(graph: Graph) -> Iterator[tuple[Line, list[int]]]:
    lined = [index for index, node in enumerate(graph.nodes) if node.source is not None and _works(node)]
    for line, run in groupby(lined, key=lambda index: _line(graph.nodes[index])):
        yield line, list(run)


def _works(node: Node) -> bool:
    return node.op not in ("placeholder", "get_attr", "output")


def _line(node: Node) -> Line:
    assert node.source is not None
    return node.source.file, node.source.line


def _owners(
    own: Graph, pieces: Sequence[Graph], whole: Graph, paths: Sequence[Path], known: Known
) -> dict[Line, list[Path]]:
    """For each line the modules of its turns in one piece, in order."""
    modules: dict[Line, list[Path]] = defaultdict(list)
    for line, run in known.runs(whole):
        modules[line].append(paths[run[0]])
    counts = [known.counts(piece) for piece in pieces]
    place = next(at for at, piece in enumerate(pieces) if piece is own)
    found = {}
    for line, owners in modules.items():
        turns = [count.get(line, 0) for count in counts]
        if sum(turns) == len(owners):
            first = sum(turns[:place])
            found[line] = owners[first : first + turns[place]]
    return found


def _owner(known: Sequence[Path], turn: int, turns: int, *, backwards: bool) -> Path:
    """The module of one turn; backward takes them in reverse, and where it has others, what all have in common."""
    if not known:
        return ()
    if not backwards and turn < len(known):
        return known[turn]
    if turns == len(known):
        return known[-1 - turn]
    first, last = min(known), max(known)
    depth = next((at for at, (a, b) in enumerate(zip(first, last, strict=False)) if a != b), min(map(len, known)))
    return first[:depth]


def _fill_in(graph: Graph, found: list[Path]) -> tuple[Path, ...]:
    """A node without a line is where the node before it is."""
    before: Path = ()
    for index, node in enumerate(graph.nodes):
        if _works(node):
            found[index] = before = found[index] or before
    return tuple(found)
