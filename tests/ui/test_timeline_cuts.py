"""Graph breaks on the timelines: which cuts a window shows, what they are called, and that they are painted."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from PySide6.QtGui import QColor
from pytestqt.qtbot import QtBot
from side_view_samples import full, report

from profviz.engine.results import results_of_documents
from profviz.formats.registry import open_document
from profviz.model.break_cost import BreakAccount, BreakCost, Gap
from profviz.model.results import Results
from profviz.ui.answers import Answers
from profviz.ui.view_state import ViewState
from profviz.ui.views.timeline.cuts import LEAST_APART_PX, CutList, cuts_of
from profviz.ui.views.timeline.layout import Scale
from profviz.ui.views.timeline.view import TimelineView
from profviz.ui.widgets.palette import DARK

SHARED = Path(__file__).parents[2].parent / "shared" / "traces"


def gap(start_ns: int) -> Gap:
    return Gap(start_ns, start_ns + 10, before=0, after=1, step=0, gpu_idle_ns=None, syncs=0, sync_ns=0, lookup_ns=0)


def test_crossings_of_all_breaks_come_in_time_order_with_their_lines() -> None:
    second = replace(report().breaks[0], source=replace(report().breaks[0].source, line=12))
    results = replace(full(), reports=(("a", replace(report(), breaks=(*report().breaks, second))),))
    costs = (BreakCost(0, (gap(100), gap(300))), BreakCost(1, (gap(200),)))
    found = cuts_of(results, 0, BreakAccount(0, costs, (None, None), ()))
    assert found.start_ns.tolist() == [100, 200, 300]
    assert (found.end_ns - found.start_ns).tolist() == [10, 10, 10]
    assert [found.names[at] for at in found.name] == ["✕ net.py:40", "✕ net.py:12", "✕ net.py:40"]
    assert len(cuts_of(results, 0, BreakAccount(0, (None, None), (None, None), ())).start_ns) == 0


def test_of_cuts_closer_than_some_pixels_one_is_painted() -> None:
    times = np.arange(0, 1_000_000, dtype=np.int64)
    cuts = CutList(times, times + 1, times * 0, ("✕ a.py:1",))
    few = cuts.visible(Scale(0.0, 300.0, 0, 1_000_000))
    assert 0 < len(few) <= 300 // LEAST_APART_PX + 1
    assert cuts.visible(Scale(0.0, 300.0, 10, 4)).tolist() == [10, 11, 12, 13]
    assert len(cuts.visible(Scale(0.0, 300.0, 2_000_000, 10))) == 0
    assert len(CutList().visible(Scale(0.0, 300.0, 0, 10))) == 0


@pytest.fixture
def shown(qtbot: QtBot) -> Iterator[tuple[TimelineView, Results]]:
    if not SHARED.exists():
        pytest.skip("the shared captures are not beside this checkout")
    names = ("eager.json.gz", "compiled-default.json.gz", "compile-log.txt.gz")
    results = results_of_documents([open_document(SHARED / f"broken_train.{name}") for name in names])
    state, answers = ViewState(), Answers()
    answers.show_results(results)
    state.answers = answers
    view = TimelineView(state, DARK)
    qtbot.addWidget(view)
    view.resize(1200, 700)
    view.show_results(results)
    with qtbot.waitExposed(view):
        view.show()
    qtbot.waitUntil(lambda: len(view.canvas.cuts.of(1).start_ns) > 0)
    yield view, results
    answers.close()


def test_the_compiled_side_is_cut_where_it_broke(shown: tuple[TimelineView, Results]) -> None:
    view, _ = shown
    cuts = view.canvas.cuts
    assert len(cuts.of(1).start_ns) == 12  # two breaks in three steps, crossed forward and backward
    assert cuts.of(1).names == ("✕ capture_one.py:40", "✕ capture_one.py:43")
    assert len(cuts.of(0).start_ns) == 0
    scene = view.canvas.scenes()[1]
    at = cuts.of(1).visible(scene.scale)[0]
    x = round(scene.scale.x(int(cuts.of(1).start_ns[at])))
    image = view.canvas.grab().toImage()
    column = [image.pixelColor(x, y) for y in range(scene.pane.body_top, scene.pane.bottom)]
    bad = QColor(DARK.bad)
    assert sum(abs(one.hue() - bad.hue()) < 12 and one.saturation() > 80 for one in column) > 20
