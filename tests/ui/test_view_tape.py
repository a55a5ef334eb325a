"""The tape's table in the order of the backward pass, its curve, and the selection that it shares with the others."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import pytest
from PySide6.QtCore import Qt
from pytestqt.qtbot import QtBot
from side_view_contract import keeps_the_contract, made
from tape_samples import FIRST_LINE, hand_made, results

from profviz.model.results import Results
from profviz.model.tape import Owner, Tape
from profviz.ui.answers import Answers
from profviz.ui.pages.selecting import resolve
from profviz.ui.view_state import Pick, Selection, ViewState
from profviz.ui.views.tape import layout
from profviz.ui.views.tape.view import SPEC, TapeView

SUM, RELU, TANH, MM, LEAF = range(5)


@pytest.fixture
def shown() -> Results:
    return results(gpu=True)


@pytest.fixture
def view(qtbot: QtBot, shown: Results) -> Iterator[tuple[TapeView, ViewState]]:
    view, state = made(qtbot, SPEC)
    assert isinstance(view, TapeView)
    answers = Answers()
    state.answers = answers
    state.picked.connect(lambda pick: state.select(resolve(shown, pick)))
    answers.show_results(shown)
    view.resize(1200, 280)
    view.show_results(shown)
    with qtbot.waitExposed(view):
        view.show()
    qtbot.waitUntil(lambda: bool(view.table.rows.columns) and len(view.table.rows.columns) == 14)
    yield view, state
    answers.close()


def marked(view: TapeView) -> list[int]:
    return [view.table.rows.identity_at(place) for place in view.table.selected_places()]


def test_contract(qtbot: QtBot) -> None:
    keeps_the_contract(qtbot, SPEC)


def cells(view: TapeView, node: int) -> dict[str, str]:
    row = view.table.rows.row_at(view.table.rows.places_of({node})[0])
    return {column.title: column.text(row) for column in view.table.rows.columns}


def test_rows_say_what_is_saved_what_is_freed_and_what_it_took(view: tuple[TapeView, ViewState]) -> None:
    assert cells(view[0], RELU) == {
        "#": "2",
        "node": "ReluBackward0",
        "module or parameter": "inner",
        "saves": "192 B",
        "freed": "after 3",
        "frees": "96 B",
        "live before": "192 B",
        "forward": "30.0 µs",
        "backward": "50.0 µs",
        "fwd GPU": "7.00 µs",
        "bwd GPU": "7.00 µs",
        "made by": "aten::relu",
        "tensors": "result 4×6, self 4×6",
        "line": "net.py:8",
    }
    leaf = cells(view[0], LEAF)
    assert (leaf["node"], leaf["module or parameter"], leaf["forward"]) == ("AccumulateGrad", "inner.w", "–")
    assert cells(view[0], TANH)["freed"] == "here"


def test_the_sentences_sum_up_and_say_what_is_open(view: tuple[TapeView, ViewState]) -> None:
    assert view[0].summary.text() == "5 nodes · 5 saved tensors · 192 B kept for backward alone"
    assert "hooks took it" in view[0].notes.text()


def test_a_row_selects_its_slices_and_its_line(view: tuple[TapeView, ViewState], qtbot: QtBot) -> None:
    tape, state = view
    tape.table.setFocus()
    qtbot.keyClick(tape.table, Qt.Key.Key_Down)
    qtbot.keyClick(tape.table, Qt.Key.Key_Down)
    node = state.selection.pick.node
    assert state.selection.pick == Pick(report=0, graph=0, node=node)
    assert len(state.selection.slices) == 8
    assert marked(tape) == [node]
    assert tape.plot.place == node


def test_a_slice_of_the_timeline_marks_its_row(view: tuple[TapeView, ViewState], shown: Results) -> None:
    tape, state = view
    work = shown.tapes[0].links.backward_work[TANH][0]
    state.pick(Pick(side=0, slice=work))
    assert marked(tape) == [TANH]
    assert tape.facts.facts[0].value == "TanhBackward0"
    state.select(Selection())
    assert marked(tape) == []
    assert tape.plot.place == -1


def test_the_curve_is_walked_with_the_keys(view: tuple[TapeView, ViewState], qtbot: QtBot) -> None:
    tape, state = view
    tape.plot.setFocus()
    qtbot.keyClick(tape.plot, Qt.Key.Key_Home)
    assert state.selection.pick.node == SUM
    qtbot.keyClick(tape.plot, Qt.Key.Key_Right)
    assert state.selection.pick.node == RELU
    qtbot.keyClick(tape.plot, Qt.Key.Key_End)
    assert state.selection.pick.node == LEAF
    assert "5 of 5" in tape.plot.accessibleDescription()


def test_facts_name_what_shares_memory_and_lead_on(view: tuple[TapeView, ViewState]) -> None:
    tape, state = view
    state.pick(Pick(report=0, graph=0, node=TANH))
    facts = {fact.key: fact for fact in tape.facts.facts}
    assert facts["line"].target == {"source": FIRST_LINE}
    saved = facts["Saved for backward"].parts
    assert saved[0].value == "4×6 float32 · 96 B · freed here · kept by ReluBackward0 (2), too"
    tape.facts.followed.emit(facts["run by"].target)
    assert state.selection.pick.slice in {index for _, index in state.selection.slices}
    assert (0, 0, TANH) in state.selection.nodes
    state.pick(Pick(report=0, graph=0, node=MM))
    texts = [fact.value for fact in tape.facts.facts[-1].parts]
    assert texts == ["4×5 float32 · 80 B · the input 0", "unknown: hooks took it"]


def test_in_a_low_panel_the_curve_has_the_room(view: tuple[TapeView, ViewState]) -> None:
    tape, _ = view
    assert not tape.facts.isHidden()
    tape.resize(1200, 150)
    assert tape.facts.isHidden()
    assert tape.plot.height() >= tape.plot.minimumHeight()


def test_where_the_device_counts_the_curve_has_two_lines() -> None:
    tape = replace(hand_made(), device="cuda:0", allocated=(500, 500, 400, 300, 300, 350))
    data = layout.curve(tape)
    assert [(one.title, one.dashed) for one in data.series] == [("kept by the tape", False), ("allocated", True)]
    assert data.top == 500
    assert data.series[0].values.tolist() == [192, 192, 96, 0, 0, 0]
    shown = replace(results().tapes[0], tape=tape)
    assert "at most 500 B allocated" in layout.summary(shown)


def test_memory_that_outlives_the_step_is_told() -> None:
    storages = tuple(replace(one, freed_after=None) for one in hand_made().storages)
    tape = replace(hand_made(), storages=storages)
    shown = replace(results().tapes[0], tape=tape)
    assert "192 B held on after the step" in layout.summary(shown)
    rows = layout.rows(tape, None)
    assert (rows[RELU].freed, rows[MM].freed) == ("held on", "")
    ends = tuple(replace(one, freed_after=5) if one.owner is Owner.TAPE else one for one in storages)
    assert layout.rows(replace(tape, storages=ends), None)[RELU].freed == "with the tape"


def test_why_there_is_no_tape_is_said() -> None:
    tape = replace(results().tapes[0], tape=Tape(absence="No tape: forward only."))
    assert layout.empty(replace(results(), tapes=(tape,))) == "No tape: forward only."
    assert "No tape was recorded" in layout.empty(replace(results(), tapes=()))
