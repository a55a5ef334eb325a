"""The histogram: where bars and ticks stand, what keys and the mouse say, and that nothing is lost in painting."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from PySide6.QtCore import QEvent, QPoint, Qt
from PySide6.QtGui import QColor
from pytestqt.qtbot import QtBot

from profviz.ui.widgets import histogram_values as values
from profviz.ui.widgets.histogram import Histogram
from profviz.ui.widgets.histogram_values import HistogramData, HistogramSeries
from profviz.ui.widgets.palette import DARK, LIGHT

EDGES = np.array([1_000, 1_500, 2_000, 2_500, 3_000], dtype=np.int64)


def series(*counts: int, title: str = "Eager", kind: int = 4, median_ns: int | None = None) -> HistogramSeries:
    return HistogramSeries(title, kind, np.array(counts, dtype=np.int64), median_ns)


def data(*, marked_ns: int | None = 1_750, is_log: bool = False, two: bool = True) -> HistogramData:
    other = (series(0, 0, 1, 3, title="Compiled", kind=9),) if two else ()
    return HistogramData(EDGES, is_log, (series(5, 90, 5, 0, median_ns=1_700), *other), marked_ns)


def made(qtbot: QtBot, shown: HistogramData) -> Histogram:
    widget = Histogram(DARK, name="Durations")
    qtbot.addWidget(widget)
    widget.show_data(shown)
    widget.resize(400, 220)
    return widget


def test_values_stand_in_their_bins() -> None:
    linear = values.xs_of(data(), [1_000, 1_750, 3_000, 9_999], left=10, width=400)
    assert linear.tolist() == [10, 160, 410, 410]
    wide = HistogramData(np.array([1, 10, 100, 1_000], dtype=np.int64), True, (series(1, 1, 1),))
    assert values.xs_of(wide, [10, 100, 55], left=0, width=300).tolist() == [100, 200, 150]


@given(x=st.floats(-50, 450), is_log=st.booleans())
def test_the_bin_under_a_point_is_the_one_drawn_there(*, x: float, is_log: bool) -> None:
    shown = data(is_log=is_log)
    found = values.bin_at(shown, x, left=0, width=400)
    borders = values.xs_of(shown, shown.edges, left=0, width=400)
    inside = min(max(x, 0), 399.999)
    assert borders[found] <= inside < borders[found + 1]


def test_several_series_stand_as_shares_of_their_own() -> None:
    eager, compiled = values.heights(data())
    assert eager.max() == 1.0
    assert compiled.max() == pytest.approx(0.75 / 0.9)
    assert values.top_text(data()) == "90.0 %"
    assert values.top_text(data(two=False)) == "90"


@pytest.mark.parametrize(
    ("edges", "is_log", "texts"),
    [
        ([11_000, 12_000, 13_000], False, ["11 µs", "11.5 µs", "12 µs", "12.5 µs", "13 µs"]),
        ([0, 1, 2], False, ["0 ns", "1 ns", "2 ns"]),
        ([90, 1_000, 10_000, 120_000], True, ["100 ns", "1 µs", "10 µs", "100 µs"]),
        ([210, 220, 230], True, ["210 ns", "215 ns", "220 ns", "225 ns", "230 ns"]),
    ],
)
def test_ticks_are_round_and_their_texts_exact(*, edges: list[int], is_log: bool, texts: list[str]) -> None:
    shown = HistogramData(np.array(edges, dtype=np.int64), is_log, (series(*[1] * (len(edges) - 1)),))
    assert [text for _, text in values.ticks(shown, width=400)] == texts


@given(low=st.integers(0, 10**12), more=st.integers(1, 10**12), is_log=st.booleans(), width=st.integers(60, 2_000))
def test_ticks_are_within_the_bins_and_few(*, low: int, more: int, is_log: bool, width: int) -> None:
    shown = HistogramData(np.array([low, low + more], dtype=np.int64), is_log, (series(1),))
    found = [value for value, _ in values.ticks(shown, width=width)]
    assert all(low <= value <= low + more for value in found)
    assert len(found) <= max(2, width // values.TICK_PX) + 1


def test_times_read_in_full() -> None:
    wanted = {0: "0 ns", 999: "999 ns", 1_000: "1 µs", 12_345: "12.345 µs", 1_050_000: "1.05 ms", 10**10: "10 s"}
    assert {value: values.exact_text(value) for value in wanted} == wanted


def test_keys_walk_over_the_bins_and_say_them(qtbot: QtBot) -> None:
    widget = made(qtbot, data())
    whole = "Eager: 100 slices, median 1.70 µs. Compiled: 4 slices. the selected one takes 1.75 µs"
    assert widget.accessibleDescription() == whole
    for key, wanted in (
        (Qt.Key.Key_Right, 0),
        (Qt.Key.Key_Right, 1),
        (Qt.Key.Key_End, 3),
        (Qt.Key.Key_Right, 3),
        (Qt.Key.Key_Left, 2),
        (Qt.Key.Key_Home, 0),
        (Qt.Key.Key_Left, 0),
    ):
        qtbot.keyClick(widget, key)
        assert widget.bin == wanted
    assert widget.accessibleDescription() == "1 µs to 1.5 µs: Eager 5 · 5.0 %, Compiled 0 · 0.0 %. " + whole
    qtbot.keyClick(widget, Qt.Key.Key_Escape)
    assert widget.bin == -1
    qtbot.keyClick(widget, Qt.Key.Key_Left)
    assert widget.bin == 3


def test_the_mouse_takes_the_bin_below_it_and_lets_go(qtbot: QtBot) -> None:
    widget = made(qtbot, data())
    with qtbot.waitExposed(widget):
        widget.show()
    plot = widget.plot_rect()
    qtbot.mouseMove(widget, QPoint(int(plot.left() + plot.width() * 0.6), int(plot.center().y())))
    assert widget.bin == 2
    qtbot.mouseMove(widget, QPoint(5, 5))
    assert widget.bin == -1
    qtbot.mouseMove(widget, plot.center().toPoint())
    widget.leaveEvent(QEvent(QEvent.Type.Leave))
    assert widget.bin == -1


def test_few_of_many_can_still_be_seen_and_empty_bins_are_empty(qtbot: QtBot) -> None:
    shown = HistogramData(EDGES, False, (series(100_000, 1, 0, 100_000),))
    widget = made(qtbot, shown)
    picture, plot = widget.grab().toImage(), widget.plot_rect()
    background = picture.pixelColor(2, 2)
    ratio = picture.devicePixelRatio()

    def painted(part: float) -> bool:
        x, y = plot.left() + plot.width() * part, plot.bottom() - 2
        return picture.pixelColor(int(x * ratio), int(y * ratio)) != background

    assert [painted(part) for part in (0.2, 0.4, 0.7, 0.9)] == [True, True, False, True]


def test_nothing_and_another_palette_are_painted_too(qtbot: QtBot) -> None:
    widget = made(qtbot, values.nothing())
    assert not widget.grab().isNull()
    qtbot.keyClick(widget, Qt.Key.Key_Right)
    assert widget.bin == -1
    widget.show_data(data())
    widget.apply(LIGHT)
    picture = widget.grab().toImage()
    colours = {picture.pixelColor(x, y).name() for x in range(0, picture.width(), 3) for y in range(picture.height())}
    assert QColor(LIGHT.kinds[4]).name() in colours


def test_in_a_low_and_wide_place_the_series_stand_beside_each_other(qtbot: QtBot) -> None:
    widget = made(qtbot, data())
    tall = widget.plot_rect().height()
    widget.resize(400, 100)
    low = widget.plot_rect()
    assert low.top() < 60
    assert 30 < low.height() < tall
    assert low.bottom() + 10 < widget.height()
    second = widget.grab().toImage().copy(200, 18, 20, 18)
    pixels = [second.pixelColor(x, y) for x in range(20) for y in range(18)]
    assert any(one.green() > one.red() + 60 for one in pixels), "the sign of the second series, beside the first"
    widget.resize(200, 100)
    assert widget.plot_rect().top() > low.top()
