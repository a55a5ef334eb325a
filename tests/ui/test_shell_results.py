"""The results page in its window: views in their panels, one selection, how panels stand and come back."""

from __future__ import annotations

from dataclasses import replace

import pytest
import side_view_samples
from fake_engine import FakeEngine
from PySide6.QtCore import QPoint, Qt
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from profviz.model.results import HeadlineItem, Results
from profviz.ui.main_window import MainWindow
from profviz.ui.pages.results import ResultsPage
from profviz.ui.settings import Settings
from profviz.ui.theme import Theme
from profviz.ui.view_state import Pick
from profviz.ui.views.registry import VIEWS
from profviz.ui.widgets.palette import DARK


@pytest.fixture
def results() -> Results:
    item = HeadlineItem("speedup", "speed-up", "2.89×", "2.83 – 2.96", "good")
    return replace(side_view_samples.full(), headline=(item,))


def test_picking_selects_and_undo_goes_back(window: MainWindow, results: Results) -> None:
    window.show_results_of(results)
    state = window.results_page.state
    state.pick(Pick(side=0, slice=1))
    assert (0, 1) in state.selection.slices
    for _ in range(2):  # a view may have moved the window to show the selection: a step of its own
        window.undo()
    assert state.selection.slices == ()
    window.redo()
    assert (0, 1) in state.selection.slices
    state.pick(Pick())
    assert state.selection.pick == Pick()


def test_asking_for_a_line_brings_the_source_to_the_front(window: MainWindow, qtbot: QtBot, results: Results) -> None:
    window.show_results_of(results)
    source, details = (window.results_page.panels.docks[id_] for id_ in ("source", "details"))
    qtbot.waitUntil(lambda: not details.visibleRegion().isEmpty())
    window.results_page.state.pick(Pick(side=0, slice=1))
    assert source.visibleRegion().isEmpty()
    window.results_page.state.pick(Pick(source=side_view_samples.BREAK_LINE))
    qtbot.waitUntil(lambda: not source.visibleRegion().isEmpty())
    assert details.visibleRegion().isEmpty()


def test_every_panel_can_be_gone_to_by_the_keyboard(window: MainWindow, qtbot: QtBot, results: Results) -> None:
    def offered() -> list[str]:
        return [id_.removeprefix("panel.") for id_, _, _ in window.actions_.entries() if id_.startswith("panel.")]

    assert offered() == []
    window.show_results_of(results)
    docks = window.results_page.panels.docks
    assert offered() == list(docks)
    qtbot.waitUntil(window.isActiveWindow)
    docks["tables"].close()
    for id_ in ("tables", "histograms", "timeline"):
        window.actions_.run(f"panel.{id_}")
        qtbot.waitUntil(lambda id_=id_: not docks[id_].visibleRegion().isEmpty())
        assert docks[id_].isAncestorOf(QApplication.focusWidget())


def test_every_view_stands_in_the_layout_and_says_why_it_is_empty(window: MainWindow, qtbot: QtBot) -> None:
    nothing = side_view_samples.nothing()
    window.show_results_of(nothing)
    page = window.results_page
    for id_, holder in page.holders.items():
        reason = holder.spec.empty(nothing)
        assert page.panels.docks[id_].isVisibleTo(page.panels)
        if reason:
            assert holder.currentWidget() is holder.sentence
            assert holder.sentence.text() == reason


def test_a_view_that_fails_does_not_take_the_others_down(
    window: MainWindow, results: Results, monkeypatch: pytest.MonkeyPatch
) -> None:
    caught: list[BaseException] = []
    monkeypatch.setattr("sys.excepthook", lambda kind, error, trace: caught.append(error))
    holder = window.results_page.holders["findings"]

    def fail(results: Results) -> None:
        raise ZeroDivisionError("seven")

    monkeypatch.setattr(holder.view, "show_results", fail)
    window.show_results_of(results)
    assert [str(error) for error in caught] == ["seven"]
    assert "bug" in holder.sentence.text()
    assert window.results_page.holders["tables"].currentIndex() == 0


