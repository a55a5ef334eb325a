"""Opens files as one page of results; runs nothing of what they hold."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from profviz.engine.events import Finished, Loading, PreviewReady, ResultsReady
from profviz.engine.job import Cancellation, Emit, Stopped
from profviz.engine.progress import teller
from profviz.engine.results import results_of_documents
from profviz.formats.document import Cancelled, Document
from profviz.formats.registry import open_documents, preview_document
from profviz.model.errors import UserError
from profviz.model.results import HeadlineItem, Results
from profviz.model.units import format_count


def open_paths(paths: tuple[str, ...], *, cancellation: Cancellation, emit: Emit) -> Finished:
    """Raises UserError when none of the files can be opened, Stopped when cancelled."""
    if not paths:
        raise UserError("No file was named.")
    try:
        _show_beginning(paths, emit=emit)
        documents = [one for path in paths for one in _open(path, cancellation=cancellation, emit=emit)]
        progress = teller("Working out the results", cancellation=cancellation, emit=emit)
        emit(Loading("Working out the results", None))
        results = results_of_documents(documents, progress=progress)
    except Cancelled:
        raise Stopped from None
    cancellation.check()
    emit(ResultsReady(results))
    return Finished(afterwards=lambda: _keep(documents))


def _keep(documents: Sequence[Document]) -> None:
    for document in documents:
        if document.keep is not None:
            document.keep()


def _show_beginning(paths: Sequence[str], *, emit: Emit) -> None:
    """What can be seen of large traces before they are read; nothing where a file is small or can't be read."""
    try:
        documents = [preview_document(Path(path)) if Path(path).is_file() else None for path in paths]
    except (UserError, OSError):
        return  # opening it in earnest says what is wrong
    found = [document for document in documents if document is not None]
    if found and len(found) == len(paths):
        emit(PreviewReady(_so_far(results_of_documents(found))))


def _so_far(results: Results) -> Results:
    """What can be said of a beginning: how much it is, and nothing that the rest may prove wrong."""
    sides = tuple(replace(side, occupancy=replace(side.occupancy, is_partial=True), steps=()) for side in results.sides)
    read = " → ".join(format_count(len(side.trace.slices)) for side in sides)
    return replace(
        results, sides=sides, findings=(), headline=(HeadlineItem("read", "slices so far", read, "reading"),)
    )


def _open(path: str, *, cancellation: Cancellation, emit: Emit) -> tuple[Document, ...]:
    cancellation.check()
    text = f"Reading {Path(path).name}"
    emit(Loading(text, None))
    return open_documents(Path(path), progress=teller(text, cancellation=cancellation, emit=emit))
