"""What a format is to the registry: how to recognise it and how to read it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from profviz.formats.document import Document, Progress
from profviz.formats.source import Source


@dataclass(frozen=True, slots=True)
class Format:
    """`sniff(head, name)` says how sure it is from 0 (no) to 100, given the unpacked beginning and the file's name.

    `suffixes` are for file dialogs only. `read` raises UserError when nothing in the file can be used.
    `preview`, where set, gives the beginning of a file whose whole takes long to read, None for any other.
    """

    id: str
    title: str
    suffixes: tuple[str, ...]
    sniff: Callable[[bytes, str], int]
    read: Callable[[Source, Progress | None], Document]
    preview: Callable[[Source], Document | None] | None = None
