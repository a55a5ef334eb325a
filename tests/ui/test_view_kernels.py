"""The kernel table: rows, sorting, comparison, picking and highlighting."""

from __future__ import annotations

from dataclasses import replace

from PySide6.QtCore import Qt
from PySide6.QtGui import QFont, QFontMetrics, QGuiApplication
from PySide6.QtWidgets import QPushButton
from pytestqt.qtbot import QtBot
from side_view_contract import keeps_the_contract, made
from side_view_samples import TRITON, full, side

from profviz.model.results import Results
from profviz.ui.view_state import Pick, Selection
from profviz.ui.views.kernels import layout
from profviz.ui.views.kernels.view import SPEC, KernelsView
from profviz.ui.widgets.panel_text import ToggleButton


def view_of(qtbot: QtBot, results: Results) -> tuple[KernelsView, list[Pick]]:
    view, state = made(qtbot, SPEC)
    assert isinstance(view, KernelsView)
    view.resize(1200, 300)
    picks: list[Pick] = []
    state.picked.connect(picks.append)
    view.show_results(results)
    view.show()
    return view, picks


def names(view: KernelsView) -> list[str]:
    return [view.table.rows.row_at(place).name for place in range(view.table.rows.rowCount())]


def test_contract(qtbot: QtBot) -> None:
    keeps_the_contract(qtbot, SPEC)


def test_a_click_picks_the_first_slice_of_the_row(qtbot: QtBot) -> None:
    view, picks = view_of(qtbot, full())
    place = view.table.visualRect(view.table.rows.index(2, 0)).center()
    qtbot.mouseClick(view.table.viewport(), Qt.MouseButton.LeftButton, pos=place)
    row = full().sides[0].table[2]
    assert picks == [Pick(side=0, slice=row.first_slice)]
    assert full().sides[0].trace.name_of(picks[0].slice) == row.name


def test_arrow_keys_pick_and_shift_only_extends(qtbot: QtBot) -> None:
    view, picks = view_of(qtbot, full())
    view.table.mark({0})
    qtbot.keyClick(view.table, Qt.Key.Key_Down)
    assert picks == [Pick(side=0, slice=full().sides[0].table[1].first_slice)]
    qtbot.keyClick(view.table, Qt.Key.Key_Down, Qt.KeyboardModifier.ShiftModifier)
    assert len(picks) == 1
    assert view.table.selected_places() == [1, 2]


def test_a_selection_elsewhere_marks_rows_without_picking(qtbot: QtBot) -> None:
    view, picks = view_of(qtbot, full())
    results = full()
    gemm = next(row for row in results.sides[0].table if row.name.startswith("nvjet"))
    view._state.select(Selection(Pick(side=0, slice=gemm.first_slice), slices=((0, gemm.first_slice),)))
    assert [names(view)[place] for place in view.table.selected_places()] == [gemm.name]
    assert picks == []


def test_a_slice_of_another_side_brings_its_table_forward(qtbot: QtBot) -> None:
    view, _ = view_of(qtbot, full())
    view._state.select(Selection(Pick(side=1, slice=12), slices=((1, 12), (0, 24))))
    assert view.sides.button(1).isChecked()
    assert [names(view)[place] for place in view.table.selected_places()] == [TRITON]
    view.sides.button(0).click()
    assert len(view.table.selected_places()) == 1
    assert "vectorized" in names(view)[view.table.selected_places()[0]]


def test_sorting_turns_round_and_keeps_the_selection(qtbot: QtBot) -> None:
    table = tuple(replace(row, calls=calls) for row, calls in zip(full().sides[0].table, (3, 1, 2, 9), strict=True))
    results = replace(full(), sides=(replace(full().sides[0], table=table),))
    view, _ = view_of(qtbot, results)
    view.table.mark({1})
    calls = [column.title for column in view.table.rows.columns].index("calls")
    view.table.sort_by(calls)
    assert [view.table.rows.row_at(place).calls for place in range(4)] == [9, 3, 2, 1]
    assert view.table.selected_places() == [3]
    view.table.sort_by(calls)
    assert [view.table.rows.row_at(place).calls for place in range(4)] == [1, 2, 3, 9]
    assert view.table.selected_places() == [0]


def test_the_filter_takes_words_of_name_or_kind(qtbot: QtBot) -> None:
    view, _ = view_of(qtbot, full())
    view.filter.setText("TANH pointwise")
    assert len(names(view)) == 1
    assert "tanh_kernel" in names(view)[0]
    view.filter.setText("gemm")
    assert names(view) == ["nvjet_hsh_192x128"]
    view.filter.clear()
    assert len(names(view)) == 4


def test_copy_gives_tab_separated_exact_numbers(qtbot: QtBot) -> None:
    view, _ = view_of(qtbot, full())
    view.table.mark({2})
    qtbot.keyClick(view.table, Qt.Key.Key_C, Qt.KeyboardModifier.ControlModifier)
    header, row = QGuiApplication.clipboard().text().split("\n")
    assert header.split("\t")[:4] == ["kernel", "kind", "calls", "total"]
    assert row.split("\t")[:4] == ["nvjet_hsh_192x128", "GEMM", "3", "15369"]


def test_compare_joins_by_name_and_unknown_is_not_zero(qtbot: QtBot) -> None:
    view, picks = view_of(qtbot, full())
    view.sides.button(2).click()
    assert view.comparing
    rows = {pair.name: pair for pair in layout.pair_rows(*full().sides[:2])}
    assert rows[TRITON].first is None
    assert rows[TRITON].change_ns == 15_369
    assert rows["nvjet_hsh_192x128"].change_ns == 0
    columns = layout.pair_columns("Eager", "Compiled")
    assert [column.text(rows[TRITON]) for column in columns[2:]] == ["–", "3", "–", "15.4 µs", "+15.4 µs"]
    view.table.chosen.emit(rows[TRITON])
    assert picks == [Pick(side=1, slice=rows[TRITON].second.first_slice)]


def test_operators_are_called_operators() -> None:
    shown = replace(side(), table_of="operators")
    assert layout.table_columns("operators")[0].title == "operator"
    assert "4 distinct operators" in layout.footer(shown)


def test_traces_without_any_row_say_so() -> None:
    bare = Results("", "", (replace(side(), table=()),), (), (), ())
    assert layout.empty(bare) == "The traces hold neither kernels nor operators"


def test_the_side_that_is_on_has_room_for_its_bold_title(qtbot: QtBot) -> None:
    view, _ = view_of(qtbot, full())
    button = view.findChildren(ToggleButton)[0]
    bold = QFont(button.font())
    bold.setWeight(QFont.Weight.DemiBold)
    plain = QPushButton(button.text(), view)
    plain.setCheckable(True)
    plain.ensurePolished()
    gained = QFontMetrics(bold).horizontalAdvance(button.text()) - button.fontMetrics().horizontalAdvance(button.text())
    assert button.sizeHint().width() == plain.sizeHint().width() + max(0, gained)
