"""Bytes of a file as its writer meant them: unpacks gzip, xz and zstd, whatever the suffix says.

Knows nothing of what the text means. A damaged stream gives what could be unpacked, with a note.
"""

from __future__ import annotations

import codecs
import importlib
import lzma
import zlib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import zstandard

from profviz.model.errors import UserError
from profviz.model.notes import Note, NoteBook

try:
    fast_zlib: Any = importlib.import_module("isal.isal_zlib")
except ImportError:  # the standard library does the same, three times slower
    fast_zlib = zlib

Progress = Callable[[int, int], None]

MAX_BYTES = 8 << 30
"""No trace that unpacks to more could be shown; real ones unpack to 10 to 30 times their size."""
MAX_RATIO = 1_000
RATIO_FREE_BYTES = 256 << 20
MAX_NESTING = 4
LIKELY_SUFFIXES = frozenset({".json", ".gz", ".xz", ".zst", ".log", ".txt", ".profviz"})
BLOCK = 1 << 16
SMALL_BLOCK = 1 << 12

_GZIP, _XZ, _ZSTD = b"\x1f\x8b", b"\xfd7zXZ\x00", b"\x28\xb5\x2f\xfd"
_PACKINGS = {_GZIP: "gzip", _XZ: "xz", _ZSTD: "zstd"}
_STREAM_ENDS: tuple[type[Exception], ...] = (zlib.error, lzma.LZMAError, zstandard.ZstdError, EOFError, fast_zlib.error)


class Source:
    """A file (or bytes) to read; `name` is its file name, `path` where it lies, empty for bytes."""

    def __init__(self, data: bytes | None = None, *, path: Path | None = None, name: str = "") -> None:
        self.path = str(path) if path else ""
        self.name = name or (path.name if path else "")
        self._file = path
        self._data = data

    @classmethod
    def open(cls, path: Path) -> Source:
        """Raises UserError when there is no such file or it can't be read."""
        if path.is_dir():
            raise UserError(f"{path} is a folder", why="A trace, a log or a session is one file.", hint=_inside(path))
        if not path.exists():
            raise UserError(f"There is no file {path}", hint="Check the name; the path is taken from where you are.")
        if not path.is_file():
            raise UserError(f"{path} is no regular file", why="A device or a pipe has no end that could be waited for.")
        return cls(path=path)

    def head(self, count: int) -> bytes:
        """The first bytes, unpacked; fewer where the file is shorter or damaged."""
        raw = self._raw_head(max(count, 1 << 16))
        for _ in range(MAX_NESTING):
            inner = _unpack_head(raw, 4 * count)
            if inner is None:
                break
            raw = inner
        return _to_utf8(raw[: 4 * count + 4])[:count]

    def read(self, progress: Progress | None = None) -> tuple[bytes, tuple[Note, ...]]:
        """The whole content, unpacked and as UTF-8, and what was wrong with its packing."""
        notes = NoteBook()
        data = self._raw(progress)
        for _ in range(MAX_NESTING):
            unpack = _unpacker(data)
            if unpack is None:
                break
            data = unpack(data, notes)
        return _to_utf8(data), notes.notes()

    def raw(self) -> bytes:
        """The bytes as they lie on disk."""
        return self._raw(None)

    def _raw(self, progress: Progress | None) -> bytes:
        if self._data is not None or self._file is None:
            return self._data or b""
        try:
            size = self._file.stat().st_size
            with self._file.open("rb") as stream:
                return _read_all(stream, size, progress)
        except OSError as error:
            raise UserError(f"{self._file} can't be read", why=f"The system says: {error.strerror}.") from None

    def _raw_head(self, count: int) -> bytes:
        if self._data is not None or self._file is None:
            return (self._data or b"")[:count]
        try:
            with self._file.open("rb") as stream:
                return stream.read(count)
        except OSError as error:
            raise UserError(f"{self._file} can't be read", why=f"The system says: {error.strerror}.") from None


def _inside(folder: Path) -> str:
    """What to open instead of a folder."""
    try:
        names = sorted(path.name for path in folder.iterdir() if path.suffix in LIKELY_SUFFIXES)
    except OSError:
        names = []
    if not names:
        return "It holds nothing that looks like a trace, a log or a session."
    more = f" and {len(names) - 3} more" if len(names) > 3 else ""
    return f"Open a file in it: {', '.join(names[:3])}{more}."


