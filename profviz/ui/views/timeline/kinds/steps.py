"""Profiled steps, as a ruler above everything else."""

from __future__ import annotations

import numpy as np

from profviz.core.detail import KINDS
from profviz.core.raster import Row
from profviz.model.results import SliceKind
from profviz.model.units import format_ns
from profviz.ui.views.timeline.kinds.parting import Parts
from profviz.ui.views.timeline.kinds.spec import TrackKind, as_planned
from profviz.ui.views.timeline.tracks import Group, Track


def _plan(parts: Parts) -> list[Track]:
    steps = sorted(parts.side.steps, key=lambda step: step.start_ns)
    if not steps:
        return []
    starts = np.array([step.start_ns for step in steps], dtype=np.int64)
    ends = np.array([step.end_ns for step in steps], dtype=np.int64)
    ends[:-1] = np.minimum(ends[:-1], starts[1:])  # a row holds no two at once
    shades = np.arange(len(steps)) % 2  # so that one is told from the next
    kinds = (SliceKind.ANNOTATION + shades * KINDS).astype(np.uint8)
    row = Row(start_ns=starts, end_ns=ends, kind=kinds, slice=np.arange(len(steps)))
    names = tuple(f"step {at + 1} · {format_ns(step.end_ns - step.start_ns)}" for at, step in enumerate(steps))
    return [Track("steps", "steps", Group.STEP, -1, (row,), names=names)]


KIND = TrackKind(Group.STEP, _plan, as_planned)
