"""Two sides beside each other: which moments stand under each other, how busy each is, which sides show."""

from __future__ import annotations

import numpy as np
from factories import CPU, GPU, make_side
from hypothesis import given
from hypothesis import strategies as st

from profviz.analysis.overview import busy
from profviz.model.questions import Question
from profviz.model.results import Results, Side
from profviz.ui.view_state import Alignment, TimeWindow, ViewState
from profviz.ui.views.timeline.alignments import (
    WAYS,
    align_at,
    align_by,
    counterpart,
    dragged,
    offset_text,
)
from profviz.ui.views.timeline.difference import busy_fraction

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
