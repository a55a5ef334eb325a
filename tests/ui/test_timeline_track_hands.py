"""Arranging tracks with real keys, menus and drags: pin, hide, move, fold, size, find, filter; all of it undone."""

from __future__ import annotations

from dataclasses import replace

import pytest
from factories import make_pair, make_side
from PySide6.QtCore import QPoint, Qt
from PySide6.QtWidgets import QApplication, QPushButton
from pytestqt.qtbot import QtBot
from timeline_driving import ALT, CONTROL, LEFT, NO_KEYS, SHIFT, OpenView, drag, kernel, point_at, title_of, wheel

from profviz.model.results import Results
from profviz.model.trace import Lane, LaneKind
from profviz.ui.view_state import AS_IT_CAME, Pick, TimeRange
from profviz.ui.views.timeline.hands import Timelines
from profviz.ui.widgets.shell_picker import Picker

LANES = (
    Lane(LaneKind.GPU, "0", "7", "GPU 0", "stream 7", device=0, stream=7),
    Lane(LaneKind.GPU, "0", "9", "GPU 0", "stream 9", device=0, stream=9),
    Lane(LaneKind.CPU, "1", "1", "python3 (CPU)", "thread 1 (python3)"),
    Lane(LaneKind.CPU, "2", "5", "loader", "thread 5"),
)


def results() -> Results:
    deep = [(2, depth, 1_000 - 2 * depth, "aten::op", -1) for depth in range(12)]
    pieces = [(0, 100, 200, "k", -1), (1, 300, 200, "k", -1), *deep, (3, 0, 900, "load", -1)]
    return Results("", "", (make_side(pieces, lanes=LANES),), (), (), ())


def titles(canvas: Timelines, side: int = 0) -> list[str]:
    return [one.track.title for one in canvas.placed(side)]


def id_of(canvas: Timelines, title: str, side: int = 0) -> str:
    return next(track.id for track in canvas.tracks[side] if track.title == title)


def hover(canvas: Timelines, title: str) -> None:
    point_at(canvas, title_of(canvas, 0, id_of(canvas, title)))


S7, S9, T1, T5 = "GPU 0 · stream 7", "GPU 0 · stream 9", "thread 1", "thread 5"


def test_shift_t_pins_the_track_under_the_mouse_and_lets_it_go(timelines: OpenView, qtbot: QtBot) -> None:
    view, state = timelines(results())
    hover(view.canvas, T5)
    qtbot.keyClick(view.canvas, Qt.Key.Key_T, SHIFT)
    assert titles(view.canvas)[0] == T5
    assert view.canvas.placed(0)[0].is_pinned
    qtbot.keyClick(view.canvas, Qt.Key.Key_T, SHIFT)
    assert state.tracks_of(0) == AS_IT_CAME
    state.undo()
    assert titles(view.canvas)[0] == T5


def test_a_pinned_track_stays_while_others_scroll(timelines: OpenView, qtbot: QtBot) -> None:
    view, _ = timelines(results(), height=240)
    hover(view.canvas, S7)
    qtbot.keyClick(view.canvas, Qt.Key.Key_T, SHIFT)
    before = title_of(view.canvas, 0, id_of(view.canvas, S7)), title_of(view.canvas, 0, id_of(view.canvas, T1))
    wheel(view.canvas, QPoint(400, 100), -240, NO_KEYS)
    assert title_of(view.canvas, 0, id_of(view.canvas, S7)) == before[0]
    assert title_of(view.canvas, 0, id_of(view.canvas, T1)).y() < before[1].y()


def test_hidden_tracks_are_told_by_a_chip_that_brings_them_back(timelines: OpenView, qtbot: QtBot) -> None:
    view, _ = timelines(results())
    for title in (S9, T1):
        hover(view.canvas, title)
        qtbot.keyClick(view.canvas, Qt.Key.Key_H, SHIFT)
    assert S9 not in titles(view.canvas)
    (chip,) = (one for one in view.canvas.findChildren(QPushButton, "chip") if one.isVisible())
    assert chip.text().startswith("2 tracks hidden")
    assert "Eager" in chip.accessibleName()
    menu = view.canvas.tracks_hand.hidden_menu(0)
    next(action for action in menu.actions() if action.text() == S9).trigger()
    assert S9 in titles(view.canvas)
    assert chip.text().startswith("1 track hidden")
    qtbot.keyClick(view.canvas, Qt.Key.Key_A, SHIFT)
    assert not chip.isVisible()
    assert T1 in titles(view.canvas)


