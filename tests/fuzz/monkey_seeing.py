"""What the monkey can see of the window, and waiting for it."""

from __future__ import annotations

import time
from collections.abc import Callable

from PySide6.QtCore import QEvent
from PySide6.QtGui import QGuiApplication, QWindow
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QWidget


def is_there(handle: QWindow) -> bool:
    """A menu's window is gone as soon as something has closed it."""
    return any(handle is one for one in QGuiApplication.allWindows())


def is_seen(widget: QWidget) -> bool:
    return widget.isVisible() and not widget.visibleRegion().isEmpty()


def wait_for(condition: Callable[[], bool], *, limit_s: float) -> bool:
    """Lets the window work until the condition holds; false when it does not in time."""
    ends = time.monotonic() + limit_s
    while not condition() and time.monotonic() < ends:
        QTest.qWait(5)
    return condition()


def send_deletes() -> None:
    QApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete)