def test_the_theme_reaches_every_view(window: MainWindow, results: Results, monkeypatch: pytest.MonkeyPatch) -> None:
    window.show_results_of(results)
    told: list[str] = []
    for id_, holder in window.results_page.holders.items():
        monkeypatch.setattr(holder.view, "set_palette", lambda palette, id_=id_: told.append(f"{id_} {palette.name}"))
    window.toggle_theme()
    assert told == [f"{id_} light" for id_ in window.results_page.holders]


def test_layout_is_remembered_and_reset(qapp: QApplication, qtbot: QtBot, engine: FakeEngine, results: Results) -> None:
    def make() -> MainWindow:
        made = MainWindow(Theme(qapp), Settings(), engine=engine, idle=False)
        qtbot.addWidget(made)
        made.show()
        made.show_results_of(results)
        return made

    first = make()
    assert not first.results_page.panels.own
    first.results_page.panels.docks["health"].toggleViewAction().trigger()
    assert first.results_page.panels.own
    first.close()
    second = make()
    assert second.results_page.panels.docks["health"].isHidden()
    second.reset_layout()
    assert not second.results_page.panels.docks["health"].isHidden()
    assert not second.results_page.panels.own
    second.close()


def test_a_default_layout_is_not_kept_so_that_it_can_follow_the_room(window: MainWindow, results: Results) -> None:
    window.show_results_of(results)
    panels = window.results_page.panels
    assert panels.tabifiedDockWidgets(panels.docks["tables"]) != []
    wide = panels.docks["details"] in panels.tabifiedDockWidgets(panels.docks["tables"])
    window.resize(1024, 640)
    narrow = panels.docks["details"] in panels.tabifiedDockWidgets(panels.docks["tables"])
    assert (wide, narrow) == (False, True)
    window.close()
    assert Settings().blob("panels").isEmpty()


def test_dragging_the_gap_between_panels_makes_the_layout_the_users(
    window: MainWindow, qtbot: QtBot, results: Results
) -> None:
    window.show_results_of(results)
    panels = window.results_page.panels
    gap = panels.docks["findings"].geometry().topRight() + QPoint(4, 40)
    assert panels.childAt(gap) is None
    qtbot.mousePress(panels, Qt.MouseButton.LeftButton, pos=gap)
    qtbot.mouseRelease(panels, Qt.MouseButton.LeftButton, pos=gap)
    assert panels.own


def test_small_windows_still_show_the_results(window: MainWindow, qtbot: QtBot, results: Results) -> None:
    window.show_results_of(results)
    for width, height in ((1024, 640), (1280, 720), (1600, 1000)):
        window.resize(width, height)
        qtbot.wait(20)
        assert (window.width(), window.height()) == (width, height)
        visible = [rect for rect in window.results_page.panels.panel_rects() if rect.height() >= 48]
        assert visible


def test_a_remembered_layout_of_other_views_is_not_taken(qapp: QApplication, qtbot: QtBot) -> None:
    specs = VIEWS[:2]
    fewer, all_of_them = ResultsPage(specs, DARK), ResultsPage(VIEWS, DARK)
    for page in (fewer, all_of_them):
        qtbot.addWidget(page)
    assert not all_of_them.panels.restore(fewer.panels.state())
    assert all_of_them.panels.restore(all_of_them.panels.state())


def test_a_view_with_nothing_to_show_leaves_its_room_to_the_timelines(window: MainWindow, results: Results) -> None:
    panels = window.results_page.panels
    window.show_results_of(side_view_samples.traces_only())
    assert panels.docks["graphs"] in panels.tabifiedDockWidgets(panels.docks["tables"])
    high = panels.docks["timeline"].height()
    window.show_results_of(results)
    assert panels.docks["graphs"] not in panels.tabifiedDockWidgets(panels.docks["tables"])
    assert panels.docks["timeline"].height() < high
