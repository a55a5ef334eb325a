"""Step times: series from the timing, and pyqtgraph only when there is something to plot."""

from __future__ import annotations

import subprocess
import sys

from pytestqt.qtbot import QtBot
from side_view_contract import keeps_the_contract, made
from side_view_samples import full, nothing, traces_only

from profviz.ui.views.steps import layout
from profviz.ui.views.steps.view import SPEC, StepsView


def test_contract(qtbot: QtBot) -> None:
    keeps_the_contract(qtbot, SPEC)


def test_series_carry_samples_median_band_and_discarded() -> None:
    eager, compiled = layout.series(full())
    timing = full().run.variants[1].timing  # type: ignore[union-attr]
    assert timing is not None
    assert (eager.title, compiled.title) == ("Eager", "Compiled")
    assert eager.kind != compiled.kind
    assert compiled.values_ms == tuple(value / 1e6 for value in timing.samples_ns)
    assert compiled.median_ms == timing.median_ns / 1e6  # type: ignore[operator]
    assert round((compiled.high_ms - compiled.low_ms) * 1e6) == timing.iqr_ns  # type: ignore[operator]
    assert compiled.apart_ms == (9.0, 8.5)
    assert all(position < 0 for position in compiled.apart_positions)


def test_rounds_are_divided_and_the_legend_says_the_numbers() -> None:
    assert layout.round_starts(full()) == (5.5, 11.5, 17.5, 23.5)
    legend = layout.legend(full())
    assert [symbol for symbol, _, _ in legend] == ["●", "■"]
    assert legend[1][2].endswith("30 steps · 2 left out (×): something compiled")


def test_only_what_was_timed_is_plotted(qtbot: QtBot) -> None:
    view, _ = made(qtbot, SPEC)
    assert isinstance(view, StepsView)
    view.show_results(traces_only())
    assert view.plot is None
    assert view.message == "No step was timed: profiled steps are in the table of steps"
    view.show_results(full())
    assert view.plot is not None
    assert not view.message
    view.show_results(nothing())
    assert view.message


def test_the_view_does_not_load_pyqtgraph_by_itself() -> None:
    code = "import sys, profviz.ui.views.steps.view; sys.exit('pyqtgraph' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


def test_a_low_panel_keeps_its_room_for_the_plot(qtbot: QtBot) -> None:
    view, _ = made(qtbot, SPEC)
    assert isinstance(view, StepsView)
    view.resize(900, 400)
    view.show()
    view.show_results(full())
    assert view.plot is not None
    axis = view.plot.getPlotItem().getAxis("left")
    rows = [label.parentWidget() for label, _ in view.legend_labels]
    qtbot.waitUntil(lambda: rows[1].y() > rows[0].y())
    assert axis.label.isVisible()
    view.resize(900, 150)
    qtbot.waitUntil(lambda: rows[1].y() == rows[0].y())
    assert not axis.label.isVisible()
