"""OKLab (Björn Ottosson, 2020): colours in a space where equal steps look equal; pure numpy, no Qt."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

F64 = npt.NDArray[np.float64]

_TO_CONES = np.array(
    [
        [0.4122214708, 0.5363325363, 0.0514459929],
        [0.2119034982, 0.6806995451, 0.1073969566],
        [0.0883024619, 0.2817188376, 0.6299787005],
    ]
)
_TO_LAB = np.array(
    [
        [0.2104542553, 0.7936177850, -0.0040720468],
        [1.9779984951, -2.4285922050, 0.4505937099],
        [0.0259040371, 0.7827717662, -0.8086757660],
    ]
)


def linear_of(colour: str) -> F64:
    """The linear red, green and blue of an sRGB `#rrggbb`, each from 0 to 1."""
    coded = np.array([int(colour[at : at + 2], 16) / 255 for at in (1, 3, 5)])
    made: F64 = np.where(coded <= 0.04045, coded / 12.92, ((coded + 0.055) / 1.055) ** 2.4)
    return made


def colour_of(linear: F64) -> str:
    """The `#rrggbb` of linear values; what no screen shows is brought to the nearest edge."""
    within = np.clip(linear, 0, 1)
    coded = np.where(within <= 0.0031308, 12.92 * within, 1.055 * within ** (1 / 2.4) - 0.055)
    return "#" + "".join(f"{round(part * 255):02x}" for part in coded.tolist())


def oklab_of(linear: F64) -> F64:
    """Lightness, and how red and how yellow, of linear red, green and blue in the last axis."""
    made: F64 = np.cbrt(np.clip(linear, 0, 1) @ _TO_CONES.T) @ _TO_LAB.T
    return made


def linear_of_oklab(lab: F64) -> F64:
    made: F64 = (lab @ np.linalg.inv(_TO_LAB).T) ** 3 @ np.linalg.inv(_TO_CONES).T
    return made


def lightened(colour: str, step: float) -> str:
    """The same hue, so much lighter in OKLab, or darker where negative."""
    lab = oklab_of(linear_of(colour))
    return colour_of(linear_of_oklab(lab + np.array([step, 0.0, 0.0]))) if step else colour
