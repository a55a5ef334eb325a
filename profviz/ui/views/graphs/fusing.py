"""From one box a kernel to fused groups: where boxes go when their kernels draw them together, and all ways between.

Pure geometry: gaps within a kernel's hull close along both axes, so nothing overlaps and nothing leaves its hull; then
empty bands across the whole graph close.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from profviz.ui.views.graphs.blocks import FRAME_TITLE
from profviz.ui.views.graphs.hulls import HULL_PAD, HULL_TITLE
from profviz.ui.widgets.graph_picture import F8, I8, Picture

TIGHT = 5.0  # what is left of a gap
BAND_DOWN, BAND_RIGHT = 34.0, 110.0  # what is left of an empty band across the graph; words want more across
BORDER = 4.0  # kept free around a frame's border
TITLE_WIDTH = 6.1  # pixels a character


@dataclass(frozen=True, slots=True)
class _Squeeze:
    """Places of one hull, per axis as knots that `np.interp` goes between."""

    rect: F8  # x, y, width, height when fused
    knots: tuple[tuple[F8, F8], tuple[F8, F8]]

    def moved(self, points: F8) -> F8:
        return np.column_stack([np.interp(points[:, axis], *self.knots[axis]) for axis in (0, 1)])


def fused(picture: Picture) -> Picture:
    """The same picture with every hull's boxes drawn together and its hull around them."""
    rects, points, hull_rects = picture.rects.copy(), picture.points.copy(), picture.hull_rects.copy()
    edges_of = _edges_of(picture)
    for number, row in enumerate(picture.hull_rects):
        inside = _inside(picture.rects, row)
        if len(inside) < len(_meeting(picture.rects, row)):
            continue  # a view of nobody's sticks out of it and would be run over
        squeeze = _squeeze(picture.rects[inside], row, len(picture.hulls[number].title), downwards=picture.downwards)
        rects[inside, :2] = squeeze.moved(picture.rects[inside, :2])
        hull_rects[number] = squeeze.rect
        own = _points_of(picture, sorted({edge for shape in inside.tolist() for edge in edges_of[shape]}))
        own = own[_within(picture.points[own], row)]
        points[own] = squeeze.moved(picture.points[own])
    together = replace(picture, rects=rects, points=points, hull_rects=hull_rects)
    return _closed_up(together) if len(hull_rects) else together


def blended(spread: Picture, tight: Picture, share: float) -> Picture:
    """`share` of the way from one box a kernel (0, without hulls) to fused groups (1); texts are those of `spread`."""
    if share <= 0.0:
        return replace(spread, hulls=(), hull_rects=spread.hull_rects[:0], fused=0.0)
    fixed = (tight.labels, tight.label_rects) if share >= 1.0 else (tight.labels[:0], tight.label_rects[:0])
    return replace(
        spread,
        rects=spread.rects + (tight.rects - spread.rects) * share,
        points=spread.points + (tight.points - spread.points) * share,
        hull_rects=spread.hull_rects + (tight.hull_rects - spread.hull_rects) * share,
        frame_rects=spread.frame_rects + (tight.frame_rects - spread.frame_rects) * share,
        fused=min(share, 1.0),
        labels=fixed[0],
        label_rects=fixed[1],
    )


def _edges_of(picture: Picture) -> dict[int, list[int]]:
    """Indices of the edges that begin or end at each shape."""
    found: dict[int, list[int]] = defaultdict(list)
    for edge, (source, target) in enumerate(picture.ends.tolist()):
        found[source].append(edge)
        found[target].append(edge)
    return found


def _points_of(picture: Picture, edges: Sequence[int]) -> I8:
    spans = [np.arange(picture.offsets[edge], picture.offsets[edge + 1]) for edge in edges]
    return np.concatenate(spans) if spans else np.zeros(0, np.int64)


def _inside(rects: F8, row: F8) -> I8:
    ends = rects[:, :2] + rects[:, 2:]
    return np.flatnonzero((rects[:, :2] >= row[:2]).all(axis=1) & (ends <= row[:2] + row[2:]).all(axis=1))


