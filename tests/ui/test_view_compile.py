"""Compile time: the icicle's boxes, the table that sums to the first call, the sentences, and choosing."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from pytestqt.qtbot import QtBot
from side_view_contract import keeps_the_contract, made
from side_view_samples import EVENTS, full, nothing, report, traces_only

from profviz.analysis.compile_account import answer_compile
from profviz.formats.registry import open_document
from profviz.model.compile_cost import BreakEven, CompileAccount, CompileStage, Span
from profviz.model.compile_report import CompileReport
from profviz.model.questions import Question
from profviz.model.results import Results
from profviz.ui.answers import Answers
from profviz.ui.view_state import Pick, ViewState
from profviz.ui.views.compile import layout
from profviz.ui.views.compile.keys import ACTIONS
from profviz.ui.views.compile.view import SPEC, CompileView
from profviz.ui.widgets.icicle_values import HOLLOW

SHARED = Path(__file__).parents[2].parent / "shared" / "traces"


def timed() -> Results:
    """The report belongs to the run's variant, and the first call is known: 2 000 ns from moment 900 on."""
    shown = replace(report(), first_call=(900, 2_900), events=(*EVENTS, replace(EVENTS[0], start_ns=5_000)))
    return replace(full(), reports=(("default", shown),))


def account_of(results: Results) -> tuple[CompileAccount, CompileReport]:
    found = answer_compile(results, Question("compile cost", -1, (0,)))
    assert isinstance(found, CompileAccount)
    return found, results.reports[0][1]


@pytest.fixture
def view(qtbot: QtBot) -> Iterator[tuple[CompileView, ViewState]]:
    view, state = made(qtbot, SPEC)
    assert isinstance(view, CompileView)
    answers = Answers()
    state.answers = answers
    results = timed()
    answers.show_results(results)
    view.resize(1200, 320)
    view.show_results(results)
    with qtbot.waitExposed(view):
        view.show()
    qtbot.waitUntil(lambda: view.what.count() > 0)
    yield view, state
    answers.close()


def test_contract(qtbot: QtBot) -> None:
    keeps_the_contract(qtbot, SPEC)


def test_boxes_hang_below_each_other_and_gaps_fill_the_first_call() -> None:
    shown = layout.picture(*account_of(timed()))
    kinds = [(item.name if isinstance(item, Span) else layout.GAP) for item in shown.items]
    assert kinds[:3] == [layout.GAP, "dynamo", "create_aot_dispatcher_function"]
    assert kinds.count(layout.GAP) == 3
    assert shown.icicle.depth[1:5].tolist() == [0, 1, 2, 3]
    first_call = [
        (int(start), int(end))
        for start, end, depth in zip(shown.icicle.start_ns, shown.icicle.end_ns, shown.icicle.depth, strict=True)
        if depth == 0 and start < 2_000
    ]
    assert sum(end - start for start, end in first_call) == 2_000
    assert shown.icicle.colour[0] == HOLLOW


def test_a_cache_hit_is_said_in_words_and_hatched() -> None:
    account, own = account_of(timed())
    shown = layout.picture(account, own)
    hits = [at for at, marked in enumerate(shown.icicle.marked) if marked]
    assert [getattr(shown.items[at], "name", "") for at in hits] == ["dynamo", "FxGraphCache.load"]
    assert "cache hit" in shown.icicle.texts(hits[0])[0]
    assert "fx_graph hit (saved 900 ns)" in layout.tell(shown, hits[0], own, account.cost)


def test_overlapping_stages_get_rows_of_their_own() -> None:
    spans = [
        Span("a", 0, 100, 0, 100, CompileStage.DYNAMO, "", "0/0", False),
        Span("b", 50, 100, 0, 50, CompileStage.AUTOTUNE, "", "0/0", False),
        Span("c", 60, 20, 1, 20, CompileStage.AUTOTUNE, "", "0/0", False),
        Span("d", 150, 20, 0, 20, CompileStage.AUTOTUNE, "", "0/0", False),
    ]
    assert layout.rows(spans, 0) == [0, 1, 2, 0]
    assert layout.union_ns(spans) == 170


def test_the_rows_sum_to_the_first_call() -> None:
    account, own = account_of(timed())
    *parts, total = layout.table(account.cost, layout.FIRST_CALL)
    assert sum(row.own_ns or 0 for row in parts) == total.own_ns == 2_000
    assert [row.title for row in parts[-2:]] == ["the step itself", "unexplained"]
    *parts, total = layout.table(account.cost, "1/0")
    assert sum(row.own_ns or 0 for row in parts) == total.own_ns == 300
    whats = [what for what, _ in layout.choices(account, own)]
    assert whats == [layout.FIRST_CALL, layout.EVERYTHING, "0/0", "1/0"]


