"""All that a log holds: listed by compilation and by calls, read when chosen, searched, compared, copied, saved."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QFileDialog
from pytestqt.qtbot import QtBot
from side_view_contract import keeps_the_contract, made
from side_view_samples import KEY, full, report

from profviz.model.artifacts import Artifact, Artifacts, ArtifactText, Language
from profviz.model.compile_report import CompiledFrame
from profviz.model.errors import UserError
from profviz.model.graph import SourceLine
from profviz.model.results import Results
from profviz.ui.answers import Answers
from profviz.ui.pages.results import ResultsPage
from profviz.ui.view_state import Pick, Selection, ViewState
from profviz.ui.views.artifacts import layout
from profviz.ui.views.artifacts.layout import Log, Row, Wanted
from profviz.ui.views.artifacts.titles import title
from profviz.ui.views.artifacts.view import SPEC, ArtifactsView
from profviz.ui.views.breaks import layout as breaks_layout
from profviz.ui.views.compile.view import SPEC as COMPILE
from profviz.ui.views.compile.view import CompileView
from profviz.ui.views.recompiles import layout as recompiles_layout
from profviz.ui.views.registry import VIEWS
from profviz.ui.widgets.code_lexing import Lexing, Segment
from profviz.ui.widgets.palette import DARK

MAIN = SourceLine("/home/me/main.py", 5, "<module>", "model(x)")
STEP = SourceLine("/home/me/main.py", 2, "step", "return net(x)")
LEFT = SourceLine("/home/me/net.py", 7, "forward", "self.a(x)")


@pytest.fixture
def view(qtbot: QtBot) -> Iterator[tuple[ArtifactsView, ViewState]]:
    view, state = made(qtbot, SPEC)
    assert isinstance(view, ArtifactsView)
    answers = Answers()
    state.answers = answers
    view.resize(900, 400)
    view.show()
    yield view, state
    answers.close()


def show(view: tuple[ArtifactsView, ViewState], results: Results) -> ArtifactsView:
    view[1].answers.show_results(results)  # type: ignore[union-attr]
    view[0].show_results(results)
    return view[0]


def text_of(view: ArtifactsView) -> str:
    return view.page.code.toPlainText()


def outline(rows: tuple[Row, ...], indent: str = "") -> list[str]:
    return [line for row in rows for line in (indent + row.title, *outline(row.children, indent + "  "))]


def test_contract(qtbot: QtBot) -> None:
    keeps_the_contract(qtbot, SPEC)


def test_texts_are_listed_by_compilation_in_the_order_of_the_log() -> None:
    rows = layout.by_compile(Log.of(report()), Wanted())
    assert outline(rows) == [
        "Failures and restarts",
        "0/0  forward · net.py:40",
        "  Attempt 0, given up",
        "    Graph break",
        "  Attempt 1",
        "    Dynamo's graph",
        "    Graph before post-grad passes",
        "    Graph after post-grad passes",
        "    Metrics",
        "1/0",
        "  Dynamo's graph",
        "The whole log",
        "  The compiler's spans, a Chrome trace",
    ]


def test_what_exporting_found_wrong_stands_first() -> None:
    items = (
        Artifact("exported_program", "", 0, Language.PYTHON, 1, 0),
        Artifact("missing_fake_kernel", "", 0, Language.JSON, 1, 0, records=3),
        Artifact("compiled_autograd_graph", "!0", 0, Language.PYTHON, 1, 0),
    )
    rows = layout.by_compile(Log.of(replace(report(), frames=(), artifacts=Artifacts(items))), Wanted())
    assert (outline(rows)[:3], rows[0].note) == (
        ["Found while exporting", "  Operators without a fake kernel", "!0  compiled autograd"],
        "3",
    )


def test_how_a_compilation_ended_is_said_in_a_word() -> None:
    frames = (
        CompiledFrame("0/0", "f", None, 1, 1),
        CompiledFrame("1/0", "g", None, 1, 1),
        CompiledFrame("2/0", "h", None, 1, None, fail="no"),
        CompiledFrame("3/0", "i", None, 2, 1, restarts=("why",)),
    )
    log = Log.of(replace(report(), frames=frames))
    found = [layout.status(log, frame.compile_id)[0] for frame in frames]
    assert found == ["no graph", "not finished", "✕ failed", "↻ restarted"]


def test_calls_are_one_tree_that_parts_where_the_ways_part() -> None:
    frames = (
        CompiledFrame("0/0", "a", LEFT, 1, 1, stack=(MAIN, STEP)),
        CompiledFrame("1/0", "b", LEFT, 1, 1, stack=(MAIN, STEP, LEFT)),
        CompiledFrame("2/0", "c", LEFT, 1, 1, stack=(MAIN,)),
        CompiledFrame("3/0", "d", LEFT, 1, 1, stack=(MAIN, LEFT)),
        CompiledFrame("4/0", "e", None, 1, 1),
    )
    rows = layout.by_calls(Log.of(replace(report(), frames=frames)))
    assert outline(rows) == [
        "main.py:5  <module>",
        "2/0  c",
        "main.py:2  step",
        "  0/0  a",
        "  net.py:7  forward",
        "  1/0  b",
        "net.py:7  forward",
        "  3/0  d",
        "The log does not say who called",
        "  4/0  e",
    ]


def test_titles_are_words_and_an_unknown_kind_keeps_its_name() -> None:
    one = Artifact("fx_graph_cache_miss", "0/0", 0, Language.JSON, 1, 0, direction="backward", part=2)
    assert title(one) == "FX graph cache: miss ✗ · backward · part 2"
    assert title(replace(one, name="torch_dynamo_resume_in_f_at_3_ORIGINAL_BYTECODE", direction="", part=0)) == (
        "Bytecode after a break in f_at_3, original"
    )
    assert title(replace(one, name="from_tomorrow", direction="", part=0)) == "from_tomorrow"
    assert title(replace(one, name="link", direction="", part=0, label="https://x")) == "Link · https://x"


def test_a_page_of_its_own_sums_a_compilation_up() -> None:
    frame = replace(report().frames[0], stack=(MAIN,), restarts=("Data-dependent branching",), guards=33)
    log = Log.of(replace(report(), frames=(frame,)))
    text = layout.compile_page(log, "0/0")
    for words in ("1.20 s", "33", "/home/me/main.py:5", "model(x)", "begun again Data-dependent", "fx_graph miss"):
        assert words in text
    assert "begun again: Data-dependent branching" in layout.failures_page(log.report)
    assert "not how it began" in layout.compile_page(log, "9/9")


def test_a_chosen_text_is_read_and_shown(view: tuple[ArtifactsView, ViewState], qtbot: QtBot) -> None:
    shown = show(view, full())
    assert shown.tree.choose_artifact(1)
    qtbot.waitUntil(lambda: text_of(shown) == "class G:\n    x = 1")
    shown.page.records.click()
    qtbot.waitUntil(lambda: '"record": 1' in text_of(shown))
    assert shown.tree.choose_artifact(4)
    qtbot.waitUntil(lambda: text_of(shown) == '{\n  "guard_count": 3\n}')
    assert not shown.page.records.isChecked()


def test_what_a_pass_changed_is_the_first_thing_to_compare_with(
    view: tuple[ArtifactsView, ViewState], qtbot: QtBot
) -> None:
    assert [one.title for one in layout.partners(full(), 0, 3)][:2] == [
        "Graph before post-grad passes",
        "Dynamo's graph",
    ]
    assert [(one.title, one.artifact) for one in layout.partners(full(), 0, 5)] == [
        ("0/0 attempt 1 · Dynamo's graph", 1)
    ]
    shown = show(view, full())
    shown.tree.choose_artifact(3)
    shown.page.partners.setCurrentIndex(1)
    shown.page.partners.activated.emit(1)
    qtbot.waitUntil(lambda: "-    x = 1" in text_of(shown))
    assert "+    y = 1" in text_of(shown)
    assert shown.page.remark.text() == "Changes since Graph before post-grad passes: 2 lines gone, 1 new"
    shown.page.partners.activated.emit(0)
    qtbot.waitUntil(lambda: text_of(shown) == "class P:\n    y = 1\n")


def test_the_same_kind_of_another_log_can_be_compared() -> None:
    both = replace(full(), reports=(("a", report()), ("b", report())))
    found = layout.partners(both, 0, 4)
    assert [(one.title, one.report, one.artifact) for one in found] == [("b · 0/0 attempt 1 · Metrics", 1, 4)]


def test_added_and_removed_lines_have_colours_of_their_own() -> None:
    text = "@@ -1 +1 @@\n-old\n+new\n same"
    lexing = Lexing(text, (Segment(0, len(text), "diff"),))
    assert lexing.advance(budget_s=5)
    assert [spans[0][2] if spans else "" for spans in lexing.spans] == ["function", "removed", "added", ""]


def test_names_and_texts_are_searched(view: tuple[ArtifactsView, ViewState], qtbot: QtBot) -> None:
    shown = show(view, full())
    shown.search.setText("Y = X")
    qtbot.waitUntil(lambda: shown.found.text() == "1 place in 1 text")
    qtbot.waitUntil(lambda: [mark.line for mark in shown.page.code.marks] == [3])
    assert outline(layout.by_compile(Log.of(report()), shown._wanted)) == [
        "0/0  forward · net.py:40",
        "  Graph before post-grad passes",
    ]
    shown.search.setText("metrics")
    qtbot.waitUntil(lambda: shown.found.text() == "0 places in 0 texts")
    assert shown.tree.choose_artifact(4)
    shown.search.clear()
    assert shown.tree.choose_artifact(6)


def test_enter_goes_to_the_next_place_also_on_other_pages(view: tuple[ArtifactsView, ViewState], qtbot: QtBot) -> None:
    shown = show(view, full())
    page = shown.page
    page.show_text(ArtifactText(("x\na\nx", "b", "x\nc"), Language.TEXT), words="X")
    lines = [page.code.current_line()]
    shown.step = page.step  # type: ignore[attr-defined]
    for modifier in (Qt.KeyboardModifier.NoModifier,) * 2 + (Qt.KeyboardModifier.ShiftModifier,) * 2:
        qtbot.keyClick(shown.search, Qt.Key.Key_Return, modifier)
        lines.append(page.code.current_line())
    assert lines == [1, 3, 5, 3, 1]


def test_a_long_text_is_leafed_through(view: tuple[ArtifactsView, ViewState], qtbot: QtBot) -> None:
    page = show(view, full()).page
    page.show_text(ArtifactText(("one\ntwo", "three"), Language.TEXT, cut_lines=2))
    assert (page.place.text(), page.back.isEnabled()) == ("1 of 2", False)
    assert "2 long lines are cut" in page.remark.text()
    qtbot.mouseClick(page.on, Qt.MouseButton.LeftButton)
    assert (page.code.toPlainText(), page.code.current_line(), page.on.isEnabled()) == ("three", 3, False)


def test_the_whole_text_is_copied_and_saved(
    view: tuple[ArtifactsView, ViewState], qtbot: QtBot, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    shown = show(view, full())
    shown.tree.choose_artifact(4)
    shown.page.copy.click()
    qtbot.waitUntil(lambda: shown.page.remark.text() == "Copied")
    assert QGuiApplication.clipboard().text() == '{"guard_count": 3}'
    asked: list[str] = []

    def choose(_parent: object, _title: str, name: str) -> tuple[str, str]:
        asked.append(name)
        return str(tmp_path / name), ""

    monkeypatch.setattr(QFileDialog, "getSaveFileName", choose)
    shown.page.save.click()
    qtbot.waitUntil(lambda: shown.page.remark.text().startswith("Saved as"))
    assert asked == ["0_0-compilation_metrics.json"]
    assert (tmp_path / asked[0]).read_text() == '{"guard_count": 3}'
    monkeypatch.setattr(QFileDialog, "getSaveFileName", lambda *_: (str(tmp_path / "no" / "x"), ""))
    shown.page.save.click()
    qtbot.waitUntil(lambda: "could not be saved" in shown.page.remark.text())


def test_a_log_that_has_gone_says_so_in_place_of_the_text(view: tuple[ArtifactsView, ViewState], qtbot: QtBot) -> None:
    def gone(_: int) -> str:
        raise UserError("The file has changed since it was opened.")

    found = Artifacts(report().artifacts.items, text=gone, records=gone)
    shown = show(view, replace(full(), reports=(("default", replace(report(), artifacts=found)),)))
    shown.tree.choose_artifact(1)
    qtbot.waitUntil(lambda: "has changed" in shown.page.remark.text())
    assert text_of(shown) == ""


def test_what_is_selected_elsewhere_brings_its_compilation(view: tuple[ArtifactsView, ViewState], qtbot: QtBot) -> None:
    shown = show(view, full())
    state = view[1]

    def current() -> tuple[str, int]:
        row = shown.tree.current()
        assert row is not None
        return row.compile_id, row.artifact

    state.select(Selection(Pick(report=0, compile_id="1/0")))
    assert current() == ("1/0", -1)
    state.select(Selection(Pick(report=0, kernel=KEY), kernels=(KEY,)))
    assert current() == ("0/0", -1)
    shown.tree.choose_artifact(2)
    state.select(Selection(Pick(report=0, graph=0, node=1), nodes=((0, 0, 1),)))
    assert current() == ("0/0", 2), "a text of it that is being read stays"


def test_ways_to_the_calls_and_back_keep_the_compilation(view: tuple[ArtifactsView, ViewState], qtbot: QtBot) -> None:
    frames = (
        CompiledFrame("0/0", "a", LEFT, 1, 1, stack=(MAIN,)),
        CompiledFrame("1/0", "b", LEFT, 1, 1, stack=(MAIN,)),
    )
    shown = show(view, replace(full(), reports=(("default", replace(report(), frames=frames)),)))
    shown.tree.choose_artifact(5)
    shown.order.button(1).click()
    row = shown.tree.current()
    assert row is not None
    assert row.compile_id == "1/0"
    shown.order.button(0).click()
    row = shown.tree.current()
    assert row is not None
    assert (row.compile_id, row.is_page) == ("1/0", True)


def test_nothing_is_listed_before_it_is_seen(view: tuple[ArtifactsView, ViewState]) -> None:
    view[0].hide()
    shown = show(view, full())
    assert shown.tree.topLevelItemCount() == 0
    shown.show()
    assert shown.tree.topLevelItemCount() == 4
    closed = [shown.tree.topLevelItem(at) for at in range(4)]
    assert closed[2].childCount() == 1, "few rows are open at once"


def test_breaks_recompiles_and_compile_times_lead_to_what_was_logged(qtbot: QtBot) -> None:
    page = ResultsPage(VIEWS, DARK)
    qtbot.addWidget(page)
    page.resize(1600, 1000)
    with qtbot.waitExposed(page):
        page.show()
    page.show_results(full())
    own = page.holders["artifacts"].view
    assert isinstance(own, ArtifactsView)
    breaks = breaks_layout.rows(full(), breaks_layout.What.BREAK, {})
    again = recompiles_layout.rows(full())
    facts = (*breaks_layout.all_facts(breaks[0]), *recompiles_layout.facts(again[0], ()))
    targets = [fact.target for fact in facts if isinstance(fact.target, dict) and "compile_id" in fact.target]
    assert [target["compile_id"] for target in targets] == ["0/0", "1/0", "0/1"]
    for target in targets[:2]:
        page.panels.reveal("compile")
        qtbot.waitUntil(lambda: not own.is_seen)
        page.state.pick(Pick(**target))
        qtbot.waitUntil(lambda: own.is_seen)
        wanted = target["compile_id"]
        qtbot.waitUntil(lambda wanted=wanted: (own.tree.current() or Row("")).compile_id == wanted)
    page.answers.close()


def test_the_compile_view_leads_to_the_compilation_that_it_sums(qtbot: QtBot) -> None:
    view, state = made(qtbot, COMPILE)
    answers = Answers()
    state.answers = answers
    answers.show_results(full())
    view.show_results(full())
    view.widget().show()
    picks: list[Pick] = []
    state.picked.connect(picks.append)
    assert isinstance(view, CompileView)
    qtbot.waitUntil(lambda: view.what.count() > 1)
    assert not view.logged.isEnabled(), "of everything together there is no one place"
    view.what.setCurrentIndex(1)
    view.what.activated.emit(1)
    qtbot.mouseClick(view.logged, Qt.MouseButton.LeftButton)
    assert [pick.compile_id for pick in picks] == [view.chosen]
    answers.close()
