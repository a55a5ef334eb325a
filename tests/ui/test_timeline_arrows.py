"""The selection's arrows: asked for, where both ends show, with heads at the effect; one hop or the whole chain."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from factories import make_pair
from PySide6.QtCore import QRectF, Qt
from pytestqt.qtbot import QtBot
from timeline_driving import OpenView

from profviz.model.questions import Question, Unanswered
from profviz.model.results import Results
from profviz.model.trace import Flows
from profviz.ui.view_state import Pick, Selection, TimeWindow, ViewState
from profviz.ui.views.timeline.arrow_painting import HEAD, arrow
from profviz.ui.views.timeline.arrows import Arrows, is_autograd
from profviz.ui.views.timeline.view import TimelineView

EAGER = 0


def pair_with_autograd() -> Results:
    """The second operator of the eager side is the backward of the first."""
    results = make_pair()
    side = results.sides[EAGER]
    trace = side.trace
    ops = [i for i in range(len(trace.slices)) if trace.name_of(i) == "aten::op"]
    one = np.zeros(1, dtype=np.int64)
    flows = Flows(one + ops[0], one + ops[1], one + 1)
    operators = np.isin(np.arange(len(trace.slices)), ops).astype(np.uint16) * 2
    slices = replace(trace.slices, category=operators)
    trace = replace(trace, categories=("any", "fwdbwd", "cpu_op"), flows=flows, slices=slices)
    return replace(results, sides=(replace(side, trace=trace), results.sides[1]))


@pytest.fixture
def view(timelines: OpenView, qtbot: QtBot) -> TimelineView:
    made, _state = timelines(pair_with_autograd(), width=1000, height=600)
    qtbot.waitUntil(lambda: not any(track.is_pending for side in made.canvas.tracks for track in side))
    return made


def first_kernel(view: TimelineView) -> int:
    trace = view.canvas.sides[EAGER].trace
    return next(i for i in trace.gpu.slice.tolist())


def test_a_kernel_has_the_arrow_of_its_launch_and_then_the_chain(qtbot: QtBot, view: TimelineView) -> None:
    canvas, kernel = view.canvas, first_kernel(view)
    links = canvas.sides[EAGER].links
    launch, op = int(links.launch[kernel]), int(links.op[kernel])
    canvas.state.pick(Pick(side=EAGER, slice=kernel))
    qtbot.waitUntil(lambda: canvas.arrows.pairs == ((launch, kernel),))
    ((cause, effect, dashed),) = canvas.arrow_rects(canvas.scenes())
    assert (cause.isValid(), effect.isValid(), dashed) == (True, True, False)
    assert effect.bottom() < cause.top(), "the stream stands above the thread"
    canvas.setFocus()
    qtbot.keyClick(canvas, Qt.Key.Key_BracketRight, Qt.KeyboardModifier.ShiftModifier)
    qtbot.waitUntil(lambda: len(canvas.arrows.pairs) > 2)
    assert canvas.arrows.pairs[:2] == ((launch, kernel), (op, launch))
    flows = canvas.sides[EAGER].trace.flows
    crossing = (int(flows.source[0]), int(flows.target[0]))
    assert crossing in canvas.arrows.pairs
    drawn = canvas.arrow_rects(canvas.scenes())
    assert sum(dashed for *_, dashed in drawn) == 1
    assert len(drawn) == len(canvas.arrows.pairs) - 2, "calls stand below their operators as it is"
    qtbot.keyClick(canvas, Qt.Key.Key_BraceRight, Qt.KeyboardModifier.ShiftModifier)
    qtbot.waitUntil(lambda: canvas.arrows.pairs == ((launch, kernel),))


def test_without_a_pick_there_are_none(qtbot: QtBot, view: TimelineView) -> None:
    canvas = view.canvas
    canvas.state.pick(Pick(side=EAGER, slice=first_kernel(view)))
    qtbot.waitUntil(lambda: len(canvas.arrow_rects(canvas.scenes())) == 1)
    canvas.state.select(Selection())
    assert canvas.arrows.pairs == ()
    assert canvas.arrow_rects(canvas.scenes()) == []


def test_a_side_that_does_not_show_has_none(qtbot: QtBot, timelines: OpenView) -> None:
    pair = pair_with_autograd()
    made, _state = timelines(replace(pair, sides=(*pair.sides, pair.sides[EAGER])), width=1000, height=600)
    canvas = made.canvas
    qtbot.waitUntil(lambda: not any(track.is_pending for side in canvas.tracks for track in side))
    assert [scene.pane.shows for scene in canvas.scenes()] == [True, True, False]
    canvas.state.pick(Pick(side=2, slice=first_kernel(made)))
    qtbot.waitUntil(lambda: len(canvas.arrows.pairs) == 1)
    assert canvas.arrow_rects(canvas.scenes()) == []


def test_an_end_that_is_scrolled_away_is_at_the_border(qtbot: QtBot, view: TimelineView) -> None:
    canvas, kernel = view.canvas, first_kernel(view)
    canvas.state.pick(Pick(side=EAGER, slice=kernel))
    qtbot.waitUntil(lambda: len(canvas.arrow_rects(canvas.scenes())) == 1)
    pane = canvas.arrangement().panes[EAGER]
    view.resize(1000, 260)
    qtbot.waitUntil(lambda: canvas.arrangement().panes[EAGER].bottom < pane.bottom)
    canvas.scroll_by(EAGER, -1_000)
    pane = canvas.arrangement().panes[EAGER]
    ((cause, effect, _),) = canvas.arrow_rects(canvas.scenes())
    assert (cause.y(), cause.height()) == (pane.bottom, 0)
    assert effect.height() > 0
    canvas.state.show_window(TimeWindow(50_000, 51_000))
    assert canvas.arrow_rects(canvas.scenes()) == [], "neither end shows"


def test_a_late_answer_is_let_go() -> None:
    asked: list[tuple[Question, object]] = []

    class Slow:
        def ask(self, question: Question, then: object) -> None:
            asked.append((question, then))

    state = ViewState()
    state.answers = Slow()  # type: ignore[assignment]
    arrows = Arrows(state)
    arrows.show((0, 5))
    arrows.show((0, 6))
    arrows.show((0, 6))
    assert [question for question, _ in asked] == [Question("chain", 0, (5, False)), Question("chain", 0, (6, False))]
    for question, then in asked:
        then(question, ((1, question.args[0]),))  # type: ignore[operator]
    assert arrows.pairs == ((1, 6),)
    arrows.toggle()
    assert arrows.pairs == ()
    asked[-1][1](asked[-1][0], Unanswered("no"))  # type: ignore[operator]
    assert arrows.pairs == ()


def test_only_arrows_between_operators_are_dashed() -> None:
    side = pair_with_autograd().sides[EAGER]
    kernel = int(side.trace.gpu.slice[0])
    launch, op = int(side.links.launch[kernel]), int(side.links.op[kernel])
    flows = side.trace.flows
    assert not is_autograd(side, (launch, kernel))
    assert not is_autograd(side, (op, launch))
    assert is_autograd(side, (int(flows.source[0]), int(flows.target[0])))


@pytest.mark.parametrize(
    ("first", "second"),
    [
        (QRectF(10, 100, 30, 16), QRectF(200, 10, 20, 30)),
        (QRectF(10, 10, 30, 16), QRectF(200, 100, 20, 30)),
        (QRectF(10, 10, 30, 16), QRectF(200, 10, 20, 16)),
    ],
    ids=["up", "down", "beside"],
)
def test_the_head_points_at_the_effect(first: QRectF, second: QRectF) -> None:
    path, head = arrow(first, second)
    tip = head.first()
    assert tip.x() == second.center().x()
    assert tip.y() in (second.top(), second.bottom())
    assert first.left() <= path.pointAtPercent(0).x() <= first.right()
    assert abs(path.pointAtPercent(1).y() - tip.y()) == pytest.approx(HEAD)
    assert not second.contains(path.pointAtPercent(0.95)), "it comes from outside"