@pytest.mark.parametrize(("key", "place"), [(Qt.Key.Key_Up, 0), (Qt.Key.Key_Down, 2)])
def test_alt_and_an_arrow_move_the_track(timelines: OpenView, qtbot: QtBot, key: Qt.Key, place: int) -> None:
    view, state = timelines(results())
    before = titles(view.canvas)
    hover(view.canvas, S9)
    qtbot.keyClick(view.canvas, key, ALT)
    assert titles(view.canvas).index(S9) == before.index(S9) + place - 1
    state.undo()
    assert titles(view.canvas) == before


def test_a_title_is_dragged_to_another_place(timelines: OpenView, qtbot: QtBot) -> None:
    view, state = timelines(results())
    before = titles(view.canvas)
    start, end = (title_of(view.canvas, 0, id_of(view.canvas, title)) for title in (S7, T5))
    drag(qtbot, view.canvas, start, end + QPoint(0, 12), NO_KEYS)
    assert titles(view.canvas).index(S7) == titles(view.canvas).index(T5) + 1
    assert state.ranges == ()
    state.undo()
    assert titles(view.canvas) == before


def test_the_lower_edge_of_a_title_is_dragged_to_resize_it(timelines: OpenView, qtbot: QtBot) -> None:
    view, state = timelines(results())
    id_ = id_of(view.canvas, S7)
    one, scene = view.canvas.placed(0).of(id_), view.canvas.scenes()[0]
    edge = QPoint(scene.pane.left + 30, scene.row_top(one, 0) + one.height - 1)
    point_at(view.canvas, edge)
    assert view.canvas.cursor().shape() == Qt.CursorShape.SizeVerCursor
    drag(qtbot, view.canvas, edge, edge + QPoint(0, one.height), NO_KEYS)
    assert abs(view.canvas.placed(0).of(id_).height - 2 * one.height) <= 2
    state.undo()
    assert view.canvas.placed(0).of(id_).height == one.height


def test_tracks_grow_shrink_and_fold_by_key(timelines: OpenView, qtbot: QtBot) -> None:
    view, _ = timelines(results())
    id_ = id_of(view.canvas, T1)
    before = view.canvas.placed(0).of(id_)
    hover(view.canvas, T1)
    qtbot.keyClick(view.canvas, Qt.Key.Key_Plus, ALT)
    assert view.canvas.placed(0).of(id_).height > before.height
    qtbot.keyClick(view.canvas, Qt.Key.Key_Minus, ALT)
    assert view.canvas.placed(0).of(id_).height == before.height
    qtbot.keyClick(view.canvas, Qt.Key.Key_C)
    assert view.canvas.placed(0).of(id_).shown == 12
    qtbot.keyClick(view.canvas, Qt.Key.Key_C, SHIFT)
    assert {one.shown for one in view.canvas.placed(0) if one.track.rows} == {1}
    qtbot.keyClick(view.canvas, Qt.Key.Key_C, SHIFT)
    assert view.canvas.placed(0).of(id_).shown == 12


def test_only_the_tracks_of_one_process(timelines: OpenView, qtbot: QtBot) -> None:
    view, _ = timelines(results())
    hover(view.canvas, S7)
    qtbot.keyClick(view.canvas, Qt.Key.Key_P, SHIFT)
    assert titles(view.canvas) == [S7, S9]


def test_the_name_of_the_track_is_copied(timelines: OpenView, qtbot: QtBot) -> None:
    view, _ = timelines(results())
    hover(view.canvas, S9)
    qtbot.keyClick(view.canvas, Qt.Key.Key_C, SHIFT | CONTROL)
    assert QApplication.clipboard().text() == S9


def test_ctrl_p_finds_a_track_by_some_letters_even_a_hidden_one(timelines: OpenView, qtbot: QtBot) -> None:
    view, _ = timelines(results(), height=200)
    hover(view.canvas, T5)
    qtbot.keyClick(view.canvas, Qt.Key.Key_H, SHIFT)
    qtbot.keyClick(view.canvas, Qt.Key.Key_P, CONTROL)
    (picker,) = view.findChildren(Picker)
    assert "hidden" in [picker.list.topLevelItem(row).text(1) for row in range(picker.list.topLevelItemCount())]
    qtbot.keyClicks(picker.field, "thr5")
    qtbot.keyClick(picker.field, Qt.Key.Key_Return)
    assert T5 in titles(view.canvas)
    scene, one = view.canvas.scenes()[0], view.canvas.placed(0).of(id_of(view.canvas, T5))
    assert scene.shows_row(one, 0)
    qtbot.keyClick(view.canvas, Qt.Key.Key_T, SHIFT)
    assert titles(view.canvas)[0] == T5


