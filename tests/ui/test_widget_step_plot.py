"""Step functions as pixel columns against looking at every moment, and a plot that paints them."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from PySide6.QtGui import QColor
from pytestqt.qtbot import QtBot

from profviz.ui.widgets.palette import DARK, LIGHT, Palette
from profviz.ui.widgets.step_columns import column_edges, step_extremes, value_at
from profviz.ui.widgets.step_plot import AXIS, HEAD, StepPlot
from profviz.ui.widgets.step_values import StepMark, StepPlotData, StepSeries


@given(
    st.lists(st.tuples(st.integers(0, 60), st.integers(0, 9)), max_size=12).map(
        lambda pairs: sorted(pairs, key=lambda p: p[0])
    ),
    st.integers(-5, 40),
    st.integers(1, 50),
    st.integers(1, 12),
)
def test_a_column_has_the_extremes_of_all_its_moments(
    steps: list[tuple[int, int]], start: int, width: int, columns: int
) -> None:
    time = np.array([t for t, _ in steps], dtype=np.int64)
    value = np.array([v for _, v in steps], dtype=np.int64)
    edges = column_edges(start, start + width, columns)
    low, high = step_extremes(time, value, edges)
    assert (edges[0], edges[-1]) == (start, start + width)
    for at in range(columns):
        begin, end = int(edges[at]), int(edges[at + 1])
        seen = [v for t, v in steps if begin < t < end or (t == begin and end > begin)]
        held = value_at(time, value, begin)
        seen += [] if held is None else [held]
        if seen:
            assert (low[at], high[at]) == (min(seen), max(seen))
        else:
            assert np.isnan(low[at])
            assert np.isnan(high[at])


def data(*, top: float = 10.0) -> StepPlotData:
    time = np.array([0, 400, 500, 501], dtype=np.int64)
    series = (
        StepSeries("held", time, np.array([2, 5, 10, 1])),
        StepSeries("room", time, np.array([10, 10, 10, 10]), dashed=True),
    )
    return StepPlotData(0, "<b>plot</b>", series, top, lambda value: f"{value:.0f} B", (StepMark(500, 10.0, "peak"),))


@pytest.mark.parametrize("palette", [DARK, LIGHT], ids=["dark", "light"])
def test_a_spike_of_one_nanosecond_is_seen(qtbot: QtBot, palette: Palette) -> None:
    plot = StepPlot(palette, data())
    qtbot.addWidget(plot)
    plot.resize(AXIS + 204, plot.height())
    plot.show_span((0, 1_000_000), (0, 1_000_000))
    plot.show()
    image = plot.grab().toImage()
    column = [QColor(image.pixel(AXIS, y)).name() for y in range(HEAD + 12, HEAD + 60)]
    assert column.count(palette.accent) > 30


def test_moments_and_places_agree_and_the_tip_says_values(qtbot: QtBot) -> None:
    plot = StepPlot(DARK, data())
    qtbot.addWidget(plot)
    plot.resize(500, plot.height())
    plot.show_span((0, 1_000), (200, 700))
    for moment in (0, 250, 1_000):
        assert abs(plot.time_at(plot.x_of(moment)) - moment) <= 1
    assert plot.told_at(450) == "at 450 ns\nheld: 5 B\nroom: 10 B"
    assert plot.told_at(-1).splitlines()[1] == "held: unknown"
