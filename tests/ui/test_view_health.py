"""Trace health: every note once a place, worst first, samples as plain text."""

from __future__ import annotations

from dataclasses import replace

from pytestqt.qtbot import QtBot
from side_view_contract import keeps_the_contract, made
from side_view_samples import full, side, traces_only

from profviz.model.notes import Note, Sample
from profviz.ui.view_state import Pick
from profviz.ui.views.health import layout
from profviz.ui.views.health.view import SPEC, HealthView


def test_contract(qtbot: QtBot) -> None:
    keeps_the_contract(qtbot, SPEC)


def test_worst_first_and_shared_notes_once() -> None:
    rows = layout.rows(full())
    assert [(row.where, row.note.code) for row in rows] == [
        ("Eager", "bad_event"),
        ("all", "missing_member"),
        ("Eager", "clock_skew"),
    ]


def test_samples_give_the_byte_and_the_text() -> None:
    bad = layout.rows(full())[0]
    assert bad.samples == 'byte 99: {"ph": "<i>X</i>"  somewhere'
    assert "near the end" in bad.more
    assert "What was done: skipped it, went on with the next." in bad.more


def test_the_sentence_says_what_the_notes_mean() -> None:
    assert layout.summary(layout.rows(full()))[1] == "bad"
    assert layout.summary(())[0] == "✓ Every event was read: no note"
    rows = layout.rows(full())
    assert layout.summary(rows[2:]) == ("Read in full: the notes change no number", "muted")


def test_file_text_is_never_markup(qtbot: QtBot) -> None:
    view, _ = made(qtbot, SPEC)
    assert isinstance(view, HealthView)
    view.show_results(full())
    assert view.examples.rows.index(0, 2).data() == '{"ph": "<i>X</i>"'
    tip = view.examples.rows.index(0, 2).data(3)
    assert "&lt;i&gt;X" in tip
    assert "<i>" not in tip


def test_no_note_is_said(qtbot: QtBot) -> None:
    view, _ = made(qtbot, SPEC)
    assert isinstance(view, HealthView)
    view.show_results(replace(traces_only(), sides=(side(),)))
    assert view.message == ""
    assert view.summary.text() == "✓ Every event was read: no note"
    assert not view.table.isVisibleTo(view)


def test_an_example_leads_to_its_slice(qtbot: QtBot) -> None:
    view, state = made(qtbot, SPEC)
    assert isinstance(view, HealthView)
    results = full()
    trace = results.sides[0].trace
    event = int(trace.slices.event[2])
    note = Note("overlap", 1, (Sample(7, "a and b", event), Sample(9, "lost", -1)))
    view.show_results(replace(results, sides=(replace(results.sides[0], notes=(note,)), *results.sides[1:])))
    picks: list[Pick] = []
    state.picked.connect(picks.append)
    found = layout.examples(results, layout.NoteRow("Eager", note, 0))
    assert [example.place for example in found] == ["show", "not drawn"]
    view.examples.chosen.emit(found[1])
    assert picks == []
    view.examples.chosen.emit(found[0])
    assert picks == [Pick(side=0, slice=int((trace.slices.event == event).argmax()))]
    start = int(trace.slices.start_ns[picks[0].slice])
    assert state.window.start_ns <= start < state.window.end_ns
