"""What a sample plot shows, as values; no Qt and no pyqtgraph, so that layouts can use them."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class SampleSeries:
    """`values_ms` over `positions`; the band runs from `low_ms` to `high_ms`; `apart` are values left out of both.

    `kind` indexes the palette's kinds. Milliseconds as float are for drawing only.
    """

    title: str
    kind: int
    positions: tuple[float, ...]
    values_ms: tuple[float, ...]
    median_ms: float | None = None
    low_ms: float | None = None
    high_ms: float | None = None
    apart_positions: tuple[float, ...] = ()
    apart_ms: tuple[float, ...] = ()
