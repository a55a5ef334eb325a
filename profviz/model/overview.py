"""How busy one side is over its whole time, in equal parts; knows neither how it is worked out nor how it is shown."""

from __future__ import annotations

from dataclasses import dataclass

from profviz.model.trace import I64


@dataclass(frozen=True, slots=True, eq=False)
class Overview:
    """`busy_ns` (bins,) is how much of each part of `bin_ns` ns from the trace's start at least one slice of `of` ran.

    `of` says whose slices these are: GPU, or CPU where the trace has no GPU work.
    """

    busy_ns: I64
    bin_ns: int
    of: str
