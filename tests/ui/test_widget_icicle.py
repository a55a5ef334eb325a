"""The icicle: which boxes a window shows, and walking, zooming and panning by real keys and mouse."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from PySide6.QtCore import QPoint, QPointF, Qt
from PySide6.QtGui import QWheelEvent
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from profviz.ui.widgets import icicle_values as values
from profviz.ui.widgets.icicle import IcicleView
from profviz.ui.widgets.icicle_values import HOLLOW, Icicle
from profviz.ui.widgets.palette import DARK, LIGHT

MS = 1_000_000


def icicle(*spans: tuple[int, int, int]) -> Icicle:
    """Of (start, end, depth) in ms."""
    start, end, depth = (np.array(column, dtype=np.int64) for column in zip(*spans, strict=True))
    return Icicle(
        start_ns=start * MS,
        end_ns=end * MS,
        depth=depth,
        colour=np.arange(len(spans), dtype=np.int64) % 3 + HOLLOW,
        marked=depth == 1,
        texts=lambda at: (f"span {at} is long", f"s{at}"),
        lines=((50 * MS, "half"),),
    )


NESTED = icicle((0, 100, 0), (10, 60, 1), (20, 40, 2), (70, 90, 1), (100, 140, 0))


@given(st.lists(st.tuples(st.integers(0, 500), st.integers(0, 50), st.integers(0, 3)), min_size=1, max_size=60))
def test_every_visible_pixel_of_a_row_stays_covered(drawn: list[tuple[int, int, int]]) -> None:
    shown = icicle(*sorted((start, start + length, depth) for start, length, depth in drawn))
    found = values.boxes(shown, (100 * MS, 300 * MS), 40.0)
    assert len(found.index) <= 4 * 44 + len(drawn)
    kept = {(int(shown.depth[i]), int(left)) for i, left in zip(found.index, np.floor(found.left), strict=True)}
    for at in range(len(shown)):
        if shown.end_ns[at] >= 100 * MS and shown.start_ns[at] <= 300 * MS:
            left = max(-1.0, (int(shown.start_ns[at]) / MS - 100) * 40 / 200)
            assert (int(shown.depth[at]), int(np.floor(left))) in kept


def test_of_spans_thinner_than_a_pixel_one_a_pixel_is_painted() -> None:
    many = icicle(*((at, at + 1, 0) for at in range(10_000)))
    assert len(values.boxes(many, (0, 10_000 * MS), 100.0).index) <= 102


def test_outer_inner_and_neighbours() -> None:
    assert [NESTED.parent(at) for at in range(5)] == [0, 0, 1, 0, 4]
    assert [NESTED.child(at) for at in range(5)] == [1, 2, 2, 3, 4]
    assert [NESTED.beside(at, 1) for at in range(5)] == [4, 3, 2, 3, 4]
    assert NESTED.beside(3, -1) == 1
    assert [NESTED.at(30 * MS, depth) for depth in range(4)] == [0, 1, 2, -1]


def test_windows_stay_within_the_whole() -> None:
    whole = NESTED.whole
    assert whole == (0, 140 * MS)
    assert values.zoomed(whole, whole, factor=2.0) == whole
    half = values.zoomed(whole, whole, factor=0.5, at_ns=0)
    assert half == (0, 70 * MS)
    assert values.moved(half, whole, 1000 * MS) == (70 * MS, 140 * MS)
    assert values.zoomed((0, 1_000), whole, factor=0.1)[1] == values.LEAST_SPAN_NS
    assert Icicle().whole == (0, values.LEAST_SPAN_NS)


def shown(qtbot: QtBot) -> IcicleView:
    view = IcicleView(DARK, name="Stages")
    qtbot.addWidget(view)
    view.resize(600, 160)
    view.show_data(NESTED, tell=lambda at: f"tells of {at}\nand more")
    with qtbot.waitExposed(view):
        view.show()
    return view


def test_arrows_walk_and_tell(qtbot: QtBot) -> None:
    view = shown(qtbot)
    chosen: list[int] = []
    view.span_chosen.connect(chosen.append)
    for key in (Qt.Key.Key_Down, Qt.Key.Key_Down, Qt.Key.Key_Down, Qt.Key.Key_Up, Qt.Key.Key_Right, Qt.Key.Key_Escape):
        qtbot.keyClick(view, key)
    assert chosen == [0, 1, 2, 1, 3, -1]
    assert view.accessibleDescription() == "5 spans"
    qtbot.keyClick(view, Qt.Key.Key_Down)
    assert view.accessibleDescription() == "tells of 0; and more"


def test_keys_zoom_pan_and_fit(qtbot: QtBot) -> None:
    view = shown(qtbot)
    qtbot.keyClick(view, Qt.Key.Key_W)
    start, end = view.window_ns
    assert 0 < start < end < 140 * MS
    qtbot.keyClick(view, Qt.Key.Key_D)
    assert view.window_ns[0] > start
    qtbot.keyClick(view, Qt.Key.Key_A)
    qtbot.keyClick(view, Qt.Key.Key_S)
    qtbot.keyClick(view, Qt.Key.Key_0)
    assert view.window_ns == NESTED.whole
    for _ in range(3):
        qtbot.keyClick(view, Qt.Key.Key_Down)
    qtbot.keyClick(view, Qt.Key.Key_F)
    assert view.window_ns == (19 * MS, 41 * MS)
    qtbot.keyClick(view, Qt.Key.Key_F)
    assert view.window_ns == NESTED.whole


def test_click_chooses_drag_pans_and_double_click_zooms(qtbot: QtBot) -> None:
    view = shown(qtbot)
    chosen: list[int] = []
    view.span_chosen.connect(chosen.append)
    place = view.box_of(2).center().toPoint()
    qtbot.mouseClick(view.viewport(), Qt.MouseButton.LeftButton, pos=place)
    assert (chosen, view.picked) == ([2], 2)
    qtbot.mouseDClick(view.viewport(), Qt.MouseButton.LeftButton, pos=place)
    assert view.window_ns == (19 * MS, 41 * MS)
    chosen.clear()
    qtbot.mousePress(view.viewport(), Qt.MouseButton.LeftButton, pos=QPoint(300, 100))
    qtbot.mouseMove(view.viewport(), QPoint(200, 100))
    qtbot.mouseRelease(view.viewport(), Qt.MouseButton.LeftButton, pos=QPoint(200, 100))
    assert view.window_ns[0] > 19 * MS
    assert chosen == []
    qtbot.mouseClick(view.viewport(), Qt.MouseButton.LeftButton, pos=QPoint(300, 140))
    assert chosen == [-1]


@pytest.mark.parametrize("held", [Qt.KeyboardModifier.ControlModifier, Qt.KeyboardModifier.NoModifier])
def test_only_the_wheel_with_ctrl_zooms(qtbot: QtBot, held: Qt.KeyboardModifier) -> None:
    view = shown(qtbot)
    place = QPointF(300, 60)
    wheel = QWheelEvent(
        place,
        QPointF(view.viewport().mapToGlobal(place.toPoint())),
        QPoint(),
        QPoint(0, 120),
        Qt.MouseButton.NoButton,
        held,
        Qt.ScrollPhase.NoScrollPhase,
        False,
    )
    QApplication.sendEvent(view.viewport(), wheel)
    assert (view.window_ns != NESTED.whole) is (held == Qt.KeyboardModifier.ControlModifier)


def test_what_is_not_chosen_fades_and_both_palettes_paint(qtbot: QtBot) -> None:
    view = shown(qtbot)
    place = view.box_of(4).center().toPoint() + QPoint(30, 0)
    before = view.viewport().grab().toImage().pixelColor(place)
    view.dim(np.arange(5) == 4)
    assert view.viewport().grab().toImage().pixelColor(place) != before
    view.apply(LIGHT)
    assert not view.grab().isNull()
    view.show_data(Icicle(), tell=str)
    for key in (Qt.Key.Key_W, Qt.Key.Key_Down, Qt.Key.Key_F):
        qtbot.keyClick(view, key)
    assert view.picked == -1
