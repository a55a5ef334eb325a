"""Facts of the selected slices and nodes as a tree of keys and values; pure, no Qt."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from profviz.model.graph import Node, SourceLine, TensorSpec
from profviz.model.input_names import gradient_words, readable_name
from profviz.model.results import Results, Side, SliceKind
from profviz.model.slice_details import SliceDetails
from profviz.model.trace import MISSING, Flag
from profviz.model.units import format_bytes, format_count, format_exact_ns, format_ns
from profviz.ui.views.details import compiling, deeper, fusing
from profviz.ui.widgets.panel_values import Fact

if TYPE_CHECKING:
    from profviz.ui.view_state import Selection

MOST_LISTED = 50
MOST_ARGS = 200
HELP = (
    "Nothing is selected.\n\nClick a kernel on the timeline, a node of the graph or a row of a table: "
    "its duration, launch, operator, source line and arguments appear here."
)


def empty(results: Results) -> str:
    return "" if results.sides or results.reports else "No trace and no compile log to select from"


def primary_slice(results: Results, selection: Selection) -> tuple[int, int] | None:
    """The slice the panel is about: the picked one, else the first selected."""
    pick = (selection.pick.side, selection.pick.slice)
    for side, index in (pick, *selection.slices):
        if 0 <= side < len(results.sides) and 0 <= index < len(results.sides[side].trace.slices):
            return side, index
    return None


def picked_node(results: Results, selection: Selection) -> Node | None:
    pick = selection.pick
    return node_at(results, (pick.report, pick.graph, pick.node)) if pick.node >= 0 else None


def title(results: Results, selection: Selection) -> str:
    """The name at the top, or empty when nothing is selected."""
    node = picked_node(results, selection)
    if node is not None:
        return readable_name(node.input_name or node.name)
    slice_ = primary_slice(results, selection)
    if slice_ is not None:
        return results.sides[slice_[0]].trace.name_of(slice_[1])
    if selection.pick.source is not None:
        return selection.pick.source.place
    return selection.kernels[0].split(" ")[-1] if selection.kernels else ""


def facts(results: Results, selection: Selection, found: SliceDetails | None = None) -> tuple[Fact, ...]:
    """`found` is what was worked out about the primary slice, None while it is not known yet."""
    node = picked_node(results, selection)
    slice_ = primary_slice(results, selection)
    made: list[Fact] = []
    if node is not None:
        made += node_facts(node)
    elif slice_ is not None:
        made += slice_facts(results.sides[slice_[0]], slice_[0], slice_[1])
        became = fusing.facts(results, selection, slice_)
        if found is not None:
            became += fusing.beside(results.sides[slice_[0]], slice_[0], found.fused_with)
        became += compiling.facts(results.sides[slice_[0]], slice_[1], selection)
        made[2:2] = became  # right below the duration: it is what people ask first
        made += deeper.facts(results, slice_[0], slice_[1], found) if found is not None else []
    made += other_slices(results, selection, None if node else slice_)
    made += _sources(selection)
    made += _kernels(selection)
    made += _nodes(results, selection)
    if node is None and slice_ is not None and found is not None:
        made += arguments(found)
    return tuple(made)


def slice_facts(side: Side, side_index: int, index: int) -> list[Fact]:
    slices, trace = side.trace.slices, side.trace
    dur_ns, start_ns = int(slices.dur_ns[index]), int(slices.start_ns[index])
    flags = Flag(int(slices.flags[index]))
    lane = trace.lanes[int(slices.lane[index])]
    made = [
        Fact("side", side.title),
        Fact("duration", _duration(dur_ns, flags), tone="warn" if flags else "plain"),
        Fact("start", format_exact_ns(start_ns)),
        Fact("lane", lane.title),
        Fact("kind", SliceKind(int(side.kinds[index])).title),
    ]
    category = trace.category_of(index)
    made += [Fact("category", category)] if category else []
    made += _gpu_facts(side, index)
    made += _link_facts(side, side_index, index)
    return made


def node_facts(node: Node) -> list[Fact]:
    made = [Fact("in the graph", node.name, mono=True)] if node.input_name else []
    made += [Fact("what it is", words)] if (words := gradient_words(node.name)) else []
    made += [Fact("operation", node.target, mono=True), Fact("opcode", node.op)]
    made += [Fact("saved for backward", format_bytes(node.saved_bytes))] if node.saved_bytes is not None else []
    if node.tensor is not None:
        made += tensor_facts(node.tensor)
    else:
        made.append(Fact("shape", "unknown: the log gives none", tone="muted"))
    made += [Fact("module", node.module)] if node.module else []
    if node.source is not None:
        made.append(_source_fact("source", node.source))
    if node.kernels:
        made.append(Fact("kernels", node.kernels[0], mono=True))
        made += [Fact("", kernel, mono=True) for kernel in node.kernels[1:MOST_LISTED]]
    return made


def tensor_facts(tensor: TensorSpec) -> list[Fact]:
    made = [Fact("shape", shape_text(tensor.shape)), Fact("dtype", tensor.dtype or "unknown")]
    made += [Fact("stride", shape_text(tensor.stride))] if tensor.stride else []
    made += [Fact("device", tensor.device)] if tensor.device else []
    return made


def other_slices(results: Results, selection: Selection, primary: tuple[int, int] | None) -> list[Fact]:
    """Selected slices besides the primary one, summed up per side; the sum is of durations, not wall time."""
    made = []
    for position, side in enumerate(results.sides):
        chosen = [index for at, index in selection.slices if at == position and (at, index) != primary]
        chosen = [index for index in chosen if 0 <= index < len(side.trace.slices)]
        if chosen:
            made.append(_group(side, position, chosen, same_side=primary is not None and position == primary[0]))
    return made


def arguments(found: SliceDetails) -> list[Fact]:
    """The event as the file has it, in the file's order."""
    if found.args_missing:
        return [Fact("As recorded", heading=True, parts=(Fact("not available", found.args_missing),))]
    if not found.args:
        return []
    parts = tuple(_argument(str(key), value) for key, value in list(found.args.items())[:MOST_ARGS])
    return [Fact("As recorded", heading=True, parts=parts)]


