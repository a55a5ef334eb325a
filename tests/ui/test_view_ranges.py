"""Sums over the marked ranges: what is asked for which side, how it reads and is copied, and what is seen."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import pytest
from PySide6.QtGui import QGuiApplication
from pytestqt.qtbot import QtBot
from side_view_contract import keeps_the_contract, made
from side_view_samples import TRITON, full, nothing

from profviz.analysis.range_sums import answer_range, answer_range_pair
from profviz.model.questions import PairedTable, Question, Unanswered
from profviz.model.range_sums import RangeSums
from profviz.ui.answers import Answers
from profviz.ui.pages.results import ResultsPage
from profviz.ui.view_state import Alignment, Pick, Selection, TimeRange
from profviz.ui.views.histograms.view import SPEC as HISTOGRAMS
from profviz.ui.views.histograms.view import HistogramsView
from profviz.ui.views.ranges import layout
from profviz.ui.views.ranges.view import SPEC, RangesView
from profviz.ui.widgets.palette import DARK

ALIGNED = Alignment((0, 1_000))


def sums(side: int, start: int, end: int, what: str = "gpu") -> RangeSums:
    question = layout.question(side, (TimeRange(start, end),), ALIGNED, what)
    assert isinstance(question, Question)
    return answer_range(full(), question)


@pytest.fixture
def answers() -> Iterator[Answers]:
    made_here = Answers()
    made_here.show_results(full())
    yield made_here
    made_here.close()


def shown(qtbot: QtBot, answers: Answers) -> tuple[RangesView, list[Pick]]:
    view, state = made(qtbot, SPEC)
    assert isinstance(view, RangesView)
    state.answers = answers
    with qtbot.waitExposed(view):
        view.show()
    view.show_results(full())
    state.align(ALIGNED)
    picks: list[Pick] = []
    state.picked.connect(picks.append)
    return view, picks


def texts(view: RangesView) -> list[list[str]]:
    model = view.names.rows
    return [
        [model.index(row, column).data() for column in range(model.columnCount())] for row in range(model.rowCount())
    ]


def test_contract(qtbot: QtBot) -> None:
    keeps_the_contract(qtbot, SPEC)


def test_each_side_is_asked_in_its_own_time_on_its_own_tracks() -> None:
    ranges = (TimeRange(10, 20), TimeRange(30, 40, ((1, "1 GPU"), (1, "0 PYTHON"), (0, "counter 3"))))
    assert layout.question(0, ranges, ALIGNED, "cpu") == Question("range", 0, (((10, 20, ()),), "cpu"))
    on_second = ((1_010, 1_020, ()), (1_030, 1_040, ((1, "gpu"), (0, "python"))))
    assert layout.question(1, ranges, ALIGNED, "all") == Question("range", 1, (on_second, "all"))
    assert isinstance(layout.question(0, ranges[1:], ALIGNED, "all"), Unanswered)


@pytest.mark.parametrize(
    ("track", "part"),
    [
        ("3 GPU", (3, "gpu")),
        ("2 CPU", (2, "cpu")),
        ("2 QUIET_CPU", (2, "cpu")),
        ("2 CPU_ANNOTATION", (2, "cpu_annotation")),
        ("4 OTHER", (4, "")),
        ("graph 0 7", (-1, "graph 0 7")),
        ("steps", None),
        ("counter 3", None),
        ("memory 0", None),
    ],
)
def test_tracks_are_lanes_and_their_parts(track: str, part: tuple[int, str] | None) -> None:
    assert layout.part_of(track) == part


def test_every_track_of_slices_is_a_part() -> None:
    """The ids that the timelines give their tracks."""
    from profviz.ui.views.timeline.kinds.registry import KINDS
    from profviz.ui.views.timeline.tracks import Group

    slices = {"GPU", "CUDA_GRAPH", "CPU", "QUIET_CPU", "CPU_ANNOTATION", "PYTHON", "GPU_ANNOTATION", "OTHER"}
    assert slices <= {kind.group.name for kind in KINDS} <= {group.name for group in Group}
    assert all(layout.part_of(f"1 {name}") is not None for name in slices - {"CUDA_GRAPH"})


def test_one_sentence_says_how_much_and_how_busy() -> None:
    found = sums(0, 0, 20_000)
    ranges = (TimeRange(0, 20_000),)
    assert layout.summary(ranges, found) == "20.000 µs · 2 slices of GPU work · sum 10.2 µs · busy 10.2 µs (51.2 %)"
    assert layout.summary((*ranges, TimeRange(0, 1)), found).startswith("2 ranges, 20.000 µs together · ")
    assert layout.summary(ranges, sums(0, 10**9, 10**9 + 500)) == "500 ns · no slices of GPU work"


def test_names_of_both_sides_stand_under_each_other() -> None:
    question = layout.pair_question((TimeRange(0, 40_000),), ALIGNED, "gpu")
    assert question == Question("range pair", -1, (0, 1, ((0, 40_000, ()),), ((1_000, 41_000, ()),), "gpu"))
    pair = answer_range_pair(full(), question)
    assert isinstance(pair, PairedTable)
    columns = layout.pair_columns(pair, ("Eager", "another model compiled"))
    read = {tuple(column.text(row) for column in columns) for row in range(len(pair.table))}
    titles = [column.title for column in columns]
    assert titles[2:6] == ["slices, Eager", "slices, … model compiled", "total, Eager", "total, … model compiled"]
    assert (TRITON, "fused", "–", "2", "–", "10.2 µs", "+10.2 µs", "–") in read, "colour is not the only sign"
    nowhere = layout.pair_question((TimeRange(10**9, 2 * 10**9),), ALIGNED, "gpu")
    assert isinstance(nowhere, Question)
    assert isinstance(answer_range_pair(full(), nowhere), Unanswered)


def test_a_long_name_shows_what_it_does_and_is_copied_whole() -> None:
    name = "void at::native::vectorized_elementwise_kernel<4, at::native::CUDAFunctor_add<float>>(int)"
    found = sums(0, 0, 10**9).names
    first = replace(found.columns[0], texts=(name,) * len(found.columns[0].texts))
    column = layout.columns(replace(found, columns=(first, *found.columns[1:])))[0]
    assert column.text(0) == "add · vectorized_elementwise_kernel"
    assert column.tip(0) == column.copy(0) == name


def test_a_range_is_summed_up_and_a_row_picks_its_first_slice(qtbot: QtBot, answers: Answers) -> None:
    view, picks = shown(qtbot, answers)
    assert view.message == layout.HELP
    view._state.show_ranges((TimeRange(0, 30_000),))
    qtbot.waitUntil(lambda: view.names.rows.rowCount() == 3)
    assert view.summary.text().startswith("30.000 µs · 3 slices of GPU work")
    assert texts(view)[0][2:5] == ["1", "5.12 µs", "5.12 µs"]
    assert view.lanes.rows.rowCount() == 1
    view.names.chosen.emit(0)
    view.lanes.chosen.emit(0)
    assert picks == [Pick(side=0, slice=24), Pick(side=0, slice=24)]
    view.sides.row.button(2).click()
    qtbot.waitUntil(lambda: isinstance(view.found, PairedTable))
    assert view.lanes.isHidden()
    assert view.summary.text().endswith(" · difference: Compiled less Eager")
    table = view.found.table  # type: ignore[union-attr]
    rows = {table.column("name").texts[at]: row for row, at in enumerate(table.column("name").values)}
    view.names.chosen.emit(rows[TRITON])
    assert picks[-1] == Pick(side=1, slice=12)
    exported: list[object] = []
    view._state.export_wanted.connect(lambda *what: exported.extend(what))
    view.export.click()
    assert exported[0] is table
    view._state.show_ranges(())
    assert view.message == layout.HELP


def test_another_choice_is_asked_and_copied_exactly(qtbot: QtBot, answers: Answers) -> None:
    view, _ = shown(qtbot, answers)
    view._state.show_ranges((TimeRange(500, 2_500),))
    view.what.row.button(1).click()
    qtbot.waitUntil(lambda: view.names.rows.rowCount() == 2)
    view.copy.click()
    lines = [line.split("\t") for line in QGuiApplication.clipboard().text().splitlines()]
    assert lines[1][:5] == ["aten::op", "operator", "1", "2000", "2000"]
    assert lines[2][:5] == ["cudaLaunchKernel", "operator", "1", "1500", "1500"]


def test_tracks_of_the_other_side_leave_nothing_to_sum_up(qtbot: QtBot, answers: Answers) -> None:
    view, _ = shown(qtbot, answers)
    view._state.show_ranges((TimeRange(0, 30_000, ((1, "1 GPU"),)),))
    view.sides.row.button(0).click()
    assert view.what.isHidden()
    assert view.summary.text() == "None of the chosen tracks has slices of this side to sum up."
    view.sides.row.button(1).click()
    qtbot.waitUntil(lambda: view.names.rows.rowCount() == 2)
    assert view.summary.text().startswith("30.000 µs · 3 slices of chosen tracks")


def test_while_it_is_hidden_or_a_range_is_dragged_little_is_asked(qtbot: QtBot) -> None:
    view, state = made(qtbot, SPEC)
    assert isinstance(view, RangesView)
    asked: list[tuple[Question, object]] = []

    class Slow:
        def ask(self, question: Question, then: object) -> None:
            asked.append((question, then))

    state.answers = Slow()  # type: ignore[assignment]
    view.show_results(full())
    state.show_ranges((TimeRange(0, 10),))
    assert not asked, "nobody sees it"
    with qtbot.waitExposed(view):
        view.show()
    for end in range(11, 50):
        state.show_ranges((TimeRange(0, end),))
    assert len(asked) == 1
    question, then = asked[0]
    then(question, answer_range(full(), question))  # type: ignore[operator]
    assert asked[1][0] == Question("range", 0, (((0, 49, ()),), "gpu")), "the newest next"
    assert view.summary.text() == "Summing up…"


def test_without_a_trace_there_is_nothing_to_mark() -> None:
    assert layout.empty(nothing())


def test_marking_a_range_brings_its_sums_to_the_front_once(qtbot: QtBot) -> None:
    page = ResultsPage((SPEC, HISTOGRAMS), DARK)
    qtbot.addWidget(page)
    page.show_results(full())
    with qtbot.waitExposed(page):
        page.show()
    sums, other = (page.holders[id_].view for id_ in ("ranges", "histograms"))
    assert isinstance(sums, RangesView)
    assert isinstance(other, HistogramsView)
    page.panels.reveal("histograms")
    qtbot.waitUntil(lambda: other.is_seen and not sums.is_seen)
    qtbot.waitUntil(lambda: bool(other.histogram.data.series))
    page.state.show_ranges((TimeRange(0, 10_000),))
    qtbot.waitUntil(lambda: isinstance(sums.found, RangeSums))
    page.panels.reveal("histograms")
    qtbot.waitUntil(lambda: other.is_seen and not sums.is_seen)
    page.state.show_ranges((TimeRange(0, 20_000),))
    qtbot.wait(20)
    assert not sums.is_seen, "while a range is changed the user may look elsewhere"
    assert sums.found is None, "and nothing is summed up for nobody"
    page.panels.reveal("ranges")
    qtbot.waitUntil(lambda: isinstance(sums.found, RangeSums))
    page.answers.close()


def test_the_first_range_is_summed_on_the_side_it_is_of(qtbot: QtBot, answers: Answers) -> None:
    view, _ = shown(qtbot, answers)
    state = view._state
    assert view.sides.current == 0
    state.select(Selection(Pick(side=1, slice=0)))
    state.show_ranges((TimeRange(0, 100),))
    assert view.sides.current == 1
    state.show_ranges(())
    state.show_ranges((TimeRange(0, 100, ((0, "any"),)),))
    assert view.sides.current == 0, "its tracks say more than the selection"
    state.show_ranges((TimeRange(0, 100, ((1, "any"),)),))
    assert view.sides.current == 0, "a range that is dragged on stays where it is"
    state.show_ranges(())
    view.sides.set_current(2)
    state.show_ranges((TimeRange(0, 100),))
    assert view.sides.current == 2, "both were asked for"
