"""The names of bars as stamps on the picture: from the wide slices of all rows of a pane at once."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from profviz.core.columns import I32, I64, U32
from profviz.core.detail import KINDS
from profviz.core.raster import Row
from profviz.model.results import Side
from profviz.ui.views.timeline.texts import short_name
from profviz.ui.views.timeline.tracks import Track
from profviz.ui.widgets.timeline_text import UNKNOWN, Stencils

MOST_NEW = 24
"""So many names at most are rendered a frame; the others show in the next."""

PAD = 4


@dataclass(frozen=True, slots=True, eq=False)
class Band:
    """A row where it shows: its line from `top` to before `bottom`, which may be cut off; `middle` is the row's own."""

    track: Track
    row: Row
    top: int
    bottom: int
    middle: int
    bars: I32


@dataclass(frozen=True, slots=True, eq=False)
class Stamps:
    """See `core.picture.stamp`; `waiting` says how many names could not be rendered yet."""

    stamps: I32
    colours: U32
    waiting: int


def stamps_of(
    side: Side,
    bands: Sequence[Band],
    stencils: Stencils,
    on_kind: U32,
    *,
    left: int,
    pad: int,
    most_new: int = MOST_NEW,
) -> Stamps:
    """What to stamp for all bars of the bands; bars count from `left` on, all in device px."""
    made, colours, waiting = [np.zeros((0, 6), dtype=np.int32)], [np.zeros(0, dtype=np.uint32)], 0
    for names, shown_as, group in _by_names(side, bands):
        wide = [band for band in group if len(band.bars)]
        if not wide:
            continue
        at, kind, table = _looked_up(side, wide)
        numbers, more = stencils.numbers(names, at, shown_as, most_new=max(0, most_new))
        waiting, most_new = waiting + more, most_new - len(np.unique(at))
        stamps, tints = _laid(stencils, numbers, table, on_kind[kind], left=left, pad=pad)
        made.append(stamps)
        colours.append(tints)
    return Stamps(np.concatenate(made), np.concatenate(colours), waiting)


def _by_names(
    side: Side, bands: Sequence[Band]
) -> Iterator[tuple[Sequence[str], Callable[[str], str], Iterable[Band]]]:
    """Bands whose names are in the same table together."""
    yield side.trace.names, short_name, [band for band in bands if band.track.names is None]
    for band in bands:
        if band.track.names is not None:
            yield band.track.names, str, [band]


def _looked_up(side: Side, bands: Sequence[Band]) -> tuple[I64, I64, I64]:
    """For each bar: its name's place, its kind, and (x, end, top, bottom, middle)."""
    names, kinds, tables = [], [], []
    for band in bands:
        places = band.bars[:, 1]
        slices = band.row.slice[places]
        names.append(slices if band.track.names is not None else side.trace.slices.name[slices])
        kinds.append(band.row.detail.kind[places] % KINDS)
        edges = np.broadcast_to([band.top, band.bottom, band.middle], (len(places), 3))
        tables.append(np.concatenate([band.bars[:, 2:], edges], axis=1))
    return np.concatenate(names).astype(np.int64), np.concatenate(kinds), np.concatenate(tables)


def _laid(stencils: Stencils, numbers: I32, table: I64, colours: U32, *, left: int, pad: int) -> tuple[I32, U32]:
    known = numbers != UNKNOWN
    numbers, table, colours = numbers[known], table[known], colours[known]
    if not len(numbers):
        return np.zeros((0, 6), dtype=np.int32), colours
    pieces = stencils.pieces(numbers, (table[:, 1] - table[:, 0] - 2 * pad).astype(np.int32))
    x = table[:, 0] + left + pad
    end_first, end_width = stencils.place(stencils.ellipsis)
    cut = pieces.is_cut.astype(bool)
    firsts = np.concatenate([pieces.first, np.full(int(cut.sum()), end_first)])
    strides = np.concatenate([stencils.widths[numbers], np.full(int(cut.sum()), end_width)])
    widths = np.concatenate([pieces.width, np.full(int(cut.sum()), end_width)])
    xs = np.concatenate([x, x[cut] + pieces.width[cut] + 1])
    rows = np.concatenate([table[:, 2:], table[cut, 2:]])
    stamps = _within(stencils.height, xs, widths, firsts, strides, rows)
    return stamps, np.concatenate([colours, colours[cut]])


def _within(height: int, xs: I64, widths: I64, firsts: I64, strides: I64, rows: I64) -> I32:
    """Stamps around each row's middle, cut to what of the row shows."""
    top, bottom, middle = rows.T
    wanted = middle - height // 2
    y = np.maximum(wanted, top)
    shown = np.maximum(np.minimum(wanted + height, bottom) - y, 0)
    shown[widths <= 0] = 0
    return np.stack([xs, y, widths, shown, firsts + (y - wanted) * strides, strides], axis=1).astype(np.int32)
