"""Condenses a graph to what is drawn: boxes, small chips beside their consumer, and the edges between them. Pure.

Nothing is lost: every node is in exactly one cell, and every edge is within a cell, from a chip to its host, or listed.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass

from profviz.model.graph import ACCUMULATE_OP, Graph, Node, Stage
from profviz.ui.views.graphs.kinds import is_parameter, is_view

CONDENSE_ABOVE = 120  # nodes; smaller graphs show every operation as a box of its own
CHIPS_EACH = 4  # more weights than this beside one consumer share a chip


@dataclass(frozen=True, slots=True)
class Cell:
    """`nodes` are indices into the graph, in its order.

    `host` is the cell that a chip stands beside, -1 for a box: the one it goes into, or for a tape's last nodes, which
    add to a parameter's gradient, the one it comes from. `floating` marks what depends on no data input: weights,
    constants and what is made of them alone.
    """

    nodes: tuple[int, ...]
    host: int = -1
    floating: bool = False


@dataclass(frozen=True, slots=True)
class Cells:
    """`cell_of[i]` is node i's cell. `edges` are distinct (producer cell, consumer cell) pairs of different cells,

    without those that only tie a chip to its host. `back` are edges against the graph's order (a malformed graph).
    """

    cells: tuple[Cell, ...]
    cell_of: tuple[int, ...]
    edges: tuple[tuple[int, int], ...]
    back: tuple[tuple[int, int], ...] = ()


class _Uses:
    """Distinct producers and consumers of every node, along the graph's order only."""

    def __init__(self, graph: Graph) -> None:
        count = len(graph.nodes)
        pairs = dict.fromkeys(graph.edges)
        self.forward = [(a, b) for a, b in pairs if 0 <= a < b < count]
        self.back = [(a, b) for a, b in pairs if 0 <= b <= a < count and a != b]
        self.producers: list[list[int]] = [[] for _ in range(count)]
        self.consumers: list[list[int]] = [[] for _ in range(count)]
        for a, b in self.forward:
            self.producers[b].append(a)
            self.consumers[a].append(b)


def condense(graph: Graph, *, threshold: int = CONDENSE_ABOVE, groups: Sequence[Hashable] = ()) -> Cells:
    """Chips for weights, and for what forward saved for backward, always.

    Linear runs of views and of weight preparation are joined above `threshold` nodes, views of different `groups` (one
    a node) never.
    """
    uses = _Uses(graph)
    floating = _floating(graph.nodes, uses)
    small = len(graph.nodes) <= threshold
    lead = list(range(len(graph.nodes)))  # the first node of the cell that a node is part of
    if not small:
        _join_runs(graph.nodes, uses, floating, lead, groups or [None] * len(graph.nodes))
    hosts = _hosts(graph.nodes, uses, floating, lead, _saved(graph))
    _share_chips(hosts, lead)
    return _build(lead, hosts, floating, uses)


def _saved(graph: Graph) -> frozenset[int]:
    """Inputs of a backward graph that forward kept for it: all but the gradients that come in."""
    if graph.stage not in (Stage.AOT_BACKWARD, Stage.POST_GRAD_BACKWARD):
        return frozenset()
    nodes = enumerate(graph.nodes)
    return frozenset(index for index, node in nodes if node.op == "placeholder" and "tangent" not in node.name)


def _floating(nodes: Sequence[Node], uses: _Uses) -> list[bool]:
    """Weights and what is computed from one input alone before it meets data; see `_is_weight`."""
    sources = _single_sources(nodes, uses)
    weight = [_is_weight(index, nodes, uses, sources) for index in range(len(nodes))]
    result = []
    for index, node in enumerate(nodes):
        above = uses.producers[index]
        if node.op in ("placeholder", "get_attr"):
            result.append(weight[index])
        else:
            result.append(node.op != "output" and all(result[producer] for producer in above))
    return result if not all(result) else [False] * len(nodes)


def _single_sources(nodes: Sequence[Node], uses: _Uses) -> list[int]:
    """The one input each node is made of; -1 for several (data by then), -2 for none (a constant)."""
    sources: list[int] = []
    for index, node in enumerate(nodes):
        if node.op in ("placeholder", "get_attr"):
            sources.append(index)
            continue
        above = {sources[producer] for producer in uses.producers[index]} - {-2}
        sources.append(-2 if not above else above.pop() if len(above) == 1 else -1)
    return sources


