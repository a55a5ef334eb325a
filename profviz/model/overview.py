"""How busy one side is over its time; knows neither how it is worked out nor how it is shown."""

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


@dataclass(frozen=True, slots=True, eq=False)
class Busy:
    """When at least one slice of `of` ran: disjoint intervals in order, `start_ns` and `end_ns` of shape (k,).

    `before_ns` (k + 1,) is how much of that lies before each of them, and in all.
    """

    start_ns: I64
    end_ns: I64
    before_ns: I64
    of: str
