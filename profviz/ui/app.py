"""Starts the application: Qt, theme, window, the hook for bugs; imports no reader before the first paint."""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from PySide6.QtCore import QTimer
from PySide6.QtGui import QIcon
from PySide6.QtWidgets import QApplication

import profviz
from profviz.engine import places
from profviz.ui.main_window import MainWindow
from profviz.ui.problems import install_hook
from profviz.ui.screenshot import Screenshot
from profviz.ui.settings import Settings
from profviz.ui.theme import Theme, preferred

INTERRUPT_POLL_MS = 200
LATEST_OPEN_MS = 1500


def main(
    paths: Sequence[str] = (),
    *,
    python: str = "",
    screenshot: str = "",
    size: str = "",
    theme: str = "",
) -> int:
    """Shows the window with `paths` opened; gives the exit code.

    `python` is the interpreter for runs. `screenshot` names a PNG: the window is grabbed there once everything is
    shown, and the application ends. `size` (as 1600x1000) and `theme` (dark, light) hold for this start only.
    """
    shot = Screenshot.parse(screenshot, size=size) if screenshot else None
    if shot is not None:
        be_seen_without_display()
    app = QApplication.instance() or QApplication([sys.argv[0]])
    name_application(app)
    window = make_window(app, python=python, theme=theme)
    if size:
        window.resize(*Screenshot.parse_size(size))
    with ctrl_c_closes(app), bugs_shown_in(window):
        if shot is not None:
            shot.watch(window, waits=bool(paths))
        window.show()
        if paths:
            open_after_paint(window, list(paths))
        code = int(app.exec())
    return shot.code if shot is not None else code


def be_seen_without_display() -> None:
    """A picture can be taken on a server: Qt paints into memory where no display is."""
    displays = ("DISPLAY", "WAYLAND_DISPLAY", "QT_QPA_PLATFORM")
    if sys.platform.startswith("linux") and not any(os.environ.get(name) for name in displays):
        os.environ["QT_QPA_PLATFORM"] = "offscreen"


def name_application(app: QApplication) -> None:
    app.setApplicationName("profviz")
    app.setApplicationDisplayName("")
    app.setApplicationVersion(profviz.__version__)
    app.setDesktopFileName("profviz")
    icon = icon_path()
    if icon is not None:
        app.setWindowIcon(QIcon(str(icon)))


def icon_path() -> Path | None:
    folder = places.resources_folder()
    return folder / "icon.svg" if folder is not None and (folder / "icon.svg").is_file() else None


def make_window(app: QApplication, *, python: str = "", theme: str = "") -> MainWindow:
    settings = Settings()
    preference = preferred(theme, setting=settings.theme)
    return MainWindow(Theme(app, preference=preference), settings, python=python)


def open_after_paint(window: MainWindow, paths: list[str]) -> None:
    """The window shows before readers are imported; a window that starts hidden opens its files all the same."""
    late = QTimer(window, singleShot=True, interval=LATEST_OPEN_MS)
    late.timeout.connect(lambda: window.open_paths(paths, auto_run=True))
    window.first_painted.connect(lambda: late.start(0) if late.isActive() else None)
    late.start()


@contextmanager
def ctrl_c_closes(app: QApplication) -> Iterator[None]:
    """Qt's loop runs no Python while idle: a timer gives the interpreter a chance to see the signal."""
    before = signal.signal(signal.SIGINT, lambda *_: app.closeAllWindows())
    timer = QTimer(app, interval=INTERRUPT_POLL_MS)
    timer.timeout.connect(lambda: None)
    timer.start()
    try:
        yield
    finally:
        timer.stop()
        signal.signal(signal.SIGINT, before)


@contextmanager
def bugs_shown_in(window: MainWindow) -> Iterator[None]:
    before = sys.excepthook
    install_hook(window.show_problem)
    try:
        yield
    finally:
        sys.excepthook = before
