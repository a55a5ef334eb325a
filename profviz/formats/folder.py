"""What a folder or a zip archive holds to open: its traces and logs in the order of their ranks.

Which file is one is asked of who knows the formats; nothing is unpacked to disk and no folder below is looked into.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path

from profviz.formats.source import Source, inside, is_folder
from profviz.model.errors import UserError

HEAD_BYTES = 64 << 10
FAR_BYTES = 4 << 20
"""How far is looked into a long object that has not come to its events."""
SURE = 21
"""How sure a format must be of a file that nobody named: less says only that it is JSON."""
MOST_OF_NOTHING = 256
"""No packing takes more bytes for an empty text."""
RESULTS = frozenset({".json", ".gz", ".xz", ".zst"})
"""Suffixes of files that were meant to be traces when nothing is in them."""

Sniff = Callable[[bytes, str], int]
"""How sure it is, from 0 to 100, that this beginning of a file of this name is a trace or a log."""

_RANK_IN_NAME = re.compile(r"(?<![a-z])rank[ _.=-]?(\d+)", re.IGNORECASE)
_RANK_IN_HEAD = re.compile(rb'"distributedInfo"\s*:\s*\{[^{}]*?"rank"\s*:\s*(\d{1,9})\b')


@dataclass(frozen=True, slots=True)
class Found:
    """`sources` in order, and of each file that was meant to be one but is not why it can't be."""

    sources: tuple[Source, ...]
    unread: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True, slots=True)
class _Look:
    source: Source
    head: bytes
    sure: int


def look_through(path: Path, sniff: Sniff) -> Found:
    """A file is itself, a folder the traces and logs directly in it, a zip archive those in it.

    Raises UserError when there is no such file, or nothing to open in a folder.
    """
    if not is_folder(path):
        source = Source.open(path)
        return _found(source.members(), sniff) or Found((source,))
    found = _found(_files(path), sniff)
    if found is None:
        raise UserError(f"{path} holds no trace and no log", why="Only files directly in it count.", hint=inside(path))
    return found


def _found(sources: Iterable[Source], sniff: Sniff) -> Found | None:
    looks, unread = [], []
    for source in sources:
        try:
            look = _look(source, sniff)
        except UserError as error:
            unread.append((source.name, str(error)))
            continue
        if look.sure >= SURE:
            looks.append(look)
        elif look.head.strip() in (b"", b"{}", b"[]") and Path(source.name).suffix in RESULTS:
            unread.append((source.name, _nothing_in(source)))
    looks.sort(key=_order)
    return Found(tuple(look.source for look in looks), tuple(unread)) if looks else None


def _nothing_in(source: Source) -> str:
    if source.packed_bytes > MOST_OF_NOTHING and not source.head(1):
        return "It is damaged: nothing of it can be unpacked."
    return "It is empty: the exporter wrote no data."


def _look(source: Source, sniff: Sniff) -> _Look:
    head = source.beginning(HEAD_BYTES)
    sure = sniff(head, source.name)
    if 0 < sure < SURE and len(head) == HEAD_BYTES:
        sure = sniff(source.beginning(FAR_BYTES), source.name)
    return _Look(source, head, sure)


def _files(folder: Path) -> list[Source]:
    """Each file of a folder, a zip archive as its members."""
    try:
        paths = [path for path in folder.iterdir() if path.is_file() and not path.name.startswith(".")]
    except OSError as error:
        raise UserError(f"{folder} can't be read", why=f"The system says: {error.strerror}.") from None
    files = [Source.open(path) for path in paths]
    return [source for file in files for source in file.members() or [file]]


def _order(look: _Look) -> tuple[bool, int, list[tuple[bool, int, str]]]:
    """By rank, those of none last, then by name with its numbers in the order of numbers."""
    rank = rank_of(look.source.name, look.head)
    parts = re.split(r"(\d+)", look.source.name.casefold())
    return rank is None, rank or 0, [(part.isdecimal(), int(part) if part.isdecimal() else 0, part) for part in parts]


def rank_of(name: str, head: bytes) -> int | None:
    """The rank that a file's name has, or else the beginning of the trace."""
    named = _RANK_IN_NAME.findall(name)
    if named:
        return int(named[-1][:9])
    written = _RANK_IN_HEAD.search(head)
    return int(written[1]) if written else None
