"""The rows of one pane as lines of pixels, kept while the window stays: scrolling shows other rows, not other times."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from profviz.core.columns import I32, I64, U32
from profviz.core.picture import BAR, Lines, paint_rows
from profviz.core.raster import Row, pixel_edges
from profviz.ui.views.timeline.layout import Scale, Tick
from profviz.ui.views.timeline.placing import Placed
from profviz.ui.views.timeline.scene import Scene
from profviz.ui.widgets.timeline_look import Look

LEAST_LABEL_PX = 26
MOST_BARS = 8_192
MOST_KEPT = 1_024
LANE, GAP, ROWS = 0, 1, 2
"""Where in a pane's lines an empty row is, what is between two rows, and where the rows begin."""


@dataclass(frozen=True, slots=True)
class Slot:
    """Where a row shows, in px: from `top` to before `bottom`, cut to its room; `middle` is that of the whole row."""

    placed: Placed
    row: Row | None
    top: int
    bottom: int
    middle: float


def slots_of(scene: Scene) -> Iterator[Slot]:
    """All rows that show, pinned ones first; a track that shows no slices has one of its own without a row."""
    for _, tracks in reversed(scene.parts()):
        for one in tracks:
            first, last = scene.room(one)
            for number in range(max(1, one.shown)):
                top = scene.row_top(one, number)
                bottom = top + one.row_height - 1
                if top < last and bottom > first:
                    row = one.track.rows[number] if number < min(one.shown, len(one.track.rows)) else None
                    yield Slot(one, row, max(first, top), min(last, bottom), (top + bottom) / 2)


def bands_of(slots: Sequence[Slot], top: int, bottom: int, ratio: float) -> I32:
    """Which line stands where, in device px, without gaps from `top` to `bottom`; see `PaneLines.of`."""
    bands, at, line = [], round(top * ratio), ROWS
    for slot in slots:
        first, last = round(slot.top * ratio), round(slot.bottom * ratio)
        bands += [(at, first, GAP), (first, last, line if slot.row is not None else _empty(slot))]
        line += slot.row is not None
        at = last
    bands.append((at, round(bottom * ratio), GAP))
    return np.array([band for band in bands if band[1] > band[0]], dtype=np.int32).reshape(-1, 3)


def _empty(slot: Slot) -> int:
    """A track without any content is no band: it says in words what is missing."""
    track = slot.placed.track
    return LANE if track.is_pending or track.row_count else GAP


class PaneLines:
    """Lines of one window and width; another one forgets them all."""

    def __init__(self) -> None:
        self._key: object = None
        self._edges: I64 = np.zeros(1, dtype=np.int64)
        self._grounds: U32 = np.zeros((2, 0), dtype=np.uint32)
        self._known: dict[Row, tuple[U32, I32]] = {}

    def look_at(self, scale: Scale, marks: Sequence[Tick], width: int, look: Look) -> None:
        key = (scale, width, look)
        if self._key == key and len(self._known) <= MOST_KEPT:
            return
        self._key = key
        self._known.clear()
        self._edges = pixel_edges(scale.start_ns, scale.span_ns, width)
        self._grounds = np.empty((ROWS, width), dtype=np.uint32)
        grid = grid_px(scale, marks, width)
        for line, ground, mark in zip(self._grounds, look.grounds, look.grounds_marked, strict=True):
            line.fill(ground)
            line[grid] = mark

    @property
    def edges_ns(self) -> I64:
        return self._edges

    @property
    def grounds(self) -> U32:
        """The lines of an empty row and of what is between rows, shape (2, width)."""
        return self._grounds

    def of(self, rows: Sequence[Row], look: Look, *, least_px: int) -> tuple[U32, I32]:
        """The two grounds and below them a line for each row; and all bars, by the rows' places in `rows`."""
        missing = [row for row in dict.fromkeys(rows) if row not in self._known]
        made = np.empty((ROWS + len(rows), len(self._edges) - 1), dtype=np.uint32)
        made[:ROWS] = self._grounds
        if len(missing) == len(rows):
            painted = self._paint(rows, look, least_px, made[ROWS:])
            return made, painted.bars
        if missing:
            self._paint(missing, look, least_px, None)
        for line, row in zip(made[ROWS:], rows, strict=True):
            line[:] = self._known[row][0]
        return made, _together([self._known[row][1] for row in rows])

    def _paint(self, rows: Sequence[Row], look: Look, least_px: int, out: U32 | None) -> Lines:
        ground = self._grounds[LANE]
        made = paint_rows(
            rows, self._edges, colours=look.colours, ground=ground, least_px=least_px, most_bars=MOST_BARS, out=out
        )
        cuts = made.bars[:, 0].searchsorted(np.arange(len(rows) + 1, dtype=np.int32)).tolist()
        for number, row in enumerate(rows):
            self._known[row] = made.pixels[number], made.bars[cuts[number] : cuts[number + 1]]
        return made


def _together(bars: Sequence[I32]) -> I32:
    """The bars of several rows with the rows' places in the sequence."""
    made = np.concatenate([np.zeros((0, BAR), dtype=np.int32), *bars])
    made[:, 0] = np.repeat(np.arange(len(bars), dtype=np.int32), [len(own) for own in bars])
    return made


def grid_px(scale: Scale, marks: Sequence[Tick], width: int) -> I64:
    """The pixels, counted from the left of the time, on which the axis' marks stand."""
    times = np.array([mark.time_ns for mark in marks], dtype=np.int64)
    pixels = np.floor((scale.xs(times) - scale.left) * (width / scale.width)).astype(np.int64)
    return pixels[(pixels >= 0) & (pixels < width)]
