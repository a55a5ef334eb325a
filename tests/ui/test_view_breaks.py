"""Graph breaks: rows, the sentence over them, picking the source line."""

from __future__ import annotations

from dataclasses import replace

from PySide6.QtCore import Qt
from pytestqt.qtbot import QtBot
from side_view_contract import keeps_the_contract, made
from side_view_samples import BREAK_LINE, SCRIPT, full, report, traces_only

from profviz.model.graph import SourceLine
from profviz.ui.view_state import Pick, Selection
from profviz.ui.views.breaks import layout
from profviz.ui.views.breaks.view import SPEC, BreaksView


def test_contract(qtbot: QtBot) -> None:
    keeps_the_contract(qtbot, SPEC)


def test_each_break_skip_and_recompile_is_a_row() -> None:
    rows = layout.rows(full())
    assert [row.what for row in rows] == [layout.What.BREAK, layout.What.SKIPPED, layout.What.RECOMPILE]
    texts = [column.text(rows[0]) for column in layout.columns(several_reports=False)]
    assert texts == ["graph break", "net.py:40", BREAK_LINE.text, "Data-dependent branching (GB0170)", "2", "0/0, 1/0"]
    assert "Hint: Use `torch.cond`" in rows[0].more
    assert "/models/net.py:55 in <module>" in rows[0].more
    assert rows[1].reason == "torch.* op returned int"


def test_the_sentence_counts_and_says_when_nothing_broke() -> None:
    assert layout.summary(full()) == ("2 graph breaks · 1 skipped frame · 1 recompile: 3 graphs", "bad")
    clean = replace(full(), reports=(("Compiled", report(broken=False)),))
    assert layout.summary(clean) == ("no graph break: 1 graph", "good")
    both = replace(full(), reports=(("a", report(broken=False)), ("b", report())))
    assert layout.summary(both)[0].startswith("a: no graph break: 1 graph   b: 2 graph breaks")
    assert layout.columns(several_reports=True)[-1].title == "variant"


def test_no_log_is_not_no_break() -> None:
    assert "No compile log" in layout.empty(traces_only())


def test_a_click_picks_the_line_and_shows_the_hint(qtbot: QtBot) -> None:
    view, state = made(qtbot, SPEC)
    assert isinstance(view, BreaksView)
    picks: list[Pick] = []
    state.picked.connect(picks.append)
    view.resize(1200, 280)
    view.show_results(full())
    view.show()
    place = view.table.visualRect(view.table.rows.index(1, 0)).center()
    qtbot.mouseClick(view.table.viewport(), Qt.MouseButton.LeftButton, pos=place)
    assert [(pick.source.line, pick.report) for pick in picks if pick.source] == [(12, 0)]
    assert "helper was not compiled and ran eager" in view.more.toPlainText()


def test_a_selected_line_marks_its_break(qtbot: QtBot) -> None:
    view, state = made(qtbot, SPEC)
    assert isinstance(view, BreaksView)
    view.show_results(full())
    state.select(Selection(Pick(source=SourceLine(SCRIPT, 9))))
    assert view.table.selected_places() == [2]
    state.select(Selection(Pick(source=BREAK_LINE), sources=(BREAK_LINE,)))
    assert view.table.selected_places() == [0]
    assert view.more.toPlainText().startswith("Data-dependent branching")
