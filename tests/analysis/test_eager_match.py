"""Nodes of a graph find the eager work they stand for: all that captures hold, nothing from outside the graph."""

from __future__ import annotations

from pathlib import Path

import pytest
from defect_files import load_text

from profviz.analysis.eager_match import match_eager, node_key, op_key
from profviz.analysis.eager_ops import find_eager_ops
from profviz.analysis.selecting import from_kernel, from_node, from_slice, fused_with
from profviz.analysis.sides import make_side
from profviz.engine.results import results_of_documents
from profviz.formats.registry import open_document
from profviz.model.compile_report import CompileReport
from profviz.model.graph import Graph, Node, Stage, TensorSpec
from profviz.model.results import Results, Side

SHARED = Path(__file__).parents[2].parent / "shared" / "traces"
needs_captures = pytest.mark.skipif(not SHARED.is_dir(), reason="the shared captures are not beside this checkout")


def opened(name: str) -> Results:
    files = (f"{name}.eager.json.gz", f"{name}.compiled-default.json.gz", f"{name}.compile-log.txt.gz")
    return results_of_documents([open_document(SHARED / file) for file in files])


def eager_gpu(results: Results) -> tuple[set[int], set[int]]:
    """GPU slices of the eager side: all, and those that a node stands for."""
    side = results.sides[0]
    return set(side.trace.gpu.slice.tolist()), {i for slices in side.slices_of_node.values() for i in slices}


@needs_captures
def test_every_kernel_of_eager_resnet_has_its_node() -> None:
    every, known = eager_gpu(opened("resnet50"))
    assert known == every


@needs_captures
def test_of_gpt2_only_what_compiled_code_need_not_do_is_left() -> None:
    results = opened("gpt2")
    every, known = eager_gpu(results)
    assert known < every
    trace = results.sides[0].trace
    left = {trace.name_of(index)[:40] for index in every - known}
    # transformers asks on the host whether the mask is all ones; Dynamo's graph has no such call
    assert left == {"void at::native::reduce_kernel<512, 1, a", "Memcpy DtoH (Device -> Pinned)"}
    assert len(every - known) == 6


@needs_captures
def test_a_fused_kernel_leads_to_the_eager_kernels_it_replaced_and_back() -> None:
    results = opened("gpt2")
    eager, compiled = results.sides
    fused = next(i for i in compiled.trace.gpu.slice.tolist() if "fused_add_mul_pow_tanh" in compiled.trace.name_of(i))
    replaced = [index for side, index in from_slice(results, 1, fused).slices if side == 0]
    assert len(replaced) == 8 * len(eager.steps)  # the tanh approximation of GELU, spelled out in eight operators
    assert (
        sum(eager.trace.slices.dur_ns[replaced].tolist()) > 5 * len(eager.steps) * compiled.trace.slices.dur_ns[fused]
    )
    back = from_slice(results, 0, replaced[0])
    assert (1, fused) in back.slices
    assert back.slices[0] == (0, replaced[0])
    assert [source.place for source in back.sources] == ["activations.py:66"]
    assert back.kernels == from_slice(results, 1, fused).kernels
    assert {index for side, index in from_kernel(results, back.kernels[0]).slices if side == 0} == set(replaced)
    assert set(fused_with(results, 0, replaced[0])) | set(eager.slices_of_node[back.nodes[0]]) == set(replaced)
    assert fused_with(results, 1, fused) == ()
    node = back.nodes[0]
    assert set(eager.slices_of_node[node]) <= {index for side, index in from_node(results, *node).slices if side == 0}


@needs_captures
def test_the_optimizer_and_what_breaks_the_graph_belong_to_no_node() -> None:
    results = opened("broken_train")
    side = results.sides[0]
    every, known = eager_gpu(results)
    named = {side.trace.name_of(index) for index in known}
    assert not any("multi_tensor" in name or name.startswith("Memcpy DtoH") for name in named)
    report = results.reports[0][1]
    for number, graph in enumerate(report.graphs):
        if graph.stage is Stage.DYNAMO:
            called = [at for at, node in enumerate(graph.nodes) if node.op.startswith("call_")]
            assert all(side.slices_of_node[0, number, at] for at in called), graph.title
        if graph.stage is Stage.AOT_BACKWARD:
            assert any(side.slices_of_node.get((0, number, at)) for at in range(len(graph.nodes))), graph.title
    # linear, relu, sum, linear, layer_norm, linear, softmax forward, and what undoes them
    assert 3 * 7 <= len(known) < len(every)


