"""Opens the tiny broken traces by name; each is named for the defect it holds."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from profviz.formats.chrome import read_chrome_trace
from profviz.formats.source import Source
from profviz.model.notes import Note
from profviz.model.trace import Trace

DEFECTS = Path(__file__).parent / "defects"
SHARED = Path(__file__).parents[1].parent / "shared" / "traces"


def load(name: str) -> tuple[Trace, dict[str, Note]]:
    """The trace and its notes by code."""
    return load_path(DEFECTS / name)


def load_path(path: Path) -> tuple[Trace, dict[str, Note]]:
    data, packing = Source.open(path).read()
    trace, notes = read_chrome_trace(data, title=path.name)
    check_trace(trace)
    return trace, {note.code: note for note in (*packing, *notes)}


def load_text(text: str | bytes) -> tuple[Trace, dict[str, Note]]:
    data = text.encode() if isinstance(text, str) else text
    trace, notes = read_chrome_trace(data, title="text")
    check_trace(trace)
    return trace, {note.code: note for note in notes}


def named(trace: Trace) -> list[str]:
    """The slices' names in slice order."""
    return [trace.name_of(index) for index in range(len(trace.slices))]


def check_trace(trace: Trace) -> None:
    """What every reader must keep."""
    s = trace.slices
    n = len(s)
    columns = (s.dur_ns, s.name, s.category, s.lane, s.row, s.parent, s.correlation, s.external, s.event, s.flags)
    assert all(len(column) == n for column in columns)
    assert n == 0 or (s.start_ns.min() >= 0 and s.dur_ns.min() >= 0 and s.row.min() >= 0)
    same_lane = s.lane[1:] == s.lane[:-1]
    assert (s.lane[1:] >= s.lane[:-1]).all()
    assert (s.start_ns[1:][same_lane] >= s.start_ns[:-1][same_lane]).all()
    inside = np.flatnonzero(s.parent >= 0)
    assert (s.lane[s.parent[inside]] == s.lane[inside]).all()
    assert (s.row[s.parent[inside]] < s.row[inside]).all()
    assert (np.diff(trace.gpu.slice) > 0).all()
