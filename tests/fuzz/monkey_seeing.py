"""What the monkey can see of the window, and waiting for it; hears of errors in what Qt calls."""

from __future__ import annotations

import functools
import importlib
import sys
import time
import traceback
from collections.abc import Callable, Iterator

from PySide6.QtCore import QEvent, QEventLoop, QObject, QTimer
from PySide6.QtGui import QGuiApplication, QWindow
from PySide6.QtWidgets import QApplication, QWidget

from profviz.ui.commands import COMMANDS, VIEW_ACTIONS

LEAVING = {"file.quit", "file.close"}
"""Closing the window is a deed of its own; Ctrl+Q and Ctrl+W come among the keys all the same, seldom."""


def table_keys() -> list[str]:
    """Every key that the window and its views say they listen to."""
    commands = [command.shortcut for command in COMMANDS if command.shortcut and command.id not in LEAVING]
    views = [key for group in VIEW_ACTIONS for action in group.actions if not action.mouse for key in action.keys]
    return [*commands, *views]


def palette_ids() -> list[str]:
    commands = [command.id for command in COMMANDS if command.id not in LEAVING]
    views = [f"{group.view}.{one.id}" for group in VIEW_ACTIONS for one in group.actions if not one.mouse]
    return commands + views


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


ASKED = {"paint", "data", "headerData", "rowCount", "columnCount", "sort", "sizeHint", "minimumSizeHint"}
"""What Qt asks of widgets, models and delegates while it paints or lays out."""


def guard_overrides(raised: Callable[[BaseException], None]) -> None:
    """Tells errors in what Qt calls where they come up: passed on into Qt they end the process without a word."""
    for page in ("pages.run", "pages.results", "views.registry"):
        importlib.import_module(f"profviz.ui.{page}")
    for kind in set(_subclasses(QObject)):
        for name, own in list(vars(kind).items()):
            if kind.__module__.startswith("profviz") and callable(own):
                if name.endswith(("event", "Event", "eventFilter")):
                    setattr(kind, name, _guarded(own, raised))
                elif name in ASKED:
                    setattr(kind, name, _printed(own))


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


def _printed(own: Callable[..., object]) -> Callable[..., object]:
    """There is no answer in the error's place, and without one the process may end: so it is told at once."""

    @functools.wraps(own)
    def called(*arguments: object) -> object:
        try:
            return own(*arguments)
        except Exception:
            print(f"in {own.__qualname__}{arguments[1:]} of {arguments[0]}:", file=sys.stderr)
            traceback.print_exc()
            raise

    return called


def described(timer: QTimer) -> str:
    """With what it belongs to, which is what tells timers apart."""
    owner, chain = timer.parent(), []
    while owner is not None:
        chain.append(type(owner).__name__)
        owner = owner.parent()
    return f"timer of {timer.interval()} ms below {' < '.join(chain) or 'nothing'}"
