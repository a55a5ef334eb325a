"""The command table is sound, and menus, palette and key sheet are made from it."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from fake_engine import FakeEngine
from PySide6.QtCore import Qt
from PySide6.QtGui import QKeySequence
from PySide6.QtWidgets import QApplication, QLabel
from pytestqt.qtbot import QtBot

from profviz.ui import window_dialogs
from profviz.ui.commands import COMMANDS, GROUPS, Command, key_sheet
from profviz.ui.main_window import MainWindow
from profviz.ui.settings import Settings
from profviz.ui.theme import Theme
from profviz.ui.widgets.shell_keys import KeySheet
from profviz.ui.widgets.shell_picker import Picker, matches


@pytest.fixture
def window(qapp: QApplication, qtbot: QtBot) -> Iterator[MainWindow]:
    engine = FakeEngine()
    made = MainWindow(Theme(qapp, preference="dark"), Settings(), engine=engine, idle=False)
    qtbot.addWidget(made)
    yield made
    engine.stop()


def test_ids_and_bound_shortcuts_are_unique() -> None:
    ids = [command.id for command in COMMANDS]
    keys = [command.shortcut for command in COMMANDS if command.shortcut]
    assert len(set(ids)) == len(ids)
    assert len(set(keys)) == len(keys)


@pytest.mark.parametrize("command", COMMANDS, ids=lambda command: command.id)
def test_each_command_has_a_handler_a_group_and_a_real_key(command: Command) -> None:
    assert callable(getattr(MainWindow, command.handler))
    assert command.group in GROUPS
    assert command.title
    assert not command.shortcut or not QKeySequence(command.shortcut).isEmpty()


def test_no_bound_key_takes_one_that_the_timelines_listen_for() -> None:
    plain = {"W", "S", "A", "D", "F", "Z", "0", "Esc", "M", ",", ".", "[", "]", "/", "Ctrl+P", "Shift+T", "Shift+M"}
    assert not plain & {command.shortcut for command in COMMANDS if command.bound}


def test_menus_hold_every_command_once(window: MainWindow) -> None:
    shown = [action.objectName() for menu in window.actions_.menus.values() for action in menu.actions()]
    assert sorted(name for name in shown if name) == sorted(command.id for command in COMMANDS)


def test_an_action_calls_its_handler(window: MainWindow) -> None:
    before = window._theme.palette.dark
    window.actions_.run("view.theme")
    assert window._theme.palette.dark is not before
    assert Settings().theme == window._theme.preference


def test_palette_finds_by_letters_and_runs(window: MainWindow, qtbot: QtBot) -> None:
    window.show()
    window.show_palette()
    picker = window.findChild(Picker)
    picker.field.setText("switch the theme")
    with qtbot.waitSignal(picker.picked) as picked:
        qtbot.keyClick(picker.field, Qt.Key.Key_Return)
    assert picked.args == ["view.theme"]
    assert not window._theme.palette.dark


def test_palette_steps_with_the_arrow_keys_and_closes_with_escape(window: MainWindow, qtbot: QtBot) -> None:
    window.show()
    picker = window_dialogs.show_picker(window, window.actions_)
    first = picker.list.currentItem().text(0)
    qtbot.keyClick(picker.field, Qt.Key.Key_Down)
    assert picker.list.currentItem().text(0) != first
    with qtbot.waitSignal(picker.closed):
        qtbot.keyClick(picker.field, Qt.Key.Key_Escape)


def test_letters_must_come_in_order() -> None:
    assert matches("op", "File: Open")
    assert not matches("po", "File: Open")
    assert matches("", "anything")


def test_key_sheet_lists_commands_and_timeline_keys(window: MainWindow, qtbot: QtBot) -> None:
    window.show()
    window.show_keys()
    sheet = window.findChild(KeySheet)
    texts = {child.text() for child in sheet.findChildren(QLabel)}
    assert {"Ctrl+O", "Space"} <= texts
    assert texts >= {key for _, keys in key_sheet() for key, _ in keys}
    with qtbot.waitSignal(sheet.closed):
        qtbot.keyClick(sheet, Qt.Key.Key_Question)
