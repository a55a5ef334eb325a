"""How much busier one side is than another, pixel by pixel over the aligned time; pure, exact int64 ns."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from profviz.model.overview import Busy
from profviz.model.trace import F64, I64


def busy_fraction(busy: Busy, edges_ns: I64) -> F64:
    """The busy part of each pixel, shape (w,), of ascending `edges_ns` (w + 1,) in the side's own time.

    A pixel without length, as in a window narrower in ns than in pixels, shows what the moment does.
    """
    spent = np.diff(_before(busy, edges_ns))
    length = np.diff(edges_ns)
    moment = _before(busy, edges_ns[:-1] + 1) - _before(busy, edges_ns[:-1])
    return np.asarray(np.where(length > 0, spent / np.maximum(length, 1), moment), dtype=np.float64)


def _before(busy: Busy, times_ns: I64) -> npt.NDArray[np.int64]:
    """How much of the busy time lies before each time."""
    at = busy.start_ns.searchsorted(times_ns, side="right")
    last = np.maximum(at - 1, 0)
    if not len(busy.start_ns):
        return np.zeros(len(times_ns), dtype=np.int64)
    over = np.where(at > 0, np.maximum(busy.end_ns[last] - times_ns, 0), 0)
    found: I64 = busy.before_ns[at] - over
    return found
