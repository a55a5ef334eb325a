"""Reader of structured compile logs: what `TORCH_TRACE` writes and profviz's own worker captures.

Line format, kinds and their differences between torch 2.6 and 2.14: `torch/_logging/structured.py` and the
`trace_structured` calls in Dynamo, AOTAutograd and Inductor.
"""

from __future__ import annotations

from profviz.formats.compile_log.counted import Counters, with_counters
from profviz.formats.compile_log.records import is_compile_log, read_records
from profviz.formats.compile_log.report import build_report
from profviz.formats.document import Document, Progress
from profviz.formats.format import Format
from profviz.formats.source import Source
from profviz.model.compile_report import CompileReport
from profviz.model.notes import Note, NoteBook

__all__ = ["FORMAT", "read_compile_log"]


def read_compile_log(
    data: bytes, *, title: str, counters: Counters | None = None, progress: Progress | None = None
) -> tuple[CompileReport, tuple[Note, ...]]:
    """What the compiler did, from the bytes of a log; a damaged record costs itself and leaves a note.

    `counters` are Dynamo's own of the same run, where they were kept: breaks are then the union of both.
    """
    book = NoteBook()
    records = read_records(data, book, progress=progress)
    report = build_report(records, book)
    if counters is not None:
        report = with_counters(report, counters, book)
    return report, book.notes()


def _sniff(head: bytes, name: str) -> int:
    return 95 if is_compile_log(head) else 0


def _read(source: Source, progress: Progress | None) -> Document:
    data, packing = source.read(progress)
    report, notes = read_compile_log(data, title=source.name, progress=progress)
    return Document(source.name, source.path, FORMAT.id, packing + notes, report=report)


FORMAT = Format("compile_log", "structured compile log", (".log", ".txt", ".gz"), _sniff, _read)
