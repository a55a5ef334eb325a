"""A curve over places in an order: what the mouse and the keys reach, and that every drop is drawn."""

from __future__ import annotations

import numpy as np
import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QColor
from pytestqt.qtbot import QtBot

from profviz.ui.widgets.order_plot import AXIS, HEAD, OrderPlot, OrderPlotData, OrderSeries
from profviz.ui.widgets.palette import DARK, LIGHT


def data(places: int) -> OrderPlotData:
    values = np.arange(places, -1, -1, dtype=np.int64)
    return OrderPlotData(
        "kept", (OrderSeries("kept", values),), places, lambda value: f"{value:.0f} B", lambda at: f"#{at}"
    )


@pytest.fixture
def plot(qtbot: QtBot) -> OrderPlot:
    made = OrderPlot(DARK, name="Curve")
    qtbot.addWidget(made)
    made.resize(AXIS + 4 + 400, 100)
    made.show_data(data(4))
    return made


def test_the_mouse_chooses_the_place_below_it(plot: OrderPlot, qtbot: QtBot) -> None:
    found: list[int] = []
    plot.chosen.connect(found.append)
    for x in (AXIS + 1, AXIS + 150, AXIS + 399):
        qtbot.mouseClick(plot, Qt.MouseButton.LeftButton, pos=QPoint(x, 60))
    assert found == [0, 1, 3]


def test_keys_stop_at_the_ends(plot: OrderPlot, qtbot: QtBot) -> None:
    found: list[int] = []
    plot.chosen.connect(found.append)
    plot.chosen.connect(plot.mark)
    for key in (Qt.Key.Key_Right, Qt.Key.Key_Right, Qt.Key.Key_PageDown, Qt.Key.Key_Right, Qt.Key.Key_Left):
        qtbot.keyClick(plot, key)
    assert found == [0, 1, 3, 2]


def test_a_place_is_told_to_who_cannot_see_it(plot: OrderPlot) -> None:
    plot.mark(2)
    assert plot.accessibleDescription() == "#2; kept: 2 B"
    plot.mark(-1)
    assert plot.accessibleDescription() == ""


@pytest.mark.parametrize("places", [0, 1, 3, 100_000])
@pytest.mark.parametrize("palette", [DARK, LIGHT])
def test_it_paints_whatever_the_length(plot: OrderPlot, places: int, palette: object) -> None:
    plot.apply(palette)  # type: ignore[arg-type]
    plot.show_data(data(places) if places else OrderPlotData("none"))
    plot.mark(places // 2)
    assert not plot.grab().isNull()


def test_the_filled_area_falls_where_the_values_do(plot: OrderPlot) -> None:
    plot.show_data(OrderPlotData("kept", (OrderSeries("kept", np.array([100, 100, 0, 0, 0])),), 4, str, str))
    image = plot.grab().toImage()
    lane = QColor(DARK.lane)
    middle = (HEAD + 100 - 6) // 2
    assert image.pixelColor(AXIS + 100, middle) != lane
    assert image.pixelColor(AXIS + 300, middle) == lane
