"""Works one trace out into everything the results page shows of it."""

from __future__ import annotations

from profviz.analysis.kernel_table import make_table
from profviz.analysis.kinds import slice_kinds
from profviz.analysis.linking import clock_skew, link_trace
from profviz.analysis.occupancy import measure_occupancy
from profviz.analysis.steps import find_steps
from profviz.model.compile_report import CompileReport
from profviz.model.notes import Note, NoteBook
from profviz.model.results import Side
from profviz.model.run import VariantResult
from profviz.model.trace import I64, Trace


def make_side(
    *,
    id: str,
    title: str,
    trace: Trace,
    notes: tuple[Note, ...],
    result: VariantResult | None = None,
    report: CompileReport | None = None,
) -> Side:
    """One variant or one opened trace, linked, counted and tabled."""
    links = link_trace(trace)
    kinds = slice_kinds(trace)
    table_of, table = make_table(trace, kinds)
    return Side(
        id=id,
        title=title,
        trace=trace,
        notes=_with_skew(notes, clock_skew(trace, links)),
        links=links,
        kinds=kinds,
        occupancy=measure_occupancy(trace, links),
        steps=find_steps(trace, links),
        table=table,
        table_of=table_of,
        result=result,
        report=report,
    )


def _with_skew(notes: tuple[Note, ...], skew_ns: I64) -> tuple[Note, ...]:
    if not len(skew_ns):
        return notes
    book = NoteBook()
    book.extend(notes)
    book.add("clock_skew", count=len(skew_ns), detail=f"The earliest starts {int(skew_ns.max())} ns before its launch.")
    return book.notes()
