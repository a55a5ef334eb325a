"""Searching on the timelines: a live count, hits stepped, listed and marked, mistakes told, arguments read lazily."""

from __future__ import annotations

import threading
from dataclasses import replace

import numpy as np
from factories import make_pair, make_side
from PySide6.QtCore import Qt
from PySide6.QtGui import QColor
from pytestqt.qtbot import QtBot
from timeline_driving import CONTROL, SHIFT, Opened, OpenView, settle

from profviz.model.results import Results
from profviz.model.searches import MOST_LISTED
from profviz.ui.view_state import Alignment, ViewState
from profviz.ui.views.timeline.searching import READ_AT_ONCE, Search
from profviz.ui.widgets.palette import DARK


def search_for(opened: Opened, qtbot: QtBot, text: str) -> None:
    view, state = opened
    if not view.search.line.hasFocus():
        qtbot.keyClick(view.canvas, Qt.Key.Key_Slash)
    view.search.line.clear()
    qtbot.keyClicks(view.search.line, text)
    qtbot.waitUntil(lambda: not view.canvas.search.is_waiting and not view.canvas.search.is_reading)
    settle(qtbot, state)


def test_slash_opens_the_line_and_hits_of_both_sides_are_counted(timelines: OpenView, qtbot: QtBot) -> None:
    opened = view, _state = timelines(make_pair())
    search_for(opened, qtbot, "cudaLaunch")
    assert view.search.words() == "33 found"
    search_for(opened, qtbot, "kind:pointwise dur>1us")
    assert view.search.words() == "9 found"
    assert set(view.canvas.search.hits.side.tolist()) == {1}
    qtbot.keyClick(view.search.line, Qt.Key.Key_Escape)
    assert not view.search.isVisible()
    assert view.canvas.hasFocus()
    assert len(view.canvas.search.hits) == 0


def test_enter_steps_from_what_the_window_shows_and_round_the_end(timelines: OpenView, qtbot: QtBot) -> None:
    opened = view, state = timelines(make_pair())
    search_for(opened, qtbot, "ProfilerStep")
    seen = []
    for modifiers in (Qt.KeyboardModifier.NoModifier, Qt.KeyboardModifier.NoModifier, SHIFT, SHIFT, SHIFT):
        qtbot.keyClick(view.search.line, Qt.Key.Key_Return, modifiers)
        seen.append((state.selection.pick.side, view.search.words()))
    # aligned on their second steps: eager begins at -20, 20 and 40 µs of shared time, compiled at 11, 20 and 29 µs
    assert seen == [(0, "3 of 6"), (1, "4 of 6"), (0, "3 of 6"), (1, "2 of 6"), (0, "1 of 6")]
    assert view.search.line.hasFocus()
    qtbot.keyClick(view.search.line, Qt.Key.Key_Return, SHIFT)
    assert view.search.words() == "6 of 6"


def test_enter_on_the_timelines_steps_too(timelines: OpenView, qtbot: QtBot) -> None:
    opened = view, state = timelines(make_pair())
    search_for(opened, qtbot, "aten::op")
    view.canvas.setFocus()
    qtbot.keyClick(view.canvas, Qt.Key.Key_Enter)
    first = state.selection.pick
    qtbot.keyClick(view.canvas, Qt.Key.Key_Return)
    assert state.selection.pick != first
    qtbot.keyClick(view.canvas, Qt.Key.Key_Return, SHIFT)
    assert state.selection.pick == first


def test_a_step_brings_the_hit_into_view(timelines: OpenView, qtbot: QtBot) -> None:
    opened = view, state = timelines(make_pair())
    search_for(opened, qtbot, "ProfilerStep#3")
    qtbot.keyClick(view.search.line, Qt.Key.Key_Return)
    mark = view.canvas.picked
    assert mark is not None
    window = state.window_of(mark.side)
    offset = state.offsets_ns[mark.side]
    assert window.start_ns < mark.end_ns - offset
    assert mark.start_ns - offset < window.end_ns


