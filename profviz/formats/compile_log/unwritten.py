"""What the torch that wrote a log never writes: told as unknown, lest its absence be taken for a finding."""

from __future__ import annotations

from collections.abc import Callable

from profviz.formats.compile_log.records import Record
from profviz.model.compile_report import CompileReport
from profviz.model.notes import NoteBook

# (whether the log should tell of it, whether it does, what is unknown): by what is there, never by a version
_FACTS: tuple[tuple[Callable[[CompileReport], bool], Callable[[CompileReport], bool], str], ...] = (
    (lambda report: True, lambda report: bool(report.torch_version), "torch's own version"),
    (
        lambda report: any(one.guards for one in report.guards),
        lambda report: any(one.latency_ns is not None for one in report.guards),
        "what checking guards costs a call",
    ),
    (
        lambda report: bool(report.breaks),
        lambda report: any(one.gb_id for one in report.breaks),
        "torch's id of each kind of graph break",
    ),
    (
        lambda report: bool(report.breaks),
        lambda report: any(one.hints for one in report.breaks),
        "torch's hints on graph breaks",
    ),
    (
        lambda report: bool(report.code),
        lambda report: any(one.kernels for one in report.code),
        "which nodes and lines each generated kernel computes (from 2.9 on INDUCTOR_PROVENANCE=1 has it do so)",
    ),
    (
        lambda report: bool(report.code),
        lambda report: any(one.cache == "aotautograd" for one in report.caches),
        "what AOTAutograd's cache had",
    ),
)


def note_unwritten(report: CompileReport, records: list[Record], book: NoteBook) -> None:
    """Only of a log in which a compilation came to its end: one that was cut off may lack anything."""
    if not any(record.kind == "compilation_metrics" for record in records):
        return
    for should, does, what in _FACTS:
        if should(report) and not does(report):
            book.add("not_written", text=what)
