"""The tables: what is asked, comparing, filtering, ranges, and the link with the timeline both ways."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from defect_files import load_path
from PySide6.QtCore import Qt
from PySide6.QtGui import QFont, QFontMetrics
from PySide6.QtWidgets import QPushButton
from pytestqt.qtbot import QtBot
from side_view_contract import keeps_the_contract
from side_view_samples import traces_only

from profviz.analysis.sides import make_side
from profviz.model.questions import Question
from profviz.model.results import Results
from profviz.model.short_names import short_name
from profviz.ui.answers import Answers
from profviz.ui.view_state import Alignment, Pick, Selection, TimeRange, TimeWindow, ViewState
from profviz.ui.views.tables import layout
from profviz.ui.views.tables.keys import ACTIONS, TABLES
from profviz.ui.views.tables.view import SPEC, TablesView
from profviz.ui.widgets.palette import DARK
from profviz.ui.widgets.panel_text import ToggleButton

SAMPLES = Path(__file__).parents[2] / "samples" / "traces"
IDS = [id_ for id_, _ in TABLES]
TRITON = "triton_poi_fused_relu_0"


@lru_cache(maxsize=1)
def results() -> Results:
    sides = [
        make_side(id=name, title=f"mlp.{name}.json.gz", trace=load_path(SAMPLES / f"mlp_{name}.json.gz")[0], notes=())
        for name in ("eager", "compiled")
    ]
    return Results("mlp", "", tuple(sides), (), (), ())


class Opened:
    """A view that is shown with answers, and what it asked for."""

    def __init__(self, qtbot: QtBot, shown: Results) -> None:
        self.qtbot, self.state, self.answers, self.picks = qtbot, ViewState(), Answers(), []
        self.asked: list[Question] = []
        ask = self.answers.ask

        def listen(question: Question, then: Callable[..., Any]) -> None:
            self.asked.append(question)
            ask(question, then)

        self.answers.ask = listen  # type: ignore[method-assign]
        self.state.answers = self.answers
        self.state.picked.connect(self._select)
        self.view = TablesView(self.state, DARK)
        qtbot.addWidget(self.view)
        self.view.resize(1400, 300)
        self.answers.show_results(shown)
        self.state.reset(TimeWindow(0, 1_000_000))
        self.view.show_results(shown)
        self.view.show()
        self.wait()

    def _select(self, pick: Pick) -> None:
        self.picks.append(pick)
        self.state.select(Selection(pick, slices=((pick.side, pick.slice),)))

    def wait(self) -> None:
        self.qtbot.waitUntil(lambda: self.view._asked is None and self.view._want() == self.view._wanted)

    def choose(self, *, table: str = "", side: int = -1) -> None:
        if table:
            self.view.kinds.row.button(IDS.index(table)).click()
        if side >= 0:
            self.view.sides.row.button(side).click()
        self.wait()

    def cells(self, id_: str) -> list[str]:
        rows = self.view.table.rows
        column = next(one for one in rows.columns if one.id == id_)
        return [column.text(rows.row_at(place)) for place in range(rows.rowCount())]

    def marked(self) -> list[str]:
        """The first cells of the selected rows."""
        first = self.cells(self.view.table.rows.columns[0].id)
        return [first[place] for place in self.view.table.selected_places()]


@pytest.fixture
def opened(qtbot: QtBot) -> Iterator[Opened]:
    made = Opened(qtbot, results())
    yield made
    made.answers.close()


def name_of(pick: Pick) -> str:
    return results().sides[pick.side].trace.name_of(pick.slice)


def test_contract(qtbot: QtBot) -> None:
    keeps_the_contract(qtbot, SPEC)


def test_kernels_come_first_and_operators_where_there_is_no_gpu_work(opened: Opened) -> None:
    assert opened.view.shown is not None
    assert opened.view.shown.table.title == "Kernels"
    assert opened.cells("calls") == ["3", "3", "3"]
    assert opened.cells("bytes") == ["–"] * 3
    column = next(one for one in opened.view.table.rows.columns if one.id == "bytes")
    assert column.tip is not None
    assert column.tip(0) == "The trace tells bytes of copies and fills only"
    bare = Results("", "", (make_side(id="a", title="a", trace=load_path(DEFECT)[0], notes=()),), (), (), ())
    assert layout.first_table(bare) == 1


DEFECT = Path(__file__).parents[1] / "defects" / "cpu_only.json"


def test_every_table_shows_or_says_why_not(opened: Opened) -> None:
    for id_ in IDS:
        opened.choose(table=id_)
        sentence = opened.view.body.currentWidget() is opened.view.sentence
        assert sentence == (id_ in ("memory", "fusions"))
        assert opened.view.sentence.text() if sentence else opened.view.footer.text()
    opened.choose(table="memory")
    assert opened.view.sentence.text() == "Memory was not recorded in this trace (profile_memory=True does)"


def test_a_hidden_table_asks_for_nothing_until_it_is_seen(qtbot: QtBot) -> None:
    made = Opened(qtbot, results())
    made.view.hide()
    count = len(made.asked)
    made.view.kinds.row.button(2).click()
    made.state.show_ranges((TimeRange(0, 10),))
    assert len(made.asked) == count
    made.view.show()
    made.wait()
    assert [question.args[0] for question in made.asked[count:]] == ["launches"]
    made.answers.close()


def test_a_click_picks_the_first_slice_and_enter_and_n_go_on(opened: Opened, qtbot: QtBot) -> None:
    table = opened.view.table
    qtbot.mouseClick(table.viewport(), Qt.MouseButton.LeftButton, pos=table.visualRect(table.rows.index(1, 0)).center())
    for key in (Qt.Key.Key_Return, Qt.Key.Key_N, Qt.Key.Key_N):
        qtbot.keyClick(table, key)
    qtbot.keyClick(table, Qt.Key.Key_N, Qt.KeyboardModifier.ShiftModifier)
    assert {name_of(pick) for pick in opened.picks} == {opened.cells("name")[1]}
    start = results().sides[0].trace.slices.start_ns
    times = [int(start[pick.slice]) for pick in opened.picks]
    assert times == [*sorted(set(times)), times[0], times[2]], "three calls, round to the first, back to the last"
    assert opened.view.place.text() == "3 of 3"


def test_arrow_keys_pick_and_shift_only_extends(opened: Opened, qtbot: QtBot) -> None:
    table = opened.view.table
    table.mark({0})
    qtbot.keyClick(table, Qt.Key.Key_Down)
    assert [name_of(pick) for pick in opened.picks] == [opened.cells("name")[1]]
    qtbot.keyClick(table, Qt.Key.Key_Down, Qt.KeyboardModifier.ShiftModifier)
    assert len(opened.picks) == 1
    assert table.selected_places() == [1, 2]


def test_a_slice_of_the_timeline_marks_its_row_in_each_table(opened: Opened) -> None:
    side = results().sides[1]
    kernel = next(one for one in side.trace.gpu.slice.tolist() if side.trace.name_of(one) == TRITON)
    opened.state.select(Selection(Pick(side=1, slice=kernel), slices=((1, kernel),)))
    opened.wait()
    assert opened.view.sides.current == 1
    assert opened.marked() == [TRITON]
    opened.choose(table="launches")
    assert [opened.cells("kernel")[place] for place in opened.view.table.selected_places()] == [TRITON]
    opened.choose(table="operators")
    assert opened.marked() == [side.trace.name_of(int(side.links.op[kernel]))]
    opened.choose(table="steps")
    launched = side.trace.slices.start_ns[side.links.launch[kernel]]
    step = next(at for at, one in enumerate(side.steps, start=1) if one.start_ns <= launched < one.end_ns)
    assert opened.marked() == [str(step)]
    opened.choose(table="kernels", side=2)
    assert opened.marked() == [TRITON]
    assert opened.picks == []


def test_comparing_joins_by_name_and_unknown_is_not_zero(opened: Opened, qtbot: QtBot) -> None:
    opened.choose(side=2)
    assert opened.view.comparing
    place = opened.cells("name").index(TRITON)
    titles = [column.title for column in opened.view.table.rows.columns]
    assert titles[2:6] == ["calls, eager", "calls, compiled", "total, eager", "total, compiled"]
    assert opened.cells("count_left")[place] == "–"
    assert opened.cells("total_ns_change")[place].startswith("+")
    assert opened.cells("total_ns_ratio")[place] == "–"
    assert "difference: compiled less eager" in opened.view.footer.text()
    opened.view.table.chosen.emit(opened.view.table.rows.identity_at(place))
    opened.view.table.stepped.emit(opened.view.table.rows.identity_at(place), 1)
    assert [pick.side for pick in opened.picks] == [1, 1]
    assert [name_of(pick) for pick in opened.picks] == [TRITON] * 2
    eager_only = next(at for at, calls in enumerate(opened.cells("count_right")) if calls == "–")
    opened.view.table.chosen.emit(opened.view.table.rows.identity_at(eager_only))
    assert opened.picks[-1].side == 0


def test_a_joined_row_stands_for_all_rows_of_its_text(opened: Opened) -> None:
    opened.choose(table="launches", side=2)
    row = opened.view.table.rows.identity_at(0)
    shown = opened.view.shown
    assert shown is not None
    api = opened.cells("api")[0]
    trace = results().sides[shown.side_of(row)].trace
    slices = shown.slices_of(row)
    assert len(slices) > 1
    assert {trace.name_of(one) for one in slices.tolist()} == {api}
    assert (np.diff(trace.slices.start_ns[slices]) > 0).all()
    opened.view.table.chosen.emit(row)
    assert opened.marked() == [api]


def test_the_marked_range_limits_tables_on_request_in_each_sides_own_time(opened: Opened) -> None:
    view = opened.view
    assert view.in_range.isHidden()
    step = results().sides[0].steps[1]
    opened.state.align(Alignment((100, 250)))
    opened.state.show_ranges((TimeRange(step.start_ns - 100, step.end_ns - 100),))
    assert not view.in_range.isHidden()
    opened.wait()
    assert opened.asked[-1].args == ("kernels",)
    view.in_range.click()
    opened.wait()
    assert opened.asked[-1].args == ("kernels", ((step.start_ns, step.end_ns),))
    assert opened.cells("calls") == ["1", "1", "1"]
    assert "only in the range" in view.footer.text()
    opened.choose(side=2)
    first, second = opened.asked[-1].args[3:]
    assert second == ((first[0][0] + 150, first[0][1] + 150),)
    opened.state.show_ranges(())
    opened.wait()
    assert view.in_range.isHidden()
    assert opened.asked[-1].args == ("kernels", 0, 1)


def test_ranges_that_change_fast_are_asked_for_one_at_a_time(opened: Opened) -> None:
    opened.state.show_ranges((TimeRange(0, 10),))
    opened.view.in_range.click()
    opened.wait()
    count = len(opened.asked)
    for end in range(100, 120):
        opened.state.show_ranges((TimeRange(0, end),))
    opened.wait()
    assert len(opened.asked) == count + 2, "the first and, when that was answered, the last"
    assert opened.asked[-1].args == ("kernels", ((0, 119),))


def test_long_names_are_cut_to_what_tells_and_kept_whole_elsewhere(opened: Opened) -> None:
    table = opened.view.table
    place = opened.cells("name").index("clamp_scalar · vectorized_elementwise_kernel")
    column, row = table.rows.columns[0], table.rows.identity_at(place)
    assert column.tip is not None
    assert column.copy is not None
    assert column.tip(row) == column.copy(row)
    assert column.tip(row).startswith("void at::native::vectorized_elementwise_kernel<")
    opened.view.filter.setText("at::native")
    assert len(opened.cells("name")) == 1
    opened.view.filter.clear()
    table.sort_by(0)
    assert opened.cells("name") == sorted(opened.cells("name"), key=str.casefold)


def test_the_filter_counts_what_it_leaves(opened: Opened) -> None:
    opened.view.filter.setText("gemm total>8us")
    assert len(opened.cells("name")) == 1
    assert opened.view.footer.text().startswith("1 of 3 rows · ")
    opened.view.filter.clear()
    assert opened.view.footer.text().startswith("9 kernels · 3 distinct names")


def test_the_rows_as_shown_are_what_is_exported(opened: Opened, qtbot: QtBot) -> None:
    wanted: list[Any] = []
    opened.state.export_wanted.connect(lambda *said: wanted.append(said))
    opened.view.filter.setText("gemm")
    opened.view.table.sort_by(0)
    menu = opened.view.build_menu()
    next(action for action in menu.actions() if action.text() == "Export these rows…").trigger()
    menu.deleteLater()
    ((table, rows),) = wanted
    names = table.column("name")
    assert [short_name(names.texts[names.values[row]]) for row in rows.tolist()] == opened.cells("name")
    assert len(rows) == 2


def test_a_chosen_step_is_shown_where_its_sides_timeline_has_it(opened: Opened) -> None:
    opened.choose(table="steps", side=1)
    opened.state.align(Alignment((0, 15_000)))
    opened.view.table.chosen.emit(1)
    step = results().sides[1].steps[1]
    end_ns = max(step.end_ns, step.gpu_last_ns or 0)
    assert opened.state.window == TimeWindow(step.start_ns - 15_000, end_ns - 15_000)
    assert name_of(opened.picks[0]) == f"ProfilerStep#{step.number}"


def test_choices_fold_where_there_is_no_room_and_still_choose(opened: Opened, qtbot: QtBot) -> None:
    view = opened.view
    assert not view.kinds.row.isHidden()
    view.resize(560, 300)
    assert view.kinds.row.isHidden()
    view.kinds.box.setCurrentIndex(2)
    view.kinds.box.activated.emit(2)
    opened.wait()
    assert opened.asked[-1].args == ("launches",)
    view.resize(1400, 300)
    assert view.kinds.row.button(2).isChecked()


def test_every_action_does_what_it_says(opened: Opened, qtbot: QtBot) -> None:
    deeds = opened.view.deeds
    assert set(deeds) == {action.id for action in ACTIONS if not action.mouse}
    usable = {id_ for id_, deed in deeds.items() if deed.usable()}
    assert set(deeds) - usable == {"next_slice", "previous_slice", "in_range"}
    deeds["launches"].run()
    opened.wait()
    assert opened.asked[-1].args == ("launches",)
    opened.view.table.mark({0})
    opened.state.show_ranges((TimeRange(0, 10),))
    assert all(deed.usable() for deed in opened.view.deeds.values())
    deeds["in_range"].run()
    assert opened.view.in_range.isChecked()
    opened.wait()
    with qtbot.waitSignal(opened.state.export_wanted):
        deeds["export"].run()


def test_ctrl_f_goes_to_the_filter(opened: Opened, qtbot: QtBot) -> None:
    opened.view.activateWindow()
    opened.view.table.setFocus()
    qtbot.keyClick(opened.view.table, Qt.Key.Key_F, Qt.KeyboardModifier.ControlModifier)
    assert opened.view.filter.hasFocus()


def test_new_results_keep_the_table_that_was_chosen(opened: Opened) -> None:
    opened.choose(table="launches")
    opened.answers.show_results(results())
    opened.view.show_results(results())
    opened.wait()
    assert opened.view.shown is not None
    assert opened.view.shown.table.title == "Launches"


def test_titles_lose_what_they_have_in_common() -> None:
    assert layout.short_titles(["gpt2.eager.json.gz", "gpt2.compiled.json.gz"]) == ["eager", "compiled"]
    assert layout.short_titles(["a", "a.b"]) == ["a", "a.b"]
    assert layout.short_titles(["same", "same"]) == ["same", "same"]
    assert layout.short_titles(["Eager", "Compiled"]) == ["Eager", "Compiled"]
    assert layout.short_titles(["one.json"]) == ["one.json"]


def test_the_side_that_is_on_has_room_for_its_bold_title(qtbot: QtBot) -> None:
    view = TablesView(ViewState(), DARK)
    qtbot.addWidget(view)
    view.show_results(traces_only())
    button = view.findChildren(ToggleButton)[0]
    bold = QFont(button.font())
    bold.setWeight(QFont.Weight.DemiBold)
    plain = QPushButton(button.text(), view)
    plain.setCheckable(True)
    plain.ensurePolished()
    gained = QFontMetrics(bold).horizontalAdvance(button.text()) - button.fontMetrics().horizontalAdvance(button.text())
    assert button.sizeHint().width() == plain.sizeHint().width() + max(0, gained)
