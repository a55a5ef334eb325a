"""What an exporter is to the registry, and what all of them share: the file written whole or not at all, progress."""

from __future__ import annotations

import contextlib
import gzip
import importlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, BinaryIO

from profviz.formats.document import Progress
from profviz.formats.export.selection import Selection
from profviz.formats.whole_file import replacing, synced
from profviz.model.errors import UserError
from profviz.model.trace import Trace

GZIP_SUFFIX = ".gz"
GZIP_LEVEL = 2
"""As zlib-ng counts: packs nearly as well as zlib's 4, three times as fast."""


@dataclass(slots=True)
class Task:
    """What is to be written; `tick(done)` tells how many of `total` steps are, and may raise `Cancelled`.

    `left_out` counts by reason what has no place in the written file.
    """

    trace: Trace
    selection: Selection
    progress: Progress | None = None
    total: int = 0
    written: int = 0
    left_out: dict[str, int] = field(default_factory=dict)

    def tick(self, done: int) -> None:
        if self.progress:
            self.progress(done, max(self.total, done))

    def leave_out(self, reason: str) -> None:
        self.left_out[reason] = self.left_out.get(reason, 0) + 1


@dataclass(frozen=True, slots=True)
class Exporter:
    """`write(task, path)` writes `task.selection` to a path that is its alone and counts in the task what it wrote.

    The first of `suffixes` is the usual one. What `items` are (events, rows) is told to people.
    """

    id: str
    title: str
    suffixes: tuple[str, ...]
    items: str
    write: Callable[[Task, Path], None]


@contextlib.contextmanager
def whole_or_none(path: Path) -> Iterator[Path]:
    """As `replacing`, but raises UserError when it can't be written."""
    try:
        with replacing(path) as temporary:
            yield temporary
    except OSError as error:
        why = f"{error.strerror or error}."
        hint = "Choose another place, or make room there."
        raise UserError(f"{path} can't be written.", why=why, hint=hint) from None


@contextlib.contextmanager
def opened(path: Path) -> Iterator[BinaryIO]:
    """A new file to write to, packed when its name ends so; on disk when the context ends."""
    with synced(path) as file:
        if path.name.lower().endswith(GZIP_SUFFIX):
            with _gzip(file) as packed:
                yield packed
        else:
            yield file


def _gzip(file: BinaryIO) -> Any:
    """No name and no time in the header: the same export gives the same bytes."""
    try:
        fast: Any = importlib.import_module("zlib_ng.gzip_ng")
    except ImportError:
        return gzip.GzipFile(filename="", mode="wb", compresslevel=4, fileobj=file, mtime=0)
    return fast.GzipNGFile(filename="", mode="wb", compresslevel=GZIP_LEVEL, fileobj=file, mtime=0)
