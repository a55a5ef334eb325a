"""The window under hands that do anything: themes back and forth, panels dragged, a session that is gone."""

from __future__ import annotations

from pathlib import Path

import pytest
from fake_engine import FakeEngine
from PySide6.QtCore import QEvent, QObject, QPoint, Qt
from PySide6.QtWidgets import QApplication, QPushButton, QWidget
from pytestqt.qtbot import QtBot
from shiboken6 import delete

from profviz.model.errors import UserError
from profviz.ui import window_dialogs
from profviz.ui.main_window import MainWindow
from profviz.ui.settings import Settings
from profviz.ui.theme import Theme
from profviz.ui.widgets.shell_keys import KeySheet


@pytest.fixture
def window(qapp: QApplication, qtbot: QtBot) -> MainWindow:
    made = MainWindow(Theme(qapp, preference="dark"), Settings(), engine=FakeEngine(), idle=False)
    qtbot.addWidget(made, before_close_func=lambda window: window.controller.close())
    made.resize(1600, 1000)
    made.show()
    return made


def test_both_themes_reach_the_window_and_the_sheets_over_it(window: MainWindow) -> None:
    window.show_keys()
    sheet = window.findChild(KeySheet)
    for _ in range(2):
        window.toggle_theme()
        own = window._theme.palette
        assert window.grab().toImage().pixelColor(2, window.height() - 2).name() == own.window
        assert sheet.grab().toImage().pixelColor(20, 6).name() in (own.window, own.panel)


def test_a_switch_of_the_theme_goes_over_each_widget_a_few_times_only(window: MainWindow, qapp: QApplication) -> None:
    class Counting(QObject):
        count = 0

        def eventFilter(self, watched: QObject, event: QEvent) -> bool:
            self.count += event.type() == QEvent.Type.StyleChange
            return False

    widgets, counting = len(window.results_page.findChildren(QWidget)), Counting()
    qapp.installEventFilter(counting)
    window.toggle_theme()
    qapp.removeEventFilter(counting)
    assert 0 < counting.count < 6 * widgets


def test_panels_move_at_once(window: MainWindow) -> None:
    """Random hands ended the process where a gap was dragged while a panel was still moving to its place."""
    panels = window.results_page.panels
    assert not panels.dockOptions() & panels.DockOption.AnimatedDocks


def test_a_session_that_is_gone_is_told_of_when_it_is_to_be_copied(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="is gone"):
        window_dialogs.copy_session(str(tmp_path / "gone.profviz"), str(tmp_path / "copy.profviz"))
    assert not (tmp_path / "copy.profviz").exists()


def test_a_sheet_closes_when_what_had_the_focus_before_is_gone(window: MainWindow, qtbot: QtBot) -> None:
    button = QPushButton("short-lived", window)
    button.show()
    window.activateWindow()
    button.setFocus()
    qtbot.waitUntil(button.hasFocus)
    window.show_keys()
    sheet = window.findChild(KeySheet)
    delete(button)
    qtbot.mouseClick(window.start_page, Qt.MouseButton.LeftButton, pos=QPoint(3, 3))
    assert not sheet.isVisible()
