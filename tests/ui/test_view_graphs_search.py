"""Search and selections from elsewhere find their way into closed modules of a captured graph."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from graph_driving import opened_capture, wait
from PySide6.QtCore import Qt
from pytestqt.qtbot import QtBot

from profviz.ui.view_state import Selection, ViewState
from profviz.ui.views.graphs.choices import Direction
from profviz.ui.views.graphs.pane import MOST_OPENED, GraphPane
from profviz.ui.views.graphs.view import GraphsView
from profviz.ui.widgets.graph_picture import Role

Opened = tuple[GraphsView, ViewState]


@pytest.fixture
def captured(qtbot: QtBot) -> Iterator[Opened]:
    with opened_capture(qtbot, "gpt2") as opened:
        yield opened


def nodes_named(pane: GraphPane, part: str) -> list[int]:
    assert pane.graph is not None
    return [at for at, node in enumerate(pane.graph.nodes) if part in node.target]


def role_of(pane: GraphPane, node: int) -> Role:
    assert pane.placement is not None
    return pane.placement.picture.shapes[pane.placement.shape_of[node]].role


def enter(qtbot: QtBot, view: GraphsView, modifier: Qt.KeyboardModifier = Qt.KeyboardModifier.NoModifier) -> int:
    """One step of the search; gives the node that is current then."""
    pane = view.panes[Direction.FORWARD]
    qtbot.keyClick(view.search, Qt.Key.Key_Return, modifier)
    wait(qtbot, view)
    assert pane.placement is not None
    (node,) = pane.placement.nodes_of[pane.canvas.marks.current]
    return node


def test_many_hits_are_counted_on_closed_modules_and_each_opens_when_it_is_stepped_to(
    captured: Opened, qtbot: QtBot
) -> None:
    view, _ = captured
    pane = view.panes[Direction.FORWARD]
    hits = nodes_named(pane, "tanh")
    opened = pane.placement.opened
    qtbot.keyClicks(view.search, "tanh")
    assert view.found.text() == f"1 of {len(hits)}"
    assert pane.placement.opened == opened
    assert sum(pane.canvas.marks.counts.values()) == sum(role_of(pane, node) is Role.GROUP for node in hits) > 1
    assert enter(qtbot, view) == hits[1]
    assert enter(qtbot, view) == hits[2]
    assert enter(qtbot, view, Qt.KeyboardModifier.ShiftModifier) == hits[1]
    assert view.found.text() == f"2 of {len(hits)}"
    assert role_of(pane, hits[1]) is Role.BOX
    assert role_of(pane, hits[2]) is Role.GROUP  # what was opened to show another hit is closed again


def test_few_hits_are_gone_to_at_once(captured: Opened, qtbot: QtBot) -> None:
    view, _ = captured
    pane = view.panes[Direction.FORWARD]
    (node,) = (at for at, one in enumerate(pane.graph.nodes) if one.name == "tanh_7")
    assert role_of(pane, node) is Role.GROUP
    qtbot.keyClicks(view.search, "tanh_7")
    wait(qtbot, view)
    assert pane.placement.nodes_of[pane.canvas.marks.current] == (node,)
    assert pane.canvas.marks.counts == {}


def test_a_node_selected_elsewhere_is_opened_and_many_are_counted(captured: Opened, qtbot: QtBot) -> None:
    view, state = captured
    pane = view.panes[Direction.FORWARD]
    nodes = nodes_named(pane, "tanh")
    report, graph = pane.request.report, pane.request.graph
    state.select(Selection(nodes=frozenset({(report, graph, nodes[5])})))
    wait(qtbot, view)
    assert role_of(pane, nodes[5]) is Role.BOX
    assert pane.canvas.marks.selected == {pane.placement.shape_of[nodes[5]]}
    view.deeds["open_first"].run()
    wait(qtbot, view)
    linear = nodes_named(pane, "addmm")
    assert len({pane.placement.shape_of[node] for node in linear if role_of(pane, node) is Role.GROUP}) > MOST_OPENED
    before = pane.placement.opened
    state.select(Selection(nodes=frozenset((report, graph, node) for node in linear)))
    assert pane.placement.opened == before
    assert sum(pane.canvas.marks.counts.values()) == sum(role_of(pane, node) is Role.GROUP for node in linear)


def test_what_the_user_opened_stays_open_while_a_search_goes_on(captured: Opened, qtbot: QtBot) -> None:
    view, _ = captured
    pane = view.panes[Direction.FORWARD]
    closed = next(shape.opens for shape in pane.placement.picture.shapes if shape.opens and "mlp" in shape.opens)
    pane.toggle(closed)
    wait(qtbot, view)
    qtbot.keyClicks(view.search, "tanh")
    for _ in range(3):
        enter(qtbot, view)
        assert closed in pane.placement.opened


def test_a_kernel_selected_elsewhere_is_seen_whole_with_its_name(captured: Opened, qtbot: QtBot) -> None:
    view, state = captured
    pane = view.panes[Direction.FORWARD]
    nodes = nodes_named(pane, "tanh")
    (kernel,) = pane.graph.nodes[nodes[3]].kernels
    own = [at for at, node in enumerate(pane.graph.nodes) if kernel in node.kernels]
    state.select(Selection(nodes=frozenset((pane.request.report, pane.request.graph, node) for node in own)))
    wait(qtbot, view)
    picture = pane.canvas.picture
    number = kernel.rpartition(":")[2]
    (hull,) = (at for at, one in enumerate(picture.hulls) if one.title.startswith(f"#{number} "))
    left, top, right, bottom = pane.canvas.visible_window()
    x, y, width, height = picture.hull_rects[hull]
    assert left <= x <= x + width <= right
    assert top <= y <= y + height <= bottom
