"""Opens the tiny broken traces by name; each is named for the defect it holds."""

from __future__ import annotations

from pathlib import Path

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
    trace.self_check()
    return trace, {note.code: note for note in (*packing, *notes)}


def load_text(text: str | bytes) -> tuple[Trace, dict[str, Note]]:
    data = text.encode() if isinstance(text, str) else text
    trace, notes = read_chrome_trace(data, title="text")
    trace.self_check()
    return trace, {note.code: note for note in notes}


def named(trace: Trace) -> list[str]:
    """The slices' names in slice order."""
    return [trace.name_of(index) for index in range(len(trace.slices))]
