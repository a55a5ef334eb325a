"""A trace as numpy columns: slices, lanes, GPU columns, instants and counters.

Time is int64 nanoseconds from the trace's first event; the absolute origin is kept apart. Built only by readers
(see `formats`), immutable afterwards; nothing here knows a file format.
"""

from __future__ import annotations

import enum
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

I64 = npt.NDArray[np.int64]
I32 = npt.NDArray[np.int32]
U8 = npt.NDArray[np.uint8]
F64 = npt.NDArray[np.float64]
Ints = npt.NDArray[np.integer[Any]]
"""Whole numbers in as few bytes as all of a column need: widen them before any arithmetic."""
Reals = npt.NDArray[np.floating[Any]]
"""Real numbers in four bytes where none of a column loses a digit, else in eight."""

MISSING = -1
"""In every integer column: the file does not say."""

PART = 1 << 17
"""So many rows at a time stay near the processor while several columns are gone over."""


class LaneKind(enum.Enum):
    """What a lane shows; decided by event category and args, never by pid."""

    GPU = "gpu"
    GPU_ANNOTATION = "gpu_annotation"
    CPU = "cpu"
    OTHER = "other"


class Flag(enum.IntFlag):
    """Bits of `Slices.flags`; any of them leaves the slice out of sums and automatic zoom."""

    UNFINISHED = 1
    ABSURD = 2


@dataclass(frozen=True, slots=True)
class Lane:
    """One horizontal band of slices: `pid` and `tid` as the file spells them, `device` and `stream` for GPU lanes."""

    kind: LaneKind
    pid: str
    tid: str
    process: str
    thread: str
    device: int = MISSING
    stream: int = MISSING

    @property
    def title(self) -> str:
        if self.kind is LaneKind.GPU:
            device = "GPU" if self.device == MISSING else f"GPU {self.device}"
            stream = self.thread if self.stream == MISSING else f"stream {self.stream}"
            return f"{device} · {stream or 'stream not said'}"
        return self.thread or f"{self.pid} / {self.tid}"


@dataclass(frozen=True, slots=True, eq=False)
class Slices:
    """n slices sorted by (lane, start, -duration, file order); every column has shape (n,).

    `name` indexes `Trace.names`, `category` `Trace.categories`, `lane` `Trace.lanes`. `row` is the nesting depth
    within the lane, overlapping slices get a row below; `parent` is the enclosing slice or MISSING. `correlation`
    and `external` are the profiler's ids or MISSING. `event` is the index of the event in the file (see
    `Trace.args`).
    """

    start_ns: I64
    dur_ns: I64
    name: Ints
    category: Ints
    lane: Ints
    row: I32
    parent: I32
    correlation: Ints
    external: Ints
    event: Ints
    flags: U8

    def __len__(self) -> int:
        return len(self.start_ns)

    @property
    def end_ns(self) -> I64:
        return self.start_ns + self.dur_ns


@dataclass(frozen=True, slots=True, eq=False)
class GpuColumns:
    """What the trace says of each GPU slice (kernel, copy, memset); shape (m,) unless said, MISSING where unsaid.

    `slice` is ascending and indexes `Trace.slices`; `grid` and `block` have shape (m, 3); `occupancy_pct`
    and `bandwidth_gbps` (GB/s of a copy) are NaN where unsaid; `graph_node` and `graph` are the CUDA graph's ids.
    """

    slice: I64
    device: Ints
    stream: Ints
    grid: Ints
    block: Ints
    registers: Ints
    shared_bytes: Ints
    bytes: Ints
    occupancy_pct: Reals
    bandwidth_gbps: Reals
    graph: Ints
    graph_node: Ints

    def __len__(self) -> int:
        return len(self.slice)


@dataclass(frozen=True, slots=True, eq=False)
class Shapes:
    """The input dimensions that slices were recorded with.

    `slice` is ascending, `text` indexes `texts`, which are JSON lists; both have shape (k,).
    """

    slice: I32
    text: I32
    texts: tuple[str, ...]

    def of(self, index: int) -> str:
        """What the trace says of a slice's inputs, empty where it says nothing."""
        at = int(self.slice.searchsorted(index))
        return self.texts[self.text[at]] if at < len(self.slice) and self.slice[at] == index else ""


