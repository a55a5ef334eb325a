"""Two sides beside each other: which moments stand under each other, how busy each is, which sides show."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from factories import CPU, GPU, make_pair, make_side
from hypothesis import given
from hypothesis import strategies as st
from PySide6.QtCore import QPoint, QRect, Qt
from PySide6.QtGui import QColor
from PySide6.QtTest import QTest
from pytestqt.qtbot import QtBot
from timeline_driving import OpenView

from profviz.analysis.overview import busy
from profviz.model.questions import Question
from profviz.model.results import Results, Side
from profviz.ui.view_state import Alignment, KeptMark, Pick, TimeRange, TimeWindow, ViewState
from profviz.ui.views.timeline.alignments import (
    WAYS,
    align_at,
    align_by,
    counterpart,
    dragged,
    offset_text,
)
from profviz.ui.views.timeline.difference import busy_fraction
from profviz.ui.views.timeline.layout import AXIS
from profviz.ui.views.timeline.strip import strip_of
from profviz.ui.views.timeline.texts import scale_note
from profviz.ui.views.timeline.view import TimelineView
from profviz.ui.widgets.palette import DARK

LANES = (GPU, CPU)
spans = st.lists(st.tuples(st.integers(0, 60), st.integers(0, 15)), max_size=8)


def side_of(pieces: list[tuple[int, int]], *, lane: int = 0) -> Side:
    return make_side([(lane, start, dur, "k", -1) for start, dur in pieces], lanes=LANES)


def way(id_: str, *sides: Side) -> Alignment | str:
    return align_by(next(one for one in WAYS if one.id == id_), sides)


def test_first_kernels_stand_under_each_other() -> None:
    found = way("first_kernel", side_of([(90, 5), (30, 5)]), side_of([(1_000, 5)]))
    assert isinstance(found, Alignment)
    assert found.offsets_ns == (0, 970)
    assert found.anchor_ns == 30
    assert offset_text(found, 1) == "−970 ns"
    assert offset_text(found, 0) == ""
    assert offset_text(Alignment((5, 5)), 1) == ""


def test_a_side_without_kernels_says_so() -> None:
    said = way("first_kernel", side_of([(0, 5)]), side_of([(0, 5)], lane=1))
    assert isinstance(said, str)
    assert "Eager has no kernel" in said


def test_the_start_undoes_any_alignment() -> None:
    assert way("start", side_of([]), side_of([])) == Alignment((0, 0), 0, text="start of trace")


@given(st.lists(st.integers(-100, 100), min_size=2, max_size=4), st.data())
def test_picked_moments_meet_and_the_other_sides_stay(offsets: list[int], data: st.DataObject) -> None:
    before = Alignment(tuple(offsets), 7)
    sides = data.draw(st.lists(st.sampled_from(range(len(offsets))), min_size=1, unique=True))
    moments = {side: data.draw(st.integers(0, 1_000)) for side in sides}
    after = align_at(before, moments, text="here")
    assert {moments[side] - after.offsets_ns[side] for side in sides} == {after.anchor_ns}
    assert after.offsets_ns[sides[0]] == before.offsets_ns[sides[0]]
    still = [side for side in range(len(offsets)) if side not in sides]
    assert [after.offsets_ns[side] for side in still] == [before.offsets_ns[side] for side in still]


def test_dragging_moves_one_side_and_the_axis_stays() -> None:
    after = dragged(Alignment((0, 10, 20), 5, step=1, text="step 2"), 1, 4)
    assert after == Alignment((0, 6, 20), 5, text="by hand")


def test_the_counterpart_is_the_nearest_in_time() -> None:
    side = side_of([(0, 5), (100, 5), (200, 5)])
    assert counterpart(side, [0, 1, 2], 140) == 1
    assert counterpart(side, [], 140) == -1


@given(spans, st.integers(-10, 70), st.integers(1, 90), st.integers(1, 40))
def test_a_pixels_busy_part_is_what_counting_every_nanosecond_gives(
    pieces: list[tuple[int, int]], start: int, span: int, width: int
) -> None:
    results = Results("", "", (side_of(pieces),), (), (), ())
    edges = start + np.arange(width + 1, dtype=np.int64) * span // width
    ran = {time for begin, dur in pieces for time in range(begin, begin + dur)}
    found = busy_fraction(busy(results, Question("busy", 0)), edges)
    for at in range(width):
        low, high = int(edges[at]), max(int(edges[at + 1]), int(edges[at]) + 1)
        assert found[at] == sum(time in ran for time in range(low, high)) / (high - low)


def test_which_sides_show_is_a_step_of_undo() -> None:
    state = ViewState()
    state.reset(TimeWindow(0, 10))
    assert state.shown_of(3) == (0, 1, 2)
    state.show_sides((2, 0))
    assert state.shown_of(3) == (2, 0)
    assert state.shown_of(1) == (0,)
    state.undo()
    assert state.shown_of(3) == (0, 1, 2)


@pytest.fixture
def view(timelines: OpenView, qtbot: QtBot) -> TimelineView:
    """Two sides with somebody who answers what is asked about them."""
    made, _state = timelines(make_pair(), width=900, height=600)
    qtbot.waitUntil(lambda: not any(track.is_pending for side in made.canvas.tracks for track in side))
    return made


def test_the_strip_shows_by_colour_and_place_which_side_is_busier(qtbot: QtBot, view: TimelineView) -> None:
    canvas = view.canvas
    canvas.deeds["show_difference"].run()
    qtbot.waitUntil(lambda: len(canvas.compared) == 2)
    made = strip_of(canvas.arrangement(), canvas.scenes(), canvas.compared)
    assert made is not None
    top, height = canvas.arrangement().strip or (0, 0)
    assert made.top == top == canvas.arrangement().axes[0].top + AXIS
    values = made.values(1.0)
    image = canvas.grab().toImage()
    for at, colour, side in ((int(values.argmax()), DARK.warn, -1), (int(values.argmin()), DARK.accent, 1)):
        x, middle = made.pane.time_left + at, top + height // 2
        assert image.pixelColor(x, middle + 3 * side) == QColor(colour)
        assert image.pixelColor(x, middle - 3 * side) != QColor(colour)
    canvas.deeds["show_difference"].run()
    assert canvas.arrangement().strip is None


def test_swapping_puts_the_second_side_on_top(view: TimelineView) -> None:
    canvas = view.canvas
    canvas.deeds["swap_sides"].run()
    first, second = (canvas.arrangement().panes[side] for side in (0, 1))
    assert second.bottom <= first.top
    canvas.state.undo()
    assert canvas.arrangement().panes[0].bottom <= canvas.arrangement().panes[1].top


def test_a_side_that_is_put_away_takes_no_room_and_the_last_one_stays(view: TimelineView) -> None:
    canvas = view.canvas
    canvas.comparing.show_side(1, on=False)
    assert not canvas.arrangement().panes[1].shows
    canvas.grab()
    canvas.comparing.show_side(0, on=False)
    assert canvas.arrangement().panes[0].shows
    canvas.comparing.show_side(1, on=True)
    assert canvas.arrangement().panes[1].shows


def test_one_selected_slice_after_the_other_stand_under_each_other(view: TimelineView) -> None:
    canvas, told = view.canvas, []
    canvas.comparing.told.connect(told.append)
    canvas.deeds["align_slices"].run()
    assert "Select a slice" in told[-1]
    first, second = (int(side.trace.gpu.slice[2]) for side in canvas.sides)
    canvas.state.pick(Pick(side=0, slice=first))
    canvas.deeds["align_slices"].run()
    assert "another side" in told[-1]
    canvas.state.pick(Pick(side=1, slice=second))
    canvas.deeds["align_slices"].run()
    starts = [int(side.trace.slices.start_ns[at]) for side, at in zip(canvas.sides, (first, second), strict=True)]
    offsets = canvas.alignment.offsets_ns
    assert starts[0] - offsets[0] == starts[1] - offsets[1] == canvas.alignment.anchor_ns
    assert view.which.text() == "aligned: selected slice"


def test_dragging_a_header_moves_its_side_alone_and_is_one_step_of_undo(view: TimelineView) -> None:
    canvas = view.canvas
    before, pane = canvas.alignment, canvas.arrangement().panes[1]
    at = QPoint(pane.time_left + 100, pane.top + 8)
    QTest.mousePress(canvas, Qt.MouseButton.LeftButton, pos=at)
    for by in (20, 40):
        QTest.mouseMove(canvas, at + QPoint(by, 0))
    QTest.mouseRelease(canvas, Qt.MouseButton.LeftButton, pos=at + QPoint(40, 0))
    moved = round(40 / canvas.scale(pane).px_per_ns)
    assert canvas.alignment.offsets_ns == (before.offsets_ns[0], before.offsets_ns[1] - moved)
    canvas.state.undo()
    assert canvas.alignment == before


def test_zoomed_freely_each_side_moves_alone_and_the_axis_says_so(view: TimelineView) -> None:
    canvas = view.canvas
    canvas.deeds["zoom_freely"].run()
    canvas.pointer = (float(canvas.arrangement().panes[1].time_left + 50), canvas.arrangement().panes[1].top + 40.0)
    canvas.deeds["zoom_in"].run()
    spans = [canvas.state.window_of(side).span_ns for side in (0, 1)]
    assert spans[1] < spans[0]
    assert scale_note([scene.scale for scene in canvas.scenes()], 0).startswith("scale ")
    canvas.deeds["zoom_freely"].run()
    assert canvas.state.window_of(0) == canvas.state.window_of(1)


def test_the_menu_offers_what_can_be_done_and_says_what_is_on(view: TimelineView) -> None:
    view.compare.fill()
    entries = {action.text(): action for action in view.compare.choices.actions()}
    assert not entries["Difference"].isChecked()
    entries["Difference"].trigger()
    view.compare.fill()
    assert {action.text(): action for action in view.compare.choices.actions()}["Difference"].isChecked()


@pytest.mark.qt_log_ignore("This plugin does not support", extend=True)
def test_an_open_menu_goes_with_the_sides_it_was_filled_for(view: TimelineView) -> None:
    view.compare.choices.popup(QPoint(0, 0))
    assert view.compare.choices.isVisible()
    view.show_results(Results("none", "", (), (), (), ()))
    assert not view.compare.choices.isVisible()


def test_of_three_sides_two_show_at_first_and_the_third_can_be_asked_for(view: TimelineView) -> None:
    pair = make_pair()
    slow = make_side([(0, 0, 9, "k", -1)], lanes=LANES, steps=[(0, 9_000_000)] * 3, title="Slow")
    view.show_results(replace(pair, sides=(*pair.sides, slow)))
    canvas = view.canvas
    assert [pane.shows for pane in canvas.arrangement().panes] == [True, True, False]
    assert canvas.state.window.span_ns < 9_000_000  # the hidden side has no say in what shows
    assert view.compare.text() == "Compare · 2 of 3"
    view.compare.fill()
    canvas.comparing.show_side(2, on=True)
    assert canvas.arrangement().panes[2].shows
    assert view.compare.text() == "Compare"


@pytest.mark.parametrize(("steps", "step", "told"), [([(0, 500)], 0, "step 1"), ([], -1, "step 3")])
def test_a_hidden_side_with_fewer_steps_has_no_say_until_it_shows(
    view: TimelineView, steps: list[tuple[int, int]], step: int, told: str
) -> None:
    pair = make_pair()
    few = make_side([(0, 0, 9, "k", -1)], lanes=LANES, steps=steps, title="Few")
    view.show_results(replace(pair, sides=(*pair.sides, few)))
    comparing, state = view.canvas.comparing, view.canvas.state
    comparing.step(1)
    assert (state.alignment.step, view.which.text()) == (2, "step 3 of 3")
    comparing.show_side(2, on=True)
    view.grab()
    assert (state.alignment.step, view.which.text()) == (step, f"aligned: {told}")
    state.undo()
    assert (state.alignment.step, view.which.text()) == (2, "step 3 of 3")


def test_nothing_of_a_hidden_side_is_painted_beside_those_that_show(view: TimelineView) -> None:
    pair = make_pair()
    view.show_results(replace(pair, sides=(*pair.sides, replace(pair.sides[0], title="Hidden"))))
    canvas, state = view.canvas, view.canvas.state
    pane = canvas.arrangement().panes[0]
    titles = QRect(0, 0, pane.time_left - 1, canvas.height())
    before = canvas.grab(titles).toImage()
    start, end = state.window.start_ns, state.window.end_ns
    state.show_ranges((TimeRange(start - (end - start), end + (end - start)),))
    state.keep_marks((KeptMark(2, start, end, -1, "of the hidden side"),))
    assert canvas.grab(titles).toImage() == before
