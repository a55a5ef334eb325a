"""Layout of graphs: nothing lost, nothing overlapping, edges where they belong, the same every time."""

from __future__ import annotations

import threading
from collections import Counter

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from profviz.model.graph import Graph, Node, Stage, TensorSpec
from profviz.ui.views.graphs.cells import condense
from profviz.ui.views.graphs.kinds import own_kernel
from profviz.ui.views.graphs.labels import Colouring
from profviz.ui.views.graphs.layout import Cancelled, Placement, lay_out
from profviz.ui.widgets.graph_picture import Picture, Role

TARGETS = (
    "torch.ops.aten.addmm.default",
    "torch.ops.aten.view.default",
    "torch.ops.aten.permute.default",
    "torch.ops.aten.relu.default",
    "torch.ops.aten.sum.dim_IntList",
    "torch.ops.aten._scaled_dot_product_flash_attention.default",
)


def graph_of(nodes: list[Node], edges: list[tuple[int, int]]) -> Graph:
    return Graph(Stage.POST_GRAD_FORWARD, "0/0", tuple(nodes), tuple(edges))


@st.composite
def graphs(draw: st.DrawFn, *, most: int = 40) -> Graph:
    count = draw(st.integers(0, most))
    nodes, edges = [], []
    for index in range(count):
        uses = draw(st.lists(st.integers(0, index - 1), max_size=3)) if index else []
        op = draw(st.sampled_from(["call_function", "call_function", "placeholder", "get_attr"]))
        op = "call_function" if uses else op
        op = "output" if index == count - 1 and draw(st.booleans()) else op
        kernels = tuple(
            draw(st.lists(st.sampled_from(["triton_a:1", "triton_b:2", "extern_kernels.mm:3"]), max_size=2))
        )
        tensor = TensorSpec((draw(st.integers(1, 4096)), "s0"), "float16") if draw(st.booleans()) else None
        nodes.append(Node(f"n{index}", op, draw(st.sampled_from(TARGETS)), tensor, kernels=kernels))
        edges += [(use, index) for use in uses]
    return graph_of(nodes, edges)


def assert_sound(graph: Graph, placement: Placement) -> None:
    picture = placement.picture
    rects = picture.rects
    assert np.isfinite(rects).all()
    assert (rects[:, 2:] > 0).all()
    assert no_overlap(rects)
    assert len(placement.shape_of) == placement.node_count == len(graph.nodes)
    real = [
        node
        for shape, nodes in zip(picture.shapes, placement.nodes_of, strict=True)
        if shape.role is not Role.FAR
        for node in nodes
    ]
    assert Counter(real) == Counter(range(len(graph.nodes)))
    for node, shape in enumerate(placement.shape_of):
        assert node in placement.nodes_of[shape]
    assert_edges_end_on_boxes(placement.picture)
    assert_every_edge_is_somewhere(graph, placement)


def no_overlap(rects: np.ndarray) -> bool:
    left, top, right, bottom = rects[:, 0], rects[:, 1], rects[:, 0] + rects[:, 2], rects[:, 1] + rects[:, 3]
    slack = 1e-6
    across = (left[:, None] < right[None, :] - slack) & (left[None, :] < right[:, None] - slack)
    along = (top[:, None] < bottom[None, :] - slack) & (top[None, :] < bottom[:, None] - slack)
    return not bool((across & along & ~np.eye(len(rects), dtype=bool)).any())


def assert_edges_end_on_boxes(picture: Picture, *, onwards: bool = True) -> None:
    """`onwards`: and none turns back on its way."""
    axis = 1 if picture.downwards else 0
    for index, (source, target) in enumerate(picture.ends):
        points = picture.points[picture.offsets[index] : picture.offsets[index + 1]]
        start, end = picture.rects[source], picture.rects[target]
        assert points[0][axis] == pytest.approx(start[axis] + start[axis + 2])
        assert points[-1][axis] == pytest.approx(end[axis])
        assert start[1 - axis] <= points[0][1 - axis] <= start[1 - axis] + start[3 - axis]
        assert end[1 - axis] <= points[-1][1 - axis] <= end[1 - axis] + end[3 - axis]
        assert not onwards or (np.diff(points[:, axis]) >= -1e-9).all()


def assert_every_edge_is_somewhere(graph: Graph, placement: Placement) -> None:
    """Within a shape, drawn, from a chip to its host, or as a chip at both ends."""
    picture = placement.picture
    drawn = {(int(a), int(b)) for a, b in picture.ends}
    far = Counter(
        (shape.host, node)
        for shape, nodes in zip(picture.shapes, placement.nodes_of, strict=True)
        if shape.role is Role.FAR
        for node in nodes
    )
    for a, b in graph.edges:
        source, target = placement.shape_of[a], placement.shape_of[b]
        if source == target or (source, target) in drawn or picture.shapes[source].host == target:
            continue
        box = picture.shapes[target].host if picture.shapes[target].host >= 0 else target
        assert far[(box, a)], f"edge {a} -> {b} is not shown"