def test_down_lists_the_hits_and_a_row_goes_there(timelines: OpenView, qtbot: QtBot) -> None:
    opened = view, state = timelines(make_pair())
    search_for(opened, qtbot, "ProfilerStep")
    qtbot.keyClick(view.search.line, Qt.Key.Key_Down)
    table = view.search.table
    assert table.isVisible()
    assert table.hasFocus()
    assert table.rows.rowCount() == 6
    qtbot.keyClick(table, Qt.Key.Key_Down)
    assert view.canvas.search.at == 1
    assert state.selection.pick.slice == int(view.canvas.search.hits.slice[1])
    qtbot.keyClick(table, Qt.Key.Key_Escape)
    assert view.search.line.hasFocus()
    qtbot.keyClick(view.search.line, Qt.Key.Key_Escape)
    assert not table.isVisible()


def test_a_mistake_is_told_in_plain_words_and_nothing_is_found(timelines: OpenView, qtbot: QtBot) -> None:
    opened = view, _ = timelines(make_pair())
    search_for(opened, qtbot, "aten dur>5")
    assert "needs a unit" in view.search.found.text()
    assert view.search.found.property("role") == "bad"
    search_for(opened, qtbot, "aten")
    assert view.search.found.property("role") == "muted"
    view.search.regex.click()
    search_for(opened, qtbot, "a(ten")
    assert "not complete" in view.search.found.text()


def test_the_regular_expression_button_takes_all_words_as_one(timelines: OpenView, qtbot: QtBot) -> None:
    opened = view, _ = timelines(make_pair())
    view.search.regex.click()
    search_for(opened, qtbot, "^void .*kernel")
    assert view.canvas.search.count == 24 + 9


def test_escape_on_the_timelines_ends_the_search_last(timelines: OpenView, qtbot: QtBot) -> None:
    opened = view, state = timelines(make_pair())
    search_for(opened, qtbot, "aten")
    qtbot.keyClick(view.search.line, Qt.Key.Key_Return)
    view.canvas.setFocus()
    qtbot.keyClick(view.canvas, Qt.Key.Key_Escape)
    assert state.selection.slices == ()
    assert len(view.canvas.search.hits)
    qtbot.keyClick(view.canvas, Qt.Key.Key_Escape)
    assert len(view.canvas.search.hits) == 0
    assert not view.search.isVisible()


def test_hits_are_outlined_and_a_strip_tells_where_they_begin(timelines: OpenView, qtbot: QtBot) -> None:
    side = make_side([(0, 1_000, 500, "hit", -1), (0, 4_000, 500, "other", -1), (1, 0, 9_000, "op", -1)])
    opened = view, _state = timelines(Results("", "", (side,), (), (), ()))
    before = view.canvas.grab().toImage()
    search_for(opened, qtbot, "hit")
    scene, image = view.canvas.scenes()[0], view.canvas.grab().toImage()
    x = int(scene.scale.x(1_000))
    assert image.pixelColor(x, scene.pane.body_top - 3) == QColor(DARK.warn)
    assert before.pixelColor(x, scene.pane.body_top - 3) != QColor(DARK.warn)
    assert image.pixelColor(int(scene.scale.x(4_000)), scene.pane.body_top - 3) != QColor(DARK.warn)
    minimap = view.minimap.grab().toImage()
    scale = view.minimap.scale
    assert any(minimap.pixelColor(int(scale.x(1_000)) + by, 4) == QColor(DARK.warn) for by in (-1, 0, 1))


def test_arguments_are_read_some_at_a_time_and_given_up_with_the_search(timelines: OpenView, qtbot: QtBot) -> None:
    count = 3 * READ_AT_ONCE
    side = make_side([(1, at * 10, 9, "op", -1) for at in range(count)])
    read: list[int] = []
    may_go_on = threading.Event()
    may_go_on.set()

    def args(event: int) -> dict[str, object]:
        read.append(event)
        assert may_go_on.wait(10)
        return {"args": {"Seq": event % 4}}

    side = replace(side, trace=replace(side.trace, args=args))
    opened = view, state = timelines(Results("", "", (side,), (), (), ()))
    search_for(opened, qtbot, "arg:seq=1")
    assert view.canvas.search.count == count // 4
    assert sorted(read) == list(range(count))
    read.clear()
    may_go_on.clear()
    view.search.line.setText("arg:seq=2")
    qtbot.waitUntil(lambda: len(read) > 0)
    view.search.line.setText("")
    may_go_on.set()
    settle(qtbot, state)
    assert len(read) < count


