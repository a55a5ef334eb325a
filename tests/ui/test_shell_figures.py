"""The headline strip's share-out of its width."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pytestqt.qtbot import QtBot

from profviz.ui.widgets.shell_figures import CELL_MAX, HEAD_MAX, HEAD_MIN, Figure, FigureStrip, column_widths
from profviz.ui.widgets.shell_labels import ElidedLabel

CELLS = st.lists(
    st.tuples(st.integers(10, 150), st.integers(0, 200)).map(lambda pair: (pair[0], sum(pair))), min_size=1, max_size=9
)


@given(CELLS, st.integers(100, 2000), st.integers(1, 9))
def test_columns_stay_within_the_room(cells: list[tuple[int, int]], room: int, columns: int) -> None:
    columns = min(columns, len(cells))
    widths = column_widths(room, cells, columns=columns)
    assert len(widths) == columns
    assert sum(widths) <= room
    assert all(width >= 0 for width in widths)


@pytest.mark.parametrize(
    ("room", "widths"),
    [
        (1000, [100 + CELL_MAX - 100, 300]),  # room for all: the rest is shared out, but no cell grows beyond the most
        (400, [100, 300]),
        (300, [84, 216]),  # titles and values whole, details share what is left
        (160, [80, 80]),
        (80, [40, 40]),
    ],
)
def test_details_give_way_before_values_do(room: int, widths: list[int]) -> None:
    assert column_widths(room, [(80, 100), (80, 300)], columns=2) == pytest.approx(widths, abs=14)


def test_rows_share_their_columns() -> None:
    assert column_widths(200, [(10, 90), (10, 20), (50, 60), (10, 110)], columns=2) == [90, 110]


def test_a_long_title_takes_what_the_figures_leave(qtbot: QtBot) -> None:
    strip = FigureStrip()
    qtbot.addWidget(strip)
    strip.show_figures([Figure("kernels", "103 → 104", "1 % more"), Figure("busy", "37 %", "idle 3.83 ms")])
    strip.show_head("a model compiled with this and that  ·  the same model compiled with that and this " * 2)
    strip.show()
    title = next(own for own in strip.findChildren(ElidedLabel) if own.property("role") == "heading")
    strip.resize(2400, 80)
    assert title.width() >= title.sizeHint().width()
    assert all(cell.width() >= cell.widths()[1] for cell in strip.cells)
    strip.resize(500, 80)
    assert title.width() < HEAD_MAX < title.sizeHint().width()
    assert all(cell.width() >= cell.widths()[1] for cell in strip.cells)


def test_a_title_gives_way_to_values(qtbot: QtBot) -> None:
    strip = FigureStrip()
    qtbot.addWidget(strip)
    strip.show_figures([Figure("GPU busy", "29.99 % → 37.99 %")] * 4)
    strip.show_head("a model compiled with this and that  ·  the same model compiled with that and this")
    strip.show()
    strip.resize(240 + sum(cell.widths()[0] for cell in strip.cells), 80)
    assert all(cell.width() >= cell.widths()[0] for cell in strip.cells)
    assert HEAD_MIN <= strip.findChildren(ElidedLabel)[0].parentWidget().width() < 240


def test_a_low_strip_leaves_details_to_tool_tips(qtbot: QtBot) -> None:
    strip = FigureStrip()
    qtbot.addWidget(strip)
    strip.show_figures([Figure("busy", "37 %", "idle 3.83 ms with a longer detail than its value")])
    strip.show()
    high, wanted = strip.height(), strip.cells[0].widths()[1]
    strip.set_low(low=True)
    strip.show_figures(
        [Figure("busy", "37 %", "idle 3.83 ms with a longer detail than its value"), Figure("a", "1", "b")]
    )
    assert strip.height() < high
    assert all(cell.detail.isHidden() and cell.value.isVisible() for cell in strip.cells)
    assert strip.cells[0].widths()[1] < wanted
    assert "idle 3.83 ms" in strip.cells[0].toolTip()
    strip.set_low(low=False)
    assert not strip.cells[0].detail.isHidden()
