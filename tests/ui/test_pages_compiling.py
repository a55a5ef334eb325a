"""The run page while something compiles: counts, time by stage, and breaks as they are found."""

from __future__ import annotations

from dataclasses import replace

from pytestqt.qtbot import QtBot
from side_view_samples import report

from profviz.analysis.compile_cost import compile_cost
from profviz.engine.events import CompileSeen, RunChanged
from profviz.model.compile_report import CompileReport
from profviz.model.findings import Verdict
from profviz.model.results import Results
from profviz.model.run import Run, RunRequest, VariantResult
from profviz.ui.main_window import MainWindow
from profviz.ui.pages.run import RunPage
from profviz.ui.pages.run_compiling import break_rows, stage_rows, summary
from profviz.ui.view_state import Pick, Selection


def seen(own: CompileReport) -> CompileSeen:
    return CompileSeen("default", own, compile_cost(own))


def test_counts_and_time_are_told() -> None:
    own = report()
    assert summary(own, compile_cost(own)) == (
        "2 frames, 3 graphs, 1 break, 1 skipped frame, 1 recompile, 1 cache hit in 1.20 µs"
    )
    early = replace(report(broken=False), events=(), caches=(), graph_count=0)
    assert summary(early, compile_cost(early)) == "0 frames, 0 graphs, 0 breaks in 0 ns"
    assert stage_rows(compile_cost(early)) == []


def test_stages_come_by_their_time_and_sum_up() -> None:
    rows = stage_rows(compile_cost(report()))
    assert rows[0] == ("Dynamo", "500 ns", "42 %")
    assert [row[2] for row in rows] == ["42 %", "17 %", "17 %", "17 %", "8 %"]


def test_the_page_fills_as_the_log_grows(qtbot: QtBot) -> None:
    page = RunPage()
    qtbot.addWidget(page)
    page.resize(1200, 800)
    page.show()
    panel = page.compiling
    assert not panel.isVisible()
    page.take(seen(report(broken=False)))
    assert panel.isVisible()
    assert not panel.breaks.isVisible()
    page.take(seen(report()))
    texts = [[panel.breaks.item(row, column).text() for column in range(3)] for row in range(panel.breaks.rowCount())]
    assert texts == [list(row) for row in break_rows(report())]
    assert texts[0][:2] == ["net.py:40", "if x.sum().item() > 0:"]
    assert texts[1][2].startswith("helper runs eager")
    assert panel.summary.text().startswith("default: 2 frames")
    page.clear_progress()
    assert not panel.isVisible()


def test_what_was_compiled_so_far_can_be_looked_into_and_has_no_all_clear(qtbot: QtBot) -> None:
    page = RunPage()
    qtbot.addWidget(page)
    variants = (VariantResult("eager", "Eager"), VariantResult("default", "Compiled"))
    page.take(RunChanged(Run(RunRequest("/home/me/net.py"), "running", 0, variants=variants)))
    early = replace(report(broken=False), recompiles=())
    page.take(seen(early))
    with qtbot.waitSignal(page.look) as looked:
        page.compiling.look_button.click()
    (results,) = looked.args
    assert results.title == "net.py, so far"
    assert results.reports == (("default", early),)
    told = {finding.id: finding for finding in results.findings}
    assert {told[one].verdict for one in ("captured", "breaks", "recompiles", "compile_cost")} == {Verdict.UNKNOWN}
    assert page.has_shown(results)
    page.clear_progress()
    assert not page.has_shown(results)


def test_who_looks_at_what_was_so_far_sees_the_results_when_the_run_is_done(window: MainWindow, qtbot: QtBot) -> None:
    page = window.run_page
    page.take(RunChanged(Run(RunRequest("/home/me/net.py"), "running", 0, variants=(VariantResult("default", "C"),))))
    page.take(seen(report()))
    page.compiling.look_button.click()
    assert window.pages.currentWidget() is window.results_page
    done = Results("done", "", (), (("default", report()),), (), ())
    window._ran(done, "")
    assert window.results_page.results is done


def test_what_is_looked_at_goes_on_filling_until_something_in_it_is_selected(window: MainWindow, qtbot: QtBot) -> None:
    page, shown = window.run_page, window.results_page
    page.take(RunChanged(Run(RunRequest("/home/me/net.py"), "running", 0, variants=(VariantResult("default", "C"),))))
    page.take(seen(report(broken=False)))
    assert shown.results is None
    page.compiling.look_button.click()
    page.take(seen(report()))
    assert shown.results is not None
    assert shown.results.reports == (("default", report()),)
    shown.state.select(Selection(Pick(report=0)))
    page.take(seen(report(broken=False)))
    assert shown.results.reports == (("default", report()),)
    shown.state.select(Selection())
    page.take(seen(report(broken=False)))
    assert shown.results.reports == (("default", report(broken=False)),)
    window.show_run()
    page.take(seen(report()))
    assert window.pages.currentWidget() is page
