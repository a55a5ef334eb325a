"""Trace health: every note once a place, worst first, samples as plain text."""

from __future__ import annotations

from dataclasses import replace

from pytestqt.qtbot import QtBot
from side_view_contract import keeps_the_contract, made
from side_view_samples import full, side, traces_only

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
    assert "<i>X</i>" in view.more.toPlainText()
    tip = view.table.rows.index(0, 2).data(3)
    assert "&lt;i&gt;X" in tip
    assert "<i>" not in tip


def test_no_note_is_said(qtbot: QtBot) -> None:
    view, _ = made(qtbot, SPEC)
    assert isinstance(view, HealthView)
    view.show_results(replace(traces_only(), sides=(side(),)))
    assert view.message == ""
    assert view.summary.text() == "✓ Every event was read: no note"
    assert view.table.isHidden()
