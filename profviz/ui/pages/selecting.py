"""From what was picked to everything that is the same thing elsewhere, as the views' own `Selection`."""

from __future__ import annotations

from profviz.model.results import Results
from profviz.ui.view_state import Pick, Selection


def resolve(results: Results, pick: Pick) -> Selection:
    """An empty pick clears the selection."""
    if pick == Pick():
        return Selection()
    return Selection(pick=pick)
