"""What the compiler did meanwhile, from the side's compile log, where its clock is the trace's."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from profviz.core.detail import KINDS
from profviz.core.rows import rows_of
from profviz.model.compile_report import CompileEvent
from profviz.model.results import SliceKind
from profviz.model.units import format_ns
from profviz.ui.views.timeline.kinds.parting import Parts, shade_of
from profviz.ui.views.timeline.kinds.spec import TrackKind, as_planned
from profviz.ui.views.timeline.tracks import CPU_ROWS, Group, Track

EARLIEST_EPOCH_NS = 10**18
"""An origin before 2001 is no wall clock's: the trace counts from when the machine started."""


def _plan(parts: Parts) -> list[Track]:
    report = parts.side.report
    events = sorted(report.events, key=lambda one: (one.start_ns, -one.dur_ns)) if report is not None else []
    if not events:
        return []
    apart = _apart(events, parts.side.trace.origin_ns, parts.side.trace.span_ns)
    if apart:
        return [Track("compile", "compilation", Group.COMPILE, -1, few=0, missing=apart)]
    return [_placed(events, parts.side.trace.origin_ns)]


def _apart(events: Sequence[CompileEvent], origin_ns: int, span_ns: int) -> str:
    """Why the spans cannot be shown beside the trace's slices, empty where they can."""
    took = f"{len(events)} spans of the compile log"
    if origin_ns < EARLIEST_EPOCH_NS:
        return f"{took}: the trace does not say when it was, so they cannot be placed"
    first = events[0].start_ns - origin_ns
    last = max(one.start_ns + one.dur_ns for one in events) - origin_ns
    if last < 0:
        return f"{took} in {format_ns(last - first)}: done {format_ns(-last)} before this trace begins"
    if first > span_ns:
        return f"{took} in {format_ns(last - first)}: begun {format_ns(first - span_ns)} after this trace ends"
    return ""


def _placed(events: Sequence[CompileEvent], origin_ns: int) -> Track:
    starts = np.array([one.start_ns - origin_ns for one in events], dtype=np.int64)
    lengths = np.array([one.dur_ns for one in events], dtype=np.int64)
    depth = np.array([one.depth for one in events], dtype=np.int32)
    shades = np.array([shade_of(one.name) for one in events])
    kinds = (SliceKind.COMPILED_REGION + shades * KINDS).astype(np.uint8)
    rows = rows_of(starts, lengths, kinds, depth=depth)
    names = tuple(f"{one.name} · {one.compile_id}" if one.compile_id else one.name for one in events)
    return Track("compile", "compilation", Group.COMPILE, -1, rows, min(len(rows), CPU_ROWS), names=names)


KIND = TrackKind(Group.COMPILE, _plan, as_planned)
