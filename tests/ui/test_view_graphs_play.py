"""Playing a step: what runs when, stepping by kernel, the play-head of the timelines, and no timer left behind."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from graph_driving import opened_capture, wait
from hypothesis import given
from hypothesis import strategies as st
from PySide6.QtCore import Qt
from pytestqt.qtbot import QtBot

from profviz.model.graph import NodeRun, Stage, StepRuns
from profviz.ui.view_state import ViewState
from profviz.ui.views.graphs.choices import Direction, Level
from profviz.ui.views.graphs.playing import Script
from profviz.ui.views.graphs.view import GraphsView

SHARED = Path(__file__).parents[2].parent / "shared" / "traces"


def runs(*spans: tuple[int, int], side: int = 0) -> StepRuns:
    made = tuple(NodeRun(start, end, at, ((0, at),)) for at, (start, end) in enumerate(spans))
    return StepRuns(side, f"side {side}", 3, made)


@given(
    spans=st.lists(st.tuples(st.integers(0, 500), st.integers(1, 60)), min_size=1, max_size=40),
    at=st.integers(0, 600),
)
def test_what_runs_is_what_has_begun_and_not_ended(spans: list[tuple[int, int]], at: int) -> None:
    ordered = sorted((1000 + start, 1000 + start + dur) for start, dur in spans)
    script = Script([runs(*ordered)])
    origin = ordered[0][0]
    wanted = [place for place, (start, end) in enumerate(ordered) if start - origin <= at < end - origin]
    assert [run.slice for run in script.running(0, at)] == wanted


def test_both_sides_set_off_together_and_the_shorter_one_waits_at_its_end() -> None:
    script = Script([runs((100, 200), (300, 400)), runs((5000, 5050), side=2)])
    assert script.length_ns == 300
    assert script.moments(0) == {0: 100, 2: 5000}
    assert script.moments(250) == {0: 350, 2: 5050}


def test_steps_go_from_kernel_to_kernel_and_stay_at_the_ends() -> None:
    script = Script([runs((100, 200), (300, 400), (450, 500))])
    assert [script.step(0, at, 1) for at in (0, 200, 350)] == [200, 350, 350]
    assert [script.step(0, at, -1) for at in (350, 201, 0)] == [200, 200, 0]
    assert script.step(5, 7, 1) == 7


def test_sides_without_runs_are_not_played() -> None:
    assert Script([StepRuns(0, "a", 1, ())]).sides == ()
    assert Script([]).length_ns == 0


@pytest.fixture
def playing(qtbot: QtBot) -> Iterator[tuple[GraphsView, ViewState]]:
    with opened_capture(qtbot, "broken_train") as opened:
        qtbot.waitUntil(lambda: opened[0].transport.usable)
        yield opened


def lit(view: GraphsView, direction: Direction) -> set[str]:
    pane = view.panes[direction]
    return {
        pane.graph.nodes[node].name
        for shape in pane.canvas.marks.lit
        for node in pane.placement.nodes_of[shape]
        if pane.graph.nodes[node].op == "call_function"
    }


def test_keys_step_by_kernel_and_light_its_nodes_and_the_timelines(playing, qtbot: QtBot) -> None:
    view, state = playing
    canvas = view.panes[Direction.FORWARD].canvas
    seen: list[dict[int, int]] = []
    state.play_changed.connect(seen.append)
    qtbot.keyClick(canvas, Qt.Key.Key_Period)
    assert set(state.play) == {0, 1}
    assert lit(view, Direction.FORWARD)
    first = dict(state.play)
    qtbot.keyClick(canvas, Qt.Key.Key_Period)
    assert state.play[1] > first[1]
    qtbot.keyClick(canvas, Qt.Key.Key_Comma)
    assert state.play == first
    assert len(seen) == 3
    qtbot.keyClick(view.transport.slider, Qt.Key.Key_Right)
    assert state.play[1] > first[1]
    qtbot.keyClick(view.transport.slider, Qt.Key.Key_Left)
    assert state.play == first


def test_eager_lights_forward_and_then_backward(playing, qtbot: QtBot) -> None:
    view, _ = playing
    view.levels.setCurrentText(Level.AOT.value)
    view.levels.activated.emit(view.levels.currentIndex())
    wait(qtbot, view)
    view.transport.side.setCurrentIndex(0)
    order: list[Stage] = []
    report = view._results.reports[0][1]
    at = -1
    while view.transport.at_ns != at:
        at = view.transport.at_ns
        if lit(view, Direction.BACKWARD):
            order.append(Stage.AOT_BACKWARD)
        view.transport.step(1)
    assert order
    assert report.graphs[view.panes[Direction.BACKWARD].graphs[0]].stage is Stage.AOT_BACKWARD


def test_p_plays_to_the_end_and_pauses_and_hiding_takes_the_head_away(playing, qtbot: QtBot) -> None:
    view, state = playing
    view.transport.speed.setCurrentIndex(0)
    qtbot.keyClick(view.panes[Direction.FORWARD].canvas, Qt.Key.Key_P)
    assert view.transport.is_playing
    qtbot.waitUntil(lambda: not view.transport.is_playing, timeout=20_000)
    assert view.transport.at_ns == view.transport._script.length_ns
    assert view.transport.play.text() == "Play"
    view.transport.toggle()
    assert view.transport.is_playing
    view.hide()
    assert not view.transport.is_playing
    assert state.play == {}
