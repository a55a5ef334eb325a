"""What the tests of the timelines share: the view opened on results, and where to put the mouse."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QPoint, QPointF, Qt
from PySide6.QtGui import QMouseEvent, QWheelEvent
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from profviz.model.results import Results
from profviz.ui.answers import Answers
from profviz.ui.pages.selecting import resolve
from profviz.ui.view_state import ViewState
from profviz.ui.views.timeline.hands import Timelines
from profviz.ui.views.timeline.view import TimelineView
from profviz.ui.widgets.palette import DARK

Opened = tuple[TimelineView, ViewState]
OpenView = Callable[..., Opened]
NO_KEYS, SHIFT, CONTROL, ALT = (
    Qt.KeyboardModifier.NoModifier,
    Qt.KeyboardModifier.ShiftModifier,
    Qt.KeyboardModifier.ControlModifier,
    Qt.KeyboardModifier.AltModifier,
)
LEFT = Qt.MouseButton.LeftButton


def open_view(qtbot: QtBot, results: Results, *, width: int = 960, height: int = 560) -> Opened:
    """With everything that answers questions; close its `answers` at the end."""
    state = ViewState()
    state.answers = answers = Answers(state)
    view = TimelineView(state, DARK)
    qtbot.addWidget(view)
    view.resize(width, height)
    with qtbot.waitExposed(view):
        view.show()
    state.picked.connect(lambda pick: state.select(resolve(results, pick)))
    answers.show_results(results)
    view.show_results(results)
    return view, state


def settle(qtbot: QtBot, state: ViewState) -> None:
    """Waits until everything asked is answered."""
    answers = state.answers
    assert isinstance(answers, Answers)
    qtbot.waitUntil(lambda: not answers._then)


def point_of(canvas: Timelines, side: int, index: int) -> QPoint:
    """The middle of a slice on the screen."""
    mark = canvas.mark_of(side, index)
    assert mark is not None
    scene = canvas.scenes()[side]
    one = scene.placed.of(mark.track)
    assert one is not None
    x = (scene.scale.x(mark.start_ns) + scene.scale.x(mark.end_ns)) / 2
    return QPoint(round(x), scene.row_top(one, mark.row) + one.row_height // 2)


def title_of(canvas: Timelines, side: int, id_: str) -> QPoint:
    """The middle of a track's title."""
    scene = canvas.scenes()[side]
    one = scene.placed.of(id_)
    assert one is not None
    return QPoint(scene.pane.left + 30, scene.row_top(one, 0) + one.row_height // 2)


def kernel(canvas: Timelines, side: int, number: int) -> int:
    return int(canvas.sides[side].trace.gpu.slice[number])


def wheel(canvas: object, at: QPoint, delta: int, modifiers: Qt.KeyboardModifier) -> None:
    buttons, phase = Qt.MouseButton.NoButton, Qt.ScrollPhase.NoScrollPhase
    place = QPointF(at)
    event = QWheelEvent(place, canvas.mapToGlobal(place), QPoint(), QPoint(0, delta), buttons, modifiers, phase, False)
    QApplication.sendEvent(canvas, event)


def drag(qtbot: QtBot, canvas: object, start: QPoint, end: QPoint, modifiers: Qt.KeyboardModifier) -> None:
    qtbot.mousePress(canvas, LEFT, modifiers, start)
    move(canvas, (start + end) / 2, modifiers)
    move(canvas, end, modifiers)
    qtbot.mouseRelease(canvas, LEFT, modifiers, end)


def point_at(canvas: object, at: QPoint) -> None:
    """The mouse comes to rest there; QTest's moves tell nothing where the mouse was there already."""
    place, none = QPointF(at), Qt.MouseButton.NoButton
    event = QMouseEvent(QMouseEvent.Type.MouseMove, place, canvas.mapToGlobal(place), none, none, NO_KEYS)
    QApplication.sendEvent(canvas, event)


def move(canvas: object, at: QPoint, modifiers: Qt.KeyboardModifier = NO_KEYS) -> None:
    """A move of the pressed mouse with keys held, which QTest's has not."""
    place = QPointF(at)
    event = QMouseEvent(QMouseEvent.Type.MouseMove, place, canvas.mapToGlobal(place), LEFT, LEFT, modifiers)
    QApplication.sendEvent(canvas, event)
