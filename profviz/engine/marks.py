"""Where marks are kept with a session; the values themselves mean something only to who shows them."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from profviz.formats import session_marks


def load_marks(path: str) -> list[Any]:
    """What was kept in the session at `path`, as JSON values."""
    return session_marks.read_marks(Path(path))


def save_marks(path: str, marks: Sequence[Any]) -> None:
    """Raises UserError when the session can't be written."""
    session_marks.write_marks(Path(path), marks)
