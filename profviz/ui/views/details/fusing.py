"""What a kernel replaced, or what became of it: eager work beside the compiled kernel that does it; pure, no Qt."""

from __future__ import annotations

from collections.abc import Sequence

from profviz.model.results import Results, Side
from profviz.model.units import format_count, format_ns, format_ratio
from profviz.ui.view_state import Selection
from profviz.ui.widgets.panel_values import Fact


def facts(results: Results, selection: Selection, primary: tuple[int, int]) -> list[Fact]:
    """Of a compiled kernel the eager ones whose work it does, of an eager one the kernels that do its work."""
    place, index = primary
    if results.sides[place].slices_of_node:
        return _became(results, selection, place)
    return _replaced(results, selection, place, index)


def _replaced(results: Results, selection: Selection, place: int, index: int) -> list[Fact]:
    eager = next((at for at, side in enumerate(results.sides) if side.slices_of_node and at != place), -1)
    before = [slice_ for at, slice_ in selection.slices if at == eager]
    if not before:
        return []
    own = [slice_ for at, slice_ in selection.slices if at == place]
    took, instead = _a_step(results.sides[place], own or [index]), _a_step(results.sides[eager], before)
    count = len(before) / max(1, len(results.sides[eager].steps))
    gain = f", {format_ratio(instead / took)}" if took else ""
    return [
        Fact("replaces", f"{format_count(count)} eager {'kernel' if count == 1 else 'kernels'} a step"),
        Fact("", f"{format_ns(instead)} → {format_ns(took)}{gain}", tone="good" if instead > took else "warn"),
    ]


def _became(results: Results, selection: Selection, place: int) -> list[Fact]:
    others = [(at, slice_) for at, slice_ in selection.slices if at != place and not results.sides[at].slices_of_node]
    by_name: dict[str, tuple[int, int]] = {}
    for at, slice_ in others:
        by_name.setdefault(results.sides[at].trace.name_of(slice_), (at, slice_))
    return [
        Fact("fused into" if number == 0 else "", name, mono=True, target={"side": at, "slice": slice_})
        for number, (name, (at, slice_)) in enumerate(by_name.items())
    ]


def _a_step(side: Side, slices: Sequence[int]) -> float:
    """The slices' sum in ns, a step where the side has steps."""
    return int(side.trace.slices.dur_ns[list(slices)].sum()) / max(1, len(side.steps))
