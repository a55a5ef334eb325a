"""Memory and launch queues over time: one scale for the sides, peaks, and the way to the timelines."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest
from PySide6.QtCore import Qt
from pytestqt.qtbot import QtBot
from side_view_contract import keeps_the_contract, made
from side_view_samples import full, traces_only

from profviz.model.over_time import MemoryOverTime, MemoryTrack, QueuesOverTime
from profviz.model.results import Results
from profviz.model.trace import Counter, Memory
from profviz.ui.answers import Answers
from profviz.ui.view_state import Alignment, TimeWindow, ViewState
from profviz.ui.views.over_time import layout
from profviz.ui.views.over_time.view import SPEC, OverTimeView
from profviz.ui.widgets.step_plot import StepPlot


def i64(*values: int) -> np.ndarray:
    return np.array(values, dtype=np.int64)


def track(*allocated: int, reserved: int | None = None) -> MemoryTrack:
    held = None if reserved is None else i64(*[reserved] * len(allocated))
    values = i64(*allocated)
    return MemoryTrack("GPU 0", 1, 0, i64(*range(0, 10 * len(allocated), 10)), values, held, int(values.argmax()))


def test_contract(qtbot: QtBot) -> None:
    keeps_the_contract(qtbot, SPEC)


def test_the_sides_share_a_scale_and_stand_below_each_other() -> None:
    memory = {0: MemoryOverTime((track(1024, 4096, reserved=8192),)), 1: MemoryOverTime((track(2048, 512),))}
    found = layout.plots(traces_only(), memory, {})
    assert [(plot.side, plot.data.id, plot.data.top) for plot in found] == [(0, 0, 8192.0), (1, 1, 8192.0)]
    assert [(one.title, one.dashed) for one in found[0].data.series] == [("allocated", False), ("reserved", True)]
    assert [one.title for one in found[1].data.series] == ["allocated"]
    assert found[0].data.marks[0].text == "peak 4.00 KiB at 10 ns"
    assert found[1].data.marks[0].time_ns == 0
    assert layout.moved(found[0].data, 4).marks[0].time_ns == 6


def test_queues_keep_their_own_scale_and_busy_streams_share_one() -> None:
    def counter(name: str, top: float) -> Counter:
        return Counter(name, 0, i64(0, 10), np.array([top, 0.0]))

    queues = {
        side: QueuesOverTime((counter("launch queue · s7", high),), (counter("busy streams · GPU 0", side + 1.0),))
        for side, high in enumerate((2.0, 300.0))
    }
    found = layout.plots(traces_only(), {}, queues)
    assert [(plot.group, plot.side, plot.data.top) for plot in found] == [
        ("launch queue", 0, 2.0),
        ("launch queue", 1, 300.0),
        ("busy streams", 0, 2.0),
        ("busy streams", 1, 2.0),
    ]


def test_sentences_say_whom_they_are_about() -> None:
    memory = {0: MemoryOverTime((), ("none",)), 1: MemoryOverTime((), ("none",))}
    queues = {0: QueuesOverTime((), (), ("no queue",)), 1: QueuesOverTime((), ())}
    assert layout.sentences(traces_only(), memory, queues) == ("none", "Eager: no queue")


def test_the_span_holds_both_sides_wherever_they_are_moved() -> None:
    ends = [side.trace.span_ns for side in traces_only().sides]
    assert layout.span(traces_only(), ()) == (0, max(ends))
    assert layout.span(traces_only(), (5_000, -90_000)) == (-5_000, max(ends[0] - 5_000, ends[1] + 90_000))


@pytest.fixture
def answers() -> Iterator[Answers]:
    found = Answers()
    yield found
    found.close()


def with_memory() -> Results:
    results = full()
    first = results.sides[0]
    n = np.zeros(3, dtype=np.int32)
    memory = Memory(
        time_ns=i64(10_000, 50_000, 90_000),
        address=i64(1, 2, 1),
        bytes=i64(100, 300, -100),
        allocated=i64(1_100, 1_400, 1_300),
        reserved=i64(2_048, 2_048, 2_048),
        device_type=n + 1,
        device=n,
        lane=n,
        event=n,
    )
    side = replace(first, trace=replace(first.trace, memory=memory))
    return replace(results, sides=(side, results.sides[1]))


def shown(qtbot: QtBot, answers: Answers, results: Results) -> tuple[OverTimeView, ViewState]:
    view, state = made(qtbot, SPEC)
    assert isinstance(view, OverTimeView)
    state.answers = answers
    answers.show_results(results)
    view.show_results(results)
    view.resize(800, 500)
    view.show()
    qtbot.waitUntil(lambda: not view.status.text())
    return view, state


def test_plots_come_from_the_traces_and_what_is_missing_is_said(qtbot: QtBot, answers: Answers) -> None:
    view, _ = shown(qtbot, answers, with_memory())
    titles = [plot.data.title for plot in view.plots]
    assert titles[0] == "Eager · memory · GPU 0"
    assert titles[1:3] == [f"{side} · launch queue · GPU 0 · stream 7" for side in ("Eager", "Compiled")]
    assert len(titles) == 3
    assert view.notes.text().startswith("Compiled: No memory was recorded")
    assert view.plots[0].told_at(60_000).splitlines()[1:] == ["allocated: 1.37 KiB", "reserved: 2.00 KiB"]
    assert "peak" in view.plots[0].accessibleDescription()


def test_pressing_a_plot_moves_the_timelines_there_and_keys_do_too(qtbot: QtBot, answers: Answers) -> None:
    view, state = shown(qtbot, answers, with_memory())
    state.show_window(TimeWindow(0, 10_000))
    plot = view.plots[0]
    x = round(plot.x_of(60_000))
    qtbot.mouseClick(plot, Qt.MouseButton.LeftButton, pos=plot.rect().center().__class__(x, 60))
    assert state.window.span_ns == 10_000
    assert abs((state.window.start_ns + state.window.end_ns) // 2 - 60_000) < 500
    before = state.window.start_ns
    qtbot.keyClick(plot, Qt.Key.Key_Left)
    assert state.window.start_ns == before - 2_500


def test_an_alignment_moves_the_plots_of_its_side(qtbot: QtBot, answers: Answers) -> None:
    view, state = shown(qtbot, answers, with_memory())
    first = view.plots[0].data.series[0].time_ns[1]
    state.align(Alignment((3_000, 0)))
    assert view.plots[0].data.series[0].time_ns[1] == first - 3_000


def test_plots_never_stand_on_each_other(qtbot: QtBot, answers: Answers) -> None:
    view, state = shown(qtbot, answers, with_memory())

    def stand_apart(count: int) -> None:
        own = [plot for plot in view.findChildren(StepPlot) if not plot.isHidden()]
        assert len(own) == len(view.plots) == count
        tops = sorted(plot.y() for plot in own)
        assert [b - a >= own[0].height() for a, b in pairwise(tops)] == [True] * (count - 1)

    qtbot.waitUntil(lambda: view.plots[-1].isVisible())
    stand_apart(3)
    before = list(view.plots)
    for height, offset in ((500, 3_000), (160, 7_000)):
        view.resize(800, height)
        state.align(Alignment((offset, 0)))
        qtbot.wait(20)
        assert view.plots == before
        stand_apart(3)
    for shown_now, count in ((traces_only(), 2), (with_memory(), 3)):
        answers.show_results(shown_now)
        view.show_results(shown_now)
        qtbot.waitUntil(lambda: not view.status.text())
        qtbot.wait(20)
        stand_apart(count)