def graph_of(*targets: str, compile_id: str = "0/0", size: int = 4) -> Graph:
    shape = TensorSpec((size, size), "float32")
    nodes = [Node("x", "placeholder", "x", shape)]
    nodes += [Node(f"n{at}", "call_function", target, shape) for at, target in enumerate(targets)]
    return Graph(Stage.DYNAMO, compile_id, tuple(nodes), tuple((at, at + 1) for at in range(len(targets))))


def report_of(*graphs: Graph) -> CompileReport:
    return CompileReport("2.13.0", None, (), graphs, (), (), (), (), graph_count=len(graphs), compile_ns=None)


def side_of(*names: str, size: int = 4) -> Side:
    """One operator after the other, 10 us each, of one square input."""
    events = [
        f'{{"ph": "X", "cat": "cpu_op", "name": "{name}", "pid": 1, "tid": 1, "ts": {at * 10}, "dur": 9, '
        f'"args": {{"Input Dims": [[{size}, {size}]]}}}}'
        for at, name in enumerate(names)
    ]
    trace, notes = load_text(f"[{', '.join(events)}]")
    return make_side(id="a", title="A", trace=trace, notes=notes)


def names_by_node(side: Side, *graphs: Graph) -> dict[tuple[int, int], list[str]]:
    ops = find_eager_ops(side.trace, side.links)
    found = match_eager(side, ops, report_of(*graphs), compiled=None)
    return {place: [side.trace.name_of(index) for index in slices] for place, slices in found.items()}


def test_what_stands_alone_between_two_neighbours_is_theirs_by_elimination() -> None:
    side = side_of("aten::relu", "aten::first_half", "aten::second_half", "aten::tanh")
    found = names_by_node(side, graph_of("torch.relu", "torch.nn.functional.odd", "torch.tanh"))
    assert found[0, 2] == ["aten::first_half", "aten::second_half"]


def test_two_strangers_are_left_alone() -> None:
    side = side_of("aten::relu", "aten::stranger", "aten::tanh")
    found = names_by_node(side, graph_of("torch.relu", "torch.odd", "torch.odder", "torch.tanh"))
    assert found == {(0, 1): ["aten::relu"], (0, 4): ["aten::tanh"]}


def test_nothing_is_eliminated_across_a_break() -> None:
    side = side_of("aten::relu", "aten::item", "aten::tanh")
    found = names_by_node(side, graph_of("torch.relu", "torch.odd"), graph_of("torch.tanh", compile_id="1/0"))
    assert (0, 2) not in found
    assert found[1, 1] == ["aten::tanh"]


def test_equal_shapes_decide_between_equal_names() -> None:
    small, large = side_of("aten::relu", size=2), graph_of("torch.relu", size=2)
    assert names_by_node(small, graph_of("torch.relu", size=8), large) == {(1, 1): ["aten::relu"]}


@pytest.mark.parametrize(
    ("target", "name"),
    [
        ("iadd", "aten::add_"),
        ("and_", "aten::__and__"),
        ("__eq__", "aten::eq"),
        ("truediv", "aten::div"),
        ("torch._C._nn.linear", "aten::linear"),
        ("torch.nn.functional.cross_entropy", "aten::cross_entropy_loss"),
        ("aten.mm.default", "aten::mm"),
    ],
)
def test_python_and_the_dispatcher_spell_alike(target: str, name: str) -> None:
    assert node_key(target) == op_key(name)


@needs_captures
def test_each_matrix_product_of_a_backward_pass_has_its_own_eager_one() -> None:
    results = opened("broken_train")
    side, report = results.sides[0], results.reports[0][1]
    products = [
        side.slices_of_node[0, number, at]
        for number, graph in enumerate(report.graphs)
        if graph.stage is Stage.AOT_BACKWARD
        for at, node in enumerate(graph.nodes)
        if node.target == "aten.mm.default"
    ]
    assert [len(slices) for slices in products] == [len(side.steps)] * 5
    assert len({index for slices in products for index in slices}) == 5 * len(side.steps)
    asked = {side.trace.name_of(int(side.links.op[index])) for slices in products for index in slices}
    assert asked == {"aten::mm"}
