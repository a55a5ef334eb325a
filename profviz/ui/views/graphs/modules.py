"""Which module each node of a graph belongs to: by its own name, its weights' names, or the shape of the graph. Pure.

Inputs of later stages are matched to Dynamo's by their number and checked by their shape; names never make a match.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Hashable, Mapping, Sequence
from itertools import groupby

from profviz.model.graph import Graph, SourceLine, Stage
from profviz.model.input_names import is_parameter_name, readable_name
from profviz.ui.views.graphs.cells import CONDENSE_ABOVE
from profviz.ui.views.graphs.split_modules import Known, Path, paths_of_piece

_Votes = dict[tuple[str, int], Counter[Path]]
ROOT: Path = ()
LEAST_STRETCH, MOST_STRETCH = 12, 100  # nodes of a piece of a graph that has no names
_NUMBER = re.compile(r"^(?:primals_(\d+)|arg(\d+)_\d+)$")
_RETURN = re.compile(r"^\s+return \((.*)\)\s*$", re.MULTILINE)
_BACKWARD = (Stage.AOT_BACKWARD, Stage.POST_GRAD_BACKWARD)


def module_paths(graph: Graph, siblings: Sequence[Graph] = (), known: Known | None = None) -> tuple[Path, ...]:
    """For each node the path of its module, `()` for the model itself. `siblings` are the graphs of the same log.

    `known` keeps what is the same for all of them.
    """
    if any(node.module for node in graph.nodes):
        return tuple(tuple(node.module.split(".")) if node.module else ROOT for node in graph.nodes)
    origin = next((one for one in siblings if one.stage is Stage.DYNAMO and one.compile_id == graph.compile_id), None)
    inputs = _inputs(graph, origin)
    anchors = _anchors(graph, inputs)
    if len(set(anchors.values())) > 1:
        lines = None if origin is None or origin is graph else _lines(origin, module_paths(origin))
        return _between_anchors(graph, anchors, lines)
    pieces = _of_piece(graph, siblings, known or Known())
    if pieces:
        return pieces
    if len(graph.nodes) <= CONDENSE_ABOVE:
        return (ROOT,) * len(graph.nodes)
    return _by_function(graph) or _by_structure(graph)


def _of_piece(graph: Graph, siblings: Sequence[Graph], known: Known) -> tuple[Path, ...]:
    """Nothing where the graph is no piece of one that Dynamo had."""
    whole_id, _, part = graph.compile_id.partition(" part ")
    whole = next((one for one in siblings if one.stage is Stage.DYNAMO and one.compile_id == whole_id), None)
    if whole is None or not part:
        return ()
    if id(whole) not in known.paths:
        known.paths[id(whole)] = module_paths(whole, siblings)
    return paths_of_piece(graph, siblings, whole, known.paths[id(whole)], known)


def _of_name(name: str) -> Path:
    """`l_self_modules_h_modules_0_parameters_weight_` is of module h.0."""
    return tuple(readable_name(name).split(".")[:-1]) if is_parameter_name(name) else ROOT


def _inputs(graph: Graph, origin: Graph | None) -> Mapping[int, Path]:
    """Modules by input number, empty where Dynamo's inputs are not this graph's: where any two differ in shape."""
    if graph.stage is Stage.DYNAMO:
        origin = graph
    if origin is None:
        return {}
    inputs = [node for node in origin.nodes if node.op == "placeholder"]
    for node in graph.nodes if origin is not graph else ():
        number = input_number(node.name) if node.op == "placeholder" else -1
        if number < 0:
            continue
        if number >= len(inputs):
            return {}
        own, other = node.tensor, inputs[number].tensor
        if own is not None and other is not None and (own.shape, own.dtype) != (other.shape, other.dtype):
            return {}
    return {number: path for number, node in enumerate(inputs) if (path := _of_name(node.name))}


def input_number(name: str) -> int:
    """Place among the inputs of Dynamo's graph, -1 where the name does not tell."""
    match = _NUMBER.match(name)
    if match is None:
        return -1
    return int(match[1]) - 1 if match[1] else int(match[2])


def _anchors(graph: Graph, inputs: Mapping[int, Path]) -> dict[int, Path]:
    """Nodes whose module is certain: what uses a weight, what is made of weights alone, and a weight's gradient."""
    producers: list[list[int]] = [[] for _ in graph.nodes]
    for source, target in graph.edges:
        if source < target:
            producers[target].append(source)
    weights = _weights(graph, inputs)  # values made of one module's weights alone
    known: dict[int, Path] = {}
    for index, node in enumerate(graph.nodes):
        found = [weights[source] for source in producers[index] if source in weights]
        if not found or node.op in ("placeholder", "output"):
            continue
        known[index] = found[-1]
        if len(found) == len(producers[index]):
            weights[index] = found[-1]
    return known | _gradients(graph, inputs)


def _weights(graph: Graph, inputs: Mapping[int, Path]) -> dict[int, Path]:
    places = [index for index, node in enumerate(graph.nodes) if node.op == "placeholder"]
    if graph.stage is Stage.DYNAMO:
        numbers = dict(enumerate(places))
    else:
        numbers = {input_number(graph.nodes[index].name): index for index in places}
    return {numbers[number]: path for number, path in inputs.items() if number in numbers}


