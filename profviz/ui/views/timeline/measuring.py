"""Measures: the nearest edges of slices to snap to, and a length with its ends in words; pure, exact int64 ns."""

from __future__ import annotations

from collections.abc import Iterable

from profviz.core.raster import Row
from profviz.ui.views.timeline.texts import format_exact_ns, length_text

SNAP_PX = 6.0


def snapped(rows: Iterable[Row], time_ns: int, *, reach_ns: int) -> int:
    """The edge of a slice that is nearest to a time, the time itself where none is within `reach_ns`."""
    best, distance = time_ns, reach_ns + 1
    for row in rows:
        for edge in edges_near(row, time_ns):
            if abs(edge - time_ns) < distance:
                best, distance = edge, abs(edge - time_ns)
    return best


def edges_near(row: Row, time_ns: int) -> list[int]:
    """Start and end of the slice at a time and of its neighbours: the edges nearest to it are among them."""
    at = row.visible(time_ns, time_ns + 1).start
    places = range(max(0, at - 1), min(len(row), at + 2))
    return [int(edge) for place in places for edge in (row.start_ns[place], row.end_ns[place])]


def measure_text(start_ns: int, end_ns: int, *, zero_ns: int) -> str:
    """Length and both ends, counted from the axis' zero: 12.345 µs, from 1.000 µs to 13.345 µs."""
    length = length_text(end_ns - start_ns)
    return f"{length}, from {format_exact_ns(start_ns - zero_ns)} to {format_exact_ns(end_ns - zero_ns)}"