def node_at(results: Results, where: tuple[int, int, int]) -> Node | None:
    report, graph, node = where
    if not 0 <= report < len(results.reports) + len(results.tapes):
        return None
    graphs = results.graphs_of(report)
    if not 0 <= graph < len(graphs) or not 0 <= node < len(graphs[graph].nodes):
        return None
    return graphs[graph].nodes[node]


def shape_text(shape: Sequence[int | str]) -> str:
    return " × ".join(str(size) for size in shape) if shape else "scalar"


def _duration(dur_ns: int, flags: Flag) -> str:
    if flags & Flag.UNFINISHED:
        return "unknown: it never ended in the file"
    exact = format_exact_ns(dur_ns)
    text = exact if dur_ns < 1_000_000 else f"{format_ns(dur_ns)} ({exact})"
    return f"{text}, longer than any run: left out of sums" if flags & Flag.ABSURD else text


def _gpu_facts(side: Side, index: int) -> list[Fact]:
    gpu = side.trace.gpu
    row = int(np.searchsorted(gpu.slice, index))
    if row >= len(gpu) or int(gpu.slice[row]) != index:
        return []
    made = []
    if (gpu.grid[row] != MISSING).all() and (gpu.block[row] != MISSING).all():
        made += [Fact("grid", _dims(gpu.grid[row])), Fact("block", _dims(gpu.block[row]))]
    texts = (
        ("registers", int(gpu.registers[row]), format_count),
        ("shared", int(gpu.shared_bytes[row]), format_bytes),
        ("bytes", int(gpu.bytes[row]), format_bytes),
        ("CUDA graph", int(gpu.graph[row]), str),
        ("graph node", int(gpu.graph_node[row]), str),
    )
    made += [Fact(key, form(value)) for key, value, form in texts if value != MISSING]  # type: ignore[operator]
    if gpu.occupancy_pct[row] > 0:
        made.append(Fact("occupancy", f"{gpu.occupancy_pct[row]:.0f} %, estimated"))
    elif gpu.occupancy_pct[row] == 0:
        made.append(Fact("occupancy", "unknown, told as 0 %", tone="muted"))
    if not np.isnan(gpu.bandwidth_gbps[row]):
        made.append(Fact("bandwidth", f"{gpu.bandwidth_gbps[row]:.3g} GB/s"))
    return made


def _dims(values: Any) -> str:
    return f"{' × '.join(str(int(v)) for v in values)} = {format_count(int(np.prod(values.astype(np.int64))))}"


