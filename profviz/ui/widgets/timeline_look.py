"""Colours of painted rows for one palette, as numbers for images and as pens for text; knows no profiler."""

from __future__ import annotations

import numpy as np
from PySide6.QtGui import QColor, QFont

from profviz.core.detail import KINDS, SHADES
from profviz.core.picture import LEVELS, U32
from profviz.ui.widgets.oklab import lightened
from profviz.ui.widgets.palette import Palette
from profviz.ui.widgets.panel_style import tabular, verbatim, with_alpha

FAINTEST = 0.38
"""How strongly the faintest busy pixel shows its colour: weaker ones would be lost on the lane."""

SHADE_STEPS = (0.0, 0.02, -0.02, 0.04)
"""How much lighter than its kind's colour each shade is, in OKLab: just enough to be seen beside another."""

TEXT_PX, SMALL_PX = 12, 11


class Look:
    """What a palette means for rows: `colours` has shape (CODES, LEVELS), as 0xffRRGGBB; see `core.picture`."""

    def __init__(self, palette: Palette, font: QFont) -> None:
        self.palette = palette
        self.panel = QColor(palette.panel)
        self.text = QColor(palette.text)
        self.muted = QColor(palette.muted)
        self.accent = QColor(palette.accent)
        self.border = QColor(palette.border)
        self.selection = QColor(palette.selection)
        self.grid = with_alpha(palette.muted, 0.16)
        self.range = with_alpha(palette.accent, 0.16)
        self.panel_number = number_of(self.panel)
        self.grounds = (number_of(QColor(palette.lane)), self.panel_number)
        """An empty row, and what is between two rows; `grounds_marked`: where a mark of the axis crosses them."""
        self.grounds_marked = tuple(
            number_of(over(QColor(ground), self.grid)) for ground in (palette.lane, palette.panel)
        )
        self.line_numbers = (number_of(QColor(palette.muted)), number_of(self.accent))
        self.behind_text = with_alpha(palette.lane, 0.75)
        self.colours = _mixes(palette)
        self.on_kind = tuple(_readable(QColor(colour)) for colour in palette.kinds)
        self.on_kind_numbers = np.array([number_of(colour) for colour in self.on_kind], dtype=np.uint32)
        self.font = sized(font, TEXT_PX)
        self.small = sized(font, SMALL_PX)
        self.bold = QFont(self.font)
        self.bold.setWeight(QFont.Weight.DemiBold)


def sized(font: QFont, pixels: int) -> QFont:
    made = tabular(verbatim(font))
    made.setPixelSize(pixels)
    return made


def number_of(colour: QColor) -> int:
    return 0xFF000000 | colour.red() << 16 | colour.green() << 8 | colour.blue()


def over(below: QColor, above: QColor) -> QColor:
    """A colour that lets through what is below it, there."""
    alpha = above.alphaF()
    parts = zip(below.getRgb()[:3], above.getRgb()[:3], strict=True)
    return QColor(*(round(low + (high - low) * alpha) for low, high in parts))


def _mixes(palette: Palette) -> U32:
    """Each kind's colour in each shade over the lane's, from the faintest to the full one."""
    ground = _channels(palette.lane)
    full = np.zeros((SHADES, KINDS, 3))
    full[:, : len(palette.kinds)] = [
        [_channels(shaded(colour, shade)) for colour in palette.kinds] for shade in range(SHADES)
    ]
    full = full.reshape(-1, 3)
    strength = FAINTEST + (1 - FAINTEST) * np.arange(LEVELS) / (LEVELS - 1)
    mixed = ground + (full[:, None, :] - ground) * strength[None, :, None]
    red, green, blue = (np.rint(mixed[..., channel]).astype(np.uint32) for channel in range(3))
    return np.uint32(0xFF000000) | red << np.uint32(16) | green << np.uint32(8) | blue


def shaded(colour: str, shade: int) -> str:
    """A kind's colour itself, or a little lighter or darker, so that neighbours of one kind are told apart."""
    return lightened(colour, SHADE_STEPS[shade])


def _channels(colour: str) -> np.ndarray:
    made = QColor(colour)
    return np.array([made.red(), made.green(), made.blue()], dtype=np.float64)


def _luminance(colour: QColor) -> float:
    """Relative luminance of WCAG 2.1."""
    parts = [part / 12.92 if part <= 0.03928 else ((part + 0.055) / 1.055) ** 2.4 for part in colour.getRgbF()[:3]]
    return 0.2126 * parts[0] + 0.7152 * parts[1] + 0.0722 * parts[2]


def _readable(ground: QColor) -> QColor:
    """White or near black, whichever stands out more on `ground`."""
    light = _luminance(ground)
    dark = QColor("#0d1117")
    return QColor("#ffffff") if 1.05 / (light + 0.05) > (light + 0.05) / (_luminance(dark) + 0.05) else dark
