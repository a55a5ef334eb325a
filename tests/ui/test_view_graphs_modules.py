"""Modules of graphs: where they come from, how they nest and fold, and that opening and closing loses nothing."""

from __future__ import annotations

import gzip
from collections import Counter
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from test_view_graphs_layout import assert_sound, graphs

from profviz.formats.compile_log import read_compile_log
from profviz.model.graph import Graph, Node, SourceLine, Stage, TensorSpec
from profviz.ui.views.graphs.cells import condense
from profviz.ui.views.graphs.clusters import every, first_sight, grow
from profviz.ui.views.graphs.layout import Placement, lay_out
from profviz.ui.views.graphs.modules import module_paths
from profviz.ui.widgets.graph_picture import Role

TRACES = Path(__file__).parents[2].parent / "shared" / "traces"
PARTS = ("a", "b", "0", "1")
SPEC = TensorSpec((4, 4), "float32")


def report_of(name: str):
    path = TRACES / f"{name}.compile-log.txt.gz"
    if not path.is_file():
        pytest.skip(f"{path.name} is not beside the repository")
    return read_compile_log(gzip.decompress(path.read_bytes()))[0]


def assert_whole(graph: Graph, placement: Placement) -> None:
    """Every edge is inside a shape, at a chip, or counted: drawn counts and stubs make up all the others."""
    picture = placement.picture
    drawn = {(int(a), int(b)): int(n) for (a, b), n in zip(picture.ends, picture.counts, strict=True)}
    between = Counter((placement.shape_of[a], placement.shape_of[b]) for a, b in dict.fromkeys(graph.edges))
    for pair, count in between.items():
        assert drawn.get(pair, count) == count
    assert set(drawn) <= set(between)
    assert_frames_hold_their_own(placement)


def assert_frames_hold_their_own(placement: Placement) -> None:
    picture = placement.picture
    clusters = {cluster.id: set(cluster.nodes) for cluster in every(placement.root)}
    for frame, (x, y, width, height) in zip(picture.frames, picture.frame_rects, strict=True):
        for shape, nodes, rect in zip(picture.shapes, placement.nodes_of, picture.rects, strict=True):
            inside = (
                x <= rect[0] and rect[0] + rect[2] <= x + width and y <= rect[1] and rect[1] + rect[3] <= y + height
            )
            apart = rect[0] >= x + width or rect[0] + rect[2] <= x or rect[1] >= y + height or rect[1] + rect[3] <= y
            assert inside or apart
            if shape.role is not Role.FAR and shape.host < 0:
                assert inside == (set(nodes) <= clusters[frame.id])


@settings(max_examples=80, deadline=None)
@given(data=st.data(), graph=graphs(most=30), downwards=st.booleans())
def test_whatever_is_open_nothing_is_lost(*, data: st.DataObject, graph: Graph, downwards: bool) -> None:
    path = st.lists(st.sampled_from(PARTS), max_size=3).map(tuple)
    modules = data.draw(st.lists(path, min_size=len(graph.nodes), max_size=len(graph.nodes)))
    root = lay_out(graph, downwards=downwards, modules=modules, opened=()).root
    ids = [cluster.id for cluster in every(root)]
    assert len(set(ids)) == len(ids)
    opened = data.draw(st.sets(st.sampled_from(ids)))
    placement = lay_out(graph, downwards=downwards, modules=modules, opened=opened)
    assert_sound(graph, placement)
    assert_whole(graph, placement)


@settings(max_examples=60, deadline=None)
@given(data=st.data(), graph=graphs(most=30))
def test_every_box_is_in_one_cluster(*, data: st.DataObject, graph: Graph) -> None:
    path = st.lists(st.sampled_from(PARTS), max_size=3).map(tuple)
    modules = data.draw(st.lists(path, min_size=len(graph.nodes), max_size=len(graph.nodes)))
    cells = condense(graph, groups=modules)
    root = grow(graph, cells, modules)
    boxes = [index for index, cell in enumerate(cells.cells) if cell.host < 0]
    assert Counter(cell for cluster in every(root) for cell in cluster.cells) == Counter(boxes)
    assert root.nodes == list(range(len(graph.nodes)))
    assert root.boxes == len(boxes)


