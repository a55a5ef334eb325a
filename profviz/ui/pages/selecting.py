"""From what was picked to everything that is the same thing elsewhere, as the views' own `Selection`."""

from __future__ import annotations

from profviz.analysis.selecting import Linked, from_kernel, from_node, from_slice, from_source
from profviz.analysis.tape_selecting import from_tape, with_tape
from profviz.model.results import Results
from profviz.ui.view_state import Pick, Selection


def resolve(results: Results, pick: Pick) -> Selection:
    """An empty pick clears the selection. A source line picked with something else only says where to look."""
    line = pick.source if pick.slice < 0 and pick.node < 0 and not pick.kernel else None
    linked = with_tape(results, _linked(results, pick), line=line)
    sources = linked.sources
    if pick.source is not None and pick.source not in sources:
        sources = (pick.source, *sources)
    return Selection(pick=pick, slices=linked.slices, nodes=linked.nodes, kernels=linked.kernels, sources=sources)


def _linked(results: Results, pick: Pick) -> Linked:
    if pick.slice >= 0 and pick.side >= 0:
        return from_slice(results, pick.side, pick.slice)
    if pick.node >= 0 and results.tape_at(pick.report) is not None:
        return from_tape(results, pick.report, pick.node)
    if pick.node >= 0:
        return from_node(results, pick.report, pick.graph, pick.node)
    if pick.kernel:
        return from_kernel(results, pick.kernel)
    return from_source(results, pick.source) if pick.source is not None else Linked()
