"""Edges say what they carry: beside them where there is room, else under the mouse."""

from __future__ import annotations

import numpy as np
import pytest
from graph_driving import on_screen
from hypothesis import given, settings
from hypothesis import strategies as st
from PySide6.QtCore import QPointF
from pytestqt.qtbot import QtBot
from test_view_graphs_layout import call, graph_of, graphs, no_overlap, weight

from profviz.model.graph import Graph, Node, TensorSpec
from profviz.ui.views.graphs.edge_labels import FROM, edge_words
from profviz.ui.views.graphs.facts import edge_tip
from profviz.ui.views.graphs.kinds import short_tensor, tensor_bytes
from profviz.ui.views.graphs.layout import lay_out
from profviz.ui.widgets.graph_canvas import GraphCanvas
from profviz.ui.widgets.graph_picture import Picture, curve
from profviz.ui.widgets.palette import DARK


def stretches(picture: Picture, skip: int) -> np.ndarray:
    """Bounds of every stretch of every edge but one: left, top, right, bottom."""
    found = [np.zeros((0, 4))]
    for edge in range(len(picture.ends)):
        points = picture.points[picture.offsets[edge] : picture.offsets[edge + 1]]
        if edge != skip:
            low, high = np.minimum(points[:-1], points[1:]), np.maximum(points[:-1], points[1:])
            found.append(np.hstack([low, high]))
    return np.vstack(found)


@settings(max_examples=30, deadline=None)
@given(graph=graphs(), downwards=st.booleans())
def test_words_on_edges_cover_no_box_no_other_words_and_no_other_edge(*, graph: Graph, downwards: bool) -> None:
    placement = lay_out(graph, downwards=downwards)
    for picture in (placement.picture, placement.fused):
        assert no_overlap(np.vstack([picture.label_rects, picture.rects])) or not len(picture.labels)
        for edge, (x, y, width, height) in zip(picture.labels.tolist(), picture.label_rects.tolist(), strict=True):
            others = stretches(picture, edge)
            met = (others[:, 0] < x + width) & (others[:, 2] > x) & (others[:, 1] < y + height) & (others[:, 3] > y)
            assert not met.any()


@settings(max_examples=30, deadline=None)
@given(graph=graphs(), downwards=st.booleans())
def test_an_edge_carries_the_values_of_the_nodes_it_leads_from(*, graph: Graph, downwards: bool) -> None:
    placement = lay_out(graph, downwards=downwards)
    assert len(placement.edge_nodes) == len(placement.picture.ends) == len(placement.picture.words)
    for (source, target), nodes in zip(placement.picture.ends.tolist(), placement.edge_nodes, strict=True):
        wanted = {a for a, b in graph.edges if (placement.shape_of[a], placement.shape_of[b]) == (source, target)}
        assert set(nodes) == wanted


def test_a_long_edge_has_its_shape_and_dtype_beside_it() -> None:
    names = ["a", "b", "c", "d", "e"]
    graph = graph_of([call(name) for name in names], [(0, 1), (1, 2), (2, 3), (3, 4), (0, 4)])
    picture = lay_out(graph, downwards=True).picture
    (label,) = picture.labels.tolist()
    assert picture.words[label] == "4×4 f32"
    points = picture.points[picture.offsets[label] : picture.offsets[label + 1]]
    assert points[-1, 1] - points[0, 1] > FROM


def test_words_for_several_values() -> None:
    other = Node("o", "call_function", "x", TensorSpec((2,), "bool"))
    graph = graph_of([call("a"), call("b"), other, Node("n", "call_function", "x")], [])
    assert edge_words(graph, [0]) == "4×4 f32"
    assert edge_words(graph, [0, 1]) == "2× 4×4 f32"
    assert edge_words(graph, [0, 2]) == "2 tensors"
    assert edge_words(graph, [3]) == ""


def test_what_a_value_takes_is_told_where_it_is_known() -> None:
    assert tensor_bytes(TensorSpec((32, 128, 768), "float16")) == 32 * 128 * 768 * 2
    assert tensor_bytes(TensorSpec((4,), "bool")) == 4
    assert tensor_bytes(TensorSpec((), "float32")) == 4
    assert tensor_bytes(TensorSpec(("s0", 4), "float32")) is None
    assert tensor_bytes(TensorSpec((4,), "key")) is None
    graph = graph_of([call("a"), Node("b", "call_function", "x", TensorSpec(("s0",), "int64"))], [])
    assert edge_tip(graph, [0, 1], "mul") == "to mul:\na   4×4 f32 · 64 B\nb   s0 i64"


@pytest.mark.parametrize("downwards", [True, False])
def test_the_mouse_on_an_edge_tells_what_it_carries(qtbot: QtBot, *, downwards: bool) -> None:
    graph = graph_of([weight("x"), call("a"), call("b"), call("c")], [(0, 1), (1, 2), (1, 3)])
    placement = lay_out(graph, downwards=downwards)
    canvas = GraphCanvas(DARK)
    qtbot.addWidget(canvas)
    canvas.resize(600, 400)
    canvas.show_picture(placement.picture)
    canvas.edge_tip = lambda edge: f"edge {edge} {short_tensor(graph.nodes[placement.edge_nodes[edge][0]].tensor)}"
    told = []
    canvas._note.show_at = lambda text, point: told.append(text)
    for edge in range(len(placement.picture.ends)):
        points = placement.picture.points[placement.picture.offsets[edge] : placement.picture.offsets[edge + 1]]
        x, y = curve(points, downwards=downwards)[4]
        canvas._hover(on_screen(canvas, x, y))
        assert told[-1] == f"edge {edge} 4×4 f32"
        assert canvas.marks.edge == edge
    canvas._hover(QPointF(1, 1))
    assert told[-1] == ""
    assert canvas.marks.edge == -1
