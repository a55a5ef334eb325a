"""Large tables: sorting and filtering by numpy columns, how units read, hidden columns, steps and copying."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from PySide6.QtCore import Qt
from PySide6.QtGui import QGuiApplication
from pytestqt.qtbot import QtBot

from profviz.ui.widgets import table_view
from profviz.ui.widgets.palette import DARK
from profviz.ui.widgets.table_arrays import array_columns
from profviz.ui.widgets.table_filter import rows_passing
from profviz.ui.widgets.table_values import UNKNOWN, Values, stable_order
from profviz.ui.widgets.table_view import TableView

NS = 1_777_000_000_000_000_123


class Unit(Enum):
    TEXT = "text"
    NS = "ns"
    COUNT = "count"
    SHARE = "share"
    BYTES = "bytes"
    RATIO = "ratio"
    GBPS = "GB/s"
    MOMENT = "moment"
    ADDRESS = "address"


@dataclass
class Part:
    id: str
    title: str
    unit: Unit
    values: Any
    texts: tuple[str, ...] = ()
    about: str = ""
    unknown: str = ""
    is_change: bool = False


def parts() -> tuple[Part, ...]:
    return (
        Part("name", "kernel", Unit.TEXT, np.array([1, 0, 1, UNKNOWN]), ("gemm<4>", "Relu"), "by name", "no name"),
        Part("total_ns", "total", Unit.NS, np.array([5_120, UNKNOWN, 1_000_000, 999]), (), "a sum", "not said"),
        Part("delay_ns", "launch delay", Unit.NS, np.array([-3_000, 7, 2_000, UNKNOWN])),
        Part("share", "share", Unit.SHARE, np.array([0.5, 0.05, np.nan, 0.25])),
        Part("bytes", "size", Unit.BYTES, np.array([0, 2048, 3 << 20, 5])),
    )


def columns() -> tuple[Any, ...]:
    return array_columns(parts(), np.zeros(0))


def passing(text: str) -> list[int]:
    return np.flatnonzero(rows_passing(text, columns(), 4)).tolist()


KEYS = st.lists(st.sampled_from([-NS, -1, 0, 1, 2, NS, NS + 1]), max_size=30)


@given(KEYS, st.booleans(), st.booleans())
def test_orders_are_exact_and_stable(keys: list[int], descending: bool, near: bool) -> None:  # noqa: FBT001
    values = np.array([key % 7 if near else key for key in keys], dtype=np.int64)
    expected = sorted(range(len(keys)), key=lambda at: -int(values[at]) if descending else int(values[at]))
    assert stable_order(values, descending=descending).tolist() == expected
    assert stable_order(values.astype(np.float64) / 3, descending=descending).tolist() == sorted(
        range(len(keys)), key=lambda at: (-1 if descending else 1) * float(values[at]) / 3
    )


def test_unknown_is_last_either_way_and_texts_sort_by_what_they_say() -> None:
    total, names = Values(np.array([5, UNKNOWN, 3, 5])), Values(np.array([0, 2, UNKNOWN, 1]), ("b", "A", "a"))
    assert total.order(descending=False).tolist() == [2, 0, 3, 1]
    assert total.order(descending=True).tolist() == [0, 3, 2, 1]
    assert names.order(descending=False).tolist() == [1, 3, 0, 2]
    assert names.order(descending=True).tolist() == [0, 1, 3, 2]
    assert total.order(descending=True) is total.order(descending=True), "worked out once"
    assert Values(np.array([0.5, np.nan, 0.1])).order(descending=False).tolist() == [2, 0, 1]


@pytest.mark.parametrize(
    ("text", "rows"),
    [
        ("", [0, 1, 2, 3]),
        ("relu", [0, 2]),
        ("GEMM<4>", [1]),
        ("relu nothing", []),
        ("total>5.12us", [2]),
        ("total>=5.12us", [0, 2]),
        ("total<=5120", [0, 3]),
        ("total<5.1205µs", [0, 3]),
        ("total!=999", [0, 2]),
        ("total=1ms", [2]),
        ("total_ns=999ns", [3]),
        ("delay<0", [0]),
        ('"launch delay">=7ns', [1, 2]),
        ("launch>1 total>1us", [2]),
        ("share>5%", [0, 3]),
        ("share=0.05", [1]),
        ("size>=2KiB", [1, 2]),
        ("size>2kb", [1, 2]),
        ("kernel=relu", [0, 2]),
        ("kernel!=relu", [1]),
        ("total>9e99", []),  # no number: a word that no row holds
        ("gemm<4", [1]),
        ("nothing>1ms", []),
        ("total>99999999999999999999s", []),
        ("total>-99999999999999999999s", [0, 2, 3]),
    ],
)
def test_words_and_comparisons(text: str, rows: list[int]) -> None:
    assert passing(text) == rows


def test_cells_read_with_their_unit_and_unknown_says_why() -> None:
    name, total, delay, share, size = columns()
    assert [name.text(row) for row in range(4)] == ["Relu", "gemm<4>", "Relu", "–"]
    assert [total.text(row) for row in range(3)] == ["5.12 µs", "–", "1.00 ms"]
    assert (total.tip(0), total.tip(1), name.tip(3)) == ("5.120 µs", "not said", "no name")
    assert (total.copy(2), total.copy(1), name.copy(3)) == ("1000000", "", "")
    assert [delay.text(0), share.text(0), share.text(2), size.text(1)] == ["-3.00 µs", "50.0 %", "–", "2.00 KiB"]
    assert size.tip(2) == "3 145 728 B"
    others = (
        Part("a", "a", Unit.RATIO, np.array([1.5])),
        Part("b", "b", Unit.GBPS, np.array([1594.1])),
        Part("c", "c", Unit.MOMENT, np.array([7_108_755])),
        Part("d", "d", Unit.ADDRESS, np.array([139_904_023_527_424])),
        Part("e", "e", Unit.NS, np.array([-33_312]), is_change=True),
    )
    made = array_columns(others, np.zeros(0), titles={"e": "difference"})
    assert [one.text(0) for one in made] == ["1.50×", "1 594 GB/s", "7 108.755 µs", "0x7f3df1a00000", "−33.3 µs"]
    assert (made[4].title, made[4].tone(0)) == ("difference", "good")


def shown(qtbot: QtBot) -> TableView:
    table = TableView(DARK, name="table", steps=True)
    qtbot.addWidget(table)
    table.resize(900, 240)
    table.show_table(columns(), range(4))
    table.show()
    return table


def order(table: TableView) -> list[int]:
    return table.rows.order.tolist()


def test_the_widget_sorts_and_filters_by_arrays_and_keeps_what_is_marked(qtbot: QtBot) -> None:
    table = shown(qtbot)
    table.mark({0})
    table.sort_by(1)
    assert order(table) == [2, 0, 3, 1]
    assert table.selected_places() == [1]
    table.set_filter("total<1ms")
    assert order(table) == [0, 3]
    assert table.selected_places() == [0]
    table.set_filter("")
    table.sort_by(1)
    assert order(table) == [3, 0, 2, 1]


def test_enter_and_n_step_through_a_row_and_shift_goes_back(qtbot: QtBot) -> None:
    table, steps, chosen = shown(qtbot), [], []
    table.stepped.connect(lambda row, way: steps.append((row, way)))
    table.chosen.connect(chosen.append)
    table.mark({2})
    for key, shift in (
        (Qt.Key.Key_Return, False),
        (Qt.Key.Key_N, False),
        (Qt.Key.Key_N, True),
        (Qt.Key.Key_Enter, True),
    ):
        qtbot.keyClick(table, key, Qt.KeyboardModifier.ShiftModifier if shift else Qt.KeyboardModifier.NoModifier)
    assert steps == [(2, 1), (2, 1), (2, -1), (2, -1)]
    assert chosen == []
    qtbot.keyClick(table, Qt.Key.Key_Up)
    assert chosen == [1]


def test_columns_are_hidden_from_the_menu_and_the_first_stays(qtbot: QtBot) -> None:
    table = shown(qtbot)
    menu = table.build_menu()
    chooser = next(action.menu() for action in menu.actions() if action.text() == "Columns")
    assert [action.text() for action in chooser.actions()] == ["total", "launch delay", "share", "size"]
    with qtbot.waitSignal(table.columns_changed):
        chooser.actions()[0].trigger()
    assert table.isColumnHidden(1)
    table.show_column("name", shown=False)
    assert not table.isColumnHidden(0)
    table.show_table((), ())
    table.show_table(columns(), range(4))
    assert table.isColumnHidden(1)
    table.show_column("total_ns", shown=True)
    assert not table.isColumnHidden(1)
    menu.deleteLater()


def test_copying_more_than_fits_says_so(qtbot: QtBot, monkeypatch: pytest.MonkeyPatch) -> None:
    table, told = shown(qtbot), []
    table.copied.connect(lambda copied, total: told.append((copied, total)))
    monkeypatch.setattr(table_view, "MOST_COPIED", 3)
    table.copy()
    table.mark({1, 2})
    table.copy()
    assert told == [(3, 4), (2, 2)]
    assert QGuiApplication.clipboard().text().split("\n")[1:] == [
        "gemm<4>\t\t7\t0.05\t2048",
        "Relu\t1000000\t2000\t\t3145728",
    ]


def test_heads_say_what_columns_hold(qtbot: QtBot) -> None:
    rows = shown(qtbot).rows
    tip = rows.headerData(1, Qt.Orientation.Horizontal, Qt.ItemDataRole.ToolTipRole)
    assert "a sum" in tip
    assert rows.headerData(4, Qt.Orientation.Horizontal, Qt.ItemDataRole.ToolTipRole) is None
