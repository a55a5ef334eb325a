"""The autograd tape among the graphs: found in the chooser, drawn with what it saves, in the selection both ways."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import pytest
from graph_driving import shown_graphs
from pytestqt.qtbot import QtBot
from side_view_samples import full
from tape_samples import results

from profviz.model.graph import ACCUMULATE_OP, AUTOGRAD_OP, Graph, Node, Stage, TensorSpec
from profviz.model.results import Results, SliceKind
from profviz.ui.pages.selecting import resolve
from profviz.ui.view_state import Pick, ViewState
from profviz.ui.views.graphs.cells import condense
from profviz.ui.views.graphs.choices import Direction, Level, choices, empty
from profviz.ui.views.graphs.facts import tip
from profviz.ui.views.graphs.heat import Colouring
from profviz.ui.views.graphs.kinds import is_view, kind_of
from profviz.ui.views.graphs.labels import cell_text
from profviz.ui.views.graphs.view import GraphsView
from profviz.ui.widgets.graph_picture import Role

RELU, TANH, LEAF = 1, 2, 4


@pytest.fixture
def shown() -> Results:
    return results()


@pytest.fixture
def view(qtbot: QtBot, shown: Results) -> Iterator[tuple[GraphsView, ViewState]]:
    with shown_graphs(qtbot, shown) as (view, state):
        state.picked.connect(lambda pick: state.select(resolve(shown, pick)))
        yield view, state


def test_it_comes_behind_the_compilers_graphs() -> None:
    both = replace(full(), tapes=results().tapes)
    found = choices(both)
    assert [(choice.title, choice.report) for choice in found][-1] == ("Autograd tape · Eager", len(both.reports))
    assert found[-1].levels == (Level.TAPE,)
    assert empty(results()) == ""


def test_it_is_drawn_alone_where_nothing_was_compiled(view: tuple[GraphsView, ViewState]) -> None:
    graphs, _ = view
    backward = graphs.panes[Direction.BACKWARD]
    assert graphs.shown_panes == [backward]
    assert graphs.focusProxy() is backward.canvas
    assert backward.title.text() == "Backward · Autograd tape"
    assert backward.placement is not None
    details = [shape.detail for shape in backward.placement.picture.shapes]
    assert "4×6 f32 · saves 192 B" in details


def test_a_node_is_picked_and_a_slice_selects_it(view: tuple[GraphsView, ViewState], shown: Results) -> None:
    graphs, state = view
    backward = graphs.panes[Direction.BACKWARD]
    backward.node_clicked.emit(TANH)
    assert state.selection.pick == Pick(report=0, graph=0, node=TANH)
    assert len(state.selection.slices) == 4
    call = shown.tapes[0].links.backward[RELU][0]
    state.pick(Pick(side=0, slice=call))
    assert backward.placement is not None
    assert backward.canvas.marks.selected == {backward.placement.shape_of[RELU]}


def test_what_is_picked_elsewhere_is_brought_into_view_and_what_is_picked_here_stays(
    view: tuple[GraphsView, ViewState], monkeypatch: pytest.MonkeyPatch
) -> None:
    graphs, state = view
    backward = graphs.panes[Direction.BACKWARD]
    revealed: list[list[int]] = []
    monkeypatch.setattr(backward.canvas, "reveal", revealed.append)
    backward.node_clicked.emit(TANH)
    assert revealed == []
    state.pick(Pick(report=0, graph=0, node=LEAF))  # as the tape's table does
    assert len(revealed) == 1


def test_its_heat_is_the_backward_pass(view: tuple[GraphsView, ViewState], qtbot: QtBot) -> None:
    graphs, _ = view
    at = list(Colouring).index(Colouring.EAGER)
    graphs.colouring.setCurrentIndex(at)
    graphs.colouring.activated.emit(at)
    qtbot.waitUntil(lambda: "250 µs a step" in graphs.panes[Direction.BACKWARD].figures.text())


def node(title: str, op: str = AUTOGRAD_OP, **more: object) -> Node:
    return Node(title, op, f"autograd.{title}", TensorSpec((2, 3), "float32"), **more)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("title", "kind", "view"),
    [
        ("AddmmBackward0", SliceKind.GEMM, False),
        ("UnsafeViewBackward0", SliceKind.OTHER, True),
        ("TBackward0", SliceKind.OTHER, True),
        ("NativeLayerNormBackward0", SliceKind.NORMALISATION, False),
        ("ScaledDotProductFlashAttentionForCpuBackward0", SliceKind.ATTENTION, False),
        ("LogSoftmaxBackward0", SliceKind.REDUCTION, False),
        ("ConvolutionBackward0", SliceKind.CONVOLUTION, False),
        ("ToCopyBackward0", SliceKind.COPY, False),
        ("MulBackward0", SliceKind.POINTWISE, False),
    ],
)
def test_a_node_has_the_colour_of_what_it_undoes(title: str, kind: SliceKind, view: bool) -> None:  # noqa: FBT001
    assert kind_of(node(title)) is kind
    assert is_view(node(title)) is view


def weights(extra: int) -> Graph:
    """addmm with a bias and, through a transpose, a weight; then a chain that makes the graph large."""
    nodes = [node("AddmmBackward0"), node("b", ACCUMULATE_OP), node("TBackward0"), node("block.w", ACCUMULATE_OP)]
    nodes += [node("MulBackward0") for _ in range(extra)]
    chain = [(0 if at == 4 else at - 1, at) for at in range(4, len(nodes))]
    return Graph(Stage.TAPE, "", tuple(nodes), ((0, 1), (0, 2), (2, 3), *chain))


@pytest.mark.parametrize("extra", [1, 200])
def test_gradients_of_parameters_stand_small_beside_where_they_come_from(extra: int) -> None:
    graph = weights(extra)
    cells = condense(graph)
    assert sorted(index for cell in cells.cells for index in cell.nodes) == list(range(len(graph.nodes)))
    bias, weight = cells.cells[cells.cell_of[1]], cells.cells[cells.cell_of[3]]
    assert bias.host == cells.cell_of[0]
    assert weight.nodes == ((3,) if extra == 1 else (2, 3)), "in a large one the transpose is joined to it"
    assert weight.host == (cells.cell_of[2] if extra == 1 else cells.cell_of[0])
    inside = {(a, b) for a, b in graph.edges if cells.cell_of[a] == cells.cell_of[b]}
    tied = {(a, b) for a, b in graph.edges if cells.cells[cells.cell_of[b]].host == cells.cell_of[a]} - inside
    drawn = {(cells.cell_of[a], cells.cell_of[b]) for a, b in set(graph.edges) - inside - tied}
    assert drawn == set(cells.edges)
    text = cell_text(graph, weight, Colouring.KERNEL)
    assert (text.shape.role, text.shape.title) == (Role.CHIP, "grad block.w")


def test_a_weight_that_is_used_twice_stays_a_box_of_its_own() -> None:
    nodes = (node("MulBackward0"), node("ExpBackward0"), node("w", ACCUMULATE_OP))
    cells = condense(Graph(Stage.TAPE, "", nodes, ((0, 1), (0, 2), (1, 2))))
    assert [cell.host for cell in cells.cells] == [-1, -1, -1]
    assert set(cells.edges) == {(0, 1), (0, 2), (1, 2)}


def test_the_tool_tip_says_what_is_kept_and_what_a_leaf_does() -> None:
    graph = results().tapes[0].graph
    assert "keeps 192 B for backward" in tip(graph, [RELU])
    assert "adds to the parameter's gradient" in tip(graph, [LEAF])
