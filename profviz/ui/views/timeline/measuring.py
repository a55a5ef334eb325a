"""The edges of slices that the ends of a range snap to; pure, exact int64 ns."""

from __future__ import annotations

from collections.abc import Iterable

from profviz.core.raster import Row

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
