"""Which line of a printed FX graph belongs to which node, and which graph to show for a selection; pure, no Qt."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from profviz.model.graph import Graph
from profviz.model.results import Results
from profviz.ui.widgets.code_lexing import Mark

if TYPE_CHECKING:
    from profviz.ui.view_state import Selection

_ASSIGNED = re.compile(r"^\s*(\w+)(?:\s*:\s*[^=]*?)?\s*=[^=]")
_ARGUMENT = re.compile(r"(\w+)\s*:\s*\"")
_DEF = re.compile(r"^\s*def \w+\(")
_HEAD_ENDS = re.compile(r"\)(?:\s*->.*)?:\s*(?:#.*)?$")
_RETURN = re.compile(r"^\s*return\b")


@dataclass(frozen=True, slots=True)
class Entry:
    """One graph whose text is known: positions of its report and of the graph in it."""

    title: str
    report: int
    graph: int


def entries(results: Results) -> tuple[Entry, ...]:
    several = len(results.reports) > 1
    return tuple(
        Entry(f"{results.report_title(label)} · " * several + graph.title, position, number)
        for position, (label, report) in enumerate(results.reports)
        for number, graph in enumerate(report.graphs)
        if graph.text
    )


def node_lines(text: str) -> dict[str, int]:
    """The line (from 1) at which each name is made: inputs in the head of the function, the rest where assigned."""
    found: dict[str, int] = {}
    in_head = False
    for number, line in enumerate(text.split("\n"), 1):
        if in_head or _DEF.match(line):
            in_head = not _HEAD_ENDS.search(line)
            for name in _ARGUMENT.findall(line):
                found.setdefault(name, number)
        elif _RETURN.match(line):
            found.setdefault("output", number)
        elif match := _ASSIGNED.match(line):
            found.setdefault(match[1], number)
    return found


def node_on(graph: Graph, lines: Mapping[str, int], line: int) -> int:
    """The node that a line makes, or -1."""
    return next((at for at, node in enumerate(graph.nodes) if lines.get(node.name) == line), -1)


def place_for(found: Sequence[Entry], selection: Selection, current: int) -> int:
    """The position of the picked node's graph; else the one shown where it has any; else the first that has."""
    pick = selection.pick
    if pick.node >= 0:
        return next((at for at, one in enumerate(found) if (one.report, one.graph) == (pick.report, pick.graph)), -1)
    wanted = {(report, graph) for report, graph, _ in selection.nodes}
    having = [at for at, one in enumerate(found) if (one.report, one.graph) in wanted]
    return current if current in having else having[0] if having else -1


def marks(entry: Entry, graph: Graph, lines: Mapping[str, int], selection: Selection) -> tuple[Mark, ...]:
    return tuple(Mark(line) for line in sorted(set(_selected(entry, graph, lines, selection))))


def first_line(entry: Entry, graph: Graph, lines: Mapping[str, int], selection: Selection) -> int | None:
    """Where to scroll to: the picked node, else the first of those selected."""
    found = _selected(entry, graph, lines, selection)
    return found[0] if found else None


def _selected(entry: Entry, graph: Graph, lines: Mapping[str, int], selection: Selection) -> list[int]:
    pick = selection.pick
    own = [pick.node] if (pick.report, pick.graph) == (entry.report, entry.graph) and pick.node >= 0 else []
    own += [node for report, number, node in selection.nodes if (report, number) == (entry.report, entry.graph)]
    names = [graph.nodes[node].name for node in own if node < len(graph.nodes)]
    return [lines[name] for name in names if name in lines]
