"""Kept marks and measuring: by key and mouse, with notes, listed, jumped to, renamed, deleted, undone."""

from __future__ import annotations

import numpy as np
import pytest
from factories import make_pair, make_side
from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QColor
from pytestqt.qtbot import QtBot
from timeline_driving import ALT, CONTROL, LEFT, NO_KEYS, SHIFT, OpenView, drag, kernel, move, point_at, point_of

from profviz.core.raster import Row
from profviz.model.results import Results
from profviz.ui.view_state import KeptMark, Pick, TimeRange, TimeWindow
from profviz.ui.views.timeline.hands import Timelines
from profviz.ui.views.timeline.keeping import added, length_words, removed, renamed, words
from profviz.ui.views.timeline.measuring import edges_near, snapped
from profviz.ui.widgets.palette import DARK


def keep(canvas: Timelines, qtbot: QtBot, note: str = "") -> None:
    qtbot.keyClick(canvas, Qt.Key.Key_M, SHIFT)
    assert canvas.marking.editor.hasFocus()
    qtbot.keyClicks(canvas.marking.editor, note)
    qtbot.keyClick(canvas.marking.editor, Qt.Key.Key_Return)
    assert canvas.hasFocus()


def flag_of(canvas: Timelines, mark: KeptMark) -> QPoint:
    flag = canvas.marking.flag(canvas.scenes()[mark.side], mark)
    assert flag is not None
    return flag.center().toPoint()


def test_shift_m_keeps_the_selected_slice_with_a_note(timelines: OpenView, qtbot: QtBot) -> None:
    view, state = timelines(make_pair())
    index = kernel(view.canvas, 1, 4)
    state.pick(Pick(side=1, slice=index))
    keep(view.canvas, qtbot, "  slow  one ")
    mark = view.canvas.picked
    assert mark is not None
    assert state.kept == (KeptMark(1, mark.start_ns, mark.end_ns, index, "slow one"),)
    state.undo()
    assert state.kept == ()
    state.redo()
    assert state.kept[0].note == "slow one"


def test_escape_keeps_the_mark_without_a_note(timelines: OpenView, qtbot: QtBot) -> None:
    view, state = timelines(make_pair())
    state.pick(Pick(side=0, slice=kernel(view.canvas, 0, 8)))
    qtbot.keyClick(view.canvas, Qt.Key.Key_M, SHIFT)
    qtbot.keyClicks(view.canvas.marking.editor, "never mind")
    qtbot.keyClick(view.canvas.marking.editor, Qt.Key.Key_Escape)
    assert [mark.note for mark in state.kept] == [""]
    assert words(state.kept[0], view.canvas.sides) == "kernel"
    assert view.canvas.hasFocus()
    assert state.selection.slices  # the same Escape did not clear


def test_a_note_counts_when_the_mouse_goes_elsewhere(timelines: OpenView, qtbot: QtBot) -> None:
    view, state = timelines(make_pair())
    state.pick(Pick(side=0, slice=kernel(view.canvas, 0, 8)))
    qtbot.keyClick(view.canvas, Qt.Key.Key_M, SHIFT)
    qtbot.keyClicks(view.canvas.marking.editor, "kept")
    view.whole.setFocus()
    assert [mark.note for mark in state.kept] == ["kept"]
    assert not view.canvas.marking.editor.isVisible()


def test_a_range_is_kept_with_its_length(timelines: OpenView, qtbot: QtBot) -> None:
    view, state = timelines(make_pair())
    state.show_ranges((TimeRange(21_000, 24_500),))
    keep(view.canvas, qtbot)
    (mark,) = state.kept
    assert (mark.start_ns, mark.end_ns, mark.slice) == (21_000, 24_500, -1)
    assert length_words(mark) == words(mark, view.canvas.sides) == "3.500 µs"


def test_without_selection_the_moment_under_the_mouse_is_kept(timelines: OpenView, qtbot: QtBot) -> None:
    view, state = timelines(make_pair())
    pane = view.canvas.arrangement().panes[1]
    point_at(view.canvas, QPoint(pane.time_left + 300, pane.body_top + 8))
    at = view.canvas.shared_time(pane.time_left + 300, pane.body_top + 8)
    keep(view.canvas, qtbot)
    offset = state.offsets_ns[1]
    assert state.kept == (KeptMark(1, at + offset, at + offset),)
    assert length_words(state.kept[0]) == ""