def _read_all(stream: Any, size: int, progress: Progress | None) -> bytes:
    if progress is None:
        return bytes(stream.read())
    parts: list[bytes] = []
    done = 0
    while part := stream.read(64 * BLOCK):
        parts.append(part)
        done += len(part)
        progress(done, max(size, done))
    return b"".join(parts)


def _unpacker(data: bytes) -> Callable[[bytes, NoteBook], bytes] | None:
    if data.startswith(_GZIP):
        return _unpack_gzip
    if data.startswith(_XZ):
        return _unpack_xz
    if data.startswith(_ZSTD):
        return _unpack_zstd
    return None


def _decompressor(data: bytes) -> Any:
    if data.startswith(_GZIP):
        return fast_zlib.decompressobj(31)
    if data.startswith(_XZ):
        return lzma.LZMADecompressor()
    if data.startswith(_ZSTD):
        return zstandard.ZstdDecompressor().decompressobj()
    return None


def _unpack_head(raw: bytes, count: int) -> bytes | None:
    """Unpacks the beginning of a stream, None when it is packed in no known way."""
    machine = _decompressor(raw)
    if machine is None:
        return None
    parts: list[bytes] = []
    try:
        while machine is not None and sum(map(len, parts)) < count and raw:
            parts.append(machine.decompress(raw[:SMALL_BLOCK]))
            raw = (machine.unused_data if machine.eof else b"") + raw[SMALL_BLOCK:]
            machine = _decompressor(raw) if machine.eof else machine
    except _STREAM_ENDS:
        pass
    return b"".join(parts)


class _Budget:
    """Stops a stream that unpacks to far more than any trace."""

    def __init__(self, packed: int) -> None:
        self._limit = min(MAX_BYTES, max(RATIO_FREE_BYTES, packed * MAX_RATIO))
        self._used = 0

    def add(self, count: int) -> None:
        self._used += count
        if self._used > self._limit:
            raise UserError(
                "The file unpacks to far more than a trace holds",
                why=f"More than {self._limit >> 20} MiB came out of it.",
                hint="It is damaged or not a trace; unpack it by hand to look at it.",
            )


def _unpack_members(data: bytes, notes: NoteBook, magic: bytes) -> bytes:
    """Unpacks streams that follow each other; zeros and other bytes after the last one are left alone."""
    budget = _Budget(len(data))
    parts: list[bytes] = []
    view = memoryview(data)
    while view[: len(magic)] == magic:
        machine = _decompressor(magic)
        rest = _run(machine, view, parts, budget)
        if rest is None:
            text = f"the {_PACKINGS[magic]} stream is cut or damaged"
            notes.add("truncated_gzip", offset=sum(map(len, parts)), text=text)
            break
        view = rest
    return b"".join(parts)


def _run(machine: Any, view: memoryview, parts: list[bytes], budget: _Budget) -> memoryview | None:
    """Feeds one stream; gives what follows it, or None when it does not come to its end."""
    at = 0
    try:
        while at < len(view) and not machine.eof:
            part = machine.decompress(view[at : at + BLOCK])
            at = min(at + BLOCK, len(view))
            parts.append(part)
            budget.add(len(part))
    except _STREAM_ENDS:
        return None
    if not machine.eof:
        return None
    unused = len(machine.unused_data)
    return view[at - unused :] if unused else view[at:]


def _unpack_gzip(data: bytes, notes: NoteBook) -> bytes:
    return _unpack_members(data, notes, _GZIP)


def _unpack_xz(data: bytes, notes: NoteBook) -> bytes:
    return _unpack_members(data, notes, _XZ)


def _unpack_zstd(data: bytes, notes: NoteBook) -> bytes:
    return _unpack_members(data, notes, _ZSTD)


def _to_utf8(data: bytes) -> bytes:
    """Drops a byte order mark and turns UTF-16 into UTF-8."""
    if data.startswith(codecs.BOM_UTF8):
        return data[len(codecs.BOM_UTF8) :]
    if data.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        return data.decode("utf-16", errors="replace").encode()
    return data
