"""The breakdown: bars that sum to wall time, figures of two sides, and the way from a part to the timeline."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from PySide6.QtCore import QPoint, QPointF, Qt
from PySide6.QtGui import QGuiApplication
from pytestqt.qtbot import QtBot
from side_view_contract import keeps_the_contract, made
from side_view_samples import full, nothing, side, traces_only

from profviz.model.breakdown import Exposure, Part, StepTime, Stretch, TimeBreakdown, WallTime
from profviz.model.questions import Question
from profviz.model.results import Results
from profviz.ui.answers import Answers
from profviz.ui.view_state import Alignment, Pick, TimeRange, TimeWindow, ViewState
from profviz.ui.views.breakdown import layout
from profviz.ui.views.breakdown.view import SPEC, BreakdownView


def wall(start_ns: int, end_ns: int, **parts: int) -> WallTime:
    times = [parts.get(part.name.lower(), 0) for part in Part]
    assert sum(times) == end_ns - start_ns
    longest = [Stretch(start_ns, start_ns + time, 7) if time else None for time in times]
    return WallTime(start_ns, end_ns, tuple(times), tuple(longest))


def breakdown(title: str, *walls: WallTime, notes: tuple[str, ...] = ()) -> TimeBreakdown:
    exposures = (Exposure("copies", 0, "GPU 0 · stream 7", 40, 30), Exposure("copies", -1, "all streams", 40, 30))
    steps = tuple(StepTime(number + 2, one, exposures) for number, one in enumerate(walls))
    return TimeBreakdown(title, walls[0], exposures, steps, has_gpu=True, notes=notes)


EAGER = breakdown(
    "Eager", wall(0, 900, compute=300, host=600), wall(900, 1_900, compute=400, host=600), notes=("both", "own")
)
FUSED = breakdown("Compiled", wall(0, 500, compute=200, host=200, synchronise=100), notes=("both",))


def test_contract(qtbot: QtBot) -> None:
    keeps_the_contract(qtbot, SPEC)


def test_the_median_step_stands_first_and_the_steps_pair_by_place() -> None:
    found = layout.groups({0: EAGER, 1: FUSED})
    assert [(group.title, [(bar.side, bar.step) for bar in group.bars]) for group in found] == [
        ("Median step", [(0, 2), (1, 2)]),
        ("Step 1", [(0, 2), (1, 2)]),
        ("Step 2", [(0, 3)]),
    ]
    rows = layout.rows(found)
    assert [row.group for row in rows] == ["Median step", "", "Step 1", "", "Step 2"]
    assert [row.amount for row in rows] == [900, 500, 900, 500, 1_000]
    assert [row.id for row in rows] == list(range(5))
    assert [piece.id for piece in rows[1].pieces] == [Part.COMPUTE, Part.HOST, Part.SYNCHRONISE]
    assert all(sum(piece.amount for piece in row.pieces) == row.amount for row in rows)
    sync = rows[1].pieces[2]
    assert sync.texts == ("sync 100 ns", "100 ns")
    assert sync.tip.startswith("synchronising: 100 ns, 20.0 % of 500 ns\nThe GPU had nothing to do because the host")


def test_one_step_is_not_shown_twice() -> None:
    assert [group.title for group in layout.groups({0: FUSED})] == ["Step 1"]


def test_every_part_has_a_look_of_its_own_that_is_not_colour_alone() -> None:
    assert set(layout.FILLS) == set(Part)
    assert len(set(layout.FILLS.values())) == len(Part)
    idle = [layout.FILLS[part].pattern for part in Part if part.is_idle]
    assert len(set(idle)) == len(idle)


def test_the_changes_sum_to_that_of_the_wall_and_parts_nobody_has_are_left_out() -> None:
    pair = layout.compared(layout.groups({0: EAGER, 1: FUSED})[0], 1)
    heads, rows = layout.figures(pair)
    assert heads == ("Eager", "Compiled", "change")
    assert [row.id for row in rows] == [Part.COMPUTE, Part.HOST, Part.SYNCHRONISE, layout.WALL]
    assert sum(row.change or 0 for row in rows[:-1]) == rows[-1].change == -400
    assert rows[2].values == ("0", "100 ns", "+100 ns")
    assert rows[-1].values == ("900 ns", "500 ns", "−400 ns")


def test_one_side_alone_shows_shares_and_a_mixed_pair_all_parts() -> None:
    (heads, rows) = layout.figures(layout.groups({0: EAGER})[0].bars)
    assert heads == ("time", "share")
    assert rows[0].values == ("300 ns", "33.3 %")
    cpu = TimeBreakdown("CPU", wall(0, 50, operators=30, other=20), (), (), has_gpu=False)
    group = layout.groups({0: EAGER, 1: cpu})[0]
    assert group.title == "Whole recording"
    assert [row.id for row in layout.figures(group.bars)[1]][-3:] == [Part.OPERATORS, Part.OTHER, layout.WALL]


def test_exposure_names_streams_and_totals_only_where_there_are_several() -> None:
    heads, rows = layout.exposure_figures(layout.groups({0: EAGER, 1: FUSED})[0].bars)
    assert heads == ("in all", "exposed", "overlapped")
    assert [(row.title, row.values) for row in rows] == [
        ("copies · stream 7 · Eager", ("40 ns", "30 ns", "10 ns")),
        ("copies · stream 7 · Compiled", ("40 ns", "30 ns", "10 ns")),
    ]


def test_a_sentence_that_holds_for_one_side_says_which() -> None:
    assert layout.sentences({0: EAGER, 1: FUSED}) == ("both", "Eager: own")


# --- the view


@pytest.fixture
def answers() -> Iterator[Answers]:
    found = Answers()
    yield found
    found.close()


def shown(qtbot: QtBot, answers: Answers, results: Results) -> tuple[BreakdownView, ViewState]:
    view, state = made(qtbot, SPEC)
    assert isinstance(view, BreakdownView)
    state.answers = answers
    answers.show_results(results)
    view.show_results(results)
    view.resize(1200, 400)
    view.show()
    qtbot.waitUntil(lambda: not view.status.text())
    return view, state


def test_it_asks_once_it_is_seen_and_not_before(qtbot: QtBot, answers: Answers) -> None:
    view, state = made(qtbot, SPEC)
    assert isinstance(view, BreakdownView)
    asked: list[object] = []
    state.ask = lambda question, then: asked.append(question)  # type: ignore[method-assign]
    view.show_results(full())
    assert asked == []
    view.show()
    assert len(asked) == 2
    view.hide()
    view.show()
    assert len(asked) == 2


def test_bars_and_figures_come_from_the_traces(qtbot: QtBot, answers: Answers) -> None:
    view, _ = shown(qtbot, answers, full())
    steps = [side.steps[0] for side in full().sides]
    first = [row for row in view.bars.rows if row.id in (2, 3)]
    assert [row.amount for row in first] == [step.end_ns - step.start_ns for step in steps]
    assert view.figures.heads == ("Eager", "Compiled", "change")
    assert "wall time" in view.figures.accessibleDescription()
    assert "profiler" in view.notes.text()


def test_a_click_on_a_part_shows_its_longest_stretch_and_picks_what_ended_it(qtbot: QtBot, answers: Answers) -> None:
    view, state = shown(qtbot, answers, traces_only())
    picks: list[Pick] = []
    state.picked.connect(picks.append)
    state.align(Alignment((0, 1_000)))
    row = view.bars.rows[1]
    assert row.title.startswith("b.json")
    at = next(n for n, piece in enumerate(row.pieces) if piece.id == Part.HOST)
    place = middle_of(view, 1, at)
    qtbot.mouseClick(view.bars.viewport(), Qt.MouseButton.LeftButton, pos=place)
    (pick,) = picks
    trace = traces_only().sides[1].trace
    end_ns = int(trace.slices.start_ns[pick.slice])
    assert pick.side == 1
    assert state.window.start_ns + 1_000 < end_ns <= state.window.end_ns + 1_000
    state.undo()
    assert state.window == TimeWindow(0, 1_000_000)


def middle_of(view: BreakdownView, row: int, piece: int) -> QPoint:
    places = view.bars._places(view.bars.rows[row])
    _, left, width = places[piece]
    top = view.bars._tops[row] + 22 + 13
    found = view.bars.piece_at(QPointF(left + width / 2, top))
    assert found is not None
    return QPoint(int(left + width / 2), top)


def test_the_keyboard_reaches_every_part(qtbot: QtBot, answers: Answers) -> None:
    view, state = shown(qtbot, answers, traces_only())
    picks: list[Pick] = []
    state.picked.connect(picks.append)
    for key in (Qt.Key.Key_Down, Qt.Key.Key_Right, Qt.Key.Key_Right, Qt.Key.Key_Return):
        qtbot.keyClick(view.bars, key)
    assert [pick.side for pick in picks] == [1]
    view.figures.setFocus()
    qtbot.keyClick(view.figures, Qt.Key.Key_Down)
    qtbot.keyClick(view.figures, Qt.Key.Key_Return)
    assert len(picks) == 2
    qtbot.keyClick(view.figures, Qt.Key.Key_C, Qt.KeyboardModifier.ControlModifier)
    assert QGuiApplication.clipboard().text().startswith("part\tEager\tb.json\tchange\ncompute\t")


def test_choosing_a_row_shows_its_figures(qtbot: QtBot, answers: Answers) -> None:
    view, _ = shown(qtbot, answers, traces_only())
    assert view.caption.text().startswith("Median step, #")
    qtbot.keyClick(view.bars, Qt.Key.Key_Down)
    qtbot.keyClick(view.bars, Qt.Key.Key_Down)
    assert view.caption.text().startswith("Step 1, #0 → #0")


def test_a_marked_range_is_broken_down_first(qtbot: QtBot, answers: Answers) -> None:
    view, state = shown(qtbot, answers, traces_only())
    state.show_ranges((TimeRange(10_000, 30_000),))
    qtbot.waitUntil(lambda: view.bars.rows[0].group == "Marked range")
    assert [row.amount for row in view.bars.rows[:2]] == [20_000, 20_000]
    state.show_ranges(())
    assert view.bars.rows[0].group == "Median step"


def test_a_range_that_is_dragged_is_asked_about_once_it_rests(qtbot: QtBot, answers: Answers) -> None:
    view, state = shown(qtbot, answers, traces_only())
    asked: list[Question] = []
    state.ask = lambda question, then: asked.append(question)  # type: ignore[method-assign]
    for end in range(20_000, 40_000, 1_000):
        state.show_ranges((TimeRange(10_000, end),), remember=False)
    assert asked == []
    qtbot.waitUntil(lambda: len(asked) == 2)
    assert [question.args for question in asked] == [(10_000, 39_000)] * 2
    view.hide()
    state.show_ranges((TimeRange(0, 5_000),))
    qtbot.wait(300)
    assert len(asked) == 2
    view.show()
    assert [question.args for question in asked[2:]] == [(0, 5_000)] * 2


def test_what_cannot_be_worked_out_says_why(qtbot: QtBot, answers: Answers, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("profviz.analysis.questions.QUESTIONS", {})
    view, state = made(qtbot, SPEC)
    assert isinstance(view, BreakdownView)
    state.answers = answers
    results = Results("", "", (side(),), (), (), ())
    answers.show_results(results)
    view.show_results(results)
    view.show()
    qtbot.waitUntil(lambda: "could not be worked out" in view.status.text())
    assert view.bars.rows == ()
    view.show_results(nothing())
    assert view.message
