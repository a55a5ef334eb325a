"""Which part of a trace is exported: a stretch of time, some lanes, some names; or all of it."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from profviz.model.trace import I64, Trace

Mask = npt.NDArray[np.bool_]
Window = tuple[int, int]
MEMORY_NAME = "[memory]"
"""What PyTorch calls the events that the allocator's records come from."""


@dataclass(frozen=True, slots=True, eq=False)
class Selection:
    """`slices`, `instants` and `memory` say of each whether it is in; `lanes` and `window` are None where all are.

    `needle` is part of every name that is in, whatever its case.
    """

    slices: Mask
    instants: Mask
    memory: Mask
    window: Window | None
    lanes: frozenset[int] | None
    needle: str

    @property
    def is_empty(self) -> bool:
        return not (self.slices.any() or self.instants.any() or self.memory.any())

    @property
    def is_whole(self) -> bool:
        return self.window is None and self.lanes is None and not self.needle

    def holds_name(self, name: str) -> bool:
        return self.needle in name.casefold()

    def holds_time(self, time_ns: int) -> bool:
        return self.window is None or self.window[0] <= time_ns < self.window[1]

    def holds_lane(self, lane: int) -> bool:
        return self.lanes is None or lane in self.lanes


def select(trace: Trace, *, window: Window | None, lanes: Iterable[int] | None, name: str) -> Selection:
    """Slices count as within a window (ns from the trace's start, the end excluded) when any of them is."""
    chosen = None if lanes is None else frozenset(lanes)
    needle = name.casefold()
    named = np.array([needle in text.casefold() for text in trace.names], dtype=bool)
    # the last one is for what has no lane: MISSING leads there
    drawn = np.array([chosen is None or lane in chosen for lane in [*range(len(trace.lanes)), None]], dtype=bool)
    slices, instants, memory = trace.slices, trace.instants, trace.memory
    slice_mask = named[slices.name] & drawn[slices.lane]
    instant_mask = named[instants.name] & drawn[instants.lane]
    memory_mask = drawn[memory.lane] & (needle in MEMORY_NAME)
    if window is not None:
        slice_mask &= _overlaps(slices.start_ns, slices.end_ns, window)
        instant_mask &= _within(instants.time_ns, window)
        memory_mask &= _within(memory.time_ns, window)
    return Selection(slice_mask, instant_mask, memory_mask, window, chosen, needle)


def _within(time_ns: I64, window: Window) -> Mask:
    return (time_ns >= window[0]) & (time_ns < window[1])


def _overlaps(start_ns: I64, end_ns: I64, window: Window) -> Mask:
    begin, end = window
    return (start_ns < end) & ((end_ns > begin) | (start_ns >= begin))
