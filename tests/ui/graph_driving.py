"""The graph view over a shared capture, with somebody who answers what it asks."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from PySide6.QtCore import QPointF
from pytestqt.qtbot import QtBot
from shiboken6 import delete

from profviz.engine.results import results_of_documents
from profviz.formats.registry import open_document
from profviz.model.results import Results
from profviz.ui.answers import Answers
from profviz.ui.view_state import ViewState
from profviz.ui.views.graphs.view import GraphsView
from profviz.ui.widgets.graph_canvas import GraphCanvas
from profviz.ui.widgets.palette import DARK

SHARED = Path(__file__).parents[2].parent / "shared" / "traces"
KINDS = ("eager.json.gz", "compiled-default.json.gz", "compile-log.txt.gz")


def wait(qtbot: QtBot, view: GraphsView) -> None:
    """Until every pane that shows a graph has laid it out."""
    shown = [pane for pane in view.panes.values() if not pane.isHidden() and pane.graph is not None]
    qtbot.waitUntil(lambda: all(pane.placement is not None for pane in shown), timeout=20_000)


@contextmanager
def opened_capture(qtbot: QtBot, name: str) -> Iterator[tuple[GraphsView, ViewState]]:
    """Eager, compiled and the log; skips the test where the captures are not beside the checkout."""
    files = [SHARED / f"{name}.{kind}" for kind in KINDS]
    if not files[0].is_file():
        pytest.skip("the shared captures are not beside this checkout")
    with shown_graphs(qtbot, results_of_documents([open_document(file) for file in files])) as shown:
        yield shown


@contextmanager
def shown_graphs(qtbot: QtBot, results: Results) -> Iterator[tuple[GraphsView, ViewState]]:
    """The view with its first graphs laid out, and what it asks answered."""
    state, answers = ViewState(), Answers()
    answers.show_results(results)
    state.answers = answers
    view = GraphsView(state, DARK)
    view.resize(1200, 800)
    view.show()
    view.show_results(results)
    wait(qtbot, view)
    yield view, state
    delete(view)
    answers.close()


def on_screen(canvas: GraphCanvas, x: float, y: float) -> QPointF:
    """Where a place of the picture is seen now."""
    left, top, _, _ = canvas.visible_window()
    return QPointF((x - left) * canvas.scale, (y - top) * canvas.scale)
