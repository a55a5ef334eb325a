"""Sorting and filtering of the table widget."""

from __future__ import annotations

from pytestqt.qtbot import QtBot

from profviz.ui.widgets.palette import DARK
from profviz.ui.widgets.table_columns import Column
from profviz.ui.widgets.table_sort import matching, sort_order, to_tsv
from profviz.ui.widgets.table_view import LEAST_STRETCH, MOST_NAME, TableView


def test_integers_beyond_float_sort_exactly() -> None:
    big = 2**60
    assert sort_order([big + 1, big, big + 2], descending=False).tolist() == [1, 0, 2]
    assert sort_order([big + 1, big, big + 2], descending=True).tolist() == [2, 0, 1]


def test_ties_keep_their_order_and_unknown_is_last_either_way() -> None:
    assert sort_order([2, None, 1, 2], descending=False).tolist() == [2, 0, 3, 1]
    assert sort_order([2, None, 1, 2], descending=True).tolist() == [0, 3, 2, 1]
    assert sort_order([None, None], descending=True).tolist() == [0, 1]
    assert sort_order(["b", "A", "a"], descending=False).tolist() == [1, 2, 0]


def test_every_word_must_be_there() -> None:
    assert matching(["add mul", "mul", "addmm"], "MUL add").tolist() == [0]


def test_tsv_keeps_its_shape() -> None:
    assert to_tsv(["a", "b"], [["x\ty", "line\nend"]]) == "a\tb\nx y\tline end"


def test_a_stretch_column_takes_the_rest_and_never_vanishes(qtbot: QtBot) -> None:
    table = TableView(DARK, name="table")
    qtbot.addWidget(table)
    table.show_table((Column("name", str, stretch=True), Column("n", str, width=300)), (1, 2))
    table.show()
    table.resize(900, 200)
    assert table.columnWidth(0) == table.viewport().width() - 300
    table.resize(320, 200)
    assert table.columnWidth(0) == LEAST_STRETCH
    assert table.columnWidth(1) == 300


def test_on_a_wide_screen_names_of_code_stay_beside_their_numbers(qtbot: QtBot) -> None:
    table = TableView(DARK, name="table")
    qtbot.addWidget(table)
    table.show_table((Column("name", str, stretch=True, mono=True), Column("n", str, width=300)), (1, 2))
    table.show()
    table.resize(3000, 200)
    assert table.columnWidth(0) == MOST_NAME
    table.show_table((Column("words", str, stretch=True), Column("n", str, width=300)), (1, 2))
    assert table.columnWidth(0) == table.viewport().width() - 300
