"""More files beside those that are open, and another one in the place of a side."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import pytest
from factories import make_pair
from fake_engine import FakeEngine
from PySide6.QtWidgets import QApplication, QInputDialog
from pytestqt.qtbot import QtBot

from profviz.ui.main_window import MainWindow
from profviz.ui.other_files import replaced
from profviz.ui.settings import Settings
from profviz.ui.theme import Theme


@pytest.fixture
def window(qapp: QApplication, qtbot: QtBot) -> Iterator[MainWindow]:
    """Shows a pair of two files; what it would open is kept in `asked`."""
    made = MainWindow(Theme(qapp, preference="dark"), Settings(), engine=FakeEngine(), idle=False)
    qtbot.addWidget(made)
    made.show()
    pair = make_pair()
    sides = tuple(replace(side, path=path) for side, path in zip(pair.sides, ("a.json", "b.json"), strict=True))
    made.show_results_of(replace(pair, sides=sides), paths=("a.json", "b.json", "log.txt"))
    yield made
    made.close()


@pytest.fixture
def asked(window: MainWindow, monkeypatch: pytest.MonkeyPatch) -> list[list[str]]:
    found: list[list[str]] = []
    monkeypatch.setattr(window, "open_paths", lambda paths: found.append(list(paths)))
    monkeypatch.setattr(window, "pick_files", lambda kind="": ["new.json"])
    return found


def test_a_file_to_compare_with_comes_beside_those_that_are_open(window: MainWindow, asked: list[list[str]]) -> None:
    window.actions_["file.add"].trigger()
    assert asked == [["a.json", "b.json", "log.txt", "new.json"]]


def test_a_side_is_replaced_in_its_place(
    window: MainWindow, asked: list[list[str]], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(QInputDialog, "getItem", lambda *args, **kwargs: ("Compiled", True))
    window.actions_["file.replace_side"].trigger()
    assert asked == [["a.json", "new.json", "log.txt"]]


def test_nothing_opens_when_the_choice_is_given_up(
    window: MainWindow, asked: list[list[str]], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(QInputDialog, "getItem", lambda *args, **kwargs: ("Compiled", False))
    window.actions_["file.replace_side"].trigger()
    assert asked == []


def test_a_side_that_shares_its_file_stays_beside_the_new_one() -> None:
    assert replaced(["run.profviz"], "", ["new.json"]) == ["run.profviz", "new.json"]
