"""The start page offers actions, recent files and samples, and says what was chosen."""

from __future__ import annotations

import time
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from pytestqt.qtbot import QtBot

from profviz.ui.pages.start import CHOICES, Sample, StartPage, ago
from profviz.ui.settings import RecentFile
from profviz.ui.starting_points import dialog_filters


@pytest.fixture
def page(qtbot: QtBot) -> StartPage:
    made = StartPage((Sample("MLP", "inference", ("mlp.py",)), Sample("Pair", "two", ("a.json", "b.json"))))
    qtbot.addWidget(made)
    made.show_recent(())
    made.show()
    return made


def test_each_card_asks_for_its_kind_by_keyboard(page: StartPage, qtbot: QtBot) -> None:
    for card, choice in zip(page.cards, CHOICES, strict=True):
        with qtbot.waitSignal(page.choose) as asked:
            qtbot.keyClick(card, Qt.Key.Key_Space)
        assert asked.args == [choice.kind]
        assert card.accessibleName() == choice.heading


def test_return_presses_a_card(page: StartPage, qtbot: QtBot) -> None:
    with qtbot.waitSignal(page.choose):
        qtbot.keyClick(page.cards[0], Qt.Key.Key_Return)


def test_a_sample_opens_its_files(page: StartPage, qtbot: QtBot) -> None:
    with qtbot.waitSignal(page.open_paths) as asked:
        qtbot.mouseClick(page.sample_rows[1], Qt.MouseButton.LeftButton)
    assert asked.args == [("a.json", "b.json")]


def test_recent_files_open_and_missing_ones_do_not(page: StartPage, qtbot: QtBot, tmp_path: Path) -> None:
    there = tmp_path / "there.json"
    there.write_text("{}")
    now = int(time.time())
    page.show_recent((RecentFile((str(there),), "trace", now), RecentFile((str(tmp_path / "gone"),), "log", now)))
    assert [row.isEnabled() for row in page.recent_rows] == [True, False]
    with qtbot.waitSignal(page.open_paths) as asked:
        qtbot.mouseClick(page.recent_rows[0], Qt.MouseButton.LeftButton)
    assert asked.args == [(str(there),)]


def test_showing_again_replaces_the_rows(page: StartPage) -> None:
    page.show_recent((RecentFile(("a",), "trace", 0), RecentFile(("b",), "trace", 0)))
    page.show_recent((RecentFile(("c",), "trace", 0),))
    assert [row.accessibleName() for row in page.recent_rows] == ["c"]
    assert page._recent.count() == 3  # title, row, stretch


@pytest.mark.parametrize(
    ("passed_s", "text"),
    [(0, "just now"), (59, "just now"), (60, "1 min ago"), (7_200, "2 h ago"), (200_000, "2 d ago")],
)
def test_how_long_ago(passed_s: int, text: str) -> None:
    assert ago(1_000, now_s=1_000 + passed_s) == text


def test_dialogs_offer_the_wanted_kind_first() -> None:
    assert dialog_filters("script").startswith("Python scripts")
    assert all(choice.kind and dialog_filters(choice.kind).endswith("All files (*)") for choice in CHOICES)
    every = dialog_filters("").split(";;")[0]
    assert {"*.py", "*.json", "*.profviz"} <= set(every.partition("(")[2].rstrip(")").split())
    assert "*.profviz" in dialog_filters("session")