def test_a_log_alone_does_not_pretend_to_know_the_first_call() -> None:
    account, own = account_of(full())
    assert layout.choices(account, own)[0][0] == layout.EVERYTHING
    assert "a log alone does not tell" in layout.sentences(account, own)[0]
    assert "unknown" in layout.sentences(account, own)[0]
    assert layout.gaps(account.cost) == ()


def test_break_even_in_words() -> None:
    account, own = account_of(timed())
    told = {
        BreakEven(1_000, 10, 100, 90, 120, 5): "after 100 steps (90 to 120 by single rounds): each gains 10 ns",
        BreakEven(1_000, 10, 100, 90, None, 5): "(90 to never by single rounds)",
        BreakEven(1_000, -10, None): "never pays back, on this measurement: compiled steps are 10 ns slower.",
        BreakEven(1_000, -10, None, 70, None, 5): "favours it most: after 70 steps",
        BreakEven(1_000, 10, 100, is_clear=False): "each gains 10 ns, less than the steps' spread",
        BreakEven(1_000, 10, 100): "pays back after 100 steps: each",
    }
    for even, words in told.items():
        assert words in layout.sentences(replace(account, even=even), own)[0]


def test_nothing_to_show_is_explained() -> None:
    assert layout.empty(traces_only()) == layout.NO_LOG
    assert layout.empty(nothing()) == layout.NO_LOG
    silent = replace(full(), reports=(("a", replace(report(), events=())),))
    assert "says nothing of when" in layout.empty(silent)


def test_a_click_on_a_compilation_sums_it_and_fades_the_others(
    qtbot: QtBot, view: tuple[CompileView, ViewState]
) -> None:
    shown, _ = view
    picture = shown._picture
    assert picture is not None
    at = next(i for i in range(len(picture.items)) if picture.compile_id(i) == "1/0")
    place = shown.icicle.box_of(at).center().toPoint()
    qtbot.mouseClick(shown.icicle.viewport(), Qt.MouseButton.LeftButton, pos=place)
    assert shown.chosen == "1/0"
    assert shown.table.rows.row_at(shown.table.rows.rowCount() - 1).own_ns == 300
    qtbot.keyClick(shown.icicle, Qt.Key.Key_Escape)
    assert shown.chosen == layout.FIRST_CALL


def test_the_function_of_a_compilation_is_a_link(qtbot: QtBot, view: tuple[CompileView, ViewState]) -> None:
    shown, state = view
    picks: list[Pick] = []
    state.picked.connect(picks.append)
    assert not shown.source.isEnabled()
    shown.what.setFocus()
    shown.what.setCurrentIndex(2)
    shown.what.activated.emit(2)
    assert (shown.chosen, shown.source.isEnabled()) == ("0/0", True)
    qtbot.mouseClick(shown.source, Qt.MouseButton.LeftButton)
    assert [pick.source.line for pick in picks if pick.source] == [40]


def test_every_key_has_its_deed(view: tuple[CompileView, ViewState]) -> None:
    shown, _ = view
    assert set(shown.deeds) == {action.id for action in ACTIONS if not action.mouse}
    whole = shown.icicle.window_ns
    shown.deeds["zoom_in"].run()
    assert shown.icicle.window_ns != whole
    shown.show_results(traces_only())
    assert shown.deeds == {}


def test_late_answers_of_other_results_are_let_go(view: tuple[CompileView, ViewState]) -> None:
    shown, _ = view
    found, _ = account_of(full())
    shown.show_results(traces_only())
    shown._answered(Question("compile cost", -1, (0,)), found)
    assert shown.message == layout.NO_LOG


@pytest.mark.skipif(not SHARED.exists(), reason="the shared captures are not beside this checkout")
@pytest.mark.parametrize("name", ["gpt2", "broken_train", "ddp.compiled.rank0"])
def test_real_logs_hang_without_overlap(name: str) -> None:
    own = open_document(SHARED / f"{name}.compile-log.txt.gz").report
    assert own is not None
    account, _ = account_of(Results("", "", (), ((name, own),), (), ()))
    icicle = layout.picture(account, own).icicle
    for depth in range(icicle.rows):
        level = icicle.depth == depth
        assert (icicle.start_ns[level][1:] >= icicle.end_ns[level][:-1]).all()