@dataclass(frozen=True, slots=True, eq=False)
class Memory:
    """Allocations and frees, sorted by time; shape (k,), MISSING where unsaid.

    `bytes` is negative for a free; `allocated` and `reserved` are the allocator's totals after it. `device_type` is
    0 for the CPU and else an accelerator's number in PyTorch's list of device types.
    """

    time_ns: I64
    address: Ints
    bytes: Ints
    allocated: Ints
    reserved: Ints
    device_type: Ints
    device: Ints
    lane: Ints
    event: Ints

    def __len__(self) -> int:
        return len(self.time_ns)


def _no(kind: type[Any]) -> Any:
    return np.zeros(0, dtype=kind)


def no_shapes() -> Shapes:
    return Shapes(_no(np.int32), _no(np.int32), ())


def no_memory() -> Memory:
    return Memory(*(_no(np.int64) for _ in range(5)), *(_no(np.int32) for _ in range(4)))


@dataclass(frozen=True, slots=True, eq=False)
class Instants:
    """Events without a duration, the allocator's apart (see `Memory`); shape (k,), sorted by time."""

    time_ns: I64
    name: Ints
    category: Ints
    lane: Ints
    event: Ints


@dataclass(frozen=True, slots=True, eq=False)
class Counter:
    """One counter series: `time_ns` and `value` of shape (k,), sorted by time."""

    name: str
    lane: int
    time_ns: I64
    value: F64


@dataclass(frozen=True, slots=True, eq=False)
class Flows:
    """Start (s) and end (f) points of arrows, paired: `source` and `target` are slices or MISSING; shape (k,)."""

    source: Ints
    target: Ints
    category: Ints


@dataclass(frozen=True, eq=False)
class Trace:
    """One document's events.

    `origin_ns` is the wall-clock time of t=0 (ns since the epoch) where the file says, else of its own clock.
    `meta` holds the file's top-level keys other than the events. `args(event)` gives the full JSON object of one
    event by its index in the file.
    """

    title: str
    origin_ns: int
    names: tuple[str, ...]
    categories: tuple[str, ...]
    lanes: tuple[Lane, ...]
    slices: Slices
    gpu: GpuColumns
    instants: Instants
    counters: tuple[Counter, ...]
    flows: Flows
    event_count: int
    shapes: Shapes = field(default_factory=no_shapes)
    memory: Memory = field(default_factory=no_memory)
    meta: Mapping[str, Any] = field(default_factory=dict)
    args: Callable[[int], dict[str, Any]] = field(default=lambda event: {}, repr=False)

    @cached_property
    def span_ns(self) -> int:
        """From t=0 to the last end of a slice that is neither unfinished nor absurd; looks at every slice once."""
        slices, last = self.slices, 0
        for first in range(0, len(slices), PART):
            part = np.s_[first : first + PART]
            ends, flags = slices.start_ns[part] + slices.dur_ns[part], slices.flags[part]
            last = max(last, int((ends[flags == 0] if flags.any() else ends).max(initial=0)))
        return last

    @property
    def rank(self) -> int | None:
        """Which process of a distributed job it is of, where the file says."""
        job = self.meta.get("distributedInfo")
        rank = job.get("rank") if isinstance(job, dict) else None
        return rank if isinstance(rank, int) and not isinstance(rank, bool) else None

    def name_of(self, index: int) -> str:
        return self.names[int(self.slices.name[index])]

    def category_of(self, index: int) -> str:
        return self.categories[int(self.slices.category[index])]

    def lane_bounds(self) -> I64:
        """Shape (lanes + 1,): slices of lane i are rows [bounds[i], bounds[i + 1])."""
        return np.searchsorted(self.slices.lane, np.arange(len(self.lanes) + 1, dtype=self.slices.lane.dtype)).astype(
            np.int64
        )


@dataclass(frozen=True, slots=True, eq=False)
class Links:
    """Who asked for whom, by identity; shape (slices,) each, MISSING where nobody is known.

    `launch`: for a GPU slice the runtime or driver call with its correlation id. `op`: for a GPU slice or a launch
    the innermost CPU operator that issued it. `first_gpu` / `gpu_count`: for a launch, where its GPU slices stand
    in `launched` (a slice index list grouped by launch).
    """

    launch: I64
    op: I64
    first_gpu: I64
    gpu_count: I64
    launched: I64
