"""Keeps the session file of a run up to date while it runs, so that a crash of anything loses nothing measured."""

from __future__ import annotations

import contextlib
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from profviz.engine.places import SESSION_SUFFIX, make_folder, new_session_path, sessions_folder
from profviz.formats.session import SessionContents, read_session, write_session
from profviz.model.errors import UserError

PAUSE_S = 1.0
"""The least time between two writings while the run goes on."""


class SessionKeeper:
    """Writes what `contents` gives to `path`, whole and atomically; `path` empty makes a new one for `script`."""

    def __init__(self, path: str, *, script: str, contents: Callable[[], SessionContents]) -> None:
        self.path = _wanted(path, script) if path else new_session_path(script)
        self._script = script
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

    def write_anywhere(self) -> UserError | None:
        """Writes for the last time; where that fails in another place, which is `path` then, and gives why.

        Raises UserError when no place can be written.
        """
        try:
            self.write()
        except UserError as error:
            for folder in (sessions_folder(), Path(tempfile.gettempdir())):
                with contextlib.suppress(UserError):
                    path = new_session_path(self._script, folder=folder)
                    write_session(path, self._contents())
                    self.path = path
                    return error
            raise
        return None


def _wanted(path: str, script: str) -> Path:
    """The file that `path` means: one with a name of ours where it is a folder, with our suffix where it has none."""
    wanted = Path(path).expanduser().absolute()
    try:
        is_folder, is_there = wanted.is_dir(), wanted.exists()
    except OSError as error:  # a name that no file can have
        raise UserError(f"The session {wanted} can't be written.", why=f"{error.strerror}.") from None
    if is_folder:
        return new_session_path(script, folder=wanted)
    return wanted if wanted.suffix or is_there else wanted.with_suffix(SESSION_SUFFIX)


def _replaceable(path: Path) -> bool:
    """Whether a session may be put there: nothing is, or an empty file, or another session, be it damaged.

    Other zip files are somebody's documents and packages; what is no file (a pipe) is not even opened.
    """
    try:
        if not path.exists():
            return True
        if not path.is_file():
            return False
        with path.open("rb") as file:
            head = file.read(2)
    except OSError:
        return False
    return not head or (head == b"PK" and (path.suffix == SESSION_SUFFIX or _is_session(path)))


def _is_session(path: Path) -> bool:
    try:
        read_session(path)
    except UserError:
        return False
    return True
