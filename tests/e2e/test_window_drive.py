"""The window in this process with the real engine: Open to results, run to results, cancel in a stuck stage."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from driving import LIMIT_S, ROOT, alive, worker_pids
from PySide6.QtCore import QPoint, Qt
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from profviz.ui import window_dialogs
from profviz.ui.main_window import MainWindow
from profviz.ui.settings import Settings
from profviz.ui.theme import Theme
from profviz.ui.view_state import KeptMark, Pick
from profviz.ui.views.registry import VIEWS

TRACES = sorted((ROOT / "samples" / "traces").glob("*.json*"), reverse=True)
LIMIT_MS = round(LIMIT_S * 1000)


@pytest.fixture
def window(qapp: QApplication, qtbot: QtBot) -> Iterator[MainWindow]:
    made = MainWindow(Theme(qapp, preference="light"), Settings())
    qtbot.addWidget(made)
    made.resize(1600, 1000)
    with qtbot.waitExposed(made):
        made.show()
    yield made
    made.close()


def start_run(window: MainWindow, script: Path, python: str) -> None:
    window._python = python
    window.open_paths([str(script)], auto_run=True)


def test_open_leads_to_linked_results(window: MainWindow, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(window_dialogs, "choose_files", lambda *_, **__: [str(path) for path in TRACES])
    with qtbot.waitSignal(window.results_shown, timeout=LIMIT_MS):
        qtbot.mouseClick(window.start_page.cards[1], Qt.MouseButton.LeftButton, pos=QPoint(20, 20))
    page = window.results_page
    assert page.results is not None
    assert len(page.results.sides) == 2
    assert set(page.holders) == {spec.id for spec in VIEWS}
    assert page.holders["timeline"].currentIndex() == 0
    assert len(page.headline.cells) == len(page.results.headline)
    with qtbot.waitSignal(page.state.selection_changed):
        page.state.pick(Pick(side=1, slice=int(page.results.sides[1].trace.gpu.slice[0])))
    assert page.state.selection.pick.side == 1
    assert window.messages.strips == ()


def test_a_sample_row_opens_the_comparison(window: MainWindow, qtbot: QtBot) -> None:
    row = next(row for row in window.start_page.sample_rows if row.accessibleName() == "Compare two traces")
    with qtbot.waitSignal(window.results_shown, timeout=LIMIT_MS):
        qtbot.mouseClick(row, Qt.MouseButton.LeftButton, pos=QPoint(20, 20))
    assert window.results_page.results is not None
    titles = [side.title for side in window.results_page.results.sides]
    assert ["eager" in title for title in titles] == [True, False]


def test_a_run_leads_to_its_session(
    window: MainWindow, qtbot: QtBot, worker: Callable[..., str], script: Path, own_home: Path
) -> None:
    with qtbot.waitSignal(window.results_shown, timeout=LIMIT_MS):
        start_run(window, script, worker("normal"))
    (session,) = (own_home / "sessions").glob("*.profviz")
    assert str(session) in window.status_text.text()
    assert {row.state for row in window.run_page.stages.stages.rows} == {"end"}
    assert Settings().recent()[0].paths == (str(session),)


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="reads /proc")
def test_cancel_in_a_stuck_compile_keeps_what_was_measured(
    window: MainWindow, qtbot: QtBot, worker: Callable[..., str], script: Path, tmp_path: Path, own_home: Path
) -> None:
    start_run(window, script, worker("hang", "compiling"))
    page = window.run_page
    qtbot.waitUntil(lambda: any(row.stage == "compiling" for row in page.stages.stages.rows), timeout=LIMIT_MS)
    qtbot.mouseClick(page.cancel_button, Qt.MouseButton.LeftButton)
    qtbot.waitUntil(lambda: page.status.text().startswith("Cancelled"), timeout=LIMIT_MS)
    assert not any(map(alive, worker_pids(tmp_path)))
    assert window.messages.strips == ()
    assert len(list((own_home / "sessions").glob("*.profviz"))) == 1
    with qtbot.waitSignal(window.results_shown, timeout=LIMIT_MS):
        qtbot.mouseClick(page.partial_button, Qt.MouseButton.LeftButton)


def test_a_worker_that_dies_is_told_and_what_was_measured_is_kept(
    window: MainWindow, qtbot: QtBot, worker: Callable[..., str], script: Path
) -> None:
    start_run(window, script, worker("crash", "compiling"))
    qtbot.waitUntil(lambda: bool(window.messages.strips), timeout=LIMIT_MS)
    assert window.run_page.status.text().startswith("Failed, saved as")
    assert window.run_page.partial_button.isVisible()


def test_a_file_that_is_nothing_known_is_told(window: MainWindow, qtbot: QtBot, tmp_path: Path) -> None:
    bad = tmp_path / "holiday.json"
    bad.write_bytes(b"\xff\xd8\xff\xe0 a picture")
    window.open_paths([str(bad)])
    qtbot.waitUntil(lambda: bool(window.messages.strips), timeout=LIMIT_MS)
    assert "holiday.json" in " ".join(window.messages.strips[0].texts)
    assert window.pages.currentWidget() is window.start_page


def test_a_mark_kept_on_a_session_is_there_when_it_opens_again(
    window: MainWindow, qtbot: QtBot, worker: Callable[..., str], script: Path, own_home: Path
) -> None:
    with qtbot.waitSignal(window.results_shown, timeout=LIMIT_MS):
        start_run(window, script, worker("normal"))
    (session,) = (own_home / "sessions").glob("*.profviz")
    state = window.results_page.state
    state.keep_marks((KeptMark(0, 1_000, 5_000, -1, "look here"),))
    with qtbot.waitSignal(window.results_shown, timeout=LIMIT_MS):
        window.open_paths([str(TRACES[0])])
    assert state.kept == ()
    with qtbot.waitSignal(window.results_shown, timeout=LIMIT_MS):
        window.open_paths([str(session)])
    assert state.kept == (KeptMark(0, 1_000, 5_000, -1, "look here"),)
    assert window.messages.strips == ()
