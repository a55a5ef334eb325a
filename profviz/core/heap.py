"""Giving memory back to the system: a bulk job's freed arrays would else stay with the process."""

from __future__ import annotations

import ctypes
from collections.abc import Callable
from typing import Any


def _trimmer() -> Callable[[int], Any] | None:
    """glibc's own; other C libraries give large blocks back by themselves."""
    try:
        found: Callable[[int], Any] = ctypes.CDLL(None).malloc_trim
    except (AttributeError, OSError, TypeError):
        return None
    return found


_TRIM = _trimmer()


def give_back() -> None:
    """Returns freed memory to the system where that has to be asked for; takes about a millisecond."""
    if _TRIM is not None:
        _TRIM(0)
