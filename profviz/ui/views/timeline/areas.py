"""Values over time as filled steps, straight into the picture's pixels; pure numpy."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from profviz.core.columns import F64, I64, U32
from profviz.core.series import Series
from profviz.ui.views.timeline.tracks import Line

PAD = 3
FILL = 0.30


def bounds_of(lines: Sequence[Line]) -> tuple[float, float]:
    """The lowest and highest value of the axis, which always has zero on it."""
    lows = [line.series.lowest for line in lines]
    highs = [line.series.highest for line in lines]
    low = min([0.0, *(low for low in lows if not math.isnan(low))])
    high = max([0.0, *(high for high in highs if not math.isnan(high))])
    return low, high if high > low else low + 1.0


def area_of(
    lines: Sequence[Line], edges_ns: I64, height: int, *, ground: U32, colours: Sequence[int], ratio: float
) -> U32:
    """The pixels of a track of `height`, shape (height, width), over `ground` (width,); a colour for each line.

    Each line is filled from the axis up and has an edge from its lowest to its highest value in each pixel.
    """
    made = np.repeat(ground[None], height, axis=0)
    pad, edge = round(PAD * ratio), max(1, round(ratio))
    bounds = bounds_of(lines)
    for line, colour in zip(lines, colours, strict=True):
        top, bottom = _heights(line.series, edges_ns, bounds, pad, height - pad)
        y = np.arange(height)[:, None]
        with np.errstate(invalid="ignore"):
            filled = (y >= top) & (y < height - pad)
            strong = (y >= top) & (y <= np.maximum(bottom, top + edge - 1))
        made = np.where(filled, mixed(made, colour, FILL), made)
        made = np.where(strong & (y < height), np.uint32(colour), made)
    return made


def _heights(series: Series, edges_ns: I64, bounds: tuple[float, float], top: int, bottom: int) -> tuple[F64, F64]:
    """Where the highest and the lowest value of each pixel stand, NaN where it is not known."""
    found = series.extremes(edges_ns)
    scale = (bottom - 1 - top) / (bounds[1] - bounds[0])
    return tuple(np.round(bottom - 1 - (values - bounds[0]) * scale) for values in (found.high, found.low))  # type: ignore[return-value]


def mixed(below: U32, colour: int, strength: float) -> U32:
    """A colour laid over others, `strength` strong."""
    made = np.full(below.shape, 0xFF000000, dtype=np.uint32)
    for shift in (0, 8, 16):
        low = (below >> np.uint32(shift) & np.uint32(0xFF)).astype(np.float32)
        value = low + ((colour >> shift & 0xFF) - low) * np.float32(strength)
        made |= value.astype(np.uint32) << np.uint32(shift)
    return made
