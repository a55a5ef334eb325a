"""Timelines that have no room for any track take every key and gesture all the same."""

from __future__ import annotations

import pytest
from factories import make_pair
from PySide6.QtCore import QPoint, QPointF, Qt
from PySide6.QtGui import QWheelEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication
from timeline_driving import CONTROL, NO_KEYS, SHIFT, OpenView

from profviz.ui.views.timeline.keys import ACTIONS

MENUS = ("track_menu", "find_track", "show_marks")


@pytest.mark.parametrize("size", [(0, 0), (1, 1), (300, 2), (2, 300), (90, 40), (700, 60)])
def test_hands_find_nothing_and_break_nothing(timelines: OpenView, size: tuple[int, int]) -> None:
    view, state = timelines(make_pair())
    view.setMinimumSize(0, 0)
    view.canvas.setFixedSize(*size)
    assert not view.canvas.grab().toImage().isNull() or 0 in size
    at = QPointF(size[0] // 2, size[1] // 2)
    for held in (NO_KEYS, SHIFT, CONTROL):
        none, phase = Qt.MouseButton.NoButton, Qt.ScrollPhase.NoScrollPhase
        whole = view.canvas.mapToGlobal(at)
        QApplication.sendEvent(view.canvas, QWheelEvent(at, whole, QPoint(), QPoint(0, 120), none, held, phase, False))
        QTest.mousePress(view.canvas, Qt.MouseButton.LeftButton, held, at.toPoint())
        QTest.mouseMove(view.canvas, at.toPoint() + QPoint(40, 30))
        QTest.mouseRelease(view.canvas, Qt.MouseButton.LeftButton, held, at.toPoint() + QPoint(40, 30))
        QTest.mouseDClick(view.canvas, Qt.MouseButton.LeftButton, held, at.toPoint())
    for action in ACTIONS:
        deed = view.deeds.get(action.id)
        if deed is not None and deed.usable() and action.id not in MENUS:
            deed.run()
    view.canvas.grab()
    assert state.window.span_ns >= 1
