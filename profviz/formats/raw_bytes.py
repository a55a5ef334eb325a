"""The bytes of a file as they lie on disk, or bytes in memory behind the same face; notices a file that changed.

Knows nothing of packings.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import BinaryIO, Protocol

from profviz.model.errors import UserError


class Handle(Protocol):
    """Open bytes, for one thread at a time."""

    @property
    def size(self) -> int:
        """How many there are."""

    def read(self, offset: int, count: int) -> bytes:
        """Fewer than `count` only at the end."""

    def close(self) -> None:
        """May be called twice."""


class Raw(Protocol):
    """What can be opened again and again."""

    def open(self) -> Handle:
        """Raises UserError when it can't be read, or is no longer what it was."""


class MemoryBytes:
    """Bytes in memory: both what is opened and the handle."""

    def __init__(self, data: bytes) -> None:
        self._data = data
        self.size = len(data)

    def open(self) -> MemoryBytes:
        return self

    def read(self, offset: int, count: int) -> bytes:
        return self._data[offset : offset + count]

    def close(self) -> None:
        """Nothing to let go of."""


class FileBytes:
    """A file, which must stay as it was when this was made: offsets into another one mean nothing."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._mark: tuple[int, int] | None = None
        self.open().close()

    def open(self) -> _FileHandle:
        try:
            handle = _FileHandle(self._path)
        except OSError as error:
            raise unreadable(self._path, error) from None
        if self._mark is None:
            self._mark = handle.mark
        if handle.mark != self._mark:
            handle.close()
            raise UserError(
                f"{self._path.name} has changed on disk since it was opened",
                why="Its size or its time of change is another one.",
                hint="Open it again to see what it holds now.",
            )
        return handle


class _FileHandle:
    """Reads by blocks and never maps: a mapped file counts as memory and faults when it is cut."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._file: BinaryIO = path.open("rb", buffering=0)
        state = os.fstat(self._file.fileno())
        self.size = state.st_size
        self.mark = (state.st_size, state.st_mtime_ns)

    def read(self, offset: int, count: int) -> bytes:
        try:
            self._file.seek(offset)
            data = self._file.read(count)
            while len(data) < count and (more := self._file.read(count - len(data))):
                data += more
        except OSError as error:
            raise unreadable(self._path, error) from None
        return data

    def close(self) -> None:
        self._file.close()


def unreadable(path: Path, error: OSError) -> UserError:
    """What the system said, for the user."""
    return UserError(f"{path} can't be read", why=f"The system says: {error.strerror}.")
