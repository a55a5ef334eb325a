"""Keeps the session file of a run up to date while it runs, so that a crash of anything loses nothing measured."""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path

from profviz.engine.places import SESSION_SUFFIX, make_folder, new_session_path
from profviz.formats.session import SessionContents, write_session
from profviz.model.errors import UserError

PAUSE_S = 1.0
"""The least time between two writings while the run goes on."""


class SessionKeeper:
    """Writes what `contents` gives to `path`, whole and atomically; `path` empty makes a new one for `script`."""

    def __init__(self, path: str, *, script: str, contents: Callable[[], SessionContents]) -> None:
        self.path = _with_suffix(path) if path else new_session_path(script)
        self._contents = contents
        self._written_s = 0.0
        self._stale = False

    def start(self) -> None:
        """Writes the first, empty session: a place that cannot be written is found out before the run."""
        make_folder(self.path.parent)
        if not _replaceable(self.path):
            raise UserError(
                f"{self.path} exists and is no session.",
                why="A run would replace it.",
                hint=f"Choose another place with -o, ending in {SESSION_SUFFIX}.",
            )
        self.write()

    def changed(self) -> None:
        """There is something new to save."""
        self._stale = True

    def catch_up(self, *, at_once: bool = False) -> None:
        """Writes what is not yet saved; unless `at_once`, only when the last writing was not a moment ago."""
        if self._stale and (at_once or time.monotonic() - self._written_s >= PAUSE_S):
            self.write()

    def write(self) -> None:
        """Raises UserError when the file cannot be written."""
        self._written_s = time.monotonic()  # also when it fails: the next try waits as well
        write_session(self.path, self._contents())
        self._stale = False


def _with_suffix(path: str) -> Path:
    wanted = Path(path).expanduser().absolute()
    return wanted if wanted.suffix else wanted.with_suffix(SESSION_SUFFIX)


def _replaceable(path: Path) -> bool:
    """Whether a session may be put there: nothing is, or another session (a zip file), or an empty file."""
    try:
        with path.open("rb") as file:
            return file.read(2) in (b"", b"PK")
    except FileNotFoundError:
        return True
    except OSError:
        return False
