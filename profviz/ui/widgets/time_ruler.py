"""Round steps of a time axis; knows no widget."""

from __future__ import annotations

STEPS = (1, 2, 5)
LEAST_PX = 90


def ruler_step(span_ns: int, width: float) -> int:
    """A round step in ns of at least 1, with some 90 pixels between two marks."""
    wanted = max(1.0, span_ns * LEAST_PX / max(width, 1.0))
    size = 1
    while size * 10 <= wanted:
        size *= 10
    return next((size * step for step in STEPS if size * step >= wanted), size * 10)