def _link_facts(side: Side, side_index: int, index: int) -> list[Fact]:
    slices, links = side.trace.slices, side.links
    made = []
    if slices.correlation[index] != MISSING:
        made.append(Fact("correlation", str(int(slices.correlation[index]))))
    launch, op = int(links.launch[index]), int(links.op[index])
    if launch != MISSING:
        made.append(Fact("launch", side.trace.name_of(launch), target={"side": side_index, "slice": launch}))
        start = int(slices.start_ns[index])
        made += _delay(start - int(slices.start_ns[launch]), start - int(slices.end_ns[launch]))
    if op != MISSING:
        made.append(Fact("operator", side.trace.name_of(op), target={"side": side_index, "slice": op}))
    count = int(links.gpu_count[index])
    if count > 0:
        first = int(links.first_gpu[index])
        launched = [int(value) for value in links.launched[first : first + count]]
        made.append(_listed(side, side_index, "launched", launched))
    return made


def _delay(begin_ns: int, end_ns: int) -> list[Fact]:
    """From the begin and the end of the launch, which stands right above, to the slice's start."""
    if begin_ns < 0:
        return [Fact("delay", f"clock skew: starts {format_exact_ns(-begin_ns)} before its launch", tone="warn")]
    from_end = f"{format_exact_ns(abs(end_ns))} {'after' if end_ns >= 0 else 'before'} its end"
    return [Fact("delay", f"{format_exact_ns(begin_ns)} after its begin"), Fact("", from_end)]


def _group(side: Side, position: int, chosen: list[int], *, same_side: bool) -> Fact:
    key = f"also, {side.title}" if same_side else side.title
    return _listed(side, position, key, chosen)


def _listed(side: Side, position: int, key: str, chosen: list[int]) -> Fact:
    """A count with the sum of durations, and the first slices below as links."""
    durations = [int(side.trace.slices.dur_ns[index]) for index in chosen]
    parts = [
        Fact(format_ns(dur_ns), side.trace.name_of(index), target={"side": position, "slice": index})
        for index, dur_ns in list(zip(chosen, durations, strict=True))[:MOST_LISTED]
    ]
    if len(chosen) > MOST_LISTED:
        parts.append(Fact("", f"and {format_count(len(chosen) - MOST_LISTED)} more", tone="muted"))
    word = "slice" if len(chosen) == 1 else "slices"
    value = f"{format_count(len(chosen))} {word}, {format_ns(sum(durations))} in sum"
    return Fact(key, value, parts=tuple(parts), open=len(chosen) <= 8)


def _sources(selection: Selection) -> list[Fact]:
    lines = list(selection.sources)
    if selection.pick.source is not None and selection.pick.source not in lines:
        lines.insert(0, selection.pick.source)
    return [_source_fact("source" if position == 0 else "", line) for position, line in enumerate(lines[:MOST_LISTED])]


def _kernels(selection: Selection) -> list[Fact]:
    """Generated kernel calls: compile id, direction and handle, as the log spells them."""
    return [
        Fact("generated" if position == 0 else "", key, mono=True, target={"kernel": key})
        for position, key in enumerate(selection.kernels[:MOST_LISTED])
    ]


def _source_fact(key: str, source: SourceLine) -> Fact:
    text = f"{source.place}  {source.text.strip()}" if source.text else source.place
    return Fact(key, text, target={"source": source})


def _nodes(results: Results, selection: Selection) -> list[Fact]:
    pick = selection.pick
    rest = [where for where in selection.nodes if where != (pick.report, pick.graph, pick.node)]
    known = [(where, node) for where in rest if (node := node_at(results, where)) is not None]
    if not known:
        return []
    parts = [_node_part(where, node) for where, node in known[:MOST_LISTED]]
    if len(known) > MOST_LISTED:
        parts.append(Fact("", f"and {format_count(len(known) - MOST_LISTED)} more", tone="muted"))
    return [Fact("graph nodes", format_count(len(known)), parts=tuple(parts), open=len(known) <= 8)]


def _node_part(where: tuple[int, int, int], node: Node) -> Fact:
    shape = f"  {shape_text(node.tensor.shape)} {node.tensor.dtype}" if node.tensor else ""
    target = {"report": where[0], "graph": where[1], "node": where[2]}
    return Fact(node.name, f"{node.target}{shape}", target=target)


def _argument(key: str, value: Any) -> Fact:
    """A value as text, with its parts below when it has named ones; lists stay on one line."""
    if isinstance(value, Mapping):
        parts = tuple(_argument(str(name), item) for name, item in list(value.items())[:MOST_ARGS])
        return Fact(key, "" if parts else "{}", parts=parts)
    return Fact(key, _plain(value), mono=not isinstance(value, str))


def _plain(value: Any) -> str:
    if isinstance(value, list | tuple):
        return "[" + ", ".join(_plain(item) for item in value) + "]"
    return str(value) if value is not None else "null"