def blocks(count: int) -> Graph:
    """`count` equal blocks of a norm, a linear with its weight, an activation and a residual addition."""
    nodes = [Node("l_x_", "placeholder", "l_x_", SPEC)]
    edges: list[tuple[int, int]] = []
    for block in range(count):
        for part in ("ln", "fc"):
            name = f"l_self_modules_h_modules_{block}_modules_{part}_parameters_weight_"
            nodes.append(Node(name, "placeholder", name, SPEC))
    last = 0
    for block in range(count):
        start = len(nodes)
        for line, word in enumerate(("layer_norm", "linear", "relu", "add")):
            source = SourceLine("model.py", line, "forward")
            nodes.append(Node(f"{word}_{block}", "call_function", f"torch.{word}", SPEC, source))
        edges += [(last, start), (1 + 2 * block, start), (start, start + 1), (2 + 2 * block, start + 1)]
        edges += [(start + 1, start + 2), (start + 2, start + 3), (last, start + 3)]
        last = start + 3
    nodes.append(Node("output", "output", "output"))
    return Graph(Stage.DYNAMO, "0/0", tuple(nodes), (*edges, (last, len(nodes) - 1)))


def test_what_lies_between_weights_belongs_to_the_block_they_are_in() -> None:
    graph = blocks(3)
    paths = dict(zip((node.name for node in graph.nodes), module_paths(graph), strict=True))
    assert paths["layer_norm_1"] == ("h", "1", "ln")
    assert paths["linear_1"] == ("h", "1", "fc")
    assert paths["relu_1"] == paths["add_1"] == ("h", "1")
    assert paths["output"] == ()


def test_weights_of_later_stages_are_found_by_their_number_unless_a_shape_differs() -> None:
    dynamo = blocks(2)
    names = [f"arg{number}_1" for number in range(5)]
    nodes = (*(Node(name, "placeholder", name, SPEC) for name in names), *dynamo.nodes[5:])
    later = Graph(Stage.AOT_INFERENCE, "0/0", nodes, dynamo.edges)
    assert module_paths(later, (dynamo, later)) == module_paths(dynamo)[:0] + tuple(
        path if node.op != "placeholder" else () for node, path in zip(dynamo.nodes, module_paths(dynamo), strict=True)
    )
    odd = (*nodes[:4], Node("arg4_1", "placeholder", "arg4_1", TensorSpec((7,), "float32")), *nodes[5:])
    assert set(module_paths(Graph(Stage.AOT_INFERENCE, "0/0", odd, dynamo.edges), (dynamo,))) == {()}


def test_gradients_name_the_modules_of_a_backward_graph() -> None:
    dynamo = blocks(3)
    nodes = [Node("tangents_1", "placeholder", "tangents_1", SPEC)]
    nodes += [Node(name, "call_function", "torch.mm", SPEC) for name in ("g6", "g5", "sum_1", "g4")]
    nodes.append(Node("output", "output", "output"))
    text = "class M:\n    def forward(self):\n        return (None, None, None, None, g4, g5, g6)\n"
    graph = Graph(Stage.AOT_BACKWARD, "0/0", tuple(nodes), ((0, 1), (1, 2), (2, 3), (3, 4), (4, 5)), text)
    paths = module_paths(graph, (dynamo,))
    assert paths[1:5] == (("h", "2", "fc"), ("h", "2", "ln"), ("h", "1"), ("h", "1", "fc"))


def test_equal_blocks_are_one_box_with_their_count_and_open_to_the_first_and_the_others() -> None:
    graph = blocks(12)
    modules = module_paths(graph)
    closed = lay_out(graph, downwards=True, modules=modules, opened=())
    (group,) = [shape for shape in closed.picture.shapes if shape.role is Role.GROUP]
    assert group.title.endswith("×12")
    opened = lay_out(graph, downwards=True, modules=modules, opened={group.opens})
    titles = [shape.title for shape in opened.picture.shapes if shape.role is Role.GROUP]
    assert titles == ["h.0", "h.1 … 11  ×11"]
    rest = next(shape.opens for shape in opened.picture.shapes if "×11" in shape.title)
    all_blocks = lay_out(graph, downwards=True, modules=modules, opened={group.opens, rest})
    assert sum(shape.role is Role.GROUP for shape in all_blocks.picture.shapes) == 12


def test_equal_open_blocks_look_the_same() -> None:
    graph = blocks(4)
    placement = lay_out(graph, downwards=True, modules=module_paths(graph))
    rects = placement.picture.rects
    first, second = (placement.shape_of[9 + 4 * block] for block in (1, 2))
    steps = [rects[second + at] - rects[first + at] for at in range(4)]
    assert all(np.allclose(step, steps[0]) for step in steps)


