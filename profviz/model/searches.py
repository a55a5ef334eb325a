"""What a search over the slices of one side found; knows neither how it is asked nor how it is shown."""

from __future__ import annotations

from dataclasses import dataclass

from profviz.model.trace import I64

MOST_LISTED = 100_000
"""So many of the slices found are told one by one; all of them are counted."""
BINS = 2_048
"""Parts of the trace's time in which the slices found are counted."""


@dataclass(frozen=True, slots=True, eq=False)
class Found:
    """`count` slices match; `slices` are the first `MOST_LISTED` of them by time, shape (k,).

    `density` (BINS,) counts those that begin in each of equal parts of `bin_ns` ns from the trace's start. Where
    `reads_args` is set they only may match: their events have still to be read, see the question "search args".
    """

    count: int
    slices: I64
    density: I64
    bin_ns: int
    reads_args: bool = False
