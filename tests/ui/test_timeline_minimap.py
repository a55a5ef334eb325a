"""The minimap shows the whole with the window on it, and mouse, wheel and keys move that window."""

from __future__ import annotations

import numpy as np
import pytest
from factories import make_pair, make_side
from hypothesis import given
from hypothesis import strategies as st
from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QColor
from pytestqt.qtbot import QtBot
from timeline_driving import NO_KEYS, SHIFT, Opened, OpenView, drag, settle, wheel

from profviz.model.results import Results
from profviz.ui.view_state import TimeWindow
from profviz.ui.views.timeline.overview import LANE, MiniScale, lane_top, shares
from profviz.ui.widgets.palette import DARK, LIGHT


def middle(opened: Opened, side: int = 0) -> QPoint:
    view, _ = opened
    return view.minimap.window_rect(side).center().toPoint()


def test_the_window_is_dragged(timelines: OpenView, qtbot: QtBot) -> None:
    opened = view, state = timelines(make_pair())
    before, at = state.window, middle(opened)
    drag(qtbot, view.minimap, at, at + QPoint(60, 0), NO_KEYS)
    by = view.minimap.scale.time_ns(at.x() + 60) - view.minimap.scale.time_ns(at.x())
    assert state.window.span_ns == before.span_ns
    assert abs(state.window.start_ns - before.start_ns - by) <= 1
    state.undo()
    assert state.window == before


def test_a_click_beside_the_window_goes_there(timelines: OpenView, qtbot: QtBot) -> None:
    view, state = timelines(make_pair())
    state.show_window(TimeWindow(0, 2_000))
    qtbot.mouseClick(view.minimap, Qt.MouseButton.LeftButton, NO_KEYS, QPoint(500, 8))
    at = view.minimap.scale.time_ns(500)
    assert state.window.span_ns == 2_000
    assert abs(state.window.start_ns + 1_000 - at) <= 100


def test_the_wheel_zooms_at_the_mouse_and_with_shift_pans(timelines: OpenView, qtbot: QtBot) -> None:
    opened = view, state = timelines(make_pair())
    before, at = state.window, middle(opened)
    wheel(view.minimap, at, 120, NO_KEYS)
    assert state.window.span_ns == round(before.span_ns * 0.75)
    assert state.window.start_ns > before.start_ns
    before = state.window
    wheel(view.minimap, at, -120, SHIFT)
    assert state.window.span_ns == before.span_ns
    assert state.window.start_ns > before.start_ns


def test_keys_move_and_zoom_the_window_where_the_minimap_has_the_focus(timelines: OpenView, qtbot: QtBot) -> None:
    view, state = timelines(make_pair())
    view.minimap.setFocus()
    before = state.window
    qtbot.keyClick(view.minimap, Qt.Key.Key_Right)
    assert state.window.start_ns > before.start_ns
    qtbot.keyClick(view.minimap, Qt.Key.Key_Plus)
    assert state.window.span_ns < before.span_ns


def test_freely_zoomed_sides_have_windows_of_their_own(timelines: OpenView, qtbot: QtBot) -> None:
    opened = view, state = timelines(make_pair())
    state.free_windows(2)
    assert view.minimap.window_rect(0).bottom() < view.minimap.window_rect(1).center().y()
    before, at = state.window_of(0), middle(opened, 1)
    drag(qtbot, view.minimap, at, at + QPoint(40, 0), NO_KEYS)
    assert state.window_of(0) == before
    assert state.window_of(1) != before


@pytest.mark.parametrize("palette", [DARK, LIGHT])
def test_busy_time_shows_and_idle_time_does_not(timelines: OpenView, qtbot: QtBot, palette: object) -> None:
    side = make_side([(0, 1_000, 3_000, "k", -1), (1, 0, 10_000, "op", -1)])
    view, state = timelines(Results("", "", (side,), (), (), ()))
    view.set_palette(palette)  # type: ignore[arg-type]
    settle(qtbot, state)
    state.show_window(TimeWindow(9_000, 9_500))
    image, scale = view.minimap.grab().toImage(), view.minimap.scale
    lane = QColor(palette.lane)  # type: ignore[attr-defined]
    y = lane_top(0) + LANE // 2
    assert image.pixelColor(int(scale.x(2_000)), y) != lane
    assert image.pixelColor(int(scale.x(6_000)), y) == lane
    assert "GPU" in view.minimap.accessibleDescription()


@given(
    st.lists(st.integers(0, 10), min_size=1, max_size=40),
    st.integers(-50, 100),
    st.integers(10, 600),
    st.integers(1, 60),
)
def test_shares_are_the_parts_that_each_pixel_holds(values: list[int], start: int, span: int, width: int) -> None:
    found = shares(np.array(values, dtype=np.int64), 10, start_ns=start, span_ns=span, width=width)
    edges = start + np.arange(width + 1) * span / width
    fine = np.repeat(values, 10) / 10  # busy ns in each ns
    sums = np.concatenate([[0], np.cumsum(fine)])
    before = np.interp(edges, np.arange(len(sums)), sums)
    assert np.allclose(found, np.clip(np.diff(before) / max(1.0, span / width), 0, 1))


def test_times_and_pixels_go_back_and_forth() -> None:
    scale = MiniScale(10.0, 500.0, -1_000, 99_000)
    for time in (-1_000, 0, 50_000, 98_999):
        assert abs(scale.time_ns(scale.x(time)) - time) <= 1
