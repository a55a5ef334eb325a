"""Writes a trace of the results, or a table of them, to a file for other tools."""

from __future__ import annotations

from pathlib import Path

from profviz.engine.events import Finished, Loading, TraceExported
from profviz.engine.job import Cancellation, Emit, Stopped
from profviz.engine.progress import teller
from profviz.formats.document import Cancelled
from profviz.formats.export import export_trace
from profviz.formats.export.column_table import export_table
from profviz.model.questions import ColumnTable
from profviz.model.trace import I64, Trace


def export(
    trace: Trace, path: Path, *, window: tuple[int, int] | None, cancellation: Cancellation, emit: Emit
) -> Finished:
    """Raises UserError when the file can't be written, Stopped when cancelled; then nothing is left of it."""
    text = f"Writing {path.name}"
    emit(Loading(text, None))
    progress = teller(text, cancellation=cancellation, emit=emit)
    try:
        done = export_trace(trace, path, window=window, progress=progress)
    except Cancelled:
        raise Stopped from None
    emit(TraceExported(str(path), done.items, done.written, done.left_out))
    return Finished()


def export_rows(table: ColumnTable, rows: I64, path: Path, *, cancellation: Cancellation, emit: Emit) -> Finished:
    """As `export`, of the rows of a table in the order given."""
    text = f"Writing {path.name}"
    emit(Loading(text, None))
    try:
        export_table(table, rows, path, progress=teller(text, cancellation=cancellation, emit=emit))
    except Cancelled:
        raise Stopped from None
    emit(TraceExported(str(path), "rows", len(rows), {}))
    return Finished()
