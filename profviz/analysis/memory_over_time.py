"""Allocated and reserved memory over time, one track a device, from the allocations and frees of a trace."""

from __future__ import annotations

import numpy as np

from profviz.model.over_time import MemoryOverTime, MemoryTrack
from profviz.model.questions import Question
from profviz.model.results import Results
from profviz.model.trace import I64, MISSING, Memory, Trace

CPU_TYPE, CUDA_TYPE = 0, 1
"""Numbers of PyTorch's list of device types; a build for ROCm calls its GPUs CUDA too."""


def answer_memory(results: Results, question: Question) -> MemoryOverTime:
    """Question "memory" of a side."""
    return memory_over_time(results.sides[question.side].trace)


def memory_over_time(trace: Trace) -> MemoryOverTime:
    """The allocator's own totals: what was allocated before the recording is in them. Exact, in bytes."""
    memory = trace.memory
    if not len(memory):
        return MemoryOverTime((), ("No memory was recorded: the profiler does so with profile_memory=True.",))
    said = memory.allocated != MISSING
    pairs = np.unique(np.stack([memory.device_type[said], memory.device[said]], axis=1), axis=0).tolist()
    ordered = sorted(pairs, key=lambda pair: (pair[0] == CPU_TYPE, *pair))
    tracks = [_track(memory, said, int(kind), int(device)) for kind, device in ordered]
    return MemoryOverTime(tuple(tracks), _notes(int((~said).sum()), len(memory)))


def _track(memory: Memory, said: np.ndarray[tuple[int], np.dtype[np.bool_]], kind: int, device: int) -> MemoryTrack:
    rows = np.flatnonzero(said & (memory.device_type == kind) & (memory.device == device))
    allocated = memory.allocated[rows].astype(np.int64)
    reserved = memory.reserved[rows].astype(np.int64)
    first = max(0, int(allocated[0]) - int(memory.bytes[rows[0]]))
    time, allocated = _settled(memory.time_ns[rows], allocated, first)
    _, reserved = _settled(memory.time_ns[rows], reserved, int(reserved[0]))
    has_reserved = bool((reserved > 0).all())
    return MemoryTrack(
        title=_title(kind, device),
        device_type=kind,
        device=device,
        time_ns=time,
        allocated=allocated,
        reserved=reserved if has_reserved else None,
        peak=int(np.argmax(allocated)),
    )


def _settled(time_ns: I64, value: I64, first: int) -> tuple[I64, I64]:
    """As a step function from the recording's begin on.

    Events of the same moment all stay, in the file's order: a peak between two of them was there.
    """
    start = min(0, int(time_ns[0]))
    return np.concatenate([[start], time_ns]), np.concatenate([[first], value])


def _title(kind: int, device: int) -> str:
    if kind == CPU_TYPE:
        return "CPU"
    name = "GPU" if kind == CUDA_TYPE else f"device type {kind}"
    return name if device == MISSING else f"{name} {device}"


def _notes(unsaid: int, total: int) -> tuple[str, ...]:
    if not unsaid:
        return ()
    return (f"{unsaid} of {total} allocations and frees do not say what was allocated in all: left out.",)
