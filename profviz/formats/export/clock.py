"""The clock that exported times are written by: the file's own, unless other viewers would lose digits of it."""

from __future__ import annotations

from dataclasses import dataclass

from profviz.formats.chrome.values import integer
from profviz.formats.export.json_text import us_text
from profviz.model.trace import MISSING, Trace

BASE = "baseTimeNanoseconds"
EXACT_NS = 1 << 53
"""Other viewers read microseconds into doubles, which beyond this can't tell one nanosecond from the next."""
SECOND_NS = 1_000_000_000


@dataclass(frozen=True, slots=True)
class Clock:
    """`first_ns` is what the file's clock shows at t=0, `base_ns` what the file adds to it.

    `shift_ns` is taken from every written time and added to the written base, so that the sum stays.
    """

    first_ns: int
    base_ns: int
    shift_ns: int

    def since_start(self, time_ns: int) -> bytes:
        """How a time is written that counts from the trace's start."""
        return us_text(time_ns + self.first_ns - self.shift_ns)

    def of_file(self, time_ns: int) -> bytes:
        """How a time is written that the file's own clock shows."""
        return us_text(time_ns - self.shift_ns)


def clock_of(trace: Trace) -> Clock:
    """Whole seconds are shifted, so that what is behind the point looks the same."""
    found = integer(trace.meta.get(BASE))
    base_ns = 0 if found == MISSING else found
    first_ns = trace.origin_ns - base_ns
    shift_ns = first_ns - first_ns % SECOND_NS if abs(first_ns) > EXACT_NS else 0
    return Clock(first_ns, base_ns, shift_ns)
