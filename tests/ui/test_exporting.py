"""Exporting a trace from the window, with the real writer."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
import side_view_samples
from fake_engine import FakeEngine
from PySide6.QtWidgets import QApplication, QFileDialog, QInputDialog
from pytestqt.qtbot import QtBot

from profviz.ui.exporting import TraceExport, shown_window
from profviz.ui.main_window import MainWindow
from profviz.ui.settings import Settings
from profviz.ui.theme import Theme
from profviz.ui.view_state import Alignment, TimeWindow


@pytest.fixture
def window(qapp: QApplication, qtbot: QtBot) -> Iterator[MainWindow]:
    engine = FakeEngine()
    made = MainWindow(Theme(qapp, preference="dark"), Settings(), engine=engine, idle=False)
    qtbot.addWidget(made, before_close_func=lambda window: window.controller.close())
    made.show()
    yield made
    engine.stop()


def answer(monkeypatch: pytest.MonkeyPatch, path: Path, *, side: int = 0) -> None:
    monkeypatch.setattr(QFileDialog, "getSaveFileName", lambda *_: (str(path), ""))
    monkeypatch.setattr(QInputDialog, "getItem", lambda *args: (args[3][side], True))


def messages(window: MainWindow) -> list[str]:
    return [strip.texts[0] for strip in window.messages.strips]


def test_nothing_can_be_exported_before_there_is_a_trace(window: MainWindow) -> None:
    assert not window.actions_["file.export"].isEnabled()
    window.show_results_of(replace(side_view_samples.full(), sides=()))
    assert not window.actions_["file.export"].isEnabled()


def test_a_side_is_written_as_a_chrome_trace(
    window: MainWindow, qtbot: QtBot, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    results = side_view_samples.full()
    window.show_results_of(results)
    answer(monkeypatch, tmp_path / "out.json", side=1)
    window.actions_["file.export"].trigger()
    qtbot.waitUntil(lambda: bool(messages(window)))
    assert messages(window)[0].startswith("Exported ")
    assert not window.loading_bar.busy
    events = json.loads((tmp_path / "out.json").read_text())["traceEvents"]
    assert sum(event["ph"] == "X" for event in events) == len(results.sides[1].trace.slices)


def test_what_the_timeline_shows_is_less_than_all(
    window: MainWindow, qtbot: QtBot, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    window.show_results_of(side_view_samples.full())
    page = window.results_page
    slices = page.results.sides[0].trace.slices
    page.state.show_window(TimeWindow(int(slices.start_ns[0]), int(slices.start_ns[0]) + 1))
    answer(monkeypatch, tmp_path / "part.csv")
    window.actions_["file.export_visible"].trigger()
    qtbot.waitUntil(lambda: bool(messages(window)))
    assert 0 < len((tmp_path / "part.csv").read_text().splitlines()) - 1 < len(slices)


def test_a_file_that_cannot_be_written_is_told(
    window: MainWindow, qtbot: QtBot, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    window.show_results_of(side_view_samples.full())
    answer(monkeypatch, tmp_path / "no such folder" / "out.json")
    window.actions_["file.export"].trigger()
    qtbot.waitUntil(lambda: bool(messages(window)))
    assert "out.json" in messages(window)[0]
    export = window.findChild(TraceExport)
    assert export is not None


def test_the_window_is_that_of_the_sides_own_clock(window: MainWindow) -> None:
    window.show_results_of(side_view_samples.full())
    state = window.results_page.state
    state.show_window(TimeWindow(10, 20))
    state.align(Alignment((0, 5)))
    assert [shown_window(state, side) for side in (0, 1, 7)] == [(10, 20), (15, 25), (10, 20)]
