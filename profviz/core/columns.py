"""The native columns extension where it was built, and what it and its Python twins ask of arrays alike.

Each twin stands beside its native function, gives the same results, and is used where no compiler was at hand.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

try:
    if os.environ.get("PROFVIZ_PURE"):
        raise ImportError("told to do without")
    from profviz.core import _columns
except ImportError:
    NATIVE = False
else:
    NATIVE = True
    native = _columns

I64 = npt.NDArray[np.int64]
I32 = npt.NDArray[np.int32]
U32 = npt.NDArray[np.uint32]
U8 = npt.NDArray[np.uint8]
F64 = npt.NDArray[np.float64]
Mask = npt.NDArray[np.bool_]
Lanes = npt.NDArray[np.integer[Any]]
"""Of one of the types in `LANES`."""

LANES = (np.uint16, np.uint32, np.int32)
NS = (np.int64,)


def column(values: Any, name: str, types: Sequence[type[np.generic]], *, count: int | None = None) -> Any:
    """The same array, contiguous; TypeError unless it is one of `types`, ValueError unless it has shape (count,)."""
    if not isinstance(values, np.ndarray) or not any(values.dtype == kind for kind in types):
        allowed = " or ".join(np.dtype(kind).name for kind in types)
        raise TypeError(f"{name} must be an array of {allowed}, not {getattr(values, 'dtype', type(values).__name__)}")
    if values.ndim != 1 or (count is not None and len(values) != count):
        wanted = "one dimension" if count is None else f"shape ({count},)"
        raise ValueError(f"{name} must have {wanted}, not shape {values.shape}")
    return np.ascontiguousarray(values)


def places(packed: bytes) -> I64:
    """What the native functions return as packed uint32 places, as int64."""
    return np.frombuffer(packed, dtype=np.uint32).astype(np.int64)
