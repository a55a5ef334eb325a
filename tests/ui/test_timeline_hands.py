"""The timelines' hands through real events: mouse, wheel and keys, selection both ways, and what is painted."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from factories import make_pair, make_side
from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QColor
from pytestqt.qtbot import QtBot
from side_view_contract import keeps_the_contract
from timeline_driving import CONTROL, NO_KEYS, SHIFT, Opened, drag, kernel, point_of, wheel

from profviz.model.results import Results, SliceKind
from profviz.ui.pages.selecting import resolve
from profviz.ui.view_state import Pick, Selection, TimeWindow, ViewState
from profviz.ui.views.timeline.kinds.parting import shade_of
from profviz.ui.views.timeline.tracks import Group
from profviz.ui.views.timeline.view import BESIDE, SPEC, TimelineView
from profviz.ui.widgets.palette import DARK, LIGHT
from profviz.ui.widgets.timeline_look import shaded


@pytest.fixture
def opened(qtbot: QtBot) -> Callable[..., Opened]:
    def open_view(results: Results, *, width: int = 960, height: int = 560) -> Opened:
        state = ViewState()
        view = TimelineView(state, DARK)
        qtbot.addWidget(view)
        view.resize(width, height)
        with qtbot.waitExposed(view):
            view.show()
        state.picked.connect(lambda pick: state.select(resolve(results, pick)))
        view.show_results(results)
        return view, state

    return open_view


def test_any_results_any_order_both_palettes(qtbot: QtBot) -> None:
    keeps_the_contract(qtbot, SPEC)


def test_it_opens_on_the_middle_step_of_every_side(opened: Callable[..., Opened]) -> None:
    view, state = opened(make_pair())
    scenes = view.canvas.scenes()
    xs = [scene.scale.x(scene.side.steps[1].start_ns) for scene in scenes]
    assert xs[0] == xs[1]
    assert scenes[0].scale.px_per_ns == scenes[1].scale.px_per_ns
    assert view.canvas.window_of(0) == view.canvas.first
    assert state.window.start_ns <= 20_000 < state.window.end_ns
    assert view.which.text() == "step 2 of 3"


def test_step_buttons_move_every_side(opened: Callable[..., Opened], qtbot: QtBot) -> None:
    view, state = opened(make_pair())
    qtbot.mouseClick(view.forth, Qt.MouseButton.LeftButton)
    assert view.canvas.alignment.offsets_ns == state.offsets_ns == (0, 28_000 - 40_000)
    assert state.window.start_ns <= 40_000 < state.window.end_ns
    assert not view.forth.isEnabled()
    qtbot.mouseClick(view.whole, Qt.MouseButton.LeftButton)
    assert view.canvas.window_of(0) == view.canvas.whole


def test_a_click_selects_and_an_empty_place_clears(opened: Callable[..., Opened], qtbot: QtBot) -> None:
    view, state = opened(make_pair())
    index = kernel(view.canvas, 1, 4)
    qtbot.mouseClick(view.canvas, Qt.MouseButton.LeftButton, NO_KEYS, point_of(view.canvas, 1, index))
    assert state.selection.pick == Pick(side=1, slice=index)
    pane = view.canvas.arrangement().panes[0]
    qtbot.mouseClick(view.canvas, Qt.MouseButton.LeftButton, NO_KEYS, QPoint(pane.time_left + 2, pane.body_top + 4))
    assert state.selection.slices == ()


def test_a_drag_marks_a_range_and_selects_nothing(opened: Callable[..., Opened], qtbot: QtBot) -> None:
    view, state = opened(make_pair())
    scene = view.canvas.scenes()[0]
    y = scene.body_y(10)
    start, end = (QPoint(round(scene.scale.x(20_000 + at)), y) for at in (0, 6_000))
    drag(qtbot, view.canvas, start, end, NO_KEYS)
    assert state.selection.pick.slice == -1
    (chosen,) = state.ranges
    assert abs(chosen.start_ns - 20_000) <= 100
    assert abs(chosen.end_ns - 26_000) <= 100
    assert view.canvas.accessibleDescription().endswith(" · sums in the panel Range")
    qtbot.keyClick(view.canvas, Qt.Key.Key_Escape)
    assert state.ranges == ()
    assert view.canvas.accessibleDescription() == ""


def test_the_plain_wheel_never_zooms_and_scrolls_only_its_own_side(opened: Callable[..., Opened]) -> None:
    view, _ = opened(make_pair(), height=160)
    before, pane = view.canvas.window_of(0), view.canvas.arrangement().panes[1]
    wheel(view.canvas, QPoint(pane.time_left + 40, pane.body_top + 2), -120, NO_KEYS)
    assert view.canvas.window_of(0) == before
    assert [scene.scroll > 0 for scene in view.canvas.scenes()] == [False, True]


def test_ctrl_wheel_zooms_at_the_mouse_and_shift_wheel_pans(opened: Callable[..., Opened]) -> None:
    view, _ = opened(make_pair())
    at = QPoint(600, 60)
    before, span = view.canvas.shared_time(600), view.canvas.state.window.span_ns
    wheel(view.canvas, at, 120, CONTROL)
    assert view.canvas.state.window.span_ns == round(span * 0.75)
    assert abs(view.canvas.shared_time(600) - before) <= span / 500
    start, span = view.canvas.window_of(0)[0], view.canvas.state.window.span_ns
    wheel(view.canvas, at, -120, SHIFT)
    assert view.canvas.window_of(0)[0] > start
    assert view.canvas.state.window.span_ns == span


def test_shift_drag_pans(opened: Callable[..., Opened], qtbot: QtBot) -> None:
    view, _ = opened(make_pair())
    before = view.canvas.window_of(0)
    drag(qtbot, view.canvas, QPoint(600, 60), QPoint(500, 60), SHIFT)
    assert view.canvas.window_of(0)[0] > before[0]
    assert view.canvas.window_of(0)[1] - view.canvas.window_of(0)[0] == before[1] - before[0]
    assert view.canvas.range is None


@pytest.mark.parametrize(("key", "shorter"), [(Qt.Key.Key_W, True), (Qt.Key.Key_S, False)])
def test_w_and_s_zoom(opened: Callable[..., Opened], qtbot: QtBot, key: Qt.Key, *, shorter: bool) -> None:
    view, state = opened(make_pair())
    span = state.window.span_ns
    qtbot.keyClick(view.canvas, key)
    assert (state.window.span_ns < span) is shorter
    qtbot.keyClick(view.canvas, Qt.Key.Key_Z)
    assert view.canvas.window_of(0) == view.canvas.first


def test_a_and_d_pan_and_undo_takes_the_whole_movement_back(opened: Callable[..., Opened], qtbot: QtBot) -> None:
    view, state = opened(make_pair())
    before = state.window
    qtbot.keyClick(view.canvas, Qt.Key.Key_D)
    qtbot.keyClick(view.canvas, Qt.Key.Key_D)
    assert state.window.start_ns > before.start_ns
    state.undo()
    assert state.window == before
    qtbot.keyClick(view.canvas, Qt.Key.Key_A)
    assert state.window.start_ns < before.start_ns


def test_f_fits_the_selection_and_then_the_trace(opened: Callable[..., Opened], qtbot: QtBot) -> None:
    view, state = opened(make_pair())
    state.pick(Pick(side=1, slice=kernel(view.canvas, 1, 4)))
    qtbot.keyClick(view.canvas, Qt.Key.Key_F)
    mark = view.canvas.picked
    assert mark is not None
    offset = view.canvas.alignment.offsets_ns[1]
    start, end = view.canvas.window_of(0)
    assert start < mark.start_ns - offset < mark.end_ns - offset < end
    assert end - start < 2 * (mark.end_ns - mark.start_ns)
    qtbot.keyClick(view.canvas, Qt.Key.Key_F)
    assert view.canvas.window_of(0) == view.canvas.whole


def test_double_click_zooms_to_the_slice(opened: Callable[..., Opened], qtbot: QtBot) -> None:
    view, state = opened(make_pair())
    span = state.window.span_ns
    index = kernel(view.canvas, 0, 10)
    qtbot.mouseDClick(view.canvas, Qt.MouseButton.LeftButton, NO_KEYS, point_of(view.canvas, 0, index))
    assert state.window.span_ns < span / 10


def test_keys_step_along_the_row_and_follow_launches(opened: Callable[..., Opened], qtbot: QtBot) -> None:
    view, state = opened(make_pair())
    first, second = kernel(view.canvas, 0, 8), kernel(view.canvas, 0, 9)
    state.pick(Pick(side=0, slice=first))
    qtbot.keyClick(view.canvas, Qt.Key.Key_Period)
    assert state.selection.pick.slice == second
    qtbot.keyClick(view.canvas, Qt.Key.Key_Comma)
    assert state.selection.pick.slice == first
    names = []
    for key in (Qt.Key.Key_BracketLeft, Qt.Key.Key_BracketLeft, Qt.Key.Key_BracketRight):
        qtbot.keyClick(view.canvas, key)
        names.append(view.canvas.sides[0].trace.name_of(state.selection.pick.slice))
    assert names == ["cudaLaunchKernel", "aten::op", "void ns::kernel<int>(float*)"]
    assert state.selection.pick.slice == first


def test_a_selection_from_elsewhere_is_brought_into_view(opened: Callable[..., Opened]) -> None:
    deep = [(1, depth, 1_000_000 - 2 * depth, "op", -1) for depth in range(40)]
    view, state = opened(Results("", "", (make_side([*deep, (0, 999_000, 5, "k", -1)]),), (), (), ()), height=140)
    state.show_window(TimeWindow(10, 20))
    state.pick(Pick(side=0, slice=kernel(view.canvas, 0, 0)))
    assert state.window.start_ns < 999_000 < state.window.end_ns
    assert state.window.span_ns == 10
    last = int(view.canvas.tracks[0][1].rows[39].slice[0])
    state.pick(Pick(side=0, slice=last))
    scene = view.canvas.scenes()[0]
    assert scene.placed[1].shown == 40
    assert scene.pane.body_top <= scene.body_y(scene.placed[1].row_y(39)) < scene.pane.bottom


def test_undo_gives_back_a_window_that_does_not_hold_the_selection(opened: Callable[..., Opened]) -> None:
    view, state = opened(make_pair())
    state.pick(Pick(side=0, slice=kernel(view.canvas, 0, 8)))
    away = TimeWindow(50_000, 51_000)
    state.show_window(away, remember=True)
    state.select(Selection())
    state.undo()
    assert state.window == away
    assert state.selection.pick.slice == kernel(view.canvas, 0, 8)
    state.redo()
    assert state.selection == Selection()


def test_selected_slices_of_both_sides_are_joined_across_the_axis(opened: Callable[..., Opened]) -> None:
    view, state = opened(make_pair())
    pairs = ((0, kernel(view.canvas, 0, 8)), (0, kernel(view.canvas, 0, 9)), (1, kernel(view.canvas, 1, 3)))
    state.select(Selection(Pick(side=1, slice=pairs[2][1]), slices=pairs))
    axis = view.canvas.arrangement().axes[0]
    scenes = view.canvas.scenes()
    across = [(a, b) for a, b in view.canvas.connectors(scenes) if b.bottom() < axis.top < a.top()]
    assert len(across) == 2


def test_a_click_on_a_title_unfolds_its_rows(opened: Callable[..., Opened], qtbot: QtBot) -> None:
    view, _ = opened(Results("", "", (make_side([(1, 0, 9, "aten::op", -1), (2, 0, 9, "span", -1)]),), (), (), ()))
    scene = view.canvas.scenes()[0]
    other = next(one for one in scene.placed if one.track.group is Group.OTHER)
    at = QPoint(20, scene.body_y(other.y) + 5)
    qtbot.mouseClick(view.canvas, Qt.MouseButton.LeftButton, NO_KEYS, at)
    assert view.canvas.placed(0)[-1].shown == 1
    qtbot.mouseClick(view.canvas, Qt.MouseButton.LeftButton, NO_KEYS, at)
    assert view.canvas.placed(0)[-1].shown == 0


def test_hovering_tells_plain_text_and_the_state(opened: Callable[..., Opened], qtbot: QtBot) -> None:
    name = "<b>bold</b>"
    view, state = opened(Results("", "", (make_side([(0, 0, 900, name, -1), (1, 0, 1_000, "op", -1)]),), (), (), ()))
    seen: list[Pick] = []
    state.hover_changed.connect(seen.append)
    index = kernel(view.canvas, 0, 0)
    qtbot.mouseMove(view.canvas, point_of(view.canvas, 0, index))
    assert view.canvas.note.isVisible()
    assert view.canvas.note.textFormat() is Qt.TextFormat.PlainText
    assert view.canvas.note.text().startswith(name)
    assert seen == [Pick(side=0, slice=index)]


def test_hovering_follows_what_keys_move_under_a_resting_mouse(opened: Callable[..., Opened], qtbot: QtBot) -> None:
    side = make_side([(0, 0, 900, "first", -1), (0, 1_000, 900, "second", -1), (1, 0, 2_000, "op", -1)])
    view, state = opened(Results("", "", (side,), (), (), ()))
    qtbot.mouseMove(view.canvas, point_of(view.canvas, 0, kernel(view.canvas, 0, 0)))
    assert view.canvas.note.text().startswith("first")
    state.show_window(TimeWindow(0, 1_000))
    at = point_of(view.canvas, 0, kernel(view.canvas, 0, 0))
    qtbot.mouseMove(view.canvas, at)
    for _ in range(7):
        qtbot.keyClick(view.canvas, Qt.Key.Key_D)
    assert view.canvas.hit_at(at.x(), at.y()).slice == kernel(view.canvas, 0, 1)  # type: ignore[union-attr]
    assert view.canvas.note.text().startswith("second")


@pytest.mark.parametrize("palette", [DARK, LIGHT])
def test_a_busy_pixel_has_the_colour_of_its_kind(opened: Callable[..., Opened], palette: object) -> None:
    side = make_side([(0, 0, 1_000, "k", -1), (1, 0, 1_000, "op", -1)], kinds={"k": SliceKind.FUSED})
    view, _ = opened(Results("", "", (side,), (), (), ()))
    view.set_palette(palette)  # type: ignore[arg-type]
    at = point_of(view.canvas, 0, kernel(view.canvas, 0, 0))
    colour = shaded(palette.kinds[SliceKind.FUSED], shade_of("k"))  # type: ignore[attr-defined]
    assert view.canvas.grab().toImage().pixelColor(at.x() + 31, at.y() + 10) == QColor(colour)


def test_a_moment_short_as_it_is_shows_over_the_whole_trace(opened: Callable[..., Opened]) -> None:
    side = make_side([(0, 10**9, 1, "k", -1), (1, 0, 2 * 10**9, "op", -1)], kinds={"k": SliceKind.GEMM})
    view, _ = opened(Results("", "", (side,), (), (), ()))
    image, lane = view.canvas.grab().toImage(), QColor(DARK.lane)
    scene = view.canvas.scenes()[0]
    x, y = int(scene.scale.x(10**9)), scene.body_y(10)
    assert any(image.pixelColor(x + by, y).blue() > lane.blue() + 40 for by in (-1, 0, 1))


def test_side_by_side_has_one_scale_and_two_axes(opened: Callable[..., Opened], qtbot: QtBot) -> None:
    view, _ = opened(make_pair())
    qtbot.mouseClick(view.arrangement.button(BESIDE), Qt.MouseButton.LeftButton)
    left, right = view.canvas.scenes()
    assert left.pane.right <= right.pane.left
    assert left.scale.px_per_ns == right.scale.px_per_ns
    assert len(view.canvas.arrangement().axes) == 2
    assert not view.grab().isNull()


def test_the_legend_names_only_kinds_that_occur_and_focus_goes_to_the_canvas(opened: Callable[..., Opened]) -> None:
    view, _ = opened(make_pair())
    assert [text for _, text in view.legend.entries] == ["pointwise", "runtime", "operator"]
    view.widget().setFocus()
    assert view.canvas.hasFocus()
    assert view.canvas.accessibleName()


def test_a_tiny_panel_is_painted_too(opened: Callable[..., Opened]) -> None:
    view, state = opened(make_pair(), width=210, height=90)
    assert not view.grab().isNull()
    state.show_window(TimeWindow(20_000, 20_000))
    assert not view.grab().isNull()


def test_freely_zoomed_keys_move_the_side_under_the_mouse(opened: Callable[..., Opened], qtbot: QtBot) -> None:
    view, state = opened(make_pair())
    state.free_windows(2)
    before = state.window_of(0), state.window_of(1)
    pane = view.canvas.arrangement().panes[1]
    qtbot.mouseMove(view.canvas, QPoint(pane.time_left + 200, pane.body_top + 10))
    for key in (Qt.Key.Key_W, Qt.Key.Key_D):
        qtbot.keyClick(view.canvas, key)
    assert state.window_of(0) == before[0]
    assert state.window_of(1).span_ns < before[1].span_ns
    wheel(view.canvas, QPoint(pane.time_left + 200, 60), 120, CONTROL)
    assert state.window_of(0).span_ns < before[0].span_ns
    state.link_windows()
    qtbot.keyClick(view.canvas, Qt.Key.Key_S)
    assert state.window_of(0) == state.window_of(1)


def test_zooming_ends_at_a_nanosecond_and_leads_back(opened: Callable[..., Opened], qtbot: QtBot) -> None:
    view, state = opened(make_pair())
    span = state.window.span_ns
    for _ in range(60):
        qtbot.keyClick(view.canvas, Qt.Key.Key_W)
    assert state.window.span_ns == 1
    assert not view.canvas.grab().isNull()
    start = state.window.start_ns
    qtbot.keyClick(view.canvas, Qt.Key.Key_D)
    assert state.window.start_ns == start + 1
    for _ in range(60):
        qtbot.keyClick(view.canvas, Qt.Key.Key_S)
    assert state.window.span_ns > span


def test_a_bracket_leads_from_anything_around_a_launch(opened: Callable[..., Opened], qtbot: QtBot) -> None:
    view, state = opened(make_pair())
    trace = view.canvas.sides[0].trace
    step = next(index for index in range(len(trace.slices)) if trace.name_of(index) == "ProfilerStep#2")
    state.pick(Pick(side=0, slice=step))
    qtbot.keyClick(view.canvas, Qt.Key.Key_BracketRight)
    assert state.selection.pick.slice == kernel(view.canvas, 0, 8)
    qtbot.keyClick(view.canvas, Qt.Key.Key_BracketRight)  # a kernel asks for nothing
    assert state.selection.pick.slice == kernel(view.canvas, 0, 8)


def test_without_results_no_key_does_anything(opened: Callable[..., Opened], qtbot: QtBot) -> None:
    view, state = opened(Results("", "", (), (), (), ()))
    before = state._now
    for key in (Qt.Key.Key_W, Qt.Key.Key_F, Qt.Key.Key_M, Qt.Key.Key_Period, Qt.Key.Key_T, Qt.Key.Key_Escape):
        qtbot.keyClick(view.canvas, key)
        qtbot.keyClick(view.canvas, key, SHIFT)
    assert state._now == before
    assert view.deeds == {}
