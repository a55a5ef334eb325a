"""Values over time as filled steps, straight into the picture's pixels; pure numpy."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from profviz.core.columns import I64, U32
from profviz.core.series import Series
from profviz.ui.views.timeline.tracks import Line

PAD = 3
FILL = 0.30
BELOW = 30_000.0
I16 = npt.NDArray[np.int16]


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
    shades, which = [ground], np.zeros((height, len(ground)), dtype=np.uint8)
    pad, edge = round(PAD * ratio), max(1, round(ratio))
    bounds, y = bounds_of(lines), np.arange(height, dtype=np.int16)[:, None]
    for line, colour in zip(lines, colours, strict=True):
        top, bottom = _heights(line.series, edges_ns, bounds, pad, height - pad)
        filled = (y >= top) & (y < height - pad)
        strong = filled & (y <= np.maximum(bottom, top + edge - 1))
        which += filled * np.uint8(len(shades))
        which = np.maximum(which, strong * np.uint8(2 * len(shades)))  # sooner than by the mask
        shades += [*(mixed(shade, colour, FILL) for shade in shades), np.full_like(ground, colour)]
    places = which.astype(np.int32) * len(ground) + np.arange(len(ground), dtype=np.int32)
    return np.concatenate(shades).take(places, mode="clip")


def _heights(series: Series, edges_ns: I64, bounds: tuple[float, float], top: int, bottom: int) -> tuple[I16, I16]:
    """Where the highest and the lowest value of each pixel stand; below everything where they are not known."""
    found = series.extremes(edges_ns)
    scale = (bottom - 1 - top) / (bounds[1] - bounds[0])
    high, low = (np.round(bottom - 1 - (values - bounds[0]) * scale) for values in (found.high, found.low))
    return tuple(np.nan_to_num(y, nan=BELOW).astype(np.int16) for y in (high, low))  # type: ignore[return-value]


def mixed(below: U32, colour: int, strength: float) -> U32:
    """A colour laid over others, `strength` strong."""
    made = np.full(below.shape, 0xFF000000, dtype=np.uint32)
    for shift in (0, 8, 16):
        low = (below >> np.uint32(shift) & np.uint32(0xFF)).astype(np.float32)
        value = low + ((colour >> shift & 0xFF) - low) * np.float32(strength)
        made |= value.astype(np.uint32) << np.uint32(shift)
    return made
