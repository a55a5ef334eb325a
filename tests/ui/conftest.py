"""Qt without a screen, and no timer or thread of Qt's left running after a test."""

from __future__ import annotations

import os

os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")
os.environ.setdefault("PYTEST_QT_API", "pyside6")

from collections.abc import Iterator
from typing import TYPE_CHECKING

import pytest
from PySide6.QtCore import QEvent, QThread, QTimer
from PySide6.QtWidgets import QApplication, QWidget
from pytestqt.qtbot import QtBot

if TYPE_CHECKING:
    from fake_engine import FakeEngine
    from graph_samples import OpenGraphs
    from timeline_driving import Opened, OpenView

    from profviz.model.results import Results
    from profviz.ui.main_window import MainWindow


@pytest.fixture(autouse=True)
def no_window_left_behind() -> Iterator[None]:
    """Deletes top-level widgets, and fails when a timer of a widget that is gone or a QThread still runs."""
    yield
    app = QApplication.instance()
    if app is None:
        return
    for widget in app.topLevelWidgets():
        widget.hide()
        widget.deleteLater()
    app.sendPostedEvents(None, QEvent.Type.DeferredDelete)
    running = [timer for timer in app.findChildren(QTimer) if timer.isActive()]
    threads = [thread for thread in app.findChildren(QThread) if thread.isRunning()]
    visible = [widget for widget in app.topLevelWidgets() if isinstance(widget, QWidget) and widget.isVisible()]
    assert not running, f"timers still run: {running}"
    assert not threads, f"QThreads still run: {threads}"
    assert not visible, f"widgets still shown: {visible}"


@pytest.fixture
def timelines(qtbot: QtBot) -> Iterator[OpenView]:
    """`timelines(results, width=, height=)` gives the timeline view shown on them, and its state."""
    from timeline_driving import open_view

    opened: list[Opened] = []

    def open_(results: Results, **size: int) -> Opened:
        opened.append(open_view(qtbot, results, **size))
        return opened[-1]

    yield open_
    for _, state in opened:
        state.answers.close()


@pytest.fixture
def engine() -> Iterator[FakeEngine]:
    """Says to the window what the test wants."""
    from fake_engine import FakeEngine

    made = FakeEngine()
    yield made
    made.stop()


@pytest.fixture
def window(qapp: QApplication, qtbot: QtBot, engine: FakeEngine) -> MainWindow:
    from profviz.ui.main_window import MainWindow
    from profviz.ui.settings import Settings
    from profviz.ui.theme import Theme

    made = MainWindow(Theme(qapp, preference="dark"), Settings(), engine=engine, idle=False)
    qtbot.addWidget(made, before_close_func=lambda window: window.controller.close())
    made.resize(1600, 1000)
    made.show()
    return made


@pytest.fixture
def open_graphs(qtbot: QtBot) -> Iterator[OpenGraphs]:
    """`open_graphs(results, width=, height=, choice=)` gives the graph view shown on them, and its state."""
    from graph_samples import graph_views

    with graph_views(qtbot) as opened:
        yield opened
