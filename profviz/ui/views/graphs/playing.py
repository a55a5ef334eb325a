"""What runs at a moment of a step, on both sides at once: the script that the play-head goes through. Pure."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Sequence

from profviz.model.graph import NodeRun, StepRuns

SLOWER = (100, 1_000, 10_000, 100_000)
"""How many times slower than the machine did it."""


class Script:
    """Times are ns since each side's first run of the step, so that both sides set off together."""

    def __init__(self, sides: Sequence[StepRuns]) -> None:
        self.sides = tuple(side for side in sides if side.runs)
        self._starts = [[run.start_ns - side.runs[0].start_ns for run in side.runs] for side in self.sides]

    @property
    def length_ns(self) -> int:
        """Until the last run of any side ends."""
        return max((max(run.end_ns for run in side.runs) - side.runs[0].start_ns for side in self.sides), default=0)

    def moments(self, at_ns: int) -> dict[int, int]:
        """For each side (`Results.sides` index) the time of its trace where the play-head is, at most its own end."""
        found = {}
        for side in self.sides:
            last = max(run.end_ns for run in side.runs)
            found[side.side] = min(side.runs[0].start_ns + at_ns, last)
        return found

    def running(self, which: int, at_ns: int) -> tuple[NodeRun, ...]:
        """The runs of side number `which` of the script that have begun and not ended."""
        if not 0 <= which < len(self.sides):
            return ()
        side, starts = self.sides[which], self._starts[which]
        origin = side.runs[0].start_ns
        begun = bisect_right(starts, at_ns)
        return tuple(run for run in side.runs[max(begun - OVERLAP, 0) : begun] if run.end_ns - origin > at_ns)

    def step(self, which: int, at_ns: int, by: int) -> int:
        """The start of the next run (`by` 1) or of the one before (-1), the last or first where there is none."""
        if not 0 <= which < len(self.sides):
            return at_ns
        starts = self._starts[which]
        place = bisect_right(starts, at_ns) if by > 0 else bisect_left(starts, at_ns) - 1
        return starts[min(max(place, 0), len(starts) - 1)]


OVERLAP = 64  # runs back from the latest that may still be running, on other streams