@settings(max_examples=60, deadline=None)
@given(graph=graphs(), downwards=st.booleans())
def test_any_graph_is_laid_out_whole_and_without_overlap(*, graph: Graph, downwards: bool) -> None:
    assert_sound(graph, lay_out(graph, downwards=downwards))


@settings(max_examples=60, deadline=None)
@given(graph=graphs(), threshold=st.sampled_from([0, 1000]))
def test_condensing_keeps_every_node_and_edge(graph: Graph, threshold: int) -> None:
    cells = condense(graph, threshold=threshold)
    assert Counter(node for cell in cells.cells for node in cell.nodes) == Counter(range(len(graph.nodes)))
    listed = set(cells.edges) | set(cells.back)
    for a, b in graph.edges:
        source, target = cells.cell_of[a], cells.cell_of[b]
        assert source == target or (source, target) in listed or cells.cells[source].host == target
    assert all(cells.cells[cell.host].host < 0 for cell in cells.cells if cell.host >= 0)


@settings(max_examples=40, deadline=None)
@given(graph=graphs())
def test_the_same_graph_gives_the_same_picture(graph: Graph) -> None:
    first, second = lay_out(graph, downwards=True), lay_out(graph, downwards=True)
    assert first.picture.shapes == second.picture.shapes
    assert np.array_equal(first.picture.rects, second.picture.rects)
    assert np.array_equal(first.picture.points, second.picture.points)
    assert np.array_equal(first.picture.hull_rects, second.picture.hull_rects)


@settings(max_examples=60, deadline=None)
@given(graph=graphs(), downwards=st.booleans())
def test_a_hull_holds_its_members_and_no_other_kernel(*, graph: Graph, downwards: bool) -> None:
    placement = lay_out(graph, downwards=downwards)
    picture = placement.picture
    assert no_overlap(picture.hull_rects)
    for hull, (x, y, width, height) in zip(picture.hulls, picture.hull_rects, strict=True):
        name = hull.title.split(" ", 1)[1] + ":" + hull.title.split(" ", 1)[0].lstrip("#")
        inside = [
            index
            for index, (left, top, wide, high) in enumerate(picture.rects)
            if left < x + width and left + wide > x and top < y + height and top + high > y
        ]
        boxes = {index if picture.shapes[index].host < 0 else picture.shapes[index].host for index in inside}
        assert set(hull.members) <= boxes
        for box in boxes:
            kernels = {own_kernel(graph.nodes[node]) for node in placement.nodes_of[box]} - {""}
            assert name in kernels or not kernels
            assert box in hull.members or not kernels


def call(name: str, target: str = "torch.ops.aten.relu.default", *kernels: str) -> Node:
    return Node(name, "call_function", target, TensorSpec((4, 4), "float32"), kernels=kernels)


def weight(name: str) -> Node:
    return Node(name, "placeholder", name, TensorSpec((4, 4), "float32"))


def test_nothing_and_one_node() -> None:
    assert lay_out(graph_of([], []), downwards=True).picture.shapes == ()
    alone = lay_out(graph_of([call("relu")], []), downwards=False)
    assert [shape.title for shape in alone.picture.shapes] == ["relu"]


def test_separate_pieces_stand_side_by_side() -> None:
    nodes = [call(f"n{index}") for index in range(6)]
    picture = lay_out(graph_of(nodes, [(0, 1), (2, 3), (4, 5)]), downwards=True).picture
    assert len(picture.ends) == 3
    assert len(set(picture.rects[:, 1])) == 2


def test_a_weight_is_a_chip_beside_its_consumer_however_deep() -> None:
    nodes = [
        weight("l_x_"),
        weight("l_self_modules_fc_parameters_weight_"),
        call("a"),
        call("b"),
        call("c"),
        call("mm"),
    ]
    graph = graph_of(nodes, [(0, 2), (2, 3), (3, 4), (4, 5), (1, 5)])
    placement = lay_out(graph, downwards=True)
    chip = placement.picture.shapes[placement.shape_of[1]]
    assert chip.role is Role.CHIP
    assert chip.title == "fc.weight"
    assert chip.host == placement.shape_of[5]
    rects = placement.picture.rects
    assert rects[placement.shape_of[1]][1] == pytest.approx(rects[placement.shape_of[5]][1])
    assert placement.picture.shapes[placement.shape_of[0]].role is Role.PALE


