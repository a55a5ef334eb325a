"""From what was picked to everything that is the same thing elsewhere, as the views' own `Selection`."""

from __future__ import annotations

from profviz.model.results import Results
from profviz.ui.view_state import Pick, Selection


def resolve(results: Results, pick: Pick) -> Selection:
    """An empty pick clears the selection."""
    if pick == Pick():
        return Selection()
    return Selection(
        pick=pick,
        slices=((pick.side, pick.slice),) if pick.slice >= 0 else (),
        nodes=((pick.report, pick.graph, pick.node),) if pick.node >= 0 else (),
        kernels=(pick.kernel,) if pick.kernel else (),
        sources=(pick.source,) if pick.source is not None else (),
    )
