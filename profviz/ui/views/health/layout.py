"""Rows and texts of the readers' notes; pure, no Qt."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from profviz.model.notes import Note, Sample, Severity
from profviz.model.results import Results
from profviz.model.trace import MISSING, Trace
from profviz.model.units import format_count
from profviz.ui.widgets.table_columns import Column

SIGNS = {Severity.ERROR: "✕ error", Severity.WARNING: "▲ warning", Severity.INFO: "ℹ info"}
TONES = {Severity.ERROR: "bad", Severity.WARNING: "warn", Severity.INFO: "muted"}


@dataclass(frozen=True, slots=True)
class NoteRow:
    """One note and where it was met; `where` is a side's title or the file as a whole, which has no side (-1)."""

    where: str
    note: Note
    side: int = -1

    @property
    def samples(self) -> str:
        return "  ".join(sample_text(sample) for sample in self.note.samples)

    @property
    def more(self) -> str:
        note = self.note
        lines = [f"{note.kind.title} ({note.code}), {format_count(note.count)}×", f"What was done: {note.kind.did}."]
        lines += [note.detail] if note.detail else []
        return "\n".join(lines)


def empty(results: Results) -> str:
    if not results.sides and not results.reports and not results.notes:
        return "Nothing was read yet"
    return ""


def rows(results: Results) -> tuple[NoteRow, ...]:
    """Worst first; a note that several places share is listed for each."""
    made = [NoteRow(side.title, note, at) for at, side in enumerate(results.sides) for note in side.notes]
    held = [row.note for row in made]
    made += [NoteRow("all", note) for note in results.notes if note not in held]
    return tuple(sorted(made, key=lambda row: -row.note.severity))


COLUMNS = (
    Column(
        "severity",
        lambda row: SIGNS[row.note.severity],
        key=lambda row: int(row.note.severity),
        width=96,
        tone=lambda row: TONES[row.note.severity],
    ),
    Column("where", lambda row: row.where, width=136, keep_end=True, tip=lambda row: row.where),
    Column("what", lambda row: row.note.kind.title, width=216, tip=lambda row: row.more),
    Column("count", lambda row: format_count(row.note.count), key=lambda row: row.note.count, numeric=True, width=64),
    Column("what was done", lambda row: row.note.kind.did, width=216, tip=lambda row: row.more),
    Column("samples", lambda row: row.samples, stretch=True, mono=True, tip=lambda row: row.more),
)


@dataclass(frozen=True, slots=True)
class Example:
    """One example of a note; `slice` is where it stands on the timeline, MISSING where it is not drawn."""

    side: int
    sample: Sample
    slice: int

    @property
    def place(self) -> str:
        return "show" if self.slice != MISSING else "not drawn"


def examples(results: Results, row: NoteRow) -> tuple[Example, ...]:
    """The examples that the reader kept, in the order it met them."""
    trace = results.sides[row.side].trace if row.side >= 0 else None
    return tuple(Example(row.side, sample, _slice_of(trace, sample.event)) for sample in row.note.samples)


def _slice_of(trace: Trace | None, event: int) -> int:
    if trace is None or event < 0:
        return MISSING
    found = np.flatnonzero(trace.slices.event == event)
    return int(found[0]) if len(found) else MISSING


EXAMPLE_COLUMNS = (
    Column("timeline", lambda row: row.place, width=80, tone=lambda row: "" if row.slice != MISSING else "muted"),
    Column("byte", lambda row: byte_text(row.sample), key=lambda row: row.sample.offset, numeric=True, width=88),
    Column("example", lambda row: row.sample.text, stretch=True, mono=True, tip=lambda row: row.sample.text),
)


def byte_text(sample: Sample) -> str:
    return format_count(sample.offset) if sample.offset >= 0 else ""


def sample_text(sample: Sample) -> str:
    where = f"byte {format_count(sample.offset)}" if sample.offset >= 0 else ""
    return ": ".join(part for part in (where, sample.text) if part)


def read_text(results: Results) -> str:
    """How many events each trace held."""
    parts = [f"{side.title} {format_count(side.trace.event_count)} events" for side in results.sides]
    return " · ".join(parts)


def summary(found: Sequence[NoteRow]) -> tuple[str, str]:
    """A sentence and its tone: what the notes mean for the numbers shown."""
    if not found:
        return "✓ Every event was read: no note", "good"
    counts = {level: sum(row.note.severity == level for row in found) for level in Severity}
    if counts[Severity.ERROR]:
        return f"Events were lost: {_plural(counts[Severity.ERROR], 'kind')} of error", "bad"
    if counts[Severity.WARNING]:
        return "Read in full, with detail lost or altered where a warning says so", "warn"
    return "Read in full: the notes change no number", "muted"


def _plural(count: int, word: str) -> str:
    return f"{count} {word}" + ("" if count == 1 else "s")
