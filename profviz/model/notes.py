"""What a reader had to say about a file: one note a kind of defect, never a silent drop."""

from __future__ import annotations

import enum
from collections.abc import Iterable
from dataclasses import dataclass


class Severity(enum.IntEnum):
    """How much a note matters: `INFO` changes nothing, `WARNING` loses or alters detail, `ERROR` loses events."""

    INFO = 0
    WARNING = 1
    ERROR = 2


@dataclass(frozen=True, slots=True)
class Sample:
    """One example of a defect: byte offset in the decompressed text (-1: unknown) and a short text.

    `event` is the number of the event that has it, -1 where it could not be read.
    """

    offset: int
    text: str
    event: int = -1


@dataclass(frozen=True, slots=True)
class NoteKind:
    """A documented kind of defect: `did` says what the reader did about it."""

    code: str
    severity: Severity
    title: str
    did: str


# Each code a reader may report; docs and the health panel are made from this table.
KINDS: dict[str, NoteKind] = {
    kind.code: kind
    for kind in (
        NoteKind("truncated", Severity.WARNING, "The file ends early", "kept every whole event before the cut"),
        NoteKind("beginning", Severity.INFO, "Only the beginning of the file is shown", "goes on reading the rest"),
        NoteKind("truncated_packing", Severity.WARNING, "The packed stream ends early", "kept what could be unpacked"),
        NoteKind("packed_tail", Severity.INFO, "Other bytes follow the packed stream", "left them out"),
        NoteKind("empty", Severity.ERROR, "The file is empty: the exporter wrote no data", "nothing to show"),
        NoteKind("bad_event", Severity.ERROR, "An event is not valid JSON", "skipped it, went on with the next"),
        NoteKind("bad_text", Severity.INFO, "A text holds bytes that are not UTF-8", "shown with replacement marks"),
        NoteKind("bad_time", Severity.ERROR, "An event has no usable time", "skipped it"),
        NoteKind("non_finite", Severity.WARNING, "A value is infinite or not a number", "shown as unknown"),
        NoteKind("negative_duration", Severity.WARNING, "A slice ends before it starts", "kept with duration zero"),
        NoteKind("unfinished", Severity.INFO, "A slice never ended", "drawn open to the end, left out of sums"),
        NoteKind("absurd_duration", Severity.WARNING, "A slice is longer than any run", "left out of sums and zoom"),
        NoteKind("unmatched_end", Severity.WARNING, "An end without a begin", "skipped it"),
        NoteKind("overlap", Severity.WARNING, "Slices of one lane overlap in part", "gave the later one a row below"),
        NoteKind("clock_skew", Severity.INFO, "A kernel starts before its launch", "linked, left out of delays"),
        NoteKind("second_document", Severity.WARNING, "Two traces in one file", "read the first"),
        NoteKind(
            "bare_device_work", Severity.INFO, "Device work has no category", "told it by process, thread and args"
        ),
        NoteKind("unknown_phase", Severity.INFO, "An event of a phase that is not drawn", "counted only"),
        NoteKind("bad_record", Severity.WARNING, "A compile-log record is damaged", "skipped that record"),
        NoteKind("bad_digest", Severity.WARNING, "A payload does not match its digest", "kept it, marked as doubtful"),
        NoteKind("cut_span", Severity.INFO, "The begin of a compiler stage is not in the log", "left the stage out"),
        NoteKind("unknown_record", Severity.INFO, "A compile-log record of an unknown kind", "counted only"),
        NoteKind("not_written", Severity.INFO, "The torch that wrote this log tells less", "shown as unknown"),
        NoteKind("break_sources", Severity.INFO, "Log and counters disagree on breaks", "listed what either knows"),
        NoteKind("newer_schema", Severity.WARNING, "Written by a newer profviz", "read what this version knows"),
        NoteKind("unread_file", Severity.WARNING, "A file of the folder can't be opened", "showed the others"),
        NoteKind("missing_member", Severity.WARNING, "A part of the session is missing", "showed the rest"),
    )
}


@dataclass(frozen=True, slots=True)
class Note:
    """`count` defects of kind `code` (a key of `KINDS`), with the first few as samples; `detail` adds a sentence."""

    code: str
    count: int = 1
    samples: tuple[Sample, ...] = ()
    detail: str = ""

    @property
    def kind(self) -> NoteKind:
        return KINDS[self.code]

    @property
    def severity(self) -> Severity:
        return KINDS[self.code].severity

    def to_json(self) -> dict[str, object]:
        return {
            "code": self.code,
            "severity": self.severity.name.lower(),
            "count": self.count,
            "title": self.kind.title,
            "did": self.kind.did,
            "detail": self.detail,
            "samples": [{"offset": s.offset, "text": s.text, "event": s.event} for s in self.samples],
        }


class NoteBook:
    """Collects defects while reading, at most `keep` samples a kind."""

    def __init__(self, *, keep: int = 5) -> None:
        self._keep = keep
        self._counts: dict[str, int] = {}
        self._samples: dict[str, list[Sample]] = {}
        self._details: dict[str, str] = {}

    def add(
        self, code: str, *, text: str = "", offset: int = -1, event: int = -1, count: int = 1, detail: str = ""
    ) -> None:
        if code not in KINDS:
            raise KeyError(code)
        self._counts[code] = self._counts.get(code, 0) + count
        samples = self._samples.setdefault(code, [])
        if (text or offset >= 0) and len(samples) < self._keep:
            samples.append(Sample(offset, text, event))
        if detail:
            self._details[code] = detail

    def wants_sample(self, code: str) -> bool:
        """Whether one more example of a kind would be kept."""
        return len(self._samples.get(code, ())) < self._keep

    def extend(self, notes: Iterable[Note]) -> None:
        for note in notes:
            self.add(note.code, count=note.count, detail=note.detail)
            room = self._keep - len(self._samples[note.code])
            self._samples[note.code].extend(note.samples[:room])

    def notes(self) -> tuple[Note, ...]:
        """Worst first, then in the order they were met."""
        made = [
            Note(code, count, tuple(self._samples[code]), self._details.get(code, ""))
            for code, count in self._counts.items()
        ]
        return tuple(sorted(made, key=lambda note: -note.severity))