def _is_weight(index: int, nodes: Sequence[Node], uses: _Uses, sources: list[int]) -> bool:
    """A parameter by name, or an input that always joins a computation already running on several other inputs."""
    node = nodes[index]
    if node.op == "get_attr" or is_parameter(node):
        return True
    if node.op != "placeholder" or "tangent" in node.name:
        return False
    stack, seen, met = [index], {index}, False
    while stack:
        for consumer in uses.consumers[stack.pop()]:
            if consumer in seen or nodes[consumer].op == "output":
                continue
            seen.add(consumer)
            if sources[consumer] == index:
                stack.append(consumer)
                continue
            met = True
            if not any(sources[producer] == -1 for producer in uses.producers[consumer]):
                return False
    return met


def _join_runs(
    nodes: Sequence[Node], uses: _Uses, floating: list[bool], lead: list[int], groups: Sequence[Hashable]
) -> None:
    """Joins a node to its only producer when that feeds nothing else: views to views, weights to their preparation."""
    for index in range(len(nodes)):
        above = uses.producers[index]
        if len(above) != 1 or uses.consumers[above[0]] != [index]:
            continue
        ends = is_view(nodes[index]) or nodes[index].op == ACCUMULATE_OP
        views = ends and is_view(nodes[above[0]]) and groups[index] == groups[above[0]]
        if views or (floating[index] and floating[above[0]]):
            lead[index] = lead[above[0]]


def _hosts(
    nodes: Sequence[Node], uses: _Uses, floating: list[bool], lead: list[int], saved: frozenset[int]
) -> dict[int, int]:
    """For each cell (by its lead) that becomes a chip, the lead of the cell it stands beside."""
    hosts: dict[int, int] = {}
    tails: dict[int, int] = {}
    for index, first in enumerate(lead):
        tails[first] = index
    for first, tail in tails.items():
        consumers = uses.consumers[tail]
        if nodes[tail].op == ACCUMULATE_OP and len(uses.producers[first]) == 1:
            hosts[first] = uses.producers[first][0]
            continue
        source = nodes[first].op in ("placeholder", "get_attr") or not uses.producers[first]
        if not consumers or not source:
            continue
        only_output = all(nodes[consumer].op == "output" for consumer in consumers)
        made = floating[first] and (nodes[first].op != "call_function" or len(consumers) == 1)
        if made or first in saved or (only_output and nodes[first].op == "placeholder"):
            hosts[first] = next((c for c in consumers if nodes[c].op != "output"), consumers[0])
    return {first: lead[host] for first, host in hosts.items() if lead[host] not in hosts}


def _share_chips(hosts: dict[int, int], lead: list[int]) -> None:
    """Puts the chips beyond the first few of one host into one cell."""
    beside: dict[int, list[int]] = {}
    for chip, host in sorted(hosts.items()):
        beside.setdefault(host, []).append(chip)
    for chips in beside.values():
        if len(chips) <= CHIPS_EACH:
            continue
        shared = set(chips[CHIPS_EACH - 1 :])
        first = min(shared)
        for index, own in enumerate(lead):
            if own in shared:
                lead[index] = first
        for chip in shared - {first}:
            del hosts[chip]


def _build(lead: list[int], hosts: dict[int, int], floating: list[bool], uses: _Uses) -> Cells:
    members: dict[int, list[int]] = {}
    for index, first in enumerate(lead):
        members.setdefault(first, []).append(index)
    place = {first: number for number, first in enumerate(members)}
    cells = tuple(
        Cell(tuple(nodes), place[hosts[first]] if first in hosts else -1, floating[first])
        for first, nodes in members.items()
    )
    cell_of = tuple(place[first] for first in lead)
    pairs = dict.fromkeys((cell_of[a], cell_of[b]) for a, b in uses.forward)
    edges = tuple((a, b) for a, b in pairs if a != b and cells[a].host != b and cells[b].host != a)
    back = tuple((cell_of[a], cell_of[b]) for a, b in uses.back if cell_of[a] != cell_of[b])
    return Cells(cells, cell_of, edges, back)
