"""Where compile time went and when it pays back, as values; knows no log and no clock."""

from __future__ import annotations

import enum
from dataclasses import dataclass


class CompileStage(enum.Enum):
    """The parts of the compiler, in the order in which a graph goes through them; the value is what the user reads."""

    DYNAMO = "Dynamo"
    AOT = "AOTAutograd"
    LOWERING = "Inductor: passes and lowering"
    SCHEDULING = "Inductor: scheduling"
    CODEGEN = "Inductor: writing code"
    COMPILERS = "Triton or C++ compiler"
    AUTOTUNE = "autotuning"
    CUDA_GRAPHS = "recording CUDA graphs"
    CACHES = "looking into caches"
    OTHER = "other work of the compiler"


@dataclass(frozen=True, slots=True)
class Span:
    """One bar of the icicle: a span of the compiler at its nesting `depth`, with the time that no span in it has.

    `start_ns` is on the wall clock. `cached` says that its compilation was taken from a cache at least in part.
    """

    name: str
    start_ns: int
    dur_ns: int
    depth: int
    self_ns: int
    stage: CompileStage
    direction: str
    compile_id: str
    cached: bool


@dataclass(frozen=True, slots=True)
class Part:
    """How long one stage took in one direction (forward, backward, or empty where the log does not say)."""

    stage: CompileStage
    direction: str
    dur_ns: int


@dataclass(frozen=True, slots=True)
class CompileCost:
    """`parts`, `step_ns` and `rest_ns` sum to `wall_ns`, the first call; where it is not known, only parts are.

    `step_ns` is what a steady step takes, which the first call has to do as well. `rest_ns` is what nothing explains:
    imports, allocations, first launches, and whatever the compiler does outside its own spans. It is negative where
    the step took less in the first call than later. `later` is compiling that came after the first call, which began
    at `start_ns` on the wall clock.
    """

    spans: tuple[Span, ...]
    parts: tuple[Part, ...]
    wall_ns: int | None
    step_ns: int | None
    rest_ns: int | None
    later: tuple[Span, ...]
    start_ns: int | None = None

    @property
    def explained_ns(self) -> int:
        return sum(part.dur_ns for part in self.parts)

    @property
    def later_ns(self) -> int:
        return sum(span.self_ns for span in self.later)


@dataclass(frozen=True, slots=True)
class BreakEven:
    """After how many steps compiling has paid for itself: by the medians, and by those of the rounds that differ most.

    `steps` None: never, on this measurement. `low` and `high` are None where there was but one round; `high` None with
    a `low` says that it may never. Where it is not `is_clear` the medians differ by less than their spread.
    """

    cost_ns: int
    gain_ns: int
    steps: int | None
    low: int | None = None
    high: int | None = None
    rounds: int = 1
    is_clear: bool = True


@dataclass(frozen=True, slots=True)
class CompileAccount:
    """What one report tells of compile time; `even` is None where eager and compiled steps were not both timed."""

    cost: CompileCost
    even: BreakEven | None
