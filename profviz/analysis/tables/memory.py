"""One row for each allocation that was recorded, with the free of the same address that followed it."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from profviz.analysis.linking import Mask, category_mask
from profviz.analysis.tables.columns import names_of, numbers, texts
from profviz.analysis.tables.grouping import number_pairs
from profviz.analysis.tables.within import Within
from profviz.model.categories import is_operator
from profviz.model.questions import ColumnTable, TableColumn, Unanswered, Unit
from profviz.model.results import Side
from profviz.model.trace import I64, MISSING, Memory, Trace
from profviz.model.units import format_bytes, format_count

DEVICES = {0: "CPU", 1: "GPU"}
"""Numbers of PyTorch's list of device types; a build for ROCm calls its GPUs CUDA too."""
STATES = ("freed", "not freed")
ALLOCATED_BY = "The innermost operator that allocated it"
NO_OPERATOR = "No operator is recorded around this allocation"
NOT_SAID = "The trace does not say it"
NOT_FREED = "It was not freed while the trace was recorded"


@dataclass(frozen=True, slots=True, eq=False)
class Pairs:
    """`alloc` lists the allocations in order of time, `free` the event that freed each or MISSING; shape (n,).

    `older` are the frees of what was allocated before, or by events that are not recorded.
    """

    alloc: I64
    free: I64
    older: I64


def memory(side: Side, within: Within) -> ColumnTable | Unanswered:
    """Allocations in order of time; those that lived at some time in the ranges."""
    trace, recorded = side.trace, side.trace.memory
    if not len(recorded):
        return Unanswered("Memory was not recorded in this trace (profile_memory=True does)")
    pairs = pair_events(recorded)
    end = np.where(pairs.free >= 0, recorded.time_ns[pairs.free], np.iinfo(np.int64).max)
    lived = within.reached(recorded.time_ns[pairs.alloc], end)
    alloc, free, end = pairs.alloc[lived], pairs.free[lived], end[lived]
    freed, start = free >= 0, recorded.time_ns[alloc]
    inside = innermost(trace, recorded.lane[alloc].astype(np.int64), start)
    op = _operators(trace, inside)
    columns = (
        numbers("bytes", "size", Unit.BYTES, recorded.bytes[alloc], about="What was allocated"),
        texts("op", "operator", names_of(trace, op), trace.names, about=ALLOCATED_BY, unknown=NO_OPERATOR),
        *_lives(start, end, freed),
        *_places(recorded, alloc),
    )
    slices = np.where(op >= 0, op, inside)
    footer = _footer(recorded, pairs, alloc, freed) + within.note("allocations that lived in it")
    return ColumnTable("Memory", columns, slice=slices, footer=footer)


def _lives(start_ns: I64, end_ns: I64, freed: Mask) -> tuple[TableColumn, ...]:
    return (
        numbers("allocated_ns", "allocated at", Unit.MOMENT, start_ns),
        numbers("freed_ns", "freed at", Unit.MOMENT, end_ns, known=freed, unknown=NOT_FREED),
        numbers("life_ns", "lifetime", Unit.NS, end_ns - start_ns, known=freed, unknown=NOT_FREED),
        texts("state", "state", np.where(freed, 0, 1), STATES, about="Whether a free of it was recorded"),
    )


def _places(recorded: Memory, alloc: I64) -> tuple[TableColumn, ...]:
    total, address = recorded.allocated[alloc], recorded.address[alloc]
    devices, names = _devices(recorded, alloc)
    about = "Allocated on its device in all, as the allocator tells right after it"
    return (
        numbers("total_bytes", "total after", Unit.BYTES, total, known=total >= 0, about=about, unknown=NOT_SAID),
        texts("device", "device", devices, names),
        numbers("address", "address", Unit.ADDRESS, address, known=address != MISSING, unknown=NOT_SAID),
    )


def pair_events(memory: Memory) -> Pairs:
    """An allocation is freed by the next event of its address on its device, if that is a free."""
    _, device = number_pairs(memory.device_type, memory.device)
    order = np.lexsort((memory.address, device))  # stable: of one address they stay in order of time
    address, device = memory.address[order], device[order]
    is_alloc = (memory.bytes >= 0)[order]
    same = address != MISSING
    same[:-1] &= (address[1:] == address[:-1]) & (device[1:] == device[:-1])
    same[-1:] = False
    pairs = np.flatnonzero(same & is_alloc & ~np.append(is_alloc[1:], True))
    free = np.full(len(memory), MISSING, dtype=np.int64)
    free[order[pairs]] = order[pairs + 1]
    alloc = np.flatnonzero(memory.bytes >= 0).astype(np.int64)
    is_older = memory.bytes < 0
    is_older[order[pairs + 1]] = False
    return Pairs(alloc, free[alloc], np.flatnonzero(is_older).astype(np.int64))


def innermost(trace: Trace, lane: I64, time_ns: I64) -> I64:
    """The deepest slice of each lane that holds each time, MISSING where none does; shape (n,)."""
    slices = trace.slices
    found = np.full(len(time_ns), MISSING, dtype=np.int64)
    if not len(slices):
        return found
    bounds = trace.lane_bounds()
    for one in np.unique(lane[lane >= 0]).tolist():
        rows = np.flatnonzero(lane == one)
        low, high = int(bounds[one]), int(bounds[one + 1])
        found[rows] = low + slices.start_ns[low:high].searchsorted(time_ns[rows], side="right") - 1
        found[rows[found[rows] < low]] = MISSING
    ends = slices.end_ns
    while len(over := np.flatnonzero((found >= 0) & (ends[found] <= time_ns))):  # as often as slices are nested
        found[over] = slices.parent[found[over]]
    return found


def _operators(trace: Trace, slices: I64) -> I64:
    """The operator that each slice is or is called by, MISSING without one."""
    found = slices.copy()
    operator = np.append(category_mask(trace, is_operator), True)  # the last stands for MISSING
    while len(others := np.flatnonzero(~operator[found])):
        found[others] = trace.slices.parent[found[others]]
    return found


def _devices(memory: Memory, rows: I64) -> tuple[I64, tuple[str, ...]]:
    found, which = number_pairs(memory.device_type[rows], memory.device[rows])
    return which, tuple(_device(*pair) for pair in found)


def _device(type_: int, number: int) -> str:
    name = "device not said" if type_ == MISSING else DEVICES.get(type_, f"device type {type_}")
    return name if number == MISSING or name == "CPU" else f"{name} {number}"


def _footer(memory: Memory, pairs: Pairs, alloc: I64, freed: Mask) -> str:
    kept = alloc[~freed]
    parts = [f"{format_count(len(alloc))} allocations"]
    if len(kept):
        size = format_bytes(int(memory.bytes[kept].astype(np.int64).sum()))
        parts.append(f"{format_count(len(kept))} not freed while recorded ({size})")
    if len(pairs.older):
        parts.append(f"{format_count(len(pairs.older))} frees of memory allocated before are in no row")
    return " · ".join(parts)