def test_a_primal_that_joins_running_data_is_a_chip_and_the_first_inputs_are_boxes() -> None:
    nodes = [weight("primals_1"), weight("primals_2"), call("mm"), weight("primals_3"), call("mm_1")]
    placement = lay_out(graph_of(nodes, [(0, 2), (1, 2), (2, 4), (3, 4)]), downwards=True)
    roles = [placement.picture.shapes[shape].role for shape in placement.shape_of]
    assert roles[:2] == [Role.PALE, Role.PALE]
    assert roles[3] is Role.CHIP


def test_a_very_long_edge_is_a_chip_at_both_ends_that_leads_to_the_other() -> None:
    nodes = [call(f"n{index}") for index in range(30)]
    placement = lay_out(graph_of(nodes, [*((i, i + 1) for i in range(29)), (0, 29)]), downwards=True)
    picture = placement.picture
    marks = {shape.title: shape for shape in picture.shapes if shape.role is Role.FAR}
    assert set(marks) == {"→ n29", "← n0"}
    assert marks["→ n29"].jump == placement.shape_of[29]
    assert marks["← n0"].host == placement.shape_of[29]
    assert placement.far == 1


def test_runs_of_views_are_one_box_in_a_big_graph_and_their_nodes_stay_findable() -> None:
    view = "torch.ops.aten.view.default"
    nodes = [weight("l_x_"), *(call(f"v{i}", view) for i in range(3)), *(call(f"r{i}") for i in range(130))]
    edges = [(i, i + 1) for i in range(len(nodes) - 1)]
    placement = lay_out(graph_of(nodes, edges), downwards=True)
    assert len({placement.shape_of[i] for i in (1, 2, 3)}) == 1
    assert placement.picture.shapes[placement.shape_of[1]].title == "view ×3"
    assert placement.node_count == len(nodes)


def test_nodes_of_one_kernel_stand_in_a_hull_with_its_name() -> None:
    kernel = "triton_poi_fused_add_relu_0:7"
    nodes = [weight("l_x_"), call("add", "torch.ops.aten.add.Tensor", kernel), call("relu", TARGETS[3], kernel)]
    placement = lay_out(graph_of(nodes, [(0, 1), (1, 2)]), downwards=True)
    (hull,) = placement.picture.hulls
    assert hull.title == "#7 triton_poi_fused_add_relu_0"
    assert hull.detail == "2 operations, one kernel"
    assert set(hull.members) == {placement.shape_of[1], placement.shape_of[2]}


def test_nodes_of_a_kernel_that_are_apart_carry_its_number() -> None:
    far = "triton_poi_fused_x_1:4"
    nodes = [call("a", TARGETS[3], far), *(call(f"m{i}", TARGETS[0], f"extern_kernels.addmm:{i}") for i in range(3))]
    nodes.append(call("z", TARGETS[3], far))
    placement = lay_out(graph_of(nodes, [(i, i + 1) for i in range(4)]), downwards=True)
    assert placement.picture.hulls == ()
    assert [placement.picture.shapes[placement.shape_of[i]].tag for i in (0, 2, 4)] == ["#4", "", "#4"]


def test_colour_by_operation_ignores_the_kernel() -> None:
    nodes = [call("relu", TARGETS[3], "triton_poi_fused_relu_0:1")]
    by_kernel = lay_out(graph_of(nodes, []), downwards=True, colouring=Colouring.KERNEL)
    by_operation = lay_out(graph_of(nodes, []), downwards=True, colouring=Colouring.OPERATION)
    assert by_kernel.picture.shapes[0].colour != by_operation.picture.shapes[0].colour


def test_edges_against_the_order_of_a_broken_graph_are_shown_as_chips() -> None:
    graph = graph_of([call("a"), call("b")], [(0, 1), (1, 0), (1, 1)])
    placement = lay_out(graph, downwards=True)
    assert len(placement.picture.ends) == 1
    assert sum(shape.role is Role.FAR for shape in placement.picture.shapes) == 2


def test_a_layout_can_be_cancelled() -> None:
    stop = threading.Event()
    stop.set()

    def check() -> None:
        if stop.is_set():
            raise Cancelled

    with pytest.raises(Cancelled):
        lay_out(graph_of([call("a")], []), downwards=True, check=check)


def test_what_forward_saved_stands_small_beside_its_consumer_in_backward() -> None:
    nodes = [weight("add_10"), weight("tangents_1"), call("neg"), call("mul")]
    edges = [(0, 2), (1, 3), (2, 3)]
    for stage, role in ((Stage.POST_GRAD_BACKWARD, Role.CHIP), (Stage.POST_GRAD_FORWARD, Role.PALE)):
        placement = lay_out(Graph(stage, "0/0", tuple(nodes), tuple(edges)), downwards=True)
        saved, tangent = (placement.picture.shapes[placement.shape_of[node]] for node in (0, 1))
        assert saved.role is role
        assert tangent.role is Role.PALE
        assert_sound(graph_of(nodes, edges), placement)