def test_a_flag_stands_on_the_axis_tells_its_note_and_leads_there(timelines: OpenView, qtbot: QtBot) -> None:
    view, state = timelines(make_pair())
    index = kernel(view.canvas, 0, 8)
    state.pick(Pick(side=0, slice=index))
    keep(view.canvas, qtbot, "<i>here</i>")
    state.pick(Pick())
    at, axis = flag_of(view.canvas, state.kept[0]), view.canvas.arrangement().axes[0]
    assert axis.top <= at.y() <= axis.top + 24
    assert view.canvas.grab().toImage().pixelColor(at.x() - 3, at.y() - 8) == QColor(DARK.warn)
    point_at(view.canvas, at)
    assert view.canvas.note.text().startswith("<i>here</i>")
    assert view.canvas.note.textFormat() is Qt.TextFormat.PlainText
    qtbot.mouseClick(view.canvas, LEFT, NO_KEYS, at)
    assert state.selection.pick == Pick(side=0, slice=index)
    qtbot.mouseDClick(view.canvas, LEFT, NO_KEYS, flag_of(view.canvas, state.kept[0]))
    assert view.canvas.marking.editor.isVisible()
    assert view.canvas.marking.editor.text() == "<i>here</i>"


def test_marks_are_listed_gone_to_renamed_and_deleted_by_key(timelines: OpenView, qtbot: QtBot) -> None:
    view, state = timelines(make_pair())
    marks = (
        KeptMark(0, 1_000, 1_000, -1, "first"),
        KeptMark(0, 40_000, 44_000),
        KeptMark(1, 30_000, 30_000, -1, "last"),
    )
    state.keep_marks(marks)
    qtbot.keyClick(view.canvas, Qt.Key.Key_M, CONTROL)
    table = view.marks.table
    assert table.hasFocus()
    assert [table.rows.index(row, 0).data() for row in range(3)] == ["first", "4.000 µs", "last"]
    qtbot.keyClick(table, Qt.Key.Key_Down)
    window = state.window
    assert window.start_ns <= 40_000 < 44_000 <= window.end_ns
    qtbot.keyClick(table, Qt.Key.Key_F2)
    qtbot.keyClicks(view.canvas.marking.editor, "backward")
    qtbot.keyClick(view.canvas.marking.editor, Qt.Key.Key_Return)
    assert [mark.note for mark in state.kept] == ["first", "backward", "last"]
    table.setFocus()
    table.mark({0})
    qtbot.keyClick(table, Qt.Key.Key_Delete)
    assert [mark.note for mark in state.kept] == ["backward", "last"]
    state.undo()
    assert len(state.kept) == 3
    qtbot.keyClick(table, Qt.Key.Key_Escape)
    assert not view.marks.isVisible()
    assert view.canvas.hasFocus()


def test_only_one_list_shows_at_a_time(timelines: OpenView, qtbot: QtBot) -> None:
    view, _ = timelines(make_pair())
    view.search.start()
    view.search.open_table()
    assert view.search.table.isVisible()
    view.marks.start()
    assert view.marks.isVisible()
    assert not view.search.table.isVisible()
    assert not view.search.list.isChecked()


def test_marks_show_on_the_minimap(timelines: OpenView, qtbot: QtBot) -> None:
    view, state = timelines(make_pair())
    state.keep_marks((KeptMark(1, 30_000, 30_000),))
    x = view.minimap.scale.x(30_000 - state.offsets_ns[1])
    image = view.minimap.grab().toImage()
    assert any(image.pixelColor(int(x) + by, view.minimap.height() - 2) == QColor(DARK.warn) for by in (-1, 0, 1))


