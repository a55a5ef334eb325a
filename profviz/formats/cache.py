"""Columns of traces that were read before, one file a trace, in a folder that may be deleted at any time.

Nothing here ever fails: what can't be kept or found again is read from the trace once more. A trace is known by its
path, size, times and a digest of parts of it; who changes it and puts back all of these gets what it held before.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import shutil
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO

import profviz
from profviz.formats.cache_place import cache_folder, may_vanish
from profviz.formats.column_file import BadColumns, Stored, read_columns, write_columns
from profviz.formats.column_tree import Array, take_apart
from profviz.formats.whole_file import PART
from profviz.model.notes import Note
from profviz.model.trace import Trace

READER_VERSION = 2
"""To be raised whenever the readers make other columns or notes of the same file."""
LIMIT_VARIABLE = "PROFVIZ_CACHE_BYTES"
LIMIT_BYTES = 4 << 30
KEEP_FREE_BYTES = 1 << 30
"""Of the disk: a cache is worth nobody's last gigabyte."""
MIN_TEXT_BYTES = 8 << 20
MIN_FILE_BYTES = 256 << 10
"""Smaller files are read again as fast: 8 MB of trace pack to no less."""
SUFFIX = ".columns"
SETTLED_NS = 2_000_000_000
"""A file that was written to this recently may be so again within one tick of its clock."""
ABANDONED_S = 6 * 3600
_EDGE_BYTES = 64 << 10
_BETWEEN = 14
_BETWEEN_BYTES = 4 << 10


@dataclass(frozen=True, slots=True)
class SourceKey:
    """Which content of which file: taken before it is read, so that one that changes meanwhile is not mistaken."""

    path: str
    size: int
    mtime_ns: int
    ctime_ns: int
    digest: str
    member: str = ""
    """Of an archive, which part of it."""

    @property
    def label(self) -> str:
        times = (self.size, self.mtime_ns, self.ctime_ns)
        return "\n".join(map(str, (READER_VERSION, profviz.__version__, *times, self.digest, self.path, self.member)))

    @property
    def prefix(self) -> str:
        """What the names of all entries of this path begin with."""
        return _hashed(f"{self.path}\n{self.member}")[:16]

    @property
    def file_name(self) -> str:
        return f"{self.prefix}-{_hashed(self.label)}{SUFFIX}"


def _hashed(text: str) -> str:
    return hashlib.blake2b(text.encode("utf-8", "surrogatepass"), digest_size=16).hexdigest()


def source_key(path: str | Path, *, member: str = "") -> SourceKey | None:
    """The key of a trace file; None where there is nothing to gain: no cache, no file, or a small one."""
    if limit_bytes() == 0:
        return None
    try:
        # opened only once it is known to be a file: opening a pipe would wait for whoever writes to it
        if not Path(path).is_file():
            return None
        with Path(path).open("rb") as file:
            about = os.fstat(file.fileno())
            if about.st_size < MIN_FILE_BYTES:
                return None
            digest = _digest(file, about.st_size)
    except (OSError, ValueError):
        return None
    return SourceKey(str(Path(path).resolve()), about.st_size, about.st_mtime_ns, about.st_ctime_ns, digest, member)


