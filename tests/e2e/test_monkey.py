"""Bounded random hands on a real window: nothing raises, no thread stays, and what is closed is forgotten.

PROFVIZ_MONKEY_S lets it go on for so many seconds; without it some hundred actions are done, always the same ones.
"""

from __future__ import annotations

import gc
import os
import random
import sys
import threading
import time
import weakref
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from driving import LIMIT_S, ROOT
from PySide6.QtCore import QEvent, QPoint, QPointF, Qt
from PySide6.QtGui import QMouseEvent, QWheelEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QDialog, QFileDialog, QInputDialog, QWidget

from profviz.ui.commands import VIEW_ACTIONS
from profviz.ui.main_window import MainWindow
from profviz.ui.settings import Settings
from profviz.ui.theme import Theme
from profviz.ui.widgets.shell_overlay import Overlay

pytestmark = pytest.mark.qt_log_ignore("This plugin does not support", extend=True)
SAMPLES = ROOT / "samples" / "traces"
OPENED = [
    [SAMPLES / "mlp_eager.json.gz", SAMPLES / "mlp_compiled.json.gz"],
    [SAMPLES / "mlp_compiled.json.gz"],
    [SAMPLES / "mlp_compiled.json.gz", SAMPLES / "mlp_eager.json.gz"],
]
ACTIONS = 400
WORDS = ["aten", "kernel dur>1us", "/(a|b", "arg:stream=7", "args:int", "kind:gemm -void", ""]
NAMED = ["Escape", "Tab", "Backspace", "Return", "Enter", "Delete", "Home", "End", "PageUp", "PageDown", "F2", "Menu"]
NAMED += ["Left", "Up", "Right", "Down"]
KEYS = [Qt.Key(code) for code in range(0x20, 0x60)] + [Qt.Key[f"Key_{name}"] for name in NAMED]
HELD = [Qt.KeyboardModifier.NoModifier] * 4 + [
    Qt.KeyboardModifier.ShiftModifier,
    Qt.KeyboardModifier.AltModifier,
    Qt.KeyboardModifier.ControlModifier,
]
LEAVES = {"Q", "W"}
"""With Ctrl they close the window."""


class Monkey:
    def __init__(self, window: MainWindow, seed: int) -> None:
        self.window, self.random = window, random.Random(seed)
        self.done: list[str] = []

    def act(self) -> None:
        chosen: Callable[[], str] = self.random.choices(
            [self.press, self.click, self.drag, self.wheel, self.do, self.undo, self.type, self.turn, self.dismiss],
            weights=[24, 10, 10, 10, 24, 8, 4, 2, 4],
        )[0]
        self.done.append(chosen())
        QApplication.processEvents()

    def target(self) -> QWidget:
        view = self.window.results_page.holders["timeline"].view
        focus = QApplication.focusWidget()
        return self.random.choice([view.canvas] * 4 + [view.minimap, focus or view.canvas])  # type: ignore[attr-defined]

    def point(self, widget: QWidget) -> QPoint:
        return QPoint(self.random.randrange(max(1, widget.width())), self.random.randrange(max(1, widget.height())))

    def press(self) -> str:
        key, held = self.random.choice(KEYS), self.random.choice(HELD)
        if held == Qt.KeyboardModifier.ControlModifier and key.name.removeprefix("Key_") in LEAVES:
            return "nothing"
        QTest.keyClick(self.target(), key, held)
        return f"press {key.name} {held}"

    def click(self) -> str:
        widget = self.target()
        at, held = self.point(widget), self.random.choice(HELD)
        hit = QTest.mouseDClick if self.random.random() < 0.3 else QTest.mouseClick
        hit(widget, Qt.MouseButton.LeftButton, held, at)
        return f"click {type(widget).__name__} {at.x()} {at.y()} {held}"

    def drag(self) -> str:
        widget = self.target()
        start, end, held = self.point(widget), self.point(widget), self.random.choice(HELD)
        left = Qt.MouseButton.LeftButton
        QTest.mousePress(widget, left, held, start)
        for at in ((start + end) / 2, end):
            place = QPointF(at)
            event = QMouseEvent(QEvent.Type.MouseMove, place, widget.mapToGlobal(place), left, left, held)
            QApplication.sendEvent(widget, event)
        QTest.mouseRelease(widget, left, held, end)
        return f"drag {type(widget).__name__} {start.x()} {start.y()} {end.x()} {end.y()} {held}"

    def wheel(self) -> str:
        widget, held, delta = self.target(), self.random.choice(HELD), self.random.choice([-360, -120, 120, 360])
        place, none = QPointF(self.point(widget)), Qt.MouseButton.NoButton
        phase = Qt.ScrollPhase.NoScrollPhase
        whole = widget.mapToGlobal(place)
        event = QWheelEvent(place, whole, QPoint(), QPoint(0, delta), none, held, phase, False)
        QApplication.sendEvent(widget, event)
        return f"wheel {delta} {held}"

    def do(self) -> str:
        """Anything that the command palette offers for a view."""
        ids = [f"{group.view}.{one.id}" for group in VIEW_ACTIONS for one in group.actions if not one.mouse]
        id_ = self.random.choice(ids)
        self.window.actions_.run(id_)
        return f"do {id_}"

    def undo(self) -> str:
        id_ = self.random.choice(["edit.undo", "edit.redo"])
        self.window.actions_.run(id_)
        return id_

    def type(self) -> str:
        view = self.window.results_page.holders["timeline"].view
        words = self.random.choice(
            ["aten", "kernel dur>1us", "/(a|b", "arg:stream=7", "args:int", "kind:gemm -void", ""]
        )
        view.canvas.search.look_for(words)  # type: ignore[attr-defined]
        return f"search {words}"

    def turn(self) -> str:
        """The window is made larger or smaller, or takes the other theme."""
        if self.random.random() < 0.4:
            self.window.actions_.run("view.theme")
            return "theme"
        self.window.resize(self.random.choice([640, 1024, 1600]), self.random.choice([420, 640, 1000]))
        return "resize"

    def dismiss(self) -> str:
        for _ in range(8):
            if (menu := QApplication.activePopupWidget()) is None:
                break
            menu.close()
        for sheet in self.window.findChildren(Overlay):
            sheet.dismiss()
        self.window.show_results()
        return "dismiss"


