"""The order in which a step's graphs stand: as they were called where that is known, else as compiled. Pure."""

from __future__ import annotations

from collections.abc import Sequence

from profviz.model.graph import Graph
from profviz.ui.views.graphs.choices import whole_id


def as_called(numbers: Sequence[int], graphs: Sequence[Graph], called: Sequence[str]) -> tuple[int, ...]:
    """`numbers` of graphs sorted by when their compile ids were `called`; those that were not keep their places."""
    turn = {compile_id: place for place, compile_id in enumerate(called)}
    moved = sorted(
        (number for number in numbers if whole_id(graphs[number]) in turn),
        key=lambda number: turn[whole_id(graphs[number])],
    )
    following = iter(moved)
    return tuple(next(following) if whole_id(graphs[number]) in turn else number for number in numbers)
