"""What the window remembers between starts: recent files, theme, layout; nothing of it is needed to run."""

from __future__ import annotations

import json
import os
import time
from dataclasses import asdict, dataclass
from pathlib import Path

from PySide6.QtCore import QByteArray, QSettings

RECENT_LIMIT = 12


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

    def sync(self) -> None:
        self._store.sync()