def _digest(file: BinaryIO, size: int) -> str:
    """Of the head, the tail and a few blocks between, so that its cost does not grow with the file."""
    found = hashlib.blake2b(digest_size=16)
    places = [(0, _EDGE_BYTES), (max(0, size - _EDGE_BYTES), _EDGE_BYTES)]
    places += [(size * number // (_BETWEEN + 1), _BETWEEN_BYTES) for number in range(1, _BETWEEN + 1)]
    for place, count in places:
        file.seek(place)
        found.update(file.read(count))
    return found.hexdigest()


def limit_bytes() -> int:
    """How large the folder may grow; 0 turns the cache off."""
    try:
        return max(0, int(os.environ.get(LIMIT_VARIABLE, LIMIT_BYTES)))
    except ValueError:
        return LIMIT_BYTES


def load(key: SourceKey, *, folder: Path | None = None) -> Stored | None:
    """What was stored of this very content, None where nothing was or it is damaged (then it is deleted)."""
    if limit_bytes() == 0:
        return None
    folder = folder or cache_folder()
    path = folder / key.file_name
    try:
        stored = read_columns(path, mapped=not may_vanish(folder))
        if stored.label != key.label:
            raise BadColumns("of another file")
    except BadColumns:
        _delete(path)
        return None
    except (OSError, MemoryError):
        return None
    with contextlib.suppress(OSError):
        os.utime(path)  # what was used last is evicted last
    return stored


def holds(key: SourceKey, *, folder: Path | None = None) -> bool:
    """Whether there is something to load, which may still turn out to be damaged."""
    return limit_bytes() > 0 and ((folder or cache_folder()) / key.file_name).exists()


def store(
    key: SourceKey,
    *,
    trace: Trace,
    notes: Sequence[Note],
    offsets: Array,
    lengths: Array,
    extra: Mapping[str, Any] | None = None,
    folder: Path | None = None,
) -> bool:
    """Keeps the columns that were read from what `key` names; whether it did. Takes as long as the disk does.

    `offsets` and `lengths` as in `column_file.Stored`; `extra` holds JSON values and arrays for whoever loads it.
    """
    if not _worth(offsets, lengths) or not _unchanged(key):
        return False
    folder = folder or cache_folder()
    path = folder / key.file_name
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        if not _make_room(folder, _size_of(trace, offsets, lengths)):
            return False
        write_columns(path, trace=trace, notes=notes, offsets=offsets, lengths=lengths, label=key.label, extra=extra)
        for older in folder.glob(f"{key.prefix}-*{SUFFIX}"):
            if older.name != path.name:
                _delete(older)
        _make_room(folder, 0)
        return path.exists()
    except (OSError, ValueError, TypeError, RecursionError, MemoryError):
        return False


def _worth(offsets: Array, lengths: Array) -> bool:
    return len(offsets) > 0 and int(offsets[-1]) + int(lengths[-1]) >= MIN_TEXT_BYTES


def _unchanged(key: SourceKey) -> bool:
    """Whether the file still is what it was before it was read, and has been so for a moment."""
    age_ns = time.time_ns() - key.mtime_ns
    return not 0 <= age_ns < SETTLED_NS and source_key(key.path, member=key.member) == key


def _size_of(trace: Trace, *others: Array) -> int:
    """About what a trace's columns take on disk."""
    arrays = [*others]
    take_apart(trace, arrays)
    return sum(array.nbytes for array in arrays)


def _make_room(folder: Path, wanted: int) -> bool:
    """Evicts what was used longest ago until `wanted` more bytes fit within the limit; whether they then do."""
    limit = limit_bytes()
    if wanted > limit or (wanted and shutil.disk_usage(folder).free - wanted < KEEP_FREE_BYTES):
        return False
    entries = sorted(_entries(folder), reverse=True)
    left = limit - wanted
    for _, size, path in entries:
        left -= size
        if left < 0:
            _delete(path)
    return True


def _entries(folder: Path) -> list[tuple[float, int, Path]]:
    """Time of last use, size and path of each file of ours; what a process that died left behind is deleted."""
    found = []
    with os.scandir(folder) as listed:
        for entry in listed:
            with contextlib.suppress(OSError):
                about = entry.stat(follow_symlinks=False)
                if not entry.name.endswith(SUFFIX):
                    continue
                if PART not in entry.name:
                    found.append((about.st_mtime, about.st_size, Path(entry.path)))
                elif time.time() - about.st_mtime > ABANDONED_S:
                    _delete(Path(entry.path))
    return found


def _delete(path: Path) -> None:
    """Another process may have done so before; one that has it mapped goes on with what it holds."""
    with contextlib.suppress(OSError):
        path.unlink()
