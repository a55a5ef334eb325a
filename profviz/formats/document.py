"""What opening a file gives: one trace, one compile report or one session, with what was wrong with it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from profviz.model.compile_report import CompileReport
from profviz.model.notes import Note
from profviz.model.trace import Trace

if TYPE_CHECKING:  # the readers make documents: importing one here would go round in a circle
    from profviz.formats.session import Session

Progress = Callable[[int, int], None]
"""Called with bytes done and bytes in all; may raise `Cancelled` to stop the reading."""


class Cancelled(Exception):
    """Raised by a progress callback to end a job; not an error."""


@dataclass(frozen=True, slots=True, eq=False)
class Document:
    """Exactly one of `trace`, `report` and `session` is set; `path` is where it was read from.

    `beside` are what else the same file holds: the log of another process.
    `keep`, where set, is called once there is time for it: it makes the next opening of the same file a short one.
    """

    title: str
    path: str
    notes: tuple[Note, ...]
    trace: Trace | None = None
    report: CompileReport | None = None
    session: Session | None = None
    keep: Callable[[], object] | None = None
    beside: tuple[Document, ...] = ()
