"""Reader of structured compile logs: what `TORCH_TRACE` writes and profviz's own worker captures.

Line format, kinds and their differences between torch 2.6 and 2.14: `torch/_logging/structured.py` and the
`trace_structured` calls in Dynamo, AOTAutograd and Inductor.
"""

from __future__ import annotations

from contextlib import closing
from dataclasses import replace

from profviz.formats.compile_log.artifacts import ReadAt
from profviz.formats.compile_log.counted import Counters, with_counters
from profviz.formats.compile_log.processes import by_process
from profviz.formats.compile_log.records import is_compile_log, read_records
from profviz.formats.compile_log.report import build_report
from profviz.formats.document import Document, Progress
from profviz.formats.format import Format
from profviz.formats.source import Source
from profviz.model.compile_report import CompileReport
from profviz.model.notes import Note, NoteBook

__all__ = ["FORMAT", "read_compile_log", "read_compile_logs", "read_log"]


def read_compile_log(
    data: bytes, *, counters: Counters | None = None, progress: Progress | None = None
) -> tuple[CompileReport, tuple[Note, ...]]:
    """As `read_compile_logs`, of the first process alone: for logs that one process wrote."""
    reports, notes = read_compile_logs(data, counters=counters, progress=progress)
    return reports[0], notes


def read_compile_logs(
    data: bytes, *, counters: Counters | None = None, progress: Progress | None = None, read_at: ReadAt | None = None
) -> tuple[tuple[CompileReport, ...], tuple[Note, ...]]:
    """What the compiler did in each process of a log; a damaged record costs itself and leaves a note.

    `counters` are Dynamo's own of the first process, where they were kept: its breaks are then the union of both.
    `read_at` gives parts of the log again when its texts are asked for; without it the bytes are kept.
    """
    book = NoteBook()
    again = read_at or (lambda offset, length: data[offset : offset + length])
    own, *others = by_process(read_records(data, book, progress=progress))
    first = build_report(own, book, again)
    if counters is not None:
        first = with_counters(first, counters, book)
    return (first, *(build_report(records, book, again) for records in others)), book.notes()


def read_log(
    source: Source, *, counters: Counters | None = None, progress: Progress | None = None
) -> tuple[tuple[CompileReport, ...], tuple[Note, ...]]:
    """As `read_compile_logs`, of a file or of bytes that are read again when a text of the log is asked for."""
    text = source.text()
    parts = []
    with closing(text.blocks()) as blocks:
        for block in blocks:
            parts.append(block)
            if progress:
                progress(text.done, text.size)
    reports, notes = read_compile_logs(b"".join(parts), counters=counters, progress=progress, read_at=text.read_at)
    return reports, text.notes + notes


def _sniff(head: bytes, name: str) -> int:
    return 95 if is_compile_log(head) else 0


def _read(source: Source, progress: Progress | None) -> Document:
    reports, notes = read_log(source, progress=progress)
    first, *others = [
        Document(_title(source.name, report, len(reports)), source.path, (), report=report) for report in reports
    ]
    return replace(first, notes=notes, beside=tuple(others))


def _title(name: str, report: CompileReport, count: int) -> str:
    return name if count < 2 else f"{name} · {report.whose}"


FORMAT = Format("compile_log", "structured compile log", (".log", ".txt", ".gz"), _sniff, _read)
