"""Keeps the marks of what is shown: in the session where it is one, else in the settings by the files' paths and sizes.

It knows no view: marks come from and go to the view state.
"""

from __future__ import annotations

import contextlib
import hashlib
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

from PySide6.QtCore import QLockFile, QObject, Qt, Signal

from profviz.engine.marks import load_marks, save_marks
from profviz.model.errors import UserError
from profviz.model.results import Results, Side
from profviz.ui.settings import Settings
from profviz.ui.view_state import KeptMark, ViewState

MOST_MARKS = 1_000
FARTHEST_NS = 2**62
SESSION_SUFFIX = ".profviz"
LOCK_S = 2.0
"""Saving takes a fraction of it; another process that holds the lock for longer hangs."""

Values = list[dict[str, Any]]
_SAVING = threading.Lock()


class MarkStore(QObject):
    """`problem` carries a UserError on the GUI thread. A session is written by a thread that ends when all is saved.

    Only what changed in this window changes in the session: other windows, also of other processes, may keep marks
    in it meanwhile.
    """

    problem = Signal(object)
    _failed = Signal(object)

    def __init__(self, state: ViewState, settings: Settings, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._state, self._settings = state, settings
        self._sides: tuple[Side, ...] = ()
        self._keys: tuple[str, ...] = ()
        self._session = ""
        self._lock = threading.Lock()
        self._waiting: tuple[str, Values] | None = None
        self._own: dict[str, Values] = {}
        """By session, the marks this window knew when it last saved them: what differs now was done in it since."""
        self._thread: threading.Thread | None = None
        self._failed.connect(self.problem, Qt.ConnectionType.QueuedConnection)
        state.kept_changed.connect(self._changed)

    def forget(self) -> None:
        """What is shown now is kept nowhere."""
        self._sides, self._keys, self._session = (), (), ""

    def show_results(self, results: Results, paths: Sequence[str]) -> None:
        """Hands what was kept of these files to the state; call once the results are shown."""
        self.forget()
        sides = results.sides
        session = paths[0] if len(paths) == 1 and paths[0].endswith(SESSION_SUFFIX) else ""
        keys = () if session else keys_of(paths, len(sides))
        if session:
            found = load_marks(session)
            with self._lock:
                self._own[session] = found
            kept = from_values(found, sides)
        else:
            per_side = len(keys) == len(sides)
            each = [
                from_values(self._settings.marks(key), sides, side=at if per_side else -1)
                for at, key in enumerate(keys)
            ]
            kept = tuple(mark for one in each for mark in one)
        self._state.keep_marks(kept, remember=False)
        self._sides, self._session, self._keys = sides, session, keys

    def close(self) -> None:
        """Waits until all is saved."""
        thread = self._thread
        if thread is not None:
            thread.join()

    def _changed(self, kept: tuple[KeptMark, ...]) -> None:
        if self._session:
            self._save(self._session, to_values(kept, self._sides))
        for place, key in enumerate(self._keys):
            own = tuple(mark for mark in kept if mark.side == place or len(self._keys) == 1)
            self._settings.keep_marks(key, to_values(own, self._sides))

    def _save(self, path: str, values: Values) -> None:
        with self._lock:
            self._waiting = path, values
            if self._thread is None:
                self._thread = threading.Thread(target=self._work, name="profviz marks", daemon=True)
                self._thread.start()

    def _work(self) -> None:
        while True:
            with self._lock:
                if self._waiting is None:
                    self._thread = None
                    return
                (path, values), self._waiting = self._waiting, None
                known = self._own.get(path, [])
            try:
                with alone_with(path):
                    save_marks(path, merged(known, values, load_marks(path)))
                with self._lock:
                    self._own[path] = values
            except UserError as error:
                self._failed.emit(error)


def merged(known: Sequence[Any], mine: Sequence[Any], kept: Sequence[Any]) -> list[Any]:
    """What is kept, without what went in `mine` since it was `known`, and with what came; a mark is its values."""
    gone = [one for one in known if one not in mine]
    rest = [one for one in kept if one not in gone]
    return rest + [one for one in mine if one not in known and one not in rest]


@contextlib.contextmanager
def alone_with(path: str) -> Iterator[None]:
    """Nobody else reads and replaces the session's marks meanwhile; where no lock can be had, it goes on without."""
    lock, deadline = QLockFile(f"{path}.lock"), time.monotonic() + LOCK_S
    with _SAVING:
        while not lock.tryLock(0) and lock.error() == QLockFile.LockError.LockFailedError:
            if time.monotonic() > deadline:
                break
            time.sleep(LOCK_S / 100)
        try:
            yield
        finally:
            lock.unlock()


def keys_of(paths: Sequence[str], sides: int, *, size_of: Callable[[str], int] | None = None) -> tuple[str, ...]:
    """One key a file where each is a side, so that its marks are found beside any other; else one for all together."""
    named = [f"{Path(path).absolute()} {(size_of or _size)(path)}" for path in paths]
    texts = named if len(paths) == sides else ["\n".join(named)]
    return tuple(hashlib.blake2b(text.encode("utf-8", "surrogatepass"), digest_size=16).hexdigest() for text in texts)


def _size(path: str) -> int:
    try:
        return Path(path).stat().st_size
    except OSError:
        return -1


def to_values(kept: Sequence[KeptMark], sides: Sequence[Side]) -> Values:
    """As JSON: a side by its id, times in its own ns."""
    return [
        {
            "side": sides[mark.side].id,
            "start_ns": mark.start_ns,
            "end_ns": mark.end_ns,
            "slice": mark.slice,
            "note": mark.note,
        }
        for mark in kept[:MOST_MARKS]
        if mark.side < len(sides)
    ]


def from_values(values: Sequence[Any], sides: Sequence[Side], *, side: int = -1) -> tuple[KeptMark, ...]:
    """What of it makes sense here, all of one side where one is given, else by the sides' ids.

    A slice that is not where it was is forgotten, its time stays.
    """
    made = (_from_value(value, sides, side) for value in values[:MOST_MARKS])
    return tuple(mark for mark in made if mark is not None)


def _from_value(value: Any, sides: Sequence[Side], side: int) -> KeptMark | None:
    try:
        start, end, index = int(value["start_ns"]), int(value["end_ns"]), int(value.get("slice", -1))
        if side < 0:
            side = next(at for at, own in enumerate(sides) if own.id == value["side"])
        note = str(value.get("note", ""))
    except (TypeError, ValueError, KeyError, AttributeError, StopIteration, OverflowError):
        return None
    if not max(abs(start), abs(end)) < FARTHEST_NS:
        return None
    slices = sides[side].trace.slices
    if not (0 <= index < len(slices) and int(slices.start_ns[index]) == start):
        index = -1
    return KeptMark(side, start, max(start, end), index, note)
