"""One row for each kernel call of the generated code, with the eager kernels it replaced, a step beside a step."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from profviz.analysis.selecting import NodePlace, node_keys
from profviz.analysis.tables.columns import Array, numbers, ordered, texts
from profviz.analysis.tables.within import Within
from profviz.model.compile_report import CompileReport, kernel_key
from profviz.model.graph import SourceLine
from profviz.model.questions import ColumnTable, TableColumn, Unanswered, Unit
from profviz.model.results import Results, Side
from profviz.model.units import format_count, format_ns, format_ratio

NO_LOG = "No compile log belongs to this side: nobody knows what its kernels were made of"
NO_EAGER = "No eager run of the same program is open beside it, or nothing in it could be matched"
NOT_LINKED = "The trace does not say which slices ran it"


@dataclass(frozen=True, slots=True)
class Fusion:
    """A generated kernel call: its slices, the eager slices whose work it does, its nodes and first source line.

    Work that several calls have a part in (a layout change before a convolution, a mask computed twice) is in `eager`
    of the one that takes longest, in `shared` of the others: so each eager slice counts once.
    """

    name: str
    direction: str
    slices: tuple[int, ...]
    eager: tuple[int, ...]
    shared: tuple[int, ...]
    nodes: int
    line: str


def fusions(results: Results, place: int, within: Within) -> ColumnTable | Unanswered:
    """Of side `place`, what gained most first. Times are a step's where a run has steps, else the whole trace's.

    A range of one side's time is none of the other's: there is no part of this table.
    """
    side = results.sides[place]
    if not within.is_whole:
        return Unanswered("Fusions are told of whole steps: a range of one run has no counterpart in the other")
    report = next((at for at, (_, one) in enumerate(results.reports) if one is side.report), -1)
    if report < 0:
        return Unanswered(NO_LOG)
    eager = next((one for one in results.sides if any(node[0] == report for node in one.slices_of_node)), None)
    found = find_fusions(results, report, side, eager)
    return _table(found, side, eager) if found else Unanswered("The compile log tells of no generated kernel")


def find_fusions(results: Results, report: int, side: Side, eager: Side | None) -> list[Fusion]:
    nodes = _nodes_by_key(results, report)
    shown = results.reports[report][1]
    calls = [(code, handle) for code in shown.code for handle in code.kernels]
    keys = [kernel_key(code.compile_id, code.direction, handle) for code, handle in calls]
    slices = [side.slices_of_kernel.get(key, ()) for key in keys]
    work = [list(dict.fromkeys(one for node in nodes.get(key, ()) for one in _work(eager, node))) for key in keys]
    owner = _owners(work, [int(side.trace.slices.dur_ns[list(own)].sum()) for own in slices])
    made = []
    for at, (code, handle) in enumerate(calls):
        own_nodes = nodes.get(keys[at], [])
        lines = (*code.stacks.get(handle, ()), *_lines(shown, own_nodes))
        mine = tuple(one for one in work[at] if owner[one] == at)
        shared = tuple(one for one in work[at] if owner[one] != at)
        name, line = handle.rpartition(":")[0] or handle, lines[0].place if lines else ""
        made.append(Fusion(name, code.direction, slices[at], mine, shared, _most(own_nodes), line))
    return made


def _most(nodes: Sequence[NodePlace]) -> int:
    """Of all stages of the compiler the one with most: the same work is a node in each of them."""
    return max(Counter(graph for _, graph, _ in nodes).values(), default=0)


def _owners(work: Sequence[Sequence[int]], took_ns: Sequence[int]) -> Mapping[int, int]:
    """For each eager slice the call that takes longest of those that do its work."""
    owner: dict[int, int] = {}
    for at, slices in enumerate(work):
        for one in slices:
            if one not in owner or took_ns[at] > took_ns[owner[one]]:
                owner[one] = at
    return owner


def _work(eager: Side | None, node: NodePlace) -> Iterable[int]:
    return () if eager is None else eager.slices_of_node.get(node, ())


def _lines(report: CompileReport, nodes: Sequence[NodePlace]) -> list[SourceLine]:
    return [source for _, graph, at in nodes if (source := report.graphs[graph].nodes[at].source) is not None]


def _nodes_by_key(results: Results, report: int) -> Mapping[str, list[NodePlace]]:
    found: dict[str, list[NodePlace]] = {}
    for number, graph in enumerate(results.reports[report][1].graphs):
        for at, node in enumerate(graph.nodes):
            for key in node_keys(results, report, number, at) if node.kernels else ():
                found.setdefault(key, []).append((report, number, at))
    return found


def _table(found: Sequence[Fusion], side: Side, eager: Side | None) -> ColumnTable:
    names, name = np.unique([one.name for one in found], return_inverse=True)
    lines, line = np.unique([one.line for one in found], return_inverse=True)
    ways, way = np.unique([one.direction for one in found], return_inverse=True)
    first = np.array([one.slices[0] if one.slices else -1 for one in found], dtype=np.int64)
    own, theirs = _times(side, [one.slices for one in found]), _times(eager, [one.eager for one in found])
    replaced = np.array([len(one.eager) for one in found], dtype=np.float64) / _steps(eager)
    shared = np.array([len(one.shared) for one in found], dtype=np.float64) / _steps(eager)
    gain = np.where(own > 0, theirs / np.where(own > 0, own, 1), np.nan)
    table = ColumnTable(
        "Fusions",
        (
            texts("name", "generated kernel", name, names.tolist(), about="A call in the generated code"),
            numbers("own_ns", "time / step", Unit.NS, own, about="Sum of its slices", unknown=NOT_LINKED),
            _counts("eager", "replaces", replaced, about="Eager kernels a step whose work it does, each counted once"),
            _counts("shared", "helps with", shared, about="Eager kernels a step that count with a longer call"),
            _eager_times(theirs),
            numbers("gain", "eager : own", Unit.RATIO, gain, about="Eager time by its own", unknown=NO_EAGER),
            _counts(
                "nodes",
                "nodes",
                np.array([one.nodes for one in found]),
                about="Nodes fused in it, of the graph with most of them",
            ),
            texts("direction", "pass", way, ways.tolist(), about="Forward, backward or inference"),
            texts("line", "source", np.where(lines[line] == "", -1, line), lines.tolist(), about="The first line"),
        ),
        slice=first,
        kind=side.kinds[first] if len(side.kinds) else first,
        footer=_footer(found, side, eager),
        members=np.array([index for one in found for index in sorted(one.slices)], dtype=np.int64),
        bounds=np.concatenate([[0], np.cumsum([len(one.slices) for one in found])]).astype(np.int64),
    )
    saved = np.nan_to_num(theirs) - np.nan_to_num(own)
    return ordered(table, np.argsort(-saved, kind="stable"))


def _steps(side: Side | None) -> int:
    return max(1, len(side.steps)) if side is not None else 1


def _times(side: Side | None, slices: Sequence[Sequence[int]]) -> Array:
    """Sums a step, NaN where there are no slices."""
    if side is None:
        return np.full(len(slices), np.nan)
    dur = side.trace.slices.dur_ns
    sums = [int(dur[list(own)].sum()) / _steps(side) if own else np.nan for own in slices]
    return np.array(sums, dtype=np.float64)


def _counts(id_: str, title: str, values: Array, *, about: str) -> TableColumn:
    return numbers(id_, title, Unit.COUNT, values, about=about)


def _eager_times(values: Array) -> TableColumn:
    about = "Sum of the eager kernels it replaces; what several calls have a part in counts with the longest of them"
    return numbers("eager_ns", "eager / step", Unit.NS, values, about=about, unknown=NO_EAGER)


def _footer(found: Sequence[Fusion], side: Side, eager: Side | None) -> str:
    own = {index for one in found for index in one.slices}
    took = int(side.trace.slices.dur_ns[sorted(own)].sum()) / _steps(side)
    said = f"{format_count(len(found))} generated calls a step · {format_ns(took)}"
    if eager is None:
        return f"{said} · {NO_EAGER.lower()}"
    work = {index for one in found for index in one.eager}
    before = int(eager.trace.slices.dur_ns[sorted(work)].sum()) / _steps(eager)
    gain = f" · {format_ratio(before / took)}" if took else ""
    return f"{said}, in place of {format_count(len(work) / _steps(eager))} eager kernels · {format_ns(before)}{gain}"