def _gradients(graph: Graph, inputs: Mapping[int, Path]) -> dict[int, Path]:
    """Backward returns one gradient an input of forward, in their order."""
    returned = _RETURN.search(graph.text) if graph.stage in _BACKWARD else None
    if returned is None:
        return {}
    place = {node.name: index for index, node in enumerate(graph.nodes) if node.op != "placeholder"}
    names = [name.strip() for name in returned[1].split(",")]
    return {place[name]: inputs[number] for number, name in enumerate(names) if name in place and number in inputs}


def _between_anchors(graph: Graph, known: dict[int, Path], lines: _Votes | None) -> tuple[Path, ...]:
    """What lies between two known nodes belongs to the innermost module that holds both, or to the block just left."""
    backward = graph.stage in _BACKWARD
    work = [index for index, node in enumerate(graph.nodes) if node.op not in ("placeholder", "get_attr", "output")]
    after: dict[int, Path] = {}
    following = ROOT
    for index in reversed(work):
        after[index] = following = known.get(index, following)
    paths: list[Path] = [ROOT] * len(graph.nodes)
    around: dict[int, tuple[Path, Path]] = {}
    before = ROOT
    for index in work:
        before = known.get(index, before)
        around[index] = (after[index], before) if backward else (before, after[index])
        paths[index] = known[index] if index in known else _joint(*around[index])
    _fill_runs(graph, work, known, paths)
    votes = lines if lines is not None else _lines(graph, paths)
    for index, sides in around.items():
        if index not in known:
            paths[index] = _as_elsewhere(graph.nodes[index].source, paths[index], sides, votes)
    return tuple(paths)


def _fill_runs(graph: Graph, work: Sequence[int], known: dict[int, Path], paths: list[Path]) -> None:
    """Where a function is only ever run for one module at a time, all it asks for in one go is that module's."""
    runs: dict[Hashable, list[list[int]]] = defaultdict(list)
    for source, run in groupby(work, key=lambda index: _function(graph.nodes[index].source)):
        runs[source].append(list(run))
    for source, found in runs.items():
        owners = [{known[index] for index in run if index in known} for run in found]
        if source is None or len(found) < 2 or any(len(owner) != 1 for owner in owners):
            continue
        for run, owner in zip(found, owners, strict=True):
            for index in run:
                paths[index] = known[index] = next(iter(owner))


def _function(source: SourceLine | None) -> Hashable:
    return None if source is None else (source.file, source.function)


def _joint(own: Path, other: Path) -> Path:
    depth = next((at for at, (a, b) in enumerate(zip(own, other, strict=False)) if a != b), min(len(own), len(other)))
    both_blocks = depth < min(len(own), len(other)) and own[depth].isdecimal() and other[depth].isdecimal()
    return own[: depth + 1] if both_blocks else own[:depth]


def _lines(graph: Graph, paths: Sequence[Path]) -> _Votes:
    """How often each line was asked for by which module, numbers left out."""
    votes: _Votes = defaultdict(Counter)
    for node, path in zip(graph.nodes, paths, strict=True):
        if node.source is not None and path:
            votes[node.source.file, node.source.line][_pattern(path)] += 1
    return votes


def _as_elsewhere(source: SourceLine | None, own: Path, sides: tuple[Path, Path], votes: _Votes) -> Path:
    """The last block ends where no other begins: what most blocks do on a line, it does there too."""
    if source is None or (source.file, source.line) not in votes:
        return own
    wanted = votes[source.file, source.line].most_common(1)[0][0]
    fitting = [side[: len(wanted)] for side in sides if _pattern(side[: len(wanted)]) == wanted]
    return own if _pattern(own) == wanted or not fitting else fitting[0]


def _pattern(path: Path) -> Path:
    return tuple(re.sub(r"\d+", "*", part) for part in path)


def _by_function(graph: Graph) -> tuple[Path, ...]:
    """Runs of nodes that one function asked for; empty where there are fewer than two functions."""
    paths: list[Path] = []
    before = ROOT
    for node in graph.nodes:
        if node.op in ("placeholder", "get_attr", "output"):
            paths.append(ROOT)
            continue
        if node.source is not None:
            file = re.split(r"[\\/]", node.source.file)[-1].removesuffix(".py")
            before = (f"{node.source.function or '<module>'} in {file}",)
        paths.append(before)
    return tuple(paths) if len({path for path in paths if path}) > 1 else ()


def _by_structure(graph: Graph) -> tuple[Path, ...]:
    """Pieces cut where one value alone goes on, or after so many nodes."""
    last_use = [0] * len(graph.nodes)
    for source, target in graph.edges:
        last_use[source] = max(last_use[source], target)
    live = 0
    ends: Counter[int] = Counter()
    paths, piece, length = [], 1, 0
    for index, node in enumerate(graph.nodes):
        live -= ends[index]
        if node.op in ("placeholder", "get_attr", "output"):
            paths.append(ROOT)
            continue
        if (length >= LEAST_STRETCH and live <= 1) or length >= MOST_STRETCH:
            piece, length = piece + 1, 0
        paths.append((f"part {piece}",))
        length += 1
        if last_use[index] > index:
            live += 1
            ends[last_use[index]] += 1
    return tuple(paths)