def test_the_list_shows_what_kernels_do_and_the_end_of_titles(timelines: OpenView, qtbot: QtBot) -> None:
    name = "void at::native::vectorized_elementwise_kernel<4, at::native::CUDAFunctor_add<float>>(int)"
    sides = tuple(
        replace(make_side([(0, 0, 500, name, -1)]), title=f"a long name . {end}") for end in ("eager", "done")
    )
    opened = view, _state = timelines(Results("", "", sides, (), (), ()))
    search_for(opened, qtbot, "vectorized")
    qtbot.keyClick(view.search.line, Qt.Key.Key_Down)
    first, *_, run = view.search.table.rows.columns
    assert (first.text(0), first.tip(0), first.copy(0)) == ("add · vectorized_elementwise_kernel", name, name)
    assert run.keep_end


def test_more_hits_than_can_be_listed_are_counted(timelines: OpenView, qtbot: QtBot) -> None:
    opened = view, _state = timelines(make_pair())
    search_for(opened, qtbot, "aten")
    search = view.canvas.search
    found = search._found[0]
    search._found[0] = replace(found, count=MOST_LISTED + 7)
    assert view.search.words() == f"{100_007 + 9:,} found, the first 33 listed".replace(",", " ", 1)


def test_another_alignment_orders_the_hits_anew_and_keeps_the_current_one(qtbot: QtBot) -> None:
    pair, state = make_pair(), ViewState()
    search = Search(state)
    search.show_sides(pair.sides)
    from profviz.analysis.questions import answer

    class AtOnce:
        def ask(self, question, then) -> None:  # type: ignore[no-untyped-def]
            then(question, answer(pair, question))

    state.answers = AtOnce()
    state.align(Alignment((0, 0)))
    search.look_for("ProfilerStep#2")
    search._ask()
    search.go_to(1)
    assert search.current == (0, int(search.hits.slice[1]))
    state.align(Alignment((0, 30_000)))
    assert search.hits.side.tolist() == [1, 0]
    state.align(Alignment((0, -30_000)))
    assert search.hits.side.tolist() == [0, 1]
    assert search.at == 0
    assert (np.diff(search.hits.start_ns) >= 0).all()


def test_other_results_are_searched_for_the_same_words(timelines: OpenView, qtbot: QtBot) -> None:
    opened = view, state = timelines(make_pair())
    search_for(opened, qtbot, "other")
    assert view.search.words() == "nothing found"
    other = Results("", "", (make_side([(0, 0, 5, "another", -1)]),), (), (), ())
    state.answers.show_results(other)  # type: ignore[union-attr]
    view.show_results(other)
    qtbot.waitUntil(lambda: view.canvas.search.count == 1)
    qtbot.keyClick(view.canvas, Qt.Key.Key_Z, CONTROL)


def test_the_list_never_tells_of_sides_that_are_gone(timelines: OpenView, qtbot: QtBot) -> None:
    opened = view, state = timelines(make_pair())
    search_for(opened, qtbot, "cudaLaunch")
    view.search.open_table()
    rows = view.search.table.rows
    read: list[str] = []
    rows.modelReset.connect(
        lambda: read.extend(rows.index(row, 1).data() for row in range(rows.rowCount()) if rows.columnCount())
    )
    one = Results("one", "", make_pair().sides[:1], (), (), ())
    view.show_results(one)
    assert rows.rowCount() == 0
    state.align(Alignment((5,)))
    qtbot.waitUntil(lambda: not view.canvas.search.is_waiting)
    settle(qtbot, state)
    assert view.search.words() == f"{rows.rowCount()} found"
    assert {int(side) for side in view.canvas.search.hits.side} == {0}
    assert rows.columnCount() == 4
    assert len(read) >= rows.rowCount() > 0
