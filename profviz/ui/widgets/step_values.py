"""What a plot of step functions shows, as values; no Qt, so that layouts can use them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt


@dataclass(frozen=True, slots=True, eq=False)
class StepSeries:
    """One step function: entry i holds from `time_ns[i]` until the next, shape (n,) each.

    A `dashed` one is a bare line, the other has its area filled: so colour is not the only sign.
    """

    title: str
    time_ns: npt.NDArray[np.int64]
    value: npt.NDArray[Any]
    dashed: bool = False


@dataclass(frozen=True, slots=True)
class StepMark:
    """A point worth a look, with its text."""

    time_ns: int
    value: float
    text: str


@dataclass(frozen=True, slots=True, eq=False)
class StepPlotData:
    """One plot; `top` is the highest value of its scale, `read` writes a value for people, `id` is the owner's.

    All times are the owner's shared ones.
    """

    id: int
    title: str
    series: tuple[StepSeries, ...]
    top: float
    read: Callable[[float], str]
    marks: tuple[StepMark, ...] = field(default=())
