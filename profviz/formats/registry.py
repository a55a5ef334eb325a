"""Which formats can be opened, and the choice of one by looking at a file's content, never at its suffix."""

from __future__ import annotations

from pathlib import Path

from profviz.formats import chrome, compile_log, session
from profviz.formats.document import Document, Progress
from profviz.formats.format import Format
from profviz.formats.source import Source
from profviz.model.errors import UserError

HEAD_BYTES = 64 << 10

FORMATS: tuple[Format, ...] = (
    chrome.FORMAT,
    compile_log.FORMAT,
    session.FORMAT,
)


def open_document(path: Path, *, progress: Progress | None = None) -> Document:
    """Reads a trace, a compile log or a session.

    Raises UserError when there is no such file, it can't be read, it is empty or none of the three.
    """
    source = Source.open(path)
    head = source.head(HEAD_BYTES)
    if not head.strip():
        _refuse_damaged(source)
        raise UserError(
            f"{source.name} is empty: the exporter wrote no data",
            why="The file holds not one byte of text.",
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
    head = source.head(HEAD_BYTES)
    form = choose_format(head, source.name)
    return form.preview(source) if form is not None and form.preview is not None else None


def _refuse_damaged(source: Source) -> None:
    """A file of which not one byte can be unpacked was not left empty by its exporter."""
    if source.read()[1]:
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
