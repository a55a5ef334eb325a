"""Where a picture is opened in a view of some size: whole where that is legible, else at its beginning. Pure.

It owns geometry only and must not know Qt.
"""

from __future__ import annotations

import sys

import numpy as np

from profviz.ui.widgets.graph_picture import F8, I8, Picture, Role

LEGIBLE = 0.55  # where a whole picture would be smaller than this, its beginning is opened
SCALES = (0.85, 0.8, 0.75, 0.7, 0.65, 0.6, 0.56)  # of a beginning: the largest at which nothing across is cut
CUT_SCALE = 0.65  # ... and where something is at all of them
LEAST = 100.0  # units of a beginning, however narrow the view: something stands in them
MARGIN = 6.0
TITLE = 20.0  # of hulls and frames
CUT_SHAPE, CUT_HULL = 1e6, 60.0  # units that the view is rather moved than cut one
OUTSIDE = 4.0  # times as far is it rather moved than have the trunk outside


def opening(picture: Picture, width: float, height: float) -> tuple[float, float, float]:
    """Scale, and the x and y of the middle, for a view of some pixels."""
    x, y, wide, high = picture.bounds
    whole = min(width / wide, height / high, 1.0)
    if whole >= LEGIBLE or not len(picture.rects):
        return whole, x + wide / 2, y + high / 2
    if picture.downwards:
        scale, middle = _beginning(picture, height, width)
        return scale, middle, y + height / scale / 2
    scale, middle = _beginning(picture, width, height)
    return scale, x + width / scale / 2, middle


def _beginning(picture: Picture, along: float, across: float) -> tuple[float, float]:
    """The scale, and the middle across, for a view of `along` by `across` pixels."""
    start = picture.bounds[1 if picture.downwards else 0]
    for scale in SCALES:
        end = start + max(along / scale, LEAST)
        titles = _extent(picture, end, frames=TITLE)
        if titles[1] - titles[0] <= across / scale:
            frames = _extent(picture, end, frames=np.inf)
            return scale, sum(frames if frames[1] - frames[0] <= across / scale else titles) / 2
    for scale in SCALES:
        end = start + max(along / scale, LEAST)
        trunk = _trunk(picture, end)
        middle = _clean_middle(picture, end, across / scale, trunk)
        if abs(middle - sum(trunk) / 2) <= (across / scale - (trunk[1] - trunk[0])) / 2:
            return scale, middle
    end = start + max(along / CUT_SCALE, LEAST)
    return CUT_SCALE, _clean_middle(picture, end, across / CUT_SCALE, _trunk(picture, end, steps=1))


def _extent(picture: Picture, end: float, *, frames: float) -> tuple[float, float]:
    """From where to where, across the graph's direction, something stands before `end` along it; of frames so much."""
    parts = [_spans(picture, rows, end) for rows in (picture.rects, picture.hull_rects, picture.frame_rects)]
    parts[2][:, 1] = np.minimum(parts[2][:, 1], parts[2][:, 0] + frames)
    spans = np.vstack(parts)
    return float(spans[:, 0].min()) - MARGIN, float(spans[:, 1].max()) + MARGIN


def _spans(picture: Picture, rows: F8, end: float) -> F8:
    """Where those that begin before `end` begin and end across: shape (rows, 2)."""
    along, across = (1, 0) if picture.downwards else (0, 1)
    seen = rows[rows[:, along] < end]
    return np.column_stack([seen[:, across], seen[:, across] + seen[:, across + 2]])


def _clean_middle(picture: Picture, end: float, page: float, trunk: tuple[float, float]) -> float:
    """The middle across of a view through whose start no box and no title goes, with the trunk in it."""
    shapes, hulls, frames = (
        _spans(picture, rows, end) for rows in (picture.rects, picture.hull_rects, picture.frame_rects)
    )
    titled = np.vstack([frames, hulls])[:, 0]
    firm = shapes if picture.downwards else np.vstack([shapes, np.column_stack([titled, titled + TITLE])])
    places = np.unique(np.concatenate([shapes[:, 0], titled]) - MARGIN)
    away = np.abs(places + page / 2 - sum(trunk) / 2)
    outside = np.maximum(places - trunk[0], 0) + np.maximum(trunk[1] - places - page, 0)
    cost = away + OUTSIDE * outside + CUT_SHAPE * _cut(places, firm) + CUT_HULL * _cut(places, hulls)
    return float(places[int(cost.argmin())]) + page / 2


def _cut(places: F8, spans: F8) -> I8:
    """How many of the spans lie over each place."""
    over = (spans[None, :, 0] < places[:, None]) & (spans[None, :, 1] > places[:, None])
    return over.sum(axis=1)


def _trunk(picture: Picture, end: float, *, steps: int = sys.maxsize) -> tuple[float, float]:
    """From where to where across the inputs before `end` stand and what they lead to there in so many steps."""
    seen = picture.rects[:, 1 if picture.downwards else 0] < end
    sources, targets = picture.ends.T
    inside = seen[sources] & seen[targets]
    led = seen & np.array([shape.role is Role.PALE for shape in picture.shapes])
    led[targets] = False  # inputs are pale, as views are, and nothing leads to them
    while steps and (fresh := targets[inside & led[sources] & ~led[targets]]).size:
        led[fresh] = True
        steps -= 1
    spans = _spans(picture, picture.rects[led] if led.any() else picture.rects, end)
    return float(spans[:, 0].min()) - MARGIN, float(spans[:, 1].max()) + MARGIN
