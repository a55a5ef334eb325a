"""The timelines of a real window, in a known state, and all that a key or a gesture may change of them."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass

from driving import LIMIT_S
from PySide6.QtCore import QEvent, QEventLoop, QPoint, QPointF, Qt, QTimer
from PySide6.QtGui import QMouseEvent, QWheelEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QWidget

from profviz.ui.main_window import MainWindow
from profviz.ui.view_state import Pick, Snapshot, TimeWindow, ViewState
from profviz.ui.views.timeline.hands import Timelines
from profviz.ui.views.timeline.view import TimelineView
from profviz.ui.widgets.shell_keys import KeySheet
from profviz.ui.widgets.shell_picker import Picker

NO_KEYS = Qt.KeyboardModifier.NoModifier
LEFT = Qt.MouseButton.LeftButton


def linger(ms: int) -> None:
    """Lets the window work, and the other threads too: QTest's own wait keeps the interpreter from them."""
    loop = QEventLoop()
    QTimer.singleShot(ms, loop.quit)
    loop.exec()


def wait(condition: Callable[[], object]) -> None:
    deadline = time.monotonic() + LIMIT_S
    while not condition():
        assert time.monotonic() < deadline
        linger(5)


class Bench:
    """The timelines of the window, brought into a known state: zoomed into a step, a kernel of each side selected."""

    def __init__(self, window: MainWindow) -> None:
        self.window = window
        page = window.results_page
        view = page.holders["timeline"].view
        assert isinstance(view, TimelineView)
        self.view, self.canvas, self.state = view, view.canvas, page.state
        self.close_all()
        window.activateWindow()  # a menu takes that away, and without it no shortcut works
        wait(window.isActiveWindow)
        assert page.results is not None
        view.show_results(page.results)
        view.search.line.clear()
        for part in (view.search, view.search.table, view.marks, view.filter):
            part.hide()
        start, end = self.canvas.first
        self.canvas.comparing.arrange(beside=False)
        self.state.show_window(TimeWindow(start + (end - start) // 4, end - (end - start) // 4))
        settled = page.answers
        wait(lambda: not settled._then)
        self.canvas.pointer = None
        self.canvas.setFocus()
        QApplication.clipboard().clear()
        QApplication.processEvents()

    def close_all(self) -> None:
        if (menu := QApplication.activePopupWidget()) is not None:
            menu.close()
        for sheet in self.window.findChildren(Picker) + self.window.findChildren(KeySheet):
            sheet.dismiss()
        self.canvas.marking.forget()
        QApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete)

    def kernel(self, side: int, number: int) -> int:
        return int(self.canvas.sides[side].trace.gpu.slice[number])

    def pick(self, side: int = 0, number: int = 5) -> None:
        self.state.pick(Pick(side=side, slice=self.kernel(side, number)))

    def search(self, words: str) -> None:
        self.canvas.search.look_for(words)
        wait(lambda: not self.canvas.search.is_waiting)

    def point(self, side: int = 0, number: int = 5) -> QPoint:
        """The middle of a kernel, which is brought into view."""
        mark = self.canvas.mark_of(side, self.kernel(side, number))
        assert mark is not None
        self.canvas.reveal(mark)
        scene = self.canvas.scenes()[side]
        one = scene.placed.of(mark.track)
        assert one is not None
        x = (scene.scale.x(mark.start_ns) + scene.scale.x(mark.end_ns)) / 2
        return QPoint(round(x), scene.row_top(one, mark.row) + one.row_height // 2)

    def title(self, place: int) -> QPoint:
        scene = self.canvas.scenes()[0]
        return QPoint(scene.pane.left + 40, scene.row_top(scene.placed[place], 0) + 6)

    def drag(self, widget: QWidget, start: QPoint, end: QPoint, modifiers: Qt.KeyboardModifier = NO_KEYS) -> None:
        QTest.mousePress(widget, LEFT, modifiers, start)
        for at in ((start + end) / 2, end):
            place = QPointF(at)
            event = QMouseEvent(QEvent.Type.MouseMove, place, widget.mapToGlobal(place), LEFT, LEFT, modifiers)
            QApplication.sendEvent(widget, event)
        QTest.mouseRelease(widget, LEFT, modifiers, end)

    def wheel(self, widget: QWidget, at: QPoint, delta: int, modifiers: Qt.KeyboardModifier) -> None:
        place, none = QPointF(at), Qt.MouseButton.NoButton
        whole = widget.mapToGlobal(place)
        phase = Qt.ScrollPhase.NoScrollPhase
        QApplication.sendEvent(
            widget, QWheelEvent(place, whole, QPoint(), QPoint(0, delta), none, modifiers, phase, False)
        )


@dataclass(frozen=True)
class Seen:
    """All that a key or a gesture of the timelines may change."""

    now: Snapshot
    scroll: tuple[int, ...]
    hits: int
    at: int
    strip: int
    focus: QWidget | None
    sheet: bool
    menu: bool
    copied: str
    arrows: bool
    beside: bool

    @property
    def span(self) -> int:
        return self.now.window.span_ns

    @property
    def start(self) -> int:
        return self.now.window.start_ns


def look(bench: Bench) -> Seen:
    canvas: Timelines = bench.canvas
    state: ViewState = bench.state
    canvas.arrangement()
    return Seen(
        now=state._now,
        scroll=tuple(canvas.stage.scroll(side) for side in range(len(canvas.sides))),
        hits=len(canvas.search.hits),
        at=canvas.search.at,
        strip=canvas.stage.strip,
        focus=QApplication.focusWidget(),
        sheet=bool(bench.window.findChildren(Picker)),
        menu=QApplication.activePopupWidget() is not None,
        copied=QApplication.clipboard().text(),
        arrows=canvas.arrows.is_whole,
        beside=canvas.beside,
    )
