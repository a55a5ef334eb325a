"""What every side and bottom view must keep; each view's own test module calls it with its spec."""

from __future__ import annotations

from dataclasses import replace

from pytestqt.qtbot import QtBot
from side_view_samples import full, nothing, run, side, traces_only

from profviz.model.results import Results
from profviz.ui.view_state import Pick, Selection, TimeWindow, ViewState
from profviz.ui.views.spec import View, ViewSpec
from profviz.ui.widgets.palette import DARK, LIGHT

FAILED_RUN = Results("stopped", "", (side(),), (), (), (), run=replace(run(), variants=(), state="failed"))
NO_WORK = Results("empty trace", "", (side(steps=0),), (), (), ())
EVERY_RESULTS = (nothing(), traces_only(), full(), FAILED_RUN, NO_WORK)
SELECTIONS = (
    Selection(),
    Selection(Pick(side=0, slice=24), slices=((0, 24), (1, 12))),
    Selection(Pick(side=7, slice=10**6, report=5, graph=9, node=9), slices=((9, 9), (0, 10**6)), nodes=((8, 8, 8),)),
    Selection(Pick(report=0, graph=0, node=1), nodes=((0, 0, 1),), kernels=("no such kernel",)),
)

SELF_EXPLAINING = ("details", "ranges")
"""These say what to select or to mark while nothing is."""


def made(qtbot: QtBot, spec: ViewSpec) -> tuple[View, ViewState]:
    state = ViewState()
    state.reset(TimeWindow(0, 1_000_000))
    view = spec.factory(state, DARK)
    qtbot.addWidget(view.widget())
    view.widget().resize(640, 320)
    return view, state


def keeps_the_contract(qtbot: QtBot, spec: ViewSpec) -> None:
    """Any results in any order, both palettes, selections that point nowhere: shown, named, never raised."""
    view, state = made(qtbot, spec)
    with qtbot.waitExposed(view.widget()):
        view.widget().show()
    for results in (*EVERY_RESULTS, *reversed(EVERY_RESULTS)):
        state.reset(TimeWindow(0, 1_000_000))
        view.show_results(results)
        assert view.message == spec.empty(results) or spec.id in SELF_EXPLAINING  # type: ignore[attr-defined]
        for selection in SELECTIONS:
            state.select(selection)
        for palette in (LIGHT, DARK):
            view.set_palette(palette)
        assert not view.widget().grab().isNull()
    assert view.widget().accessibleName() == spec.title
    assert spec.empty(full()) == ""
    assert spec.empty(nothing())