def test_values_of_marks() -> None:
    one, other = KeptMark(1, 5, 9), KeptMark(0, 7, 7, -1, "x")
    assert added(added((), one), other) == (other, one)
    assert added((one,), KeptMark(1, 5, 9, -1, "again")) == (KeptMark(1, 5, 9, -1, "again"),)
    assert renamed((other, one), one, " two  words ") == (other, KeptMark(1, 5, 9, -1, "two words"))
    assert removed((other, one), other) == (one,)


# Measuring


def row() -> Row:
    start, end = np.array([100, 200, 260], dtype=np.int64), np.array([150, 260, 300], dtype=np.int64)
    return Row(start_ns=start, end_ns=end, kind=np.zeros(3, np.uint8), slice=np.arange(3))


@pytest.mark.parametrize(
    ("time", "reach", "edge"),
    [
        (103, 5, 100),
        (148, 5, 150),
        (175, 30, 150),
        (176, 30, 200),
        (176, 10, 176),
        (259, 9, 260),
        (0, 99, 0),
        (999, 700, 300),
    ],
)
def test_the_nearest_edge_within_reach_is_taken(time: int, reach: int, edge: int) -> None:
    assert snapped([row()], time, reach_ns=reach) == edge


def test_edges_near_hold_the_nearest_one_of_all() -> None:
    for time in range(60, 360):
        every = [100, 150, 200, 260, 300]
        assert min(abs(edge - time) for edge in edges_near(row(), time)) == min(abs(edge - time) for edge in every)


def side() -> Results:
    pieces = [(0, 1_000, 1_000, "k", -1), (0, 5_000, 2_000, "k", -1), (1, 0, 10_000, "op", -1)]
    return Results("", "", (make_side(pieces),), (), (), ())


def test_a_drawn_range_snaps_to_edges_of_the_track_but_not_with_alt(timelines: OpenView, qtbot: QtBot) -> None:
    view, state = timelines(side())
    state.show_window(TimeWindow(0, 10_000))
    scene = view.canvas.scenes()[0]
    y = point_of(view.canvas, 0, kernel(view.canvas, 0, 0)).y()
    start, end = (QPoint(round(scene.scale.x(time)) + by, y) for time, by in ((1_000, 3), (7_000, -4)))
    drag(qtbot, view.canvas, start, end, NO_KEYS)
    assert state.ranges == (TimeRange(1_000, 7_000),)
    drag(qtbot, view.canvas, start, end, ALT)
    assert state.ranges != (TimeRange(1_000, 7_000),)
    assert abs(state.ranges[0].start_ns - 1_000) < 100
    state.undo()
    assert state.ranges == (TimeRange(1_000, 7_000),)


def test_with_ctrl_another_range_is_drawn_beside(timelines: OpenView, qtbot: QtBot) -> None:
    view, state = timelines(side())
    state.show_window(TimeWindow(0, 10_000))
    scene = view.canvas.scenes()[0]
    y = scene.pane.bottom - 3
    xs = [round(scene.scale.x(time)) for time in (500, 900, 3_000, 4_000)]
    drag(qtbot, view.canvas, QPoint(xs[0], y), QPoint(xs[1], y), NO_KEYS)
    drag(qtbot, view.canvas, QPoint(xs[2], y), QPoint(xs[3], y), CONTROL)
    assert [round(one.start_ns, -2) for one in state.ranges] == [500, 3_000]


def test_the_length_is_written_while_it_is_drawn_and_after(timelines: OpenView, qtbot: QtBot) -> None:
    view, state = timelines(side())
    state.show_window(TimeWindow(0, 10_000))
    scene = view.canvas.scenes()[0]
    y = scene.pane.bottom - 3
    before = view.canvas.grab().toImage()
    qtbot.mousePress(view.canvas, LEFT, NO_KEYS, QPoint(400, y))
    move(view.canvas, QPoint(700, y))
    middle = QPoint(550, scene.pane.body_top + 5)
    drawn = view.canvas.grab().toImage().pixelColor(middle)
    assert drawn == QColor(DARK.raised) != before.pixelColor(middle)
    qtbot.mouseRelease(view.canvas, LEFT, NO_KEYS, QPoint(700, y))
    assert view.canvas.grab().toImage().pixelColor(middle) == QColor(DARK.raised)
