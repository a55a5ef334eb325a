"""Which formats can be opened, and the choice of one by looking at a file's content, never at its suffix."""

from __future__ import annotations

from dataclasses import replace
from itertools import islice
from pathlib import Path

from profviz.formats import chrome, compile_log, session
from profviz.formats.document import Document, Progress
from profviz.formats.folder import HEAD_BYTES, Found, look_through
from profviz.formats.format import Format
from profviz.formats.source import Source
from profviz.model.errors import NothingInside, UserError
from profviz.model.notes import NoteBook

FORMATS: tuple[Format, ...] = (
    chrome.FORMAT,
    compile_log.FORMAT,
    session.FORMAT,
)

LOOKED_AT = 64
"""Blocks of a text of blanks that are looked at for damage behind them."""


def open_document(path: Path, *, progress: Progress | None = None) -> Document:
    """Reads a trace, a compile log or a session; of a log of several processes the first has the others `beside` it.

    Raises UserError when there is no such file, it can't be read, it is empty or none of the three.
    """
    return open_source(Source.open(path), progress=progress)


def expand(path: Path) -> tuple[Source, ...]:
    """What there is to open: a file itself, the traces and logs in a folder or a zip archive by rank, else by name.

    Raises UserError when there is no such file, or nothing to open in a folder.
    """
    return _look_through(path).sources


def open_documents(path: Path, *, progress: Progress | None = None) -> tuple[Document, ...]:
    """All that `expand` finds, read one after the other, and of a log each process apart.

    `progress` is told of the bytes of all. A file that can't be read is a note of the first document. Raises
    UserError when that holds for all of them.
    """
    found = _look_through(path)
    sizes = [source.packed_bytes for source in found.sources]
    documents: list[Document] = []
    unread, errors = list(found.unread), []
    for number, source in enumerate(found.sources):
        part = _part(progress, before=sum(sizes[:number]), own=sizes[number], total=sum(sizes))
        try:
            document = open_source(source, progress=part)
            documents += (document, *document.beside)
        except UserError as error:
            unread.append((source.name, str(error)))
            errors.append(error)
    if not documents:
        raise errors[0]
    return (_with_unread(documents[0], unread), *documents[1:])


def _look_through(path: Path) -> Found:
    return look_through(
        path, lambda head, name: max(form.sniff(head, name) for form in FORMATS if form.id != "session")
    )


def _part(progress: Progress | None, *, before: int, own: int, total: int) -> Progress | None:
    """Progress of one file as progress of all, whatever unit its reader counts in."""
    if progress is None:
        return None
    return lambda done, of: progress(before + own * done // max(1, of), max(1, total))


def _with_unread(document: Document, unread: list[tuple[str, str]]) -> Document:
    if not unread:
        return document
    book = NoteBook()
    book.extend(document.notes)
    for name, why in unread:
        book.add("unread_file", text=f"{name}: {' '.join(why.split())}")
    return replace(document, notes=book.notes())


def open_source(source: Source, *, progress: Progress | None = None) -> Document:
    """Reads what `expand` gave; raises UserError as `open_document`."""
    head = source.beginning(HEAD_BYTES)
    if not head:
        _refuse_damaged(source)
        raise NothingInside(
            f"{source.name} is empty: the exporter wrote no data",
            why="There is no text at its beginning.",
            hint="Export it again, and let the profiler stop before the process ends.",
        )
    form = choose_format(head, source.name)
    if form is None:
        raise UserError(
            f"{source.name} is not a trace, a compile log or a session",
            why=f"It looks like {_look(head)}.",
            hint="Open a Chrome trace JSON of torch.profiler, a TORCH_TRACE log, a .profviz session or a model script.",
        )
    return form.read(source, progress)


def preview_document(path: Path) -> Document | None:
    """The beginning of a file that takes long to read; None for any other. Raises UserError as `open_document`."""
    source = Source.open(path)
    head = source.beginning(HEAD_BYTES)
    form = choose_format(head, source.name)
    return form.preview(source) if form is not None and form.preview is not None else None


def _refuse_damaged(source: Source) -> None:
    """A file of which not one byte can be unpacked was not left empty by its exporter."""
    with source.text(keeps_ways=False) as text:
        for _ in islice(text.blocks(), LOOKED_AT):
            pass
        notes = text.notes
    if notes:
        raise UserError(
            f"{source.name} is damaged: nothing of it can be unpacked",
            why="It begins like a packed file, but what follows is none.",
            hint="Copy it again from where it was made, or record it again.",
        )


def choose_format(head: bytes, name: str) -> Format | None:
    """The format that is surest of a file's unpacked beginning, None when none is."""
    sure = max(FORMATS, key=lambda form: form.sniff(head, name))
    return sure if sure.sniff(head, name) > 0 else None


_LOOKS: tuple[tuple[tuple[bytes, ...], str], ...] = (
    ((b"PK\x03\x04",), "a zip archive that is no session"),
    ((b"\x7fELF", b"MZ", b"\xcf\xfa\xed\xfe"), "a program"),
    ((b"%PDF",), "a PDF document"),
    ((b"\x89PNG", b"\xff\xd8\xff", b"GIF8"), "a picture"),
    ((b"\x80\x02", b"\x80\x03", b"\x80\x04", b"\x80\x05"), "a Python pickle, which profviz does not open"),
    ((b"SQLite format 3",), "an SQLite database (an Nsight export?)"),
    ((b"<!DOCTYPE", b"<html", b"<?xml"), "a web page or XML"),
)


def _look(head: bytes) -> str:
    """A few words on what a file's beginning resembles."""
    text = head.lstrip()
    for starts, words in _LOOKS:
        if text.startswith(starts):
            return words
    if b"\0" in head:
        return "binary data"
    if text[:1] in (b"{", b"["):
        return "JSON without trace events"
    return "plain text beginning with " + repr(text[:40].decode(errors="replace"))
