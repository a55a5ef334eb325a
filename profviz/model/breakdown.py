"""Where wall time went, as values that sum to it exactly: parts, windows, steps and exposure; knows no view."""

from __future__ import annotations

import enum
from collections.abc import Iterable, Sequence
from dataclasses import dataclass


class Part(enum.IntEnum):
    """What a moment of wall time belongs to: exactly one of these; the value indexes `WallTime.parts_ns`.

    COMPUTE to COPY are the union of the GPU's work, each moment counted for the first of them that ran; HOST to
    UNKNOWN are the moments at which no GPU work ran; OPERATORS and OTHER share out a trace without GPU work.
    """

    COMPUTE = 0
    COMMUNICATION = 1
    COPY = 2
    HOST = 3
    SYNCHRONISE = 4
    DEPENDENCY = 5
    BETWEEN = 6
    UNKNOWN = 7
    OPERATORS = 8
    OTHER = 9

    @property
    def title(self) -> str:
        return _TEXTS[self][0]

    @property
    def definition(self) -> str:
        """What counts as this part, in plain words."""
        return _TEXTS[self][1]

    @property
    def is_busy(self) -> bool:
        """GPU work ran, whichever."""
        return self <= Part.COPY

    @property
    def is_idle(self) -> bool:
        return Part.HOST <= self <= Part.UNKNOWN


_TEXTS = {
    Part.COMPUTE: ("compute", "At least one kernel ran that neither communicates nor copies between memories."),
    Part.COMMUNICATION: (
        "exposed communication",
        "A communication kernel ran and no computing one: nothing hid it.",
    ),
    Part.COPY: ("exposed copies", "Only copies or fills of memory ran: neither computing nor communication hid them."),
    Part.HOST: (
        "waiting for the host",
        "The GPU had nothing to do: the call that launched the next work was not over when the work before had ended, "
        "or nothing was launched any more. Launch-bound.",
    ),
    Part.SYNCHRONISE: (
        "synchronising",
        "The GPU had nothing to do because the host had waited for it before it launched the next work (synchronise "
        "calls, blocking copies, .item()), or still did: as much of the gap as those calls took. The rest of such a "
        "gap is the host's.",
    ),
    Part.DEPENDENCY: (
        "dependency",
        "The next work had been launched in time and waited; what ended last was in another stream.",
    ),
    Part.BETWEEN: (
        "between kernels",
        "The next work had been launched in time and the work before it, in its own stream, had just ended: the GPU's "
        "way from one to the next, and whatever else it waited for that was not recorded.",
    ),
    Part.UNKNOWN: (
        "unknown",
        "No GPU work ran and why cannot be told: the trace has no launch of the next work, or nothing was recorded.",
    ),
    Part.OPERATORS: ("operators", "At least one operator ran on some CPU thread. The trace has no GPU work."),
    Part.OTHER: ("outside operators", "No operator ran on any CPU thread. The trace has no GPU work."),
}
GPU_PARTS = tuple(part for part in Part if part <= Part.UNKNOWN)
CPU_PARTS = (Part.OPERATORS, Part.OTHER)


@dataclass(frozen=True, slots=True)
class Stretch:
    """A time without a break in one part; `slice` is what ended an idle one or began a busy one, or MISSING."""

    start_ns: int
    end_ns: int
    slice: int


@dataclass(frozen=True, slots=True)
class WallTime:
    """[start, end) of a side's time shared out: `parts_ns[part]` sum to `wall_ns` exactly, none is negative.

    `longest[part]` is the longest stretch of the part, cut to the window, None where the part has no time.
    """

    start_ns: int
    end_ns: int
    parts_ns: tuple[int, ...]
    longest: tuple[Stretch | None, ...]

    @property
    def wall_ns(self) -> int:
        return self.end_ns - self.start_ns

    @property
    def busy_ns(self) -> int:
        return sum(self.parts_ns[part] for part in Part if part.is_busy)

    @property
    def idle_ns(self) -> int:
        return sum(self.parts_ns[part] for part in Part if part.is_idle)


@dataclass(frozen=True, slots=True)
class Exposure:
    """Copies or communication of one GPU lane, or of all (`lane` MISSING), within a window; `what` says which.

    `total_ns` is their union, `exposed_ns` the part of it during which no computing kernel ran on the device.
    """

    what: str
    lane: int
    title: str
    total_ns: int
    exposed_ns: int

    @property
    def overlapped_ns(self) -> int:
        return self.total_ns - self.exposed_ns


@dataclass(frozen=True, slots=True)
class StepTime:
    """One profiled step's range on the host's clock: GPU work counts where it ran, whichever step launched it."""

    number: int
    wall: WallTime
    exposures: tuple[Exposure, ...] = ()


@dataclass(frozen=True, slots=True)
class TimeBreakdown:
    """One side: the whole recording or the range asked for, and each profiled step of a whole one.

    `devices` are those that the trace has work of, and `device` the one broken down, None for all taken together: then
    a moment is busy while any is. `notes` say what the figures leave open, a sentence each.
    """

    title: str
    whole: WallTime
    exposures: tuple[Exposure, ...]
    steps: tuple[StepTime, ...]
    has_gpu: bool
    devices: tuple[int, ...] = ()
    device: int | None = None
    notes: tuple[str, ...] = ()

    @property
    def parts(self) -> tuple[Part, ...]:
        """The parts that this side's time can be shared out into."""
        return GPU_PARTS if self.has_gpu else CPU_PARTS

    @property
    def median_step(self) -> StepTime | None:
        """The step with the (lower) median of wall time, a real one, so that its parts sum to it; None without steps.

        The first profiled step bears the profiler's own start: the median leaves it out where there are three.
        """
        ordered = sorted(self.steps, key=lambda step: step.wall.wall_ns)
        return ordered[(len(ordered) - 1) // 2] if ordered else None


@dataclass(frozen=True, slots=True)
class Change:
    """How one part differs from the first side to the second, in ns of one step or of the whole recordings."""

    part: Part
    before_ns: int
    after_ns: int

    @property
    def change_ns(self) -> int:
        return self.after_ns - self.before_ns


def changes(before: WallTime, after: WallTime, parts: Iterable[Part]) -> tuple[Change, ...]:
    """One for each of `parts`; over all parts they sum exactly to the difference of the wall times."""
    return tuple(Change(part, before.parts_ns[part], after.parts_ns[part]) for part in parts)


def shown_parts(walls: Sequence[WallTime], parts: Sequence[Part]) -> tuple[Part, ...]:
    """Those of `parts` that any of the windows has time of."""
    return tuple(part for part in parts if any(wall.parts_ns[part] for wall in walls))
