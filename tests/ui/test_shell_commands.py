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
from profviz.ui.commands import COMMANDS, GROUPS, VIEW_ACTIONS, Command, ViewActions, key_sheet
from profviz.ui.main_window import MainWindow
from profviz.ui.settings import Settings
from profviz.ui.theme import Theme
from profviz.ui.views.registry import VIEWS
from profviz.ui.widgets.shell_keys import KeySheet, in_columns
from profviz.ui.widgets.shell_picker import Picker, distance, matches


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


def test_no_key_of_the_window_is_taken_by_a_view() -> None:
    bound = {command.shortcut for command in COMMANDS if command.bound}
    for group in VIEW_ACTIONS:
        assert not bound & {key for action in group.actions for key in action.keys}


@pytest.mark.parametrize("group", VIEW_ACTIONS, ids=lambda group: group.view)
def test_the_actions_of_a_view_have_ids_and_real_keys_of_their_own(group: ViewActions) -> None:
    keys = [key for action in group.actions if not action.mouse for key in action.keys]
    assert len(set(keys)) == len(keys)
    assert len({action.id for action in group.actions}) == len(group.actions)
    assert not [key for key in keys if QKeySequence(key).isEmpty()]
    assert all(action.title and (action.keys or not action.mouse) for action in group.actions)
    assert group.view in {spec.id for spec in VIEWS}


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


def test_titles_that_hold_the_query_come_first() -> None:
    titles = ["Set pants in", "Unpinned", "Timeline: Pin the track"]
    assert all(matches("pin", title) for title in titles)
    assert sorted(titles, key=lambda title: distance("pin", title)) == titles[::-1]


def test_key_sheet_lists_everything_once(window: MainWindow, qtbot: QtBot) -> None:
    window.show()
    window.show_keys()
    sheet = window.findChild(KeySheet)
    shown = sorted(child.text() for child in sheet.findChildren(QLabel))
    wanted = [text for title, keys in key_sheet() for text in (title, *(part for row in keys for part in row))]
    assert shown == sorted(wanted)
    assert {"Ctrl+O", "Space", "Shift+wheel", "Shift+M"} <= set(shown)
    with qtbot.waitSignal(sheet.closed):
        qtbot.keyClick(sheet, Qt.Key.Key_Question)


def test_key_sheet_scrolls_where_it_does_not_fit(window: MainWindow, qtbot: QtBot) -> None:
    window.resize(660, 430)
    window.show()
    window.show_keys()
    sheet = window.findChild(KeySheet)
    QApplication.processEvents()
    before = sheet.scroll.verticalScrollBar().value()
    qtbot.keyClick(sheet, Qt.Key.Key_PageDown)
    assert sheet.isVisible()
    assert sheet.scroll.verticalScrollBar().value() > before
    assert sheet.geometry().bottom() <= window.rect().bottom()


def test_columns_are_of_about_one_length_and_none_ends_with_a_heading() -> None:
    groups = [(f"group {at}", [(f"k{at}{n}", "does") for n in range(9)]) for at in range(4)]
    for count in (1, 2, 3, 4):
        columns = in_columns(groups, columns=count)
        assert len(columns) == min(count, 3) or count == 4
        assert sum(map(len, columns)) == 40
        assert all(column[-1][0] for column in columns)
