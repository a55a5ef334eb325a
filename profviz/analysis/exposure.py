"""Copies and communication: how much of them computing hid, per stream and in all, as unions over time."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from profviz.analysis.intervals import Union, covered_ns, subtract, unite
from profviz.analysis.linking import Mask, category_mask
from profviz.model.breakdown import Exposure
from profviz.model.categories import is_copy
from profviz.model.results import Side, SliceKind
from profviz.model.trace import I64, MISSING

COMMUNICATION, COPY = "communication", "copies"


@dataclass(frozen=True, slots=True, eq=False)
class Stream:
    """All copies, or all communication, of a lane or of all (MISSING), and the part that computing leaves bare."""

    what: str
    lane: int
    all: Union
    exposed: Union


@dataclass(frozen=True, slots=True, eq=False)
class Traffic:
    """Unions of GPU work by what it does, and the streams that copy or communicate."""

    compute: Union
    communication: Union
    copy: Union
    streams: tuple[Stream, ...]


def find_traffic(side: Side, work: I64) -> Traffic:
    """Sorts GPU slices (ascending) into computing, communicating and copying.

    Copies and fills go by their category, so that a kernel that moves data between tensors computes; communication
    has no category of its own and goes by its kind.
    """
    copies = category_mask(side.trace, is_copy)[work]
    communicates = (side.kinds[work] == int(SliceKind.COMMUNICATION)) & ~copies
    compute = _union(side, work, ~copies & ~communicates)
    streams = [
        stream
        for what, mask in ((COMMUNICATION, communicates), (COPY, copies))
        for stream in _streams(side, work, mask, what, compute)
    ]
    return Traffic(compute, _union(side, work, communicates), _union(side, work, copies), tuple(streams))


def exposures(side: Side, traffic: Traffic, windows: I64) -> list[tuple[Exposure, ...]]:
    """What of each stream lies in each window [start, end), shape (n, 2).

    A stream without any in a window is left out there; the total of what the trace has at all is not.
    """
    start, end = windows[:, 0], windows[:, 1]
    rows = [
        (stream, covered_ns(stream.all, start, end).tolist(), covered_ns(stream.exposed, start, end).tolist())
        for stream in traffic.streams
    ]
    return [
        tuple(
            Exposure(stream.what, stream.lane, _title(side, stream.lane), total[at], bare[at])
            for stream, total, bare in rows
            if total[at] or stream.lane == MISSING
        )
        for at in range(len(windows))
    ]


def _title(side: Side, lane: int) -> str:
    return "all streams" if lane == MISSING else side.trace.lanes[lane].title


def _streams(side: Side, work: I64, mask: Mask, what: str, compute: Union) -> list[Stream]:
    lanes = np.unique(side.trace.slices.lane[work[mask]]).tolist()
    masks = [mask & (side.trace.slices.lane[work] == lane) for lane in lanes]
    found = []
    for lane, own in zip([*lanes, MISSING], [*masks, mask], strict=True):
        union = _union(side, work, own)
        if len(union.start_ns):
            found.append(Stream(what, int(lane), union, subtract(union, compute)))
    return found


def _union(side: Side, work: I64, mask: Mask) -> Union:
    mine = work[mask]
    start = side.trace.slices.start_ns[mine]
    union = unite(start, start + side.trace.slices.dur_ns[mine])
    return Union(union.start_ns, union.end_ns, mine[union.first])
