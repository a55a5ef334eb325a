"""What the compiler did about a slice: was it captured, did its graph break or recompile, what did that cost; no Qt."""

from __future__ import annotations

import re

from profviz.model.compile_report import CompileReport, GraphBreak, Recompile, whole_id
from profviz.model.graph import Stage
from profviz.model.results import Side
from profviz.model.units import format_count, format_ns
from profviz.ui.view_state import Selection
from profviz.ui.widgets.panel_values import Fact

_REGION = re.compile(r"Torch-Compiled Region: (\S+)")
_CALL = re.compile(r"## Call CompiledFxGraph (\S+) ##")
MOST = 8


def facts(side: Side, index: int, selection: Selection) -> list[Fact]:
    """Four lines, one for each question that a disappointing compilation raises; none without a compile log."""
    report = side.report
    if report is None:
        return []
    found = _compilation(side, report, index, selection)
    if found is None:
        return [Fact("captured", "no, outside of compiled code", tone="warn")] if _is_work(side, index) else []
    compile_id, inside = found
    parts = (
        *_captured(side, index, inside=inside),
        *_breaks(report, compile_id),
        *_recompiles(report, compile_id),
        *_cost(report, compile_id),
    )
    return [Fact("compiled", _named(report, compile_id), parts=parts)]


def _compilation(side: Side, report: CompileReport, index: int, selection: Selection) -> tuple[str, bool] | None:
    """The compile id of the region around the slice or its launch, and whether it runs within a compiled graph."""
    links, slices, trace = side.links, side.trace.slices, side.trace
    key, region = "", ""
    at = next((one for one in (int(links.launch[index]), int(links.op[index])) if one >= 0), index)
    while at >= 0 and not region:
        name = trace.name_of(at)
        call = _CALL.match(name)
        key = key or (call[1] if call else "")
        match = _REGION.match(name)
        region = match[1] if match else ""
        at = int(slices.parent[at])
    if not region and key:  # a backward graph is called by autograd, in no region
        region = next((whole_id(code.compile_id) for code in report.code if code.key == key), "")
    if not region and selection.kernels:
        region = whole_id(selection.kernels[0].split(" ")[0])
    return (region, bool(key or selection.kernels)) if region else None


def _captured(side: Side, index: int, *, inside: bool) -> list[Fact]:
    """Nothing of what holds a graph's call, such as the region itself."""
    if inside:
        return [Fact("captured", "yes, in the compiled graph", tone="good")]
    return [Fact("captured", "no, eager between graphs", tone="warn")] if _is_work(side, index) else []


def _is_work(side: Side, index: int) -> bool:
    """GPU work or an eager operator, which could have been captured."""
    return bool((side.trace.gpu.slice == index).any()) or side.trace.name_of(index).startswith("aten::")


def _named(report: CompileReport, compile_id: str) -> str:
    frame = next((one for one in report.frames if whole_id(one.compile_id) == compile_id), None)
    sizes = [
        sum(node.op.startswith("call_") for node in graph.nodes)
        for graph in report.graphs
        if graph.stage is Stage.DYNAMO and whole_id(graph.compile_id) == compile_id
    ]
    text = f"{compile_id} {frame.function if frame else ''}".strip()
    return f"{text}, {format_count(sum(sizes))} operation{'s' * (sum(sizes) != 1)}" if sizes else text


def _breaks(report: CompileReport, compile_id: str) -> list[Fact]:
    found = [one for one in report.breaks if compile_id in map(whole_id, one.compile_ids)]
    if not found:
        return [Fact("breaks", "none in this graph", tone="good")]
    return [_break(one, first=number == 0) for number, one in enumerate(found[:MOST])]


def _break(one: GraphBreak, *, first: bool) -> Fact:
    return Fact("breaks" if first else "", f"{one.source.place}: {one.reason}", "bad", target={"source": one.source})


def _recompiles(report: CompileReport, compile_id: str) -> list[Fact]:
    """All of the frame's, since each of them is another version of the same code."""
    frame = compile_id.partition("/")[0]
    found = [one for one in report.recompiles if whole_id(one.compile_id).partition("/")[0] == frame]
    if not found:
        return [Fact("recompiles", "none of this frame", tone="good")]
    return [_recompile(one, first=number == 0) for number, one in enumerate(found[:MOST])]


def _recompile(one: Recompile, *, first: bool) -> Fact:
    failed = one.failed[0] if one.failed else None
    told = (
        f"{failed.name} was {failed.expected}, now {failed.seen}" if failed and failed.expected and failed.seen else ""
    )
    source = failed.source if failed and failed.source else one.source
    text = f"{one.compile_id}: {told or (one.reasons[0] if one.reasons else 'no reason logged')}"
    return Fact("recompiles" if first else "", text, "warn", target={"source": source} if source else None)


def _cost(report: CompileReport, compile_id: str) -> list[Fact]:
    frame = next((one for one in report.frames if whole_id(one.compile_id) == compile_id), None)
    guards = next((one for one in report.guards if whole_id(one.compile_id) == compile_id), None)
    made = []
    if frame is not None and frame.duration_ns is not None:
        backward = f", backward {format_ns(frame.backward_ns)}" if frame.backward_ns is not None else ""
        made.append(Fact("cost", f"{format_ns(frame.duration_ns)}{backward}"))
    if guards is not None:
        check = f", {format_ns(guards.latency_ns)} a check" if guards.latency_ns is not None else ""
        made.append(Fact("guards", f"{format_count(len(guards.guards))}{check}"))
    return made
