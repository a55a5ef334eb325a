"""The run page while something compiles: counts, time by stage, and breaks as they are found."""

from __future__ import annotations

from dataclasses import replace

from pytestqt.qtbot import QtBot
from side_view_samples import report

from profviz.analysis.compile_cost import compile_cost
from profviz.engine.events import CompileSeen
from profviz.model.compile_report import CompileReport
from profviz.ui.pages.run import RunPage
from profviz.ui.pages.run_compiling import break_rows, stage_rows, summary


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
