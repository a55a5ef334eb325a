"""A selected slice, and where it stands."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Mark:
    """A slice where it stands: side, track id, row, times in the side's own time."""

    side: int
    slice: int
    track: str
    row: int
    start_ns: int
    end_ns: int
