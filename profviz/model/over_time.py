"""Values over time as step functions: memory of a device, and what the launch queues held; knows no view."""

from __future__ import annotations

from dataclasses import dataclass

from profviz.model.trace import I64, Counter


@dataclass(frozen=True, slots=True, eq=False)
class MemoryTrack:
    """What an allocator held on one device, in bytes: entry i holds from `time_ns[i]` until the next; shape (k,).

    The first entry is the recording's begin. `device_type` is 0 for the CPU, `device` MISSING where unsaid.
    `reserved` is None where the allocator does not say. `peak` is the first entry with most allocated.
    """

    title: str
    device_type: int
    device: int
    time_ns: I64
    allocated: I64
    reserved: I64 | None
    peak: int

    @property
    def peak_ns(self) -> int:
        return int(self.time_ns[self.peak])

    @property
    def peak_bytes(self) -> int:
        return int(self.allocated[self.peak])

    @property
    def peak_reserved_bytes(self) -> int | None:
        return None if self.reserved is None else int(self.reserved.max())


@dataclass(frozen=True, slots=True)
class MemoryOverTime:
    """One track a device, accelerators first; `notes` say what is left open, or why there is no track."""

    tracks: tuple[MemoryTrack, ...]
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, eq=False)
class QueuesOverTime:
    """`queues`: GPU work launched and not started, one counter a GPU lane that has launches.

    `busy`: how many streams are at work, one counter a device that has several.
    """

    queues: tuple[Counter, ...]
    busy: tuple[Counter, ...]
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class LaunchQueue:
    """At one piece of GPU work: what its stream had still to start when its launch began, and how long it waited.

    `depth` leaves itself and the rest of its own launch out. `delay_ns` runs from the launch's begin to its own start.
    """

    depth: int
    delay_ns: int
