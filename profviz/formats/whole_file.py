"""Files that are written whole or not at all: beside their place first, and put there when all is on disk."""

from __future__ import annotations

import contextlib
import os
import secrets
from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO

PART = ".part-"
"""In the names of files that are being written, or were by a process that died."""


@contextlib.contextmanager
def replacing(path: Path) -> Iterator[Path]:
    """A path beside `path` to write to; it takes the place of `path` when the context ends well, else it goes.

    Its name ends as that of `path`: by the suffix some writers know whether to pack. Raises OSError.
    """
    temporary = path.with_name(f".{os.getpid()}-{secrets.token_hex(4)}{PART}{path.name}")
    try:
        yield temporary
        temporary.replace(path)
    finally:
        with contextlib.suppress(OSError):
            temporary.unlink()


@contextlib.contextmanager
def synced(path: Path, *, mode: int = 0o666) -> Iterator[BinaryIO]:
    """A new file to write to, which is on disk when the context ends. Raises OSError."""
    with open(path, "xb", opener=lambda name, flags: os.open(name, flags, mode)) as file:
        yield file
        file.flush()
        os.fsync(file.fileno())  # else a loss of power may leave the name with no data behind it