@pytest.fixture
def window(qapp: QApplication, monkeypatch: pytest.MonkeyPatch) -> Iterator[MainWindow]:
    """Whoever asks for something in a dialog is told that nobody wants it."""
    for name, none in (("getOpenFileNames", []), ("getOpenFileName", ""), ("getSaveFileName", "")):
        monkeypatch.setattr(QFileDialog, name, lambda *_, none=none, **__: (none, ""))
    monkeypatch.setattr(QFileDialog, "getExistingDirectory", lambda *_, **__: "")
    monkeypatch.setattr(QInputDialog, "getItem", lambda *_, **__: ("", False))
    monkeypatch.setattr(QInputDialog, "getText", lambda *_, **__: ("", False))
    monkeypatch.setattr(QDialog, "exec", lambda self: 0)
    made = MainWindow(Theme(qapp, preference="dark"), Settings(), idle=False)
    made.resize(1600, 1000)
    made.show()
    yield made
    made.close()
    made.deleteLater()
    QApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete)


def open_paths(window: MainWindow, paths: list[Path]) -> None:
    shown: list[bool] = []
    connection = window.results_shown.connect(lambda: shown.append(True))
    window.open_paths([str(path) for path in paths])
    deadline = time.monotonic() + LIMIT_S
    while not shown:
        assert time.monotonic() < deadline
        QTest.qWait(5)
    window.disconnect(connection)


def memory_kib() -> int:
    if not sys.platform.startswith("linux"):
        return 0
    return next(int(line.split()[1]) for line in Path("/proc/self/status").read_text().splitlines() if "VmRSS" in line)


def test_random_hands_break_nothing(window: MainWindow) -> None:
    seconds = float(os.environ.get("PROFVIZ_MONKEY_S", "0"))
    ends, round_ = time.monotonic() + seconds, 0
    monkey = Monkey(window, seed=int(time.time()) if seconds else 4)
    threads = threading.active_count()
    while round_ < len(OPENED) or time.monotonic() < ends:
        open_paths(window, OPENED[round_ % len(OPENED)])
        before = weakref.ref(window.results_page.results.sides[0].trace)  # type: ignore[union-attr]
        for number in range(ACTIONS // len(OPENED)):
            try:
                monkey.act()
            except BaseException:
                print("\n".join(monkey.done[-12:]), f"after {number} actions of round {round_}")
                raise
        monkey.dismiss()
        round_ += 1
        if round_ % 20 == 0:
            print(f"round {round_}: {memory_kib() // 1024} MiB, {threading.active_count()} threads")
    open_paths(window, OPENED[0])
    QTest.qWait(100)
    gc.collect()
    assert before() is None, "what was closed is still held"
    assert threading.active_count() <= threads + 2
