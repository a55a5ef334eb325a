"""`profviz --screenshot OUT.png FILE...`: grabs the window once everything is shown, and ends the application."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, QTimer
from PySide6.QtWidgets import QApplication

from profviz.model.errors import UserError

if TYPE_CHECKING:
    from profviz.ui.main_window import MainWindow

DEFAULT_SIZE = (1600, 1000)
SETTLE_MS = 900
"""Time for what views do off the GUI thread (graph layout, lexing) before the window is grabbed."""


class Screenshot(QObject):
    """`code` is the exit code: 0 when the file was written, 2 when something stood in the way."""

    def __init__(self, path: str, size: tuple[int, int]) -> None:
        super().__init__()
        self._path = path
        self._size = size
        self.code = 2

    @classmethod
    def parse(cls, path: str, *, size: str) -> Screenshot:
        return cls(path, cls.parse_size(size) if size else DEFAULT_SIZE)

    @staticmethod
    def parse_size(text: str) -> tuple[int, int]:
        """`1600x1000`; raises UserError for anything else."""
        width, cross, height = text.lower().partition("x")
        if not (cross and width.isdigit() and height.isdigit() and int(width) and int(height)):
            raise UserError(f"{text!r} is not a size.", hint="Write it as 1600x1000.")
        return int(width), int(height)

    def watch(self, window: MainWindow, *, waits: bool) -> None:
        """With `waits` the grab follows the results, else the first paint. A problem ends it with code 2."""
        self._window = window
        window.resize(*self._size)
        ready = window.results_shown if waits else window.first_painted
        ready.connect(lambda: QTimer.singleShot(SETTLE_MS, self, self._grab))
        window.controller.problem.connect(self._give_up)
        window.controller.run_ended.connect(self._run_ended)

    def _grab(self) -> None:
        folder = Path(self._path).absolute().parent
        if folder.is_dir() and self._window.grab().save(self._path):
            self.code = 0
        else:
            print(f"The picture {self._path} could not be written.", file=sys.stderr)
        self._end()

    def _give_up(self, error: UserError) -> None:
        print(error, file=sys.stderr)
        self._end()

    def _run_ended(self, event: object) -> None:
        from profviz.engine.events import Finished

        if not isinstance(event, Finished):
            self._end()

    def _end(self) -> None:
        QTimer.singleShot(0, self._window, self._close)

    def _close(self) -> None:
        self._window.close()
        QApplication.quit()
