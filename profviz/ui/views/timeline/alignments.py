"""The ways to put moments of the sides under each other, as a registry; pure, int64 ns."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from profviz.model.results import Side
from profviz.model.units import format_exact_ns
from profviz.ui.view_state import Alignment

BY_HAND = "by hand"


@dataclass(frozen=True, slots=True)
class Way:
    """`moments` gives a moment of each side in its own time, or says in words why there is none."""

    id: str
    title: str
    text: str
    moments: Callable[[Sequence[Side]], list[int] | str]


def _starts(sides: Sequence[Side]) -> list[int] | str:
    return [0] * len(sides)


def _first_gpu_work(sides: Sequence[Side]) -> list[int] | str:
    found = []
    for side in sides:
        work = side.trace.gpu.slice
        work = work[side.trace.slices.flags[work] == 0]
        if not len(work):
            return f"{side.title} has no kernel to align: {side.occupancy.absence or 'none of them ended'}."
        found.append(int(side.trace.slices.start_ns[work].min()))
    return found


WAYS: tuple[Way, ...] = (
    Way("start", "Start of the trace", "start of trace", _starts),
    Way("first_kernel", "First kernel", "first kernel", _first_gpu_work),
)


def align_by(way: Way, sides: Sequence[Side]) -> Alignment | str:
    found = way.moments(sides)
    return found if isinstance(found, str) else alignment_of(found, text=way.text)


def alignment_of(moments_ns: Sequence[int], *, text: str) -> Alignment:
    """With one moment of each side, in its own time, under each other; the shared time is that of the first side."""
    first = moments_ns[0] if moments_ns else 0
    return Alignment(tuple(moment - first for moment in moments_ns), first, text=text)


def align_at(before: Alignment, moments_ns: Mapping[int, int], *, text: str) -> Alignment:
    """Moments of some sides, each in its own time, under that of the first of them; the other sides stay."""
    anchor, *_ = moments_ns
    shared = moments_ns[anchor] - before.offsets_ns[anchor]
    kept = enumerate(before.offsets_ns)
    offsets = tuple(moments_ns[side] - shared if side in moments_ns else offset for side, offset in kept)
    return Alignment(offsets, shared, text=text)


def dragged(before: Alignment, side: int, by_ns: int) -> Alignment:
    """One side moved to the right by so much."""
    offsets = tuple(offset - by_ns * (at == side) for at, offset in enumerate(before.offsets_ns))
    return Alignment(offsets, before.anchor_ns, text=BY_HAND)


def offset_text(alignment: Alignment, side: int) -> str:
    """By how much a side is moved to the right beside the first one: `+12.345 µs`; empty for one that is not moved."""
    if side >= len(alignment.offsets_ns):
        return ""
    shift = alignment.offsets_ns[0] - alignment.offsets_ns[side]
    return f"{'−' if shift < 0 else '+'}{format_exact_ns(abs(shift))}" if shift else ""


def counterpart(side: Side, wanted: Sequence[int], near_ns: int) -> int:
    """Of some slices of a side the one that begins nearest to a time of it, -1 where there are none."""
    starts = side.trace.slices.start_ns
    return min(wanted, key=lambda index: abs(int(starts[index]) - near_ns), default=-1)
