"""Recompiles with guard, values and cure; CUDA graphs; and the guards, readable, counted and searched."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import pytest
from PySide6.QtCore import Qt
from pytestqt.qtbot import QtBot
from side_view_contract import keeps_the_contract, made
from side_view_samples import BREAK_LINE, SCRIPT, full, report, traces_only

from profviz.model.compile_report import CompiledFrame, CudaGraph, FailedGuard, Guard, GuardSet, Recompile
from profviz.model.graph import SourceLine
from profviz.model.results import Results
from profviz.ui.answers import Answers
from profviz.ui.view_state import Pick, Selection, ViewState
from profviz.ui.views.recompiles import guards, layout
from profviz.ui.views.recompiles.view import GUARDS, SPEC, RecompilesView

LINE = SourceLine(SCRIPT, 25, "forward", "x = x - x.mean()")
SIZE = FailedGuard("tensor 'x' size mismatch", "0/0", "x size at index 0", "16", "24", LINE, "HINT: torch's own")
GUARDED = GuardSet(
    "0/1",
    (
        Guard(
            "TENSOR_MATCH",
            "check_tensor(L['x'], Tensor, DispatchKeySet(CUDA, BackendSelect), torch.float16, device=0,"
            " requires_grad=True, size=[None, 64], stride=[64, 1])",
            LINE,
        ),
        Guard("ID_MATCH", "___check_obj_id(G['torch'], 1399), type=<class 'module'>", BREAK_LINE),
        Guard("ID_MATCH", "___check_obj_id(G['__import_a_dot_b'].c, 7), type=<class 'int'>"),
    ),
    latency_ns=3_000,
)


def changing() -> Results:
    again = Recompile("0/1", "forward", SourceLine(SCRIPT, 9), ("size",), (SIZE, replace(SIZE, seen="")), 2_000_000_000)
    refused = Recompile("0/8", "forward", None, ("one\ntwo",), over_limit=True)
    graphs = (
        CudaGraph("0/1", "record", start_ns=1),
        CudaGraph("0/1", "re-record", "new pointers", "backward"),
        CudaGraph("3/0", "skip", "cpu device (arg0)\nand more"),
    )
    over = CompiledFrame("0/9", "other", None, 1, None, fail="recompile limit reached")
    shown = replace(
        report(), recompiles=(again, refused), cuda_graphs=graphs, guards=(GUARDED,), frames=(*report().frames, over)
    )
    return replace(full(), reports=(("default", shown),))


@pytest.fixture
def view(qtbot: QtBot) -> Iterator[tuple[RecompilesView, ViewState]]:
    view, state = made(qtbot, SPEC)
    assert isinstance(view, RecompilesView)
    answers = Answers()
    state.answers = answers
    results = changing()
    answers.show_results(results)
    view.resize(1200, 320)
    view.show_results(results)
    with qtbot.waitExposed(view):
        view.show()
    yield view, state
    answers.close()


def test_contract(qtbot: QtBot) -> None:
    keeps_the_contract(qtbot, SPEC)


def test_recompiles_refusals_and_cuda_graphs_are_one_list() -> None:
    rows = layout.rows(changing())
    texts = [[column.text(row) for column in layout.columns(several_reports=False)] for row in rows]
    assert texts == [
        ["recompile", "0/1", "forward", "net.py:25", "x size at index 0", "16 → 24", "2.00 s"],
        ["limit reached", "0/8", "forward", "–", "one", "", "–"],
        ["limit reached", "0/9", "other", "–", "recompile limit reached", "", "–"],
        ["CUDA graph skipped", "3/0", "", "–", "cpu device (arg0)", "", "–"],
        ["CUDA graph re-recorded", "0/1", "backward", "–", "new pointers", "", "–"],
    ]
    assert layout.summary(changing())[0].startswith("1 recompile · 2 frames over the recompile limit · 1 CUDA graph")
    assert layout.summary(replace(full(), reports=(("a", report(broken=False)),))) == (layout.NONE, "good")


def test_the_facts_name_every_cache_entry_with_both_values() -> None:
    facts = layout.facts(layout.rows(changing())[0], ("Mark it dynamic",))
    assert (facts[0].key, facts[0].value) == ("what to do", "Mark it dynamic")
    entries = [fact for fact in facts if fact.heading]
    assert [entry.key for entry in entries] == ["entry 0/0"] * 2
    assert [(part.key, part.value) for part in entries[0].parts] == [
        ("guard", "tensor 'x' size mismatch"),
        ("expected", "16"),
        ("seen", "24"),
        ("line", "net.py:25"),
        ("", "x = x - x.mean()"),
        ("torch says", "HINT: torch's own"),
    ]
    assert "seen" not in [part.key for part in entries[1].parts]
    assert ("recompile limit", "not reached") in [(fact.key, fact.value) for fact in facts]


def test_guards_read_as_words() -> None:
    assert [guards.readable(guard.text) for guard in GUARDED.guards] == [
        "x is a float16 tensor [any, 64] on cuda:0 with grad, strides [64, 1]",
        "torch is the same object (module)",
        "a.b.c is the same object (int)",
    ]
    plain = {
        "hasattr(L['x'], '_dynamo_dynamic_indices') == False": "no size of x is marked dynamic",
        "not ___dict_contains('f', L['self']._modules['h']._modules['0'].__dict__)": "self.h[0].__dict__ has no f",
        "len(L['args']) == 1": "len(args) == 1",
        "___check_type_id(L['y'], 3), type=<class 'list'>": "y is of type list",
    }
    assert {text: guards.readable(text) for text in plain} == plain


def test_kinds_are_counted_and_the_cost_is_torchs() -> None:
    assert [(row.kind, row.count) for row in guards.kinds(GUARDED)] == [("", 3), ("ID_MATCH", 2), ("TENSOR_MATCH", 1)]
    assert (
        guards.sentence(GUARDED) == "3 guards; checking them all takes 3.00 µs a call, as torch measured, 1.00 µs each"
    )
    assert "not measured" in guards.sentence(replace(GUARDED, latency_ns=None))
    assert guards.sets(changing())[0].title == "0/1 · 3"


def test_no_log_is_not_no_recompile() -> None:
    assert layout.empty(traces_only()) == layout.NO_LOG


def test_the_cure_comes_with_the_chosen_row_and_its_line_is_a_link(
    qtbot: QtBot, view: tuple[RecompilesView, ViewState]
) -> None:
    shown, state = view
    qtbot.waitUntil(lambda: any("mark_dynamic" in fact.value for fact in shown.facts.facts))
    picks: list[Pick] = []
    state.picked.connect(picks.append)
    shown.facts.setFocus()
    shown.facts.setCurrentItem(shown.facts.topLevelItem(1))
    qtbot.keyClick(shown.facts, Qt.Key.Key_Return)
    assert [pick.source for pick in picks] == [LINE]
    place = shown.table.visualRect(shown.table.rows.index(3, 0)).center()
    qtbot.mouseClick(shown.table.viewport(), Qt.MouseButton.LeftButton, pos=place)
    assert "cpu device (arg0)\nand more" in [fact.value for fact in shown.facts.facts]


def test_guards_are_searched_and_filtered_by_kind(qtbot: QtBot, view: tuple[RecompilesView, ViewState]) -> None:
    shown, state = view
    picks: list[Pick] = []
    state.picked.connect(picks.append)
    qtbot.mouseClick(shown.switch.button(GUARDS), Qt.MouseButton.LeftButton)
    listed = shown.guards
    assert (listed.isVisible(), listed.table.rows.rowCount()) == (True, 3)
    listed.kinds.setFocus()
    qtbot.keyClick(listed.kinds, Qt.Key.Key_Down)
    assert listed.table.rows.rowCount() == 2
    qtbot.keyClicks(listed.search, "torch")
    assert listed.table.rows.rowCount() == 1
    place = listed.table.visualRect(listed.table.rows.index(0, 1)).center()
    qtbot.mouseClick(listed.table.viewport(), Qt.MouseButton.LeftButton, pos=place)
    assert [(pick.report, pick.source) for pick in picks] == [(0, BREAK_LINE)]


def test_a_selected_line_marks_its_recompile(view: tuple[RecompilesView, ViewState]) -> None:
    shown, state = view
    state.select(Selection(Pick(source=LINE), sources=(LINE,)))
    assert shown.table.selected_places() == [0]


def test_what_ranks_recompiled_alike_is_one_row_with_what_each_took() -> None:
    again = changing().reports[0][1].recompiles[0]
    slow, quick = (replace(again, dur_ns=ns) for ns in (3_000_000, 1_000_000))
    other = replace(quick, compile_id="0/2")
    logs = [replace(report(), rank=1, recompiles=(slow,)), replace(report(), rank=0, recompiles=(quick, other))]
    results = replace(full(), reports=tuple((f"log{at}", one) for at, one in enumerate(logs)))
    both, only = (row for row in layout.rows(results) if row.what is layout.What.RECOMPILE)
    shown = layout.columns(several_reports=True, of_ranks=True)
    assert [(row.report, shown[-1].text(row), row.dur_ns) for row in (both, only)] == [
        (0, "0, 1", 3_000_000),
        (1, "0", 1_000_000),
    ]
    took = {fact.key: fact.value for fact in layout.facts(both, ())}
    assert (took["rank 0 took"], took["rank 1 took"]) == ("1.00 ms", "3.00 ms")