def test_a_track_chosen_when_other_results_have_come_is_let_be(timelines: OpenView, qtbot: QtBot) -> None:
    view, _ = timelines(make_pair())
    qtbot.keyClick(view.canvas, Qt.Key.Key_P, CONTROL)
    (picker,) = view.findChildren(Picker)
    one = replace(make_pair(), sides=make_pair().sides[:1])
    view.show_results(one)
    before = titles(view.canvas)
    for id_ in ("1 thread:0", "0 no such track"):
        picker.picked.emit(id_)
    assert titles(view.canvas) == before
    picker.dismiss()


def test_t_filters_tracks_of_every_side_and_escape_shows_them_again(timelines: OpenView, qtbot: QtBot) -> None:
    view, state = timelines(make_pair())
    before = [titles(view.canvas, side) for side in (0, 1)]
    qtbot.keyClick(view.canvas, Qt.Key.Key_T)
    assert view.filter.line.hasFocus()
    qtbot.keyClicks(view.filter.line, "gpu")
    assert all(
        titles(view.canvas, side) and all("GPU" in title for title in titles(view.canvas, side)) for side in (0, 1)
    )
    qtbot.keyClick(view.filter.line, Qt.Key.Key_Return)
    assert view.canvas.hasFocus()
    assert view.filter.isVisible()
    state.undo()
    assert [titles(view.canvas, side) for side in (0, 1)] == before
    assert not view.filter.isVisible()
    state.redo()
    qtbot.keyClick(view.filter.line, Qt.Key.Key_Escape)
    assert [titles(view.canvas, side) for side in (0, 1)] == before


def test_the_menu_of_a_track_offers_what_can_be_done(timelines: OpenView, qtbot: QtBot) -> None:
    view, state = timelines(results())
    hover(view.canvas, S9)
    menu = view.canvas.tracks_hand.menu()
    actions = {action.objectName(): action for action in menu.actions()}
    assert menu.actions()[0].text() == S9
    assert not actions["fold"].isEnabled()
    assert not actions["show_hidden"].isEnabled()
    assert "Shift+T" in actions["pin"].text()
    actions["pin"].trigger()
    assert state.tracks_of(0).pinned == (id_of(view.canvas, S9),)
    assert "go" in next(one for one in view.canvas.tracks_hand.menu().actions() if one.objectName() == "pin").text()


@pytest.mark.qt_log_ignore("This plugin does not support", extend=True)
def test_a_right_click_opens_the_menu_and_the_menu_key_does(timelines: OpenView, qtbot: QtBot) -> None:
    view, _ = timelines(results())
    at = title_of(view.canvas, 0, id_of(view.canvas, T1))
    point_at(view.canvas, at)
    for open_menu in (
        lambda: view.canvas.tracks_hand.open_menu(at),
        lambda: qtbot.keyClick(view.canvas, Qt.Key.Key_F10, SHIFT),
    ):
        open_menu()
        menu = QApplication.activePopupWidget()
        assert menu is not None
        assert menu.actions()[0].text() == T1
        menu.close()


def test_keys_act_on_the_track_of_the_selection_where_no_mouse_is(timelines: OpenView, qtbot: QtBot) -> None:
    view, state = timelines(results())
    state.pick(Pick(side=0, slice=kernel(view.canvas, 0, 1)))
    qtbot.keyClick(view.canvas, Qt.Key.Key_T, SHIFT)
    assert titles(view.canvas)[0] == S9


def test_other_results_come_without_the_arrangement_before(timelines: OpenView, qtbot: QtBot) -> None:
    view, state = timelines(results())
    hover(view.canvas, S9)
    qtbot.keyClick(view.canvas, Qt.Key.Key_H, SHIFT)
    view.show_results(results())
    assert S9 in titles(view.canvas)
    assert not [chip for chip in view.canvas.findChildren(QPushButton, "chip") if chip.isVisible()]
    qtbot.mouseClick(view.canvas, LEFT, NO_KEYS, QPoint(400, 60))
    assert state.tracks_of(0) == AS_IT_CAME


def test_a_range_is_summed_over_the_tracks_chosen(timelines: OpenView, qtbot: QtBot) -> None:
    view, state = timelines(results())
    hover(view.canvas, S9)
    qtbot.keyClick(view.canvas, Qt.Key.Key_R)
    assert state.ranges == ()
    state.show_ranges((TimeRange(0, 500), TimeRange(600, 700)))
    for title in (S9, T1):
        hover(view.canvas, title)
        qtbot.keyClick(view.canvas, Qt.Key.Key_R)
    both = {(0, id_of(view.canvas, title)) for title in (S9, T1)}
    assert [set(one.tracks) for one in state.ranges] == [both, both]
    for title in (S9, T1):
        hover(view.canvas, title)
        qtbot.keyClick(view.canvas, Qt.Key.Key_R)
    assert state.ranges == (TimeRange(0, 500), TimeRange(600, 700))
