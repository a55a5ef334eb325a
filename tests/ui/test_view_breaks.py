"""Graph breaks and skipped frames: rows with their cost, the sentence over them, facts, and picking the source line."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import pytest
from PySide6.QtCore import Qt
from pytestqt.qtbot import QtBot
from side_view_contract import keeps_the_contract, made
from side_view_samples import BREAK_LINE, SCRIPT, full, report, traces_only

from profviz.model.break_cost import BackwardCost, BreakAccount, BreakCost, Fix, Gap
from profviz.model.compile_report import BreakReason, CallChain, GraphBreak
from profviz.model.graph import SourceLine
from profviz.model.results import Results
from profviz.ui.answers import Answers
from profviz.ui.view_state import Pick, Selection, ViewState
from profviz.ui.views.breaks import layout
from profviz.ui.views.breaks.costs import NO_TRACE, total_cost
from profviz.ui.views.breaks.layout import What
from profviz.ui.views.breaks.view import SPEC, BreaksView

GAP = Gap(0, 300, before=4, after=5, step=0, gpu_idle_ns=200, syncs=1, sync_ns=50, lookup_ns=20)
CHEAP = BreakCost(0, (GAP,), crossings=1, cpu_ns=300_000, gpu_idle_ns=None, syncs=0, sync_ns=0)
DEAR = BreakCost(1, (GAP,), crossings=2, cpu_ns=900_000, gpu_idle_ns=800_000, syncs=1, sync_ns=50_000)
FIX = Fix("Use torch.where.", "if a:", "torch.where(a, b, c)")


def two_breaks() -> Results:
    second = replace(report().breaks[0], source=SourceLine(SCRIPT, 12, "helper", "print(x)"), chains=())
    shown = replace(report(), breaks=(report().breaks[0], second))
    return replace(full(), reports=(("default", shown),))


@pytest.fixture
def view(qtbot: QtBot) -> Iterator[tuple[BreaksView, ViewState]]:
    view, state = made(qtbot, SPEC)
    assert isinstance(view, BreaksView)
    answers = Answers()
    state.answers = answers
    answers.show_results(full())
    view.resize(1200, 280)
    view.show_results(full())
    with qtbot.waitExposed(view):
        view.show()
    qtbot.waitUntil(lambda: view.facts.facts[0].key == "what to do")
    yield view, state
    answers.close()


def test_contract(qtbot: QtBot) -> None:
    keeps_the_contract(qtbot, SPEC)


def values(row: layout.BreakRow) -> dict[str, str]:
    return {fact.key: fact.value for fact in layout.all_facts(row) if fact.key}


def test_breaks_and_skipped_frames_are_lists_of_their_own() -> None:
    (broken,), (skipped,) = (layout.rows(full(), what, {}) for what in What)
    texts = [column.text(broken) for column in layout.columns(What.BREAK, several_reports=False)]
    reason = "Data-dependent branching (GB0170)"
    assert texts == ["–", "net.py:40", BREAK_LINE.text, reason, "–", "–", "–", "2", "log"]
    assert values(broken)["hint"] == "Use `torch.cond` to express dynamic control flow."
    assert values(broken)["called from"] == "net.py:55 (2 ×)"
    assert values(broken)["costs"] == f"unknown: {NO_TRACE}"
    texts = [column.text(skipped) for column in layout.columns(What.SKIPPED, several_reports=False)]
    assert texts == ["net.py:12", "helper", "torch.* op returned int", "1"]
    assert values(skipped)["what it means"] == "helper was not compiled and ran eager"


def test_the_most_expensive_break_comes_first_with_its_cost_and_fix() -> None:
    account = BreakAccount(1, (CHEAP, DEAR), (None, FIX), (None,))
    first, second = layout.rows(two_breaks(), What.BREAK, {0: account})
    assert [row.source.line if row.source else 0 for row in (first, second)] == [12, 40]
    assert [column.text(first) for column in layout.columns(What.BREAK, several_reports=False)][0:7:4] == [
        "900 µs",
        "–",
    ]
    found = values(first)
    assert (found["what to do"], found["before"], found["after"]) == ("Use torch.where.", "if a:", FIX.after)
    assert found["costs a step"] == "900 µs in 2 crossings, GPU idle 800 µs, waits for the GPU 1 × (50.0 µs)"
    longest = next(fact for fact in layout.all_facts(first) if fact.key == "longest")
    assert longest.target == {"side": 1, "slice": 4}
    assert "what to do" not in values(second)
    assert total_cost({0: account}) == "1.20 ms a step between graphs; GPU idle for 800 µs; 50.0 µs waiting"
    assert total_cost({}) == ""


def test_forward_and_backward_are_shown_and_summed_apart() -> None:
    back = BackwardCost((Gap(9, 109, 7, 8, 0, 90, 0, 0, 0),), 1, 100_000, 90_000, 0, 0)
    dear, unlinked = replace(DEAR, backward=back), replace(CHEAP, backward=BackwardCost(unknown="no arrows"))
    account = BreakAccount(1, (unlinked, dear), (None, None), (None,))
    first, second = layout.rows(two_breaks(), What.BREAK, {0: account})
    texts = [column.text(first) for column in layout.columns(What.BREAK, several_reports=False)]
    assert texts[4:7] == ["100 µs", "890 µs", "50.0 µs"]
    assert first.cost_ns == 1_000_000
    assert values(first)["forward"].startswith("900 µs in 2 crossings, GPU idle 800 µs")
    assert values(first)["backward"] == "100 µs in 1 crossing, GPU idle 90.0 µs"
    assert values(second)["backward"] == "unknown: no arrows"
    assert total_cost({0: account}) == (
        "1.20 ms a step between graphs forward, 100 µs backward; GPU idle for 890 µs; 50.0 µs waiting"
    )


def test_an_unknown_cost_says_why() -> None:
    account = BreakAccount(1, (BreakCost(0, (), unknown="not reached"),), (None,), (None,))
    (row,) = layout.rows(full(), What.BREAK, {0: account})
    assert values(row)["costs"] == "unknown: not reached"


def test_the_sentence_counts_and_says_when_nothing_broke() -> None:
    assert layout.summary(full()) == ("graph broken at 1 line · 1 skipped frame: 3 graphs", "bad")
    clean = replace(full(), reports=(("Compiled", report(broken=False)),))
    assert layout.summary(clean) == ("no graph break: 1 graph", "good")
    both = replace(full(), reports=(("a", report(broken=False)), ("b", report())))
    assert layout.summary(both)[0].startswith("a: no graph break: 1 graph   b: graph broken at 1 line")
    assert layout.columns(What.BREAK, several_reports=True)[-1].title == "variant"


def test_a_line_that_breaks_in_several_ways_is_one_row_with_its_call_chains_folded_below() -> None:
    reasons = (BreakReason("a", "Plain a.", count=2, counted=2), BreakReason("b", gb_id="GB0059", counted=0))
    calls = tuple((SourceLine(SCRIPT, line, "forward", f"x = helper{line}(x)"), BREAK_LINE) for line in (50, 51))
    chains = (CallChain(calls[0], 2), CallChain(calls[1], 1))
    found = GraphBreak(BREAK_LINE, "a", plain="Plain a.", count=3, chains=chains, frames=("forward",), reasons=reasons)
    counted = BreakReason("c", count=0, counted=4)
    shown = replace(full(), reports=(("a", replace(report(broken=False), breaks=(found,), unplaced=(counted,))),))
    row, alone = layout.rows(shown, What.BREAK, {})
    assert (row.reason, row.count, row.known_to) == ("Plain a.", 3, "log and counters")
    folded = [fact for fact in row.facts if fact.key == "called from"]
    assert [(fact.value, fact.open) for fact in folded] == [("net.py:50 (2 ×)", False), ("net.py:51 (1 ×)", False)]
    assert [part.target["source"].line for part in folded[1].parts] == [40, 51]
    assert [fact.value for fact in row.facts if fact.key == "torch says"] == ["a", "b (GB0059)"]
    assert values(row)["splits"] == "forward"
    assert (alone.source, alone.count, alone.known_to) == (None, 4, "counters")
    assert "counters only" in values(alone)["known to"]
    assert layout.summary(shown)[0] == "graph broken at 1 line · 1 break that only the counters know: 1 graph"


def test_no_log_is_not_no_break() -> None:
    assert "No compile log" in layout.empty(traces_only())


def test_a_click_picks_the_line_and_shows_why(qtbot: QtBot, view: tuple[BreaksView, ViewState]) -> None:
    shown, state = view
    picks: list[Pick] = []
    state.picked.connect(picks.append)
    qtbot.mouseClick(shown.switch.button(1), Qt.MouseButton.LeftButton)
    assert shown.table.accessibleName() == "Skipped frames"
    place = shown.table.visualRect(shown.table.rows.index(0, 1)).center()
    qtbot.mouseClick(shown.table.viewport(), Qt.MouseButton.LeftButton, pos=place)
    assert [(pick.source.line, pick.report) for pick in picks if pick.source] == [(12, 0)]
    assert "helper was not compiled and ran eager" in [fact.value for fact in shown.facts.facts]


def test_a_call_of_the_chain_is_a_link(qtbot: QtBot, view: tuple[BreaksView, ViewState]) -> None:
    shown, state = view
    picks: list[Pick] = []
    state.picked.connect(picks.append)
    chain = next(
        shown.facts.topLevelItem(at)
        for at in range(shown.facts.topLevelItemCount())
        if shown.facts.topLevelItem(at).text(0) == "called from"
    )
    shown.facts.setFocus()
    shown.facts.expandItem(chain)
    shown.facts.setCurrentItem(chain.child(1))
    qtbot.keyClick(shown.facts, Qt.Key.Key_Return)
    assert [pick.source.line for pick in picks if pick.source] == [55]


def test_a_selected_line_marks_its_break(view: tuple[BreaksView, ViewState]) -> None:
    shown, state = view
    state.select(Selection(Pick(source=BREAK_LINE), sources=(BREAK_LINE,)))
    assert shown.table.selected_places() == [0]


def test_long_values_go_on_in_further_lines(view: tuple[BreaksView, ViewState]) -> None:
    shown, _ = view
    item = shown.facts.topLevelItem(0)
    shown.facts.setFixedWidth(240)
    assert "\n" in item.text(1)
    assert item.text(1).replace("\n", " ") == shown.facts.facts[0].value


def test_ranks_that_broke_alike_are_one_row_with_what_each_pays() -> None:
    ranks = [replace(report(), rank=rank) for rank in (1, 0)]
    ranks[0] = replace(ranks[0], breaks=(*two_breaks().reports[0][1].breaks,))
    results = replace(full(), reports=(("B", ranks[0]), ("A", ranks[1])))
    here = replace(CHEAP, index=0, cpu_ns=200_000)
    accounts = {
        0: BreakAccount(1, (DEAR, None), (None, None), (None,)),
        1: BreakAccount(0, (here,), (None,), (None,)),
    }
    both, only = layout.rows(results, What.BREAK, accounts)
    shown = layout.columns(What.BREAK, several_reports=True, of_ranks=True)
    assert shown[2].title == "ranks"
    assert [shown[2].text(row) for row in (both, only)] == ["0, 1", "1"]
    assert (both.report, both.places, only.places) == (0, ((1, 0), (0, 0)), ((0, 1),))
    found = values(both)
    assert found["rank 0"].startswith("200 µs a step")
    assert found["rank 1"].startswith("900 µs a step, GPU idle 800 µs")
    assert total_cost(accounts, (1, 0)) == "a step between graphs: rank 0 200 µs, rank 1 900 µs"
    text, tone = layout.summary(results)
    assert tone == "bad"
    assert text.startswith("rank 1: graph broken at 2 lines")
    assert "rank 0: graph broken at 1 line" in text
    (skipped,) = layout.rows(results, What.SKIPPED, accounts)
    assert skipped.ranks == "0, 1"
