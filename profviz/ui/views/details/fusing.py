"""What a kernel replaced, or what became of it: eager work beside the compiled kernel that does it; pure, no Qt."""

from __future__ import annotations

from collections.abc import Sequence

from profviz.model.results import Results, Side
from profviz.model.short_names import short_name
from profviz.model.units import format_count, format_ns, format_ratio
from profviz.ui.view_state import Selection
from profviz.ui.widgets.panel_values import Fact

MOST_LISTED = 50
CLEARLY = 1.02
"""From so many times as fast on, a change is told as one."""


def facts(results: Results, selection: Selection, primary: tuple[int, int]) -> list[Fact]:
    """Of a compiled kernel the eager ones whose work it does, of an eager one the kernels that do its work."""
    place, index = primary
    if results.sides[place].slices_of_node:
        return _became(results, selection, place, index)
    return _replaced(results, selection, place, index)


def beside(side: Side, place: int, slices: Sequence[int]) -> list[Fact]:
    """The other eager kernels whose work the same compiled kernel does."""
    if not slices:
        return []
    value = f"{_counted(len(slices) / _steps(side), 'other eager kernel')}, {format_ns(_a_step(side, slices))}"
    return [Fact("together with", value, parts=_by_name(side, place, slices))]


def _replaced(results: Results, selection: Selection, place: int, index: int) -> list[Fact]:
    eager = next((at for at, side in enumerate(results.sides) if side.slices_of_node and at != place), -1)
    before = [slice_ for at, slice_ in selection.slices if at == eager]
    if not before:
        return []
    old, new = results.sides[eager], results.sides[place]
    own = [slice_ for at, slice_ in selection.slices if at == place] or [index]
    took, instead = _a_step(new, own), _a_step(old, before)
    gain = f", {format_ratio(instead / took)}" if took else ""
    is_same = _is_same(old, before, new, own)
    return [
        Fact(
            "as in eager" if is_same else "replaces",
            f"{_counted(len(before) / _steps(old), 'eager kernel')} a step",
            parts=_by_name(old, eager, before),
        ),
        Fact("time a step", f"{format_ns(instead)} → {format_ns(took)}{gain}", tone=_tone(instead, took)),
    ]


def _became(results: Results, selection: Selection, place: int, index: int) -> list[Fact]:
    others = [(at, slice_) for at, slice_ in selection.slices if at != place and not results.sides[at].slices_of_node]
    by_name: dict[str, tuple[int, int]] = {}
    for at, slice_ in others:
        by_name.setdefault(results.sides[at].trace.name_of(slice_), (at, slice_))
    own = [slice_ for at, slice_ in selection.slices if at == place] or [index]
    seen = {at: [slice_ for side, slice_ in others if side == at] for at, _ in others}
    is_same = all(_is_same(results.sides[place], own, results.sides[at], slices) for at, slices in seen.items())
    key = "stays as" if is_same else "fused into"
    return [
        Fact(key if number == 0 else "", short_name(name), mono=True, target={"side": at, "slice": slice_})
        for number, (name, (at, slice_)) in enumerate(list(by_name.items())[:MOST_LISTED])
    ]


def _is_same(eager: Side, before: Sequence[int], compiled: Side, after: Sequence[int]) -> bool:
    """The compiled run does this work by the same kernel, as often."""
    as_often = len(before) / _steps(eager) == len(after) / _steps(compiled)
    return as_often and {eager.trace.name_of(one) for one in before} == {compiled.trace.name_of(one) for one in after}


def _by_name(side: Side, place: int, slices: Sequence[int]) -> tuple[Fact, ...]:
    """A link to the first slice of each name with its time a step, the longest first."""
    by_name: dict[str, list[int]] = {}
    for index in slices:
        by_name.setdefault(side.trace.name_of(index), []).append(index)
    rows = sorted(by_name.items(), key=lambda row: -_a_step(side, row[1]))
    made = [
        Fact(
            format_ns(_a_step(side, own)),
            f"{_times(len(own) / _steps(side))}{short_name(name)}",
            mono=True,
            target={"side": place, "slice": min(own)},
        )
        for name, own in rows[:MOST_LISTED]
    ]
    left = len(rows) - MOST_LISTED
    return (*made, Fact("", f"and {format_count(left)} more names", tone="muted")) if left > 0 else tuple(made)


def _times(count: float) -> str:
    return "" if count == 1 else f"{format_count(count)} × "


def _counted(count: float, noun: str) -> str:
    return f"{format_count(count)} {noun if count == 1 else f'{noun}s'}"


def _tone(before: float, after: float) -> str:
    if before > after * CLEARLY:
        return "good"
    return "warn" if after > before * CLEARLY else "plain"


def _steps(side: Side) -> int:
    return max(1, len(side.steps))


def _a_step(side: Side, slices: Sequence[int]) -> float:
    """The slices' sum in ns, a step where the side has steps."""
    return int(side.trace.slices.dur_ns[list(slices)].sum()) / _steps(side)