def test_a_module_that_is_entered_again_is_a_cluster_of_its_own() -> None:
    names = ["relu"] * 3 + ["tanh"] * 3 + ["relu"] * 3
    nodes = [Node(f"n{index}", "call_function", f"torch.{name}", SPEC) for index, name in enumerate(names)]
    modules = [("a",)] * 3 + [("b",)] * 3 + [("a",)] * 3
    graph = Graph(Stage.DYNAMO, "0/0", tuple(nodes), tuple((i, i + 1) for i in range(8)))
    root = grow(graph, condense(graph), modules)
    assert [cluster.id for cluster in root.children] == ["a", "b", "a (2)"]
    placement = lay_out(graph, downwards=True, modules=modules, opened=())
    assert placement.far == 0


def test_lines_between_closed_modules_say_how_many_edges_they_are() -> None:
    nodes = [Node(f"n{index}", "call_function", "torch.relu", SPEC) for index in range(6)]
    modules = [("a",)] * 3 + [("b",)] * 3
    edges = ((0, 1), (1, 2), (0, 3), (1, 4), (2, 5), (3, 4), (4, 5))
    placement = lay_out(Graph(Stage.DYNAMO, "0/0", tuple(nodes), edges), downwards=True, modules=modules, opened=())
    assert placement.picture.counts.tolist() == [3]


def test_small_graphs_are_open_and_large_ones_readable_at_first_sight() -> None:
    assert len(lay_out(blocks(4), downwards=True, modules=module_paths(blocks(4))).picture.shapes) == 26
    graph = blocks(200)
    placement = lay_out(graph, downwards=True, modules=module_paths(graph))
    assert len(placement.picture.shapes) < 20
    assert placement.node_count == 4 * 200 + 400 + 2


@pytest.mark.parametrize("name", ["gpt2", "resnet50", "broken_train", "ddp.compiled.rank0"])
def test_graphs_of_the_shared_logs_lose_nothing_closed_at_first_sight_and_open(name: str) -> None:
    report = report_of(name)
    for graph in report.graphs[:6]:
        modules = module_paths(graph, report.graphs)
        first = lay_out(graph, downwards=True, modules=modules)
        for opened in ((), first.opened, {cluster.id for cluster in every(first.root)}):
            placement = lay_out(graph, downwards=True, modules=modules, opened=opened)
            assert_sound(graph, placement)
            assert_whole(graph, placement)


def test_gpt2_is_read_at_first_sight() -> None:
    report = report_of("gpt2")
    for graph in report.graphs:
        placement = lay_out(graph, downwards=True, modules=module_paths(graph, report.graphs))
        titles = [shape.title for shape in placement.picture.shapes if shape.role is Role.GROUP]
        assert any(title.endswith("×11") for title in titles)
        assert len(placement.picture.shapes) < 90
        assert first_sight(placement.root) == placement.opened


def test_pieces_that_ddp_split_off_get_their_modules_by_the_turns_of_each_line() -> None:
    dynamo = blocks(3)
    calls = [node for node in dynamo.nodes if node.op == "call_function"]

    def piece(number: int, nodes: list[Node], stage: Stage = Stage.AOT_FORWARD) -> Graph:
        plain = tuple(replace(node, name=f"n{index}") for index, node in enumerate(nodes))
        edges = tuple((index, index + 1) for index in range(len(plain) - 1))
        return Graph(stage, f"0/0 part {number}", plain, edges)

    first, second = piece(1, calls[:6]), piece(2, calls[6:])
    back = piece(2, calls[:5:-1], Stage.AOT_BACKWARD)
    log = (dynamo, second, first, back)
    whole = dict(zip(dynamo.nodes, module_paths(dynamo), strict=True))
    assert module_paths(first, log) == tuple(whole[node] for node in calls[:6])
    assert module_paths(second, log) == tuple(whole[node] for node in calls[6:])
    assert module_paths(back, log) == tuple(whole[node] for node in calls[:5:-1])


def test_lines_whose_turns_do_not_come_out_even_name_no_module() -> None:
    dynamo = blocks(3)
    calls = tuple(node for node in dynamo.nodes if node.op == "call_function")
    odd = Graph(Stage.AOT_FORWARD, "0/0 part 1", calls[:6], ())
    assert set(module_paths(odd, (dynamo, odd))) == {()}


def test_the_pieces_of_a_ddp_run_are_named_forward_and_backward() -> None:
    report = report_of("ddp.compiled.rank0")
    for stage in (Stage.POST_GRAD_FORWARD, Stage.POST_GRAD_BACKWARD):
        graph = next(one for one in report.graphs if one.stage is stage and one.compile_id == "5/0 part 5")
        names = {".".join(path) for path in module_paths(graph, report.graphs)}
        assert {"transformer.h.3", "transformer.h.3.mlp", "transformer.h.3.attn", "transformer.h.4.ln_1"} <= names
        assert not any(name.startswith("transformer.h.2") for name in names)
