"""Time on the graphs: heat, words, the slowest, and the switch from eager boxes to fused groups."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from graph_driving import opened_capture
from PySide6.QtCore import Qt
from pytestqt.qtbot import QtBot

from profviz.model.graph import Graph, GraphTimes, Node, Stage, TensorSpec
from profviz.ui.view_state import Pick, ViewState
from profviz.ui.views.graphs import heating
from profviz.ui.views.graphs.choices import Direction, Level
from profviz.ui.views.graphs.heat import heated, slowest, time_lines, total_words
from profviz.ui.views.graphs.labels import Colouring
from profviz.ui.views.graphs.layout import lay_out
from profviz.ui.views.graphs.pane import GraphPane
from profviz.ui.views.graphs.view import GraphsView
from profviz.ui.widgets.graph_picture import Role

SHARED = Path(__file__).parents[2].parent / "shared" / "traces"
SPEC = TensorSpec((4, 4), "float32")
FUSED = "triton_poi_fused_add_relu_0:2"


def graph() -> Graph:
    call = "call_function"
    nodes = (
        Node("x", "placeholder", "x", SPEC),
        Node("mm", call, "torch.ops.aten.mm.default", SPEC, kernels=("extern_kernels.mm:1",)),
        Node("view", call, "torch.ops.aten.view.default", SPEC),
        Node("add", call, "torch.ops.aten.add.Tensor", SPEC, kernels=(FUSED,)),
        Node("relu", call, "torch.ops.aten.relu.default", SPEC, kernels=(FUSED,)),
    )
    return Graph(Stage.POST_GRAD_FORWARD, "0/0", nodes, ((0, 1), (1, 2), (2, 3), (3, 4)))


KERNELS = {"extern_kernels.mm:1": 4100, FUSED: 1200}
SLICES = {1: (10, 20), 3: (11, 21), 4: (12, 22)}
SLICE_NS = {10: 3000, 20: 5000, 11: 1000, 21: 1000, 12: 2000, 22: 2000}
TIMES = GraphTimes("eager", "compiled", SLICES, SLICE_NS, 2, KERNELS)


def test_eager_shows_one_box_a_node_with_its_own_time_and_no_kernel() -> None:
    placement = lay_out(graph(), downwards=True)
    picture = heated(placement, graph(), TIMES, Colouring.EAGER)
    shapes = [picture.shapes[placement.shape_of[node]] for node in range(5)]
    assert picture.hulls == ()
    assert [shape.heat >= 0 for shape in shapes] == [False, True, False, True, True]
    assert shapes[1].heat == 1.0
    assert shapes[3].detail.startswith("1.00 µs")
    assert shapes[2].role is Role.PALE


def test_compiled_shows_the_kernel_with_its_name_and_time_around_its_nodes() -> None:
    placement = lay_out(graph(), downwards=True)
    picture = heated(placement, graph(), TIMES, Colouring.COMPILED)
    (hull,) = picture.hulls
    assert hull.title == "#2 1.20 µs · triton_poi_fused_add_relu_0"
    first, second = (picture.shapes[placement.shape_of[node]] for node in (3, 4))
    assert first.heat == second.heat < 1.0


def test_a_closed_module_sums_nodes_eager_and_kernels_once_compiled() -> None:
    modules = [(), ("a",), ("a",), ("a",), ("a",)]
    placement = lay_out(graph(), downwards=True, modules=modules, opened=())
    for colouring, words in ((Colouring.EAGER, "7.00 µs"), (Colouring.COMPILED, "5.30 µs")):
        picture = heated(placement, graph(), TIMES, colouring)
        assert picture.shapes[placement.shape_of[1]].detail.startswith(words)


def test_the_slowest_come_first_and_kernels_once() -> None:
    assert [slow.node for slow in slowest(graph(), TIMES, Colouring.EAGER)] == [1, 4, 3]
    assert [slow.name for slow in slowest(graph(), TIMES, Colouring.COMPILED)] == ["extern_kernels.mm:1", FUSED]


def test_work_that_nodes_share_counts_once_and_is_said_to_be_shared() -> None:
    times = GraphTimes("eager", "", {3: (10,), 4: (10,)}, {10: 3000}, 1, {})
    assert times.eager_ns([3, 4]) == times.eager_ns([3]) == 3000
    assert times.eager_ns([1]) is None
    assert total_words(graph(), times, Colouring.EAGER) == "3.00 µs a step, eager"
    assert [slow.node for slow in slowest(graph(), times, Colouring.EAGER)] == [3]
    assert time_lines(graph(), [3], times) == ["eager 3.00 µs a step (2 operations together)"]


def test_words_of_a_node_tell_both_times_and_whom_a_kernel_serves() -> None:
    assert time_lines(graph(), [3], TIMES) == [
        "eager 1.00 µs a step",
        "compiled 1.20 µs a step (2 operations, one kernel)",
    ]
    assert time_lines(graph(), [2], TIMES) == []
    assert time_lines(graph(), [3], None) == []


def test_what_is_unknown_is_said() -> None:
    nothing = GraphTimes("", "", {}, {}, 1, {})
    assert total_words(graph(), nothing, Colouring.EAGER) == "no eager run is open"
    assert "no kernel" in total_words(graph(), GraphTimes("", "c", {}, {}, 1, {}), Colouring.COMPILED)
    assert total_words(graph(), TIMES, Colouring.EAGER) == "7.00 µs a step, eager"


@pytest.fixture
def captured(qtbot: QtBot) -> Iterator[tuple[GraphsView, ViewState]]:
    with opened_capture(qtbot, "gpt2") as opened:
        yield opened


def test_t_switches_from_fused_groups_to_eager_boxes_and_back_on_a_capture(captured, qtbot: QtBot) -> None:
    view, state = captured
    pane = view.panes[Direction.FORWARD]
    qtbot.keyClick(pane.canvas, Qt.Key.Key_T)
    qtbot.waitUntil(lambda: pane.times is not None and pane.placement is not None and view.level is Level.DYNAMO)
    assert view.heating.colouring is Colouring.EAGER
    assert "6.04 ms a step, eager" in pane.figures.text()
    qtbot.waitUntil(lambda: pane.canvas.picture.hulls == () and not view.heating.fusion.is_running)
    assert view.heating.slowest.count() == 11
    picked: list[Pick] = []
    state.picked.connect(picked.append)
    view.heating.slowest.activated.emit(1)
    assert pane.graph.nodes[picked[0].node].name in view.heating.slowest.itemText(1)
    qtbot.keyClick(pane.canvas, Qt.Key.Key_T)
    assert view.heating.colouring is Colouring.COMPILED
    qtbot.waitUntil(lambda: pane.canvas.picture.fused == 1.0 and not view.heating.fusion.is_running)
    assert any("µs" in hull.title for hull in pane.canvas.picture.hulls)


def test_times_of_many_graphs_are_shown_together_and_ranked_only_where_the_list_is_seen(
    qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    with opened_capture(qtbot, "broken_train") as (view, _):
        assert sum(len(pane.graphs) for pane in view.panes.values()) > len(view.panes)
        qtbot.waitUntil(lambda: all(pane.times is not None for pane in view.panes.values()))
        shown: list[Colouring] = []
        monkeypatch.setattr(GraphPane, "show_heat", lambda pane, colouring: shown.append(colouring))
        monkeypatch.setattr(heating, "slowest", lambda *args: pytest.fail("nobody sees the list"))
        view.heating.refresh()
        assert shown == [Colouring.KERNEL] * len(view.panes)
