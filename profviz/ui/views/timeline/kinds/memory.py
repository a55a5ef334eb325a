"""Memory over time: what the allocator had given out and what it had reserved, device by device."""

from __future__ import annotations

import numpy as np

from profviz.core.series import Series
from profviz.model.questions import Unit
from profviz.model.trace import MISSING, Memory
from profviz.ui.views.timeline.kinds.parting import Parts
from profviz.ui.views.timeline.kinds.spec import TrackKind
from profviz.ui.views.timeline.tracks import Group, Line, Track

CPU = 0


def _plan(parts: Parts) -> list[Track]:
    memory = parts.side.trace.memory
    types = memory.device_type
    pairs = [
        (kind, device)
        for kind in np.unique(types).tolist()
        for device in np.unique(memory.device[types == kind]).tolist()
    ]
    return [
        Track(f"memory {kind} {device}", _title(kind, device), Group.MEMORY, -1, is_pending=True)
        for kind, device in sorted(pairs, key=lambda pair: pair[0] == CPU)
    ]


def _title(kind: int, device: int) -> str:
    place = "CPU" if kind == CPU else "GPU" if device == MISSING else f"GPU {device}"
    return f"memory · {place}"


def records(memory: Memory, track: Track) -> np.ndarray:
    """Which of the trace's records a track of memory shows, as places."""
    kind, device = map(int, track.id.split()[1:])
    return np.flatnonzero((memory.device_type == kind) & (memory.device == device))


def _fill(parts: Parts, track: Track) -> Track:
    memory = parts.side.trace.memory
    own = records(memory, track)
    lines = [
        _line(title, memory.time_ns[own], column[own])
        for title, column in (("reserved", memory.reserved), ("allocated", memory.allocated))
        if (column[own] > 0).any()
    ]
    about = f"{len(own)} allocations and frees"
    if not lines:
        changes = Series(memory.time_ns[own], np.cumsum(memory.bytes[own].astype(np.int64)).astype(np.float64))
        lines = [Line("since recording began", Unit.BYTES, changes)]
        about += "; the trace has no totals, so they are counted from the first record on"
    return Track(track.id, track.title, track.group, -1, lines=tuple(lines), about=about)


def _line(title: str, time_ns: np.ndarray, values: np.ndarray) -> Line:
    """A record that does not say its total leaves a gap."""
    known = np.where(values == MISSING, np.nan, values.astype(np.float64))
    return Line(title, Unit.BYTES, Series(time_ns, known))


KIND = TrackKind(Group.MEMORY, _plan, _fill)
