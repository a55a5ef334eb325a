"""The names of bars as stamps on the picture: from the wide slices of all rows of a pane at once."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from profviz.core.columns import I32, I64, U32, Mask
from profviz.core.detail import KINDS
from profviz.model.results import Side
from profviz.model.short_names import short_name
from profviz.ui.views.timeline.lines import Slot
from profviz.ui.widgets.timeline_text import UNKNOWN, Stencils

MOST_NEW = 24
"""So many names at most are rendered a frame; the others show in the next."""

PAD = 4


@dataclass(frozen=True, slots=True, eq=False)
class Stamps:
    """See `core.picture.stamp`; `waiting` says how many names could not be rendered yet."""

    stamps: I32
    colours: U32
    waiting: int


def stamps_of(
    side: Side,
    slots: Sequence[Slot],
    rooms: I64,
    bars: I32,
    stencils: Stencils,
    on_kind: U32,
    *,
    left: int,
    pad: int,
    most_new: int = MOST_NEW,
) -> Stamps:
    """What to stamp for bars (see `core.picture.Lines`), which count from `left` on, of the slots' rows.

    `rooms` (slots, 3) are top, bottom and middle of each slot; all in device px.
    """
    stencils.make_room()  # not in between: numbers that are looked up already would be those of other texts
    numbers = np.full(len(bars), UNKNOWN, dtype=np.int32)
    waiting = 0
    for names, shown_as, own, at in _by_names(side, slots, bars):
        numbers[own], new = stencils.numbers(names, at, shown_as, most_new=most_new)
        rendered = min(new, most_new)
        waiting, most_new = waiting + new - rendered, most_new - rendered
    known = numbers != UNKNOWN
    bars, colours = bars[known], on_kind[bars[known, 5] % KINDS]
    if not len(bars):
        return Stamps(np.zeros((0, 6), dtype=np.int32), colours, waiting)
    stamps, cut = _laid(stencils, numbers[known], bars, rooms[bars[:, 0]], left=left, pad=pad)
    return Stamps(stamps, np.concatenate([colours, colours[cut]]), waiting)


def _by_names(
    side: Side, slots: Sequence[Slot], bars: I32
) -> Iterator[tuple[Sequence[str], Callable[[str], str], Mask | slice, I64]]:
    """Bars whose names are in the same table together: the table, which bars, and where in it each one's name is."""
    apart = [number for number, slot in enumerate(slots) if slot.placed.track.names is not None]
    own: Mask | slice = np.s_[:]
    if apart:
        of_trace = np.ones(len(slots), dtype=bool)
        of_trace[apart] = False
        own = of_trace[bars[:, 0]]
    if len(bars[own]):
        yield side.trace.names, short_name, own, side.trace.slices.name[bars[own, 4]].astype(np.int64)
    for number in apart:
        names, of_slot = slots[number].placed.track.names, bars[:, 0] == number
        if names is not None and of_slot.any():
            yield names, str, of_slot, bars[of_slot, 4].astype(np.int64)


def _laid(stencils: Stencils, numbers: I32, bars: I32, rooms: I64, *, left: int, pad: int) -> tuple[I32, Mask]:
    """The texts' stamps and below them those of the ellipses, and which of the texts have one."""
    pieces = stencils.pieces(numbers, bars[:, 3] - bars[:, 2] - 2 * pad)
    x, cut = bars[:, 2] + (left + pad), pieces.is_cut
    stamps = _within(stencils.height, x, pieces.width, pieces.first, stencils.widths[numbers], rooms)
    if not cut.any():
        return stamps, cut
    first, width = (np.full(int(cut.sum()), value) for value in stencils.place(stencils.ellipsis))
    ends = _within(stencils.height, x[cut] + pieces.width[cut] + 1, width, first, width, rooms[cut])
    return np.concatenate([stamps, ends]), cut


def _within(height: int, xs: I64, widths: I64, firsts: I64, strides: I64, rows: I64) -> I32:
    """Stamps around each row's middle, cut to what of the row shows."""
    top, bottom, middle = rows.T
    wanted = middle - height // 2
    y = np.maximum(wanted, top)
    shown = np.maximum(np.minimum(wanted + height, bottom) - y, 0)
    shown[widths <= 0] = 0
    return np.stack([xs, y, widths, shown, firsts + (y - wanted) * strides, strides], axis=1).astype(np.int32)
