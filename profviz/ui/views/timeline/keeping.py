"""Marks that stay: made from what is selected, renamed, removed, in order of time; pure values, and their words."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from profviz.model.results import Side
from profviz.model.short_names import short_name
from profviz.model.units import format_exact_ns
from profviz.ui.view_state import KeptMark
from profviz.ui.views.timeline.texts import length_text


def added(kept: Sequence[KeptMark], mark: KeptMark) -> tuple[KeptMark, ...]:
    """In order of side and time; the same place is marked once."""
    others = [one for one in kept if _place(one) != _place(mark)]
    return tuple(sorted([*others, mark], key=_place))


def removed(kept: Sequence[KeptMark], mark: KeptMark) -> tuple[KeptMark, ...]:
    return tuple(one for one in kept if one != mark)


def renamed(kept: Sequence[KeptMark], mark: KeptMark, note: str) -> tuple[KeptMark, ...]:
    return tuple(replace(one, note=" ".join(note.split())) if one == mark else one for one in kept)


def _place(mark: KeptMark) -> tuple[int, int, int, int]:
    return mark.side, mark.start_ns, mark.end_ns, mark.slice


def words(mark: KeptMark, sides: Sequence[Side]) -> str:
    """The note, else what was marked: a slice by its name, a range by its length."""
    if mark.note:
        return mark.note
    if mark.slice >= 0 and mark.side < len(sides):
        return short_name(sides[mark.side].trace.name_of(mark.slice))
    return length_words(mark) or f"at {format_exact_ns(mark.start_ns)}"


def length_words(mark: KeptMark) -> str:
    """Empty for a moment."""
    return length_text(mark.end_ns - mark.start_ns) if mark.end_ns > mark.start_ns else ""


def details(mark: KeptMark, sides: Sequence[Side]) -> str:
    """All that is known, one fact a line, for the box at the pointer."""
    lines = [words(mark, sides), f"mark on  {sides[mark.side].title}", f"at  {format_exact_ns(mark.start_ns)}"]
    if length := length_words(mark):
        lines.append(f"length  {length}")
    if mark.slice >= 0 and mark.note:
        lines.append(f"slice  {sides[mark.side].trace.name_of(mark.slice)[:160]}")
    return "\n".join(lines)
