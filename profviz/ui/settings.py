"""What the window remembers between starts: recent files, theme, layout; nothing of it is needed to run."""

from __future__ import annotations

import json
import os
import time
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from PySide6.QtCore import QByteArray, QSettings

RECENT_LIMIT = 12
MARKED_LIMIT = 200
"""Of so many files marks are remembered."""


@dataclass(frozen=True, slots=True)
class RecentFile:
    """`paths` were opened together (two: a comparison); `kind` is what they were; `when_s` since the epoch."""

    paths: tuple[str, ...]
    kind: str
    when_s: int

    @property
    def missing(self) -> bool:
        return not all(Path(path).exists() for path in self.paths)


class Settings:
    """Kept under PROFVIZ_HOME where that is set, else where the platform keeps settings."""

    def __init__(self) -> None:
        home = os.environ.get("PROFVIZ_HOME")
        if home:
            self._store = QSettings(str(Path(home) / "window.ini"), QSettings.Format.IniFormat)
        else:
            scope = QSettings.Scope.UserScope
            self._store = QSettings(QSettings.Format.IniFormat, scope, "profviz", "window")

    @property
    def theme(self) -> str:
        return str(self._store.value("theme", "system"))

    @theme.setter
    def theme(self, preference: str) -> None:
        self._store.setValue("theme", preference)

    @property
    def interpreter(self) -> str:
        return str(self._store.value("interpreter", ""))

    @interpreter.setter
    def interpreter(self, path: str) -> None:
        self._store.setValue("interpreter", path)

    @property
    def open_folder(self) -> str:
        return str(self._store.value("open_folder", ""))

    @open_folder.setter
    def open_folder(self, path: str) -> None:
        self._store.setValue("open_folder", path)

    def blob(self, name: str) -> QByteArray:
        value = self._store.value(f"layout/{name}")
        return value if isinstance(value, QByteArray) else QByteArray()

    def keep_blob(self, name: str, value: QByteArray) -> None:
        self._store.setValue(f"layout/{name}", value)

    def forget_blob(self, name: str) -> None:
        self._store.remove(f"layout/{name}")

    def recent(self) -> tuple[RecentFile, ...]:
        try:
            entries = json.loads(str(self._store.value("recent", "[]")))
            return tuple(RecentFile(tuple(map(str, e["paths"])), str(e["kind"]), int(e["when_s"])) for e in entries)
        except (ValueError, KeyError, TypeError):
            return ()

    def remember(self, paths: tuple[str, ...], *, kind: str) -> None:
        """Puts the files first in the list of recent ones."""
        entry = RecentFile(tuple(str(Path(path).absolute()) for path in paths), kind, int(time.time()))
        others = [other for other in self.recent() if other.paths != entry.paths]
        kept = [entry, *others][:RECENT_LIMIT]
        self._store.setValue("recent", json.dumps([asdict(one) for one in kept]))

    def marks(self, key: str) -> list[Any]:
        """The marks that were kept of a file, as JSON values."""
        try:
            kept = json.loads(str(self._store.value(f"marks/{key}", "{}"))).get("marks", [])
        except (ValueError, AttributeError, RecursionError):
            return []
        return kept if isinstance(kept, list) else []

    def keep_marks(self, key: str, marks: Sequence[Any]) -> None:
        if not marks:
            self._store.remove(f"marks/{key}")
            return
        self._store.setValue(f"marks/{key}", json.dumps({"when_s": int(time.time()), "marks": list(marks)}))
        self._store.beginGroup("marks")
        keys = self._store.childKeys()
        self._store.endGroup()
        if len(keys) > MARKED_LIMIT:
            self._store.remove(f"marks/{min(keys, key=self._marked_when)}")

    def _marked_when(self, key: str) -> int:
        try:
            return int(json.loads(str(self._store.value(f"marks/{key}", "{}"))).get("when_s", 0))
        except (ValueError, AttributeError, TypeError, RecursionError):
            return 0

    def sync(self) -> None:
        self._store.sync()
