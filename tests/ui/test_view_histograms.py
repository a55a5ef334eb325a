"""Histograms of steps and of one name's slices: what is offered, asked and marked, and the figures beside."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import pytest
from pytestqt.qtbot import QtBot
from side_view_contract import keeps_the_contract, made
from side_view_samples import EAGER_KERNELS, TRITON, full, nothing, run, traces_only

from profviz.analysis.durations import answer_durations
from profviz.model.durations import Durations
from profviz.model.results import Results
from profviz.ui.answers import Answers
from profviz.ui.view_state import Pick, Selection, ViewState
from profviz.ui.views.histograms import layout
from profviz.ui.views.histograms.view import SPEC, HistogramsView

KERNEL = 12
GEMM = "nvjet_hsh_192x128"


def timed() -> Results:
    """As `full`, with the variants' timings at their sides."""
    results = full()
    assert results.run is not None
    sides = [replace(side, result=own) for side, own in zip(results.sides, results.run.variants, strict=True)]
    return replace(results, sides=tuple(sides))


@pytest.fixture
def answers() -> Iterator[Answers]:
    made_here = Answers()
    made_here.show_results(timed())
    yield made_here
    made_here.close()


def shown(qtbot: QtBot, answers: Answers, results: Results) -> tuple[HistogramsView, ViewState]:
    view, state = made(qtbot, SPEC)
    assert isinstance(view, HistogramsView)
    answers.show_results(results)
    state.answers = answers
    view.show_results(results)
    with qtbot.waitExposed(view):
        view.show()
    return view, state


def titles(view: HistogramsView) -> list[str]:
    return [one.title for one in view.histogram.data.series]


def test_contract(qtbot: QtBot) -> None:
    keeps_the_contract(qtbot, SPEC)


def test_only_what_some_side_has_is_offered() -> None:
    assert layout.choices(timed()) == (layout.MEASURED, layout.STEPS, layout.SLICES)
    assert layout.choices(traces_only()) == (layout.STEPS, layout.SLICES)
    assert layout.choices(nothing()) == ()


def test_names_are_those_of_all_sides_the_longest_first() -> None:
    found = [named.name for named in layout.names(full())]
    assert set(found) == {*EAGER_KERNELS, TRITON}
    assert found[0] == GEMM, "the one that both sides have"
    assert {named.category for named in layout.names(full())} == {"kernel"}


def test_the_summary_compares_medians_and_says_what_was_counted() -> None:
    found = answer_durations(timed(), layout.question(layout.MEASURED, "auto", None))
    assert isinstance(found, Durations)
    assert layout.summary(found) == "median 8.18 ms → 2.88 ms, 2.84× as fast · steps timed without the profiler"
    one = replace(found, what=layout.STEPS, series=found.series[:1])
    assert layout.summary(one) == "host time of ProfilerStep#N, with the profiler on"
    read = [column.text(found.series[0]) for column in layout.COLUMNS]
    assert read[:3] == ["Eager", "30", "8.18 ms"]


def test_measured_steps_of_both_sides_lie_over_each_other(qtbot: QtBot, answers: Answers) -> None:
    view, _ = shown(qtbot, answers, timed())
    qtbot.waitUntil(lambda: titles(view) == ["Eager", "Compiled"])
    timing = run().variants[0].timing
    assert timing is not None
    assert view.histogram.data.series[0].total == len(timing.samples_ns)
    assert view.table.rows.rowCount() == 2
    assert view.name.isHidden()
    log = view.histogram.data.is_log
    view.scale.button(1 if log else 2).click()
    qtbot.waitUntil(lambda: view.histogram.data.is_log is not log)


def test_the_selected_name_is_drawn_and_marked_until_another_is_chosen(qtbot: QtBot, answers: Answers) -> None:
    view, state = shown(qtbot, answers, full())
    view.what.button(1).click()
    assert view.summary.text() == layout.NO_NAME
    state.select(Selection(Pick(side=1, slice=KERNEL)))
    qtbot.waitUntil(lambda: titles(view) == ["Compiled"])
    assert view.name.currentText() == f"Selected: {TRITON}"
    assert view.histogram.data.marked_ns == 5_123
    view.name.setCurrentIndex(1)
    qtbot.waitUntil(lambda: titles(view) == ["Eager", "Compiled"])
    assert view.named is not None
    assert view.named.name == GEMM
    assert view.histogram.data.marked_ns is None
    state.select(Selection(Pick(side=1, slice=KERNEL + 1)))
    qtbot.waitUntil(lambda: view.histogram.data.marked_ns == 5_123)
    assert view.named.name == GEMM, "what was chosen stays"
    picks: list[Pick] = []
    state.picked.connect(picks.append)
    view.table.chosen.emit(view.table.rows.row_at(1))
    assert picks == [Pick(side=1, slice=KERNEL + 1)]


def test_a_name_that_never_ended_says_so(qtbot: QtBot, answers: Answers) -> None:
    results = full()
    side = results.sides[0]
    flags = side.trace.slices.flags.copy()
    flags[0::2][:12] = 1
    trace = replace(side.trace, slices=replace(side.trace.slices, flags=flags))
    results = replace(results, sides=(replace(side, trace=trace),))
    view, state = shown(qtbot, answers, results)
    view.what.button(1).click()
    state.select(Selection(Pick(side=0, slice=0)))
    qtbot.waitUntil(lambda: view.summary.text() == "No side has such durations.")
    assert titles(view) == []
    assert view.table.rows.rowCount() == 0