def _meeting(rects: F8, row: F8) -> I8:
    ends = rects[:, :2] + rects[:, 2:]
    return np.flatnonzero((rects[:, :2] < row[:2] + row[2:]).all(axis=1) & (ends > row[:2]).all(axis=1))


def _within(points: F8, row: F8) -> I8:
    return np.flatnonzero((points >= row[:2]).all(axis=1) & (points <= row[:2] + row[2:]).all(axis=1))


def _squeeze(rects: F8, row: F8, letters: int, *, downwards: bool) -> _Squeeze:
    """`row` is the hull, `letters` how long its title is: it stays wide enough for it where it was.

    Boxes gather where the edges arrive.
    """
    x, y, width, height = row.tolist()
    across = _axis(rects[:, 0], rects[:, 0] + rects[:, 2], (x, x + width), 0.5 if downwards else 0.0)
    down = _axis(rects[:, 1], rects[:, 1] + rects[:, 3], (y, y + height), 0.0 if downwards else 0.5)
    left, right = max(float(across[1][1]) - HULL_PAD, x), min(float(across[1][-2]) + HULL_PAD, x + width)
    wanted = max(right - left, min(letters * TITLE_WIDTH + 2 * HULL_PAD, width))
    left = min(max((left + right - wanted) / 2, x), x + width - wanted)
    top, bottom = max(float(down[1][1]) - HULL_TITLE, y), min(float(down[1][-2]) + HULL_PAD, y + height)
    return _Squeeze(np.array([left, top, wanted, bottom - top]), (across, down))


def _axis(low: F8, high: F8, ends: tuple[float, float], anchor: float) -> tuple[F8, F8]:
    """Knots along one axis, gaps shrunk towards `anchor` (0 start, 1 end); the hull's `ends` stay."""
    places, moved = _knots(low, high, TIGHT)
    moved = moved + (places[-1] - moved[-1]) * anchor
    return np.array([ends[0], *places, ends[1]]), np.array([ends[0], *moved, ends[1]])


def _knots(low: F8, high: F8, gap: float) -> tuple[F8, F8]:
    """What is occupied keeps its length, and between it is left at most `gap`; the first place stays."""
    taken: list[list[float]] = []
    for a, b in sorted(zip(low.tolist(), high.tolist(), strict=True)):
        if taken and a <= taken[-1][1]:
            taken[-1][1] = max(taken[-1][1], b)
        else:
            taken.append([a, b])
    moved, at = [], taken[0][0]
    for number, (a, b) in enumerate(taken):
        at += min(gap, a - taken[number - 1][1]) if number else 0.0
        moved += [at, at + b - a]
        at += b - a
    return np.array([place for span in taken for place in span]), np.array(moved)


def _closed_up(picture: Picture) -> Picture:
    """Without the empty bands across the whole graph that drawing boxes together left."""
    axis, gap = (1, BAND_DOWN) if picture.downwards else (0, BAND_RIGHT)
    frames = picture.frame_rects
    borders = np.concatenate([frames[:, axis], frames[:, axis] + frames[:, axis + 2]])
    boxes = np.vstack([picture.rects, picture.hull_rects])
    title = np.concatenate([np.full(len(frames), FRAME_TITLE), np.zeros(len(frames))])
    low = np.concatenate([boxes[:, axis], borders - BORDER])
    high = np.concatenate([boxes[:, axis] + boxes[:, axis + 2], borders + title + BORDER])
    knots = _knots(low, high, gap)
    points = picture.points.copy()
    points[:, axis] = np.interp(points[:, axis], *knots)
    moved = [_stretched(rects, axis, knots) for rects in (picture.rects, picture.hull_rects, frames)]
    return replace(picture, points=points, rects=moved[0], hull_rects=moved[1], frame_rects=moved[2])


def _stretched(rects: F8, axis: int, knots: tuple[F8, F8]) -> F8:
    made = rects.copy()
    made[:, axis] = np.interp(rects[:, axis], *knots)
    made[:, axis + 2] = np.interp(rects[:, axis] + rects[:, axis + 2], *knots) - made[:, axis]
    return made
