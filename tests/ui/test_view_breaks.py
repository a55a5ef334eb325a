"""Graph breaks: rows, the sentence over them, picking the source line."""

from __future__ import annotations

from dataclasses import replace

from PySide6.QtCore import Qt
from pytestqt.qtbot import QtBot
from side_view_contract import keeps_the_contract, made
from side_view_samples import BREAK_LINE, SCRIPT, full, report, traces_only

from profviz.model.compile_report import BreakReason, CallChain, FailedGuard, GraphBreak, Recompile
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
    assert layout.summary(full()) == ("graph broken at 1 line · 1 skipped frame · 1 recompile: 3 graphs", "bad")
    clean = replace(full(), reports=(("Compiled", report(broken=False)),))
    assert layout.summary(clean) == ("no graph break: 1 graph", "good")
    both = replace(full(), reports=(("a", report(broken=False)), ("b", report())))
    assert layout.summary(both)[0].startswith("a: no graph break: 1 graph   b: graph broken at 1 line")
    assert layout.columns(several_reports=True)[-1].title == "variant"


def test_a_line_that_breaks_in_several_ways_is_one_row_with_its_call_chains_below() -> None:
    reasons = (BreakReason("a", "Plain a.", count=2, counted=2), BreakReason("b", gb_id="GB0059", counted=0))
    calls = tuple((SourceLine(SCRIPT, line, "forward", f"x = helper{line}(x)"), BREAK_LINE) for line in (50, 51))
    chains = (CallChain(calls[0], 2), CallChain(calls[1], 1))
    found = GraphBreak(BREAK_LINE, "a", plain="Plain a.", count=3, chains=chains, frames=("forward",), reasons=reasons)
    counted = BreakReason("c", count=0, counted=4)
    shown = replace(full(), reports=(("a", replace(report(broken=False), breaks=(found,), unplaced=(counted,))),))
    row, alone = layout.rows(shown)
    assert (row.reason, row.count) == ("Plain a.", 3)
    for text in ("b (GB0059)", "Splits: forward", "innermost first (2 ×)", "innermost first (1 ×)", "x = helper51(x)"):
        assert text in row.more
    assert (alone.source, alone.count) == (None, 4)
    assert "counters only" in alone.more
    assert layout.summary(shown)[0] == "graph broken at 1 line · 1 break that only the counters know: 1 graph"


def test_a_recompile_shows_both_values_and_the_line_that_made_it_a_condition() -> None:
    line = SourceLine(SCRIPT, 12, "forward", "if self.calls:")
    failed = FailedGuard("self.calls == 0", "0/0", "self.calls", "0", "1", line, "HINT: an int")
    again = Recompile("0/1", "forward", SourceLine(SCRIPT, 9), ("as logged",), (failed,))
    refused = Recompile("0/8", "forward", SourceLine(SCRIPT, 9), (), over_limit=True)
    shown = replace(full(), reports=(("a", replace(report(broken=False), recompiles=(again, refused))),))
    row, last = layout.rows(shown)
    assert (row.reason, row.source, row.line_text) == ("self.calls: expected 0, was 1", line, "if self.calls:")
    for text in ("0/0: self.calls == 0", "expected 0, was 1", "/models/net.py:12 in forward", "HINT: an int"):
        assert text in row.more
    assert last.reason == "the log gives no failed guard"
    assert "was refused" in last.more


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
