"""What is worked out about one slice on demand; plain values."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from profviz.model.durations import Durations
from profviz.model.triton_binary import TritonBinary


@dataclass(frozen=True, slots=True)
class Neighbour:
    """A slice beside another on its row; `gap_ns` lies between the two and is negative where they overlap."""

    slice: int
    gap_ns: int


@dataclass(frozen=True, slots=True)
class Launched:
    """How a GPU slice came to run: `begin_ns` and `end_ns` from the call's begin and end to the slice's start.

    `queued` other GPU slices of the lane had been asked for and had not begun when the call began.
    """

    call: int
    begin_ns: int
    end_ns: int
    queued: int


@dataclass(frozen=True, slots=True)
class InStep:
    """`step` indexes `Side.steps`; GPU work is the `place`-th of `count` in order of launch, others have no place.

    `after_ns` is from the step's start to that of the slice, or of its launch.
    """

    step: int
    after_ns: int
    place: int = -1
    count: int = 0


@dataclass(frozen=True, slots=True)
class Counterpart:
    """A slice of another side with the same name and category, and how it was found."""

    side: int
    slice: int
    how: str


@dataclass(frozen=True, slots=True, eq=False)
class SliceDetails:
    """Everything about one slice that costs more than looking it up; slices are indices of its own trace.

    `operators` are the operator that asked for it and those around that one, innermost first. `forward` and `backward`
    are what autograd's arrows lead to. `frames` are Python's, innermost first, taken around `frames_of`; `stack` is the
    text of a call stack where the trace holds one instead. `fused_with` are other eager kernels whose work the same
    compiled kernel does. `settings` is what a generated kernel was launched with. `rank` counts the slices of the same
    name that are shorter, or is -1. `binary` is what the run's compiler knew of the Triton kernel, if it is one.
    """

    launched: Launched | None = None
    operators: tuple[int, ...] = ()
    shapes: str = ""
    forward: tuple[int, ...] = ()
    backward: tuple[int, ...] = ()
    frames: tuple[int, ...] = ()
    frames_of: int = -1
    stack: tuple[str, ...] = ()
    module: str = ""
    step: InStep | None = None
    before: Neighbour | None = None
    after: Neighbour | None = None
    counterparts: tuple[Counterpart, ...] = ()
    fused_with: tuple[int, ...] = ()
    alike: Durations | None = None
    rank: int = -1
    args: Mapping[str, Any] = field(default_factory=dict)
    args_missing: str = ""
    settings: str = ""
    binary: TritonBinary | None = None
