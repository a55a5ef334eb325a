"""What the monkey can see of the window, waiting for it, and hearing of errors in what Qt calls."""

from __future__ import annotations

import functools
import importlib
import time
from collections.abc import Callable, Iterator

from PySide6.QtCore import QEvent, QEventLoop, QTimer
from PySide6.QtGui import QGuiApplication, QWindow
from PySide6.QtWidgets import QApplication, QWidget


def is_there(handle: QWindow) -> bool:
    """A menu's window is gone as soon as something has closed it."""
    return any(handle is one for one in QGuiApplication.allWindows())


def is_seen(widget: QWidget) -> bool:
    return widget.isVisible() and not widget.visibleRegion().isEmpty()


def linger(ms: int) -> None:
    """Lets the window work, and the other threads too: QTest's own wait keeps the interpreter from them."""
    loop = QEventLoop()
    QTimer.singleShot(ms, loop.quit)
    loop.exec()


def wait_for(condition: Callable[[], bool], *, limit_s: float) -> bool:
    """Lets the window work until the condition holds; false when it does not in time."""
    ends = time.monotonic() + limit_s
    while not condition() and time.monotonic() < ends:
        linger(5)
    return condition()


def send_deletes() -> None:
    QApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete)


def guard_overrides(raised: Callable[[BaseException], None]) -> None:
    """Tells errors in events where they come up: passed on into Qt they end the process without a word."""
    for page in ("pages.run", "pages.results", "views.registry"):
        importlib.import_module(f"profviz.ui.{page}")
    for kind in set(_subclasses(QWidget)):
        for name, own in list(vars(kind).items()):
            if (
                kind.__module__.startswith("profviz")
                and callable(own)
                and name.endswith(("event", "Event", "eventFilter"))
            ):
                setattr(kind, name, _guarded(own, raised))


def _subclasses(kind: type) -> Iterator[type]:
    for below in kind.__subclasses__():
        yield below
        yield from _subclasses(below)


def _guarded(own: Callable[..., object], raised: Callable[[BaseException], None]) -> Callable[..., object]:
    @functools.wraps(own)
    def called(*arguments: object) -> object:
        try:
            return own(*arguments)
        except Exception as error:
            raised(error)
            return False

    return called
