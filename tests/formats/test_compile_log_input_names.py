"""Inputs of AOTAutograd's graphs get the names of Dynamo's only where all agree."""

from __future__ import annotations

import gzip
from dataclasses import replace
from pathlib import Path

import pytest

from profviz.formats.compile_log import read_compile_log
from profviz.formats.compile_log.input_names import with_input_names
from profviz.model.graph import Graph, Node, Stage, TensorSpec

TRACES = Path(__file__).parents[2].parent / "shared" / "traces"
SIGNED = ("L_self_modules_fc_parameters_weight_", "L_self_modules_fc_parameters_bias_", "L_x_")
SHAPES = ((8, 4), (8,), (2, 4))


def placeholder(name: str, shape: tuple[int, ...] | None, dtype: str = "float32", target: str = "") -> Node:
    return Node(name, "placeholder", target or name, None if shape is None else TensorSpec(shape, dtype))


def graph(stage: Stage, nodes: list[Node]) -> Graph:
    return Graph(stage, "0/0", (*nodes, Node("output", "output", "output")), ())


def traced() -> Graph:
    named = zip(SIGNED, SHAPES, strict=True)
    return graph(Stage.DYNAMO, [placeholder(name.lower(), shape, target=name) for name, shape in named])


def forward(shapes: tuple[tuple[int, ...] | None, ...] = SHAPES, stage: Stage = Stage.AOT_FORWARD) -> Graph:
    return graph(stage, [placeholder(f"primals_{k}", shape) for k, shape in enumerate(shapes, start=1)])


def names(found: Graph) -> list[str]:
    return [node.input_name for node in found.nodes if node.op == "placeholder"]


def test_numbered_inputs_are_those_of_dynamo_in_order() -> None:
    inference = graph(Stage.POST_GRAD_INFERENCE, [placeholder(f"arg{k}_1", shape) for k, shape in enumerate(SHAPES)])
    both = with_input_names([traced(), forward()]), with_input_names([traced(), inference])
    assert [names(found[1]) for found in both] == [list(SIGNED)] * 2
    assert names(both[0][0]) == list(SIGNED)


def test_saved_inputs_of_backward_keep_their_number_and_gradients_have_no_name() -> None:
    saved = [placeholder("primals_3", (2, 4)), placeholder("le", (2, 8), "bool"), placeholder("tangents_1", (2, 8))]
    found = with_input_names([traced(), forward(), graph(Stage.AOT_BACKWARD, saved)])[2]
    assert names(found) == ["L_x_", "", ""]


def test_a_symbol_is_an_input_like_any_other() -> None:
    origin = graph(Stage.DYNAMO, [placeholder("s77", None), placeholder("l_x_", (2, 4), target="L_x_")])
    later = graph(Stage.AOT_INFERENCE, [placeholder("arg0_1", None), placeholder("arg1_1", (2, 4))])
    assert names(with_input_names([origin, later])[1]) == ["s77", "L_x_"]


@pytest.mark.parametrize(
    "shapes",
    [SHAPES[:2], (*SHAPES, (1,)), (SHAPES[1], SHAPES[0], SHAPES[2]), (*SHAPES[:2], (2, 5)), (*SHAPES[:2], None)],
    ids=["one less", "one more", "reordered", "another shape", "no tensor"],
)
def test_where_any_input_differs_none_has_a_name(shapes: tuple[tuple[int, ...] | None, ...]) -> None:
    assert not any(names(with_input_names([traced(), forward(shapes)])[1]))


def test_another_dtype_or_numbers_out_of_order_give_no_names() -> None:
    half = replace(forward(), nodes=(*forward().nodes[:2], placeholder("primals_3", (2, 4), "float16")))
    swapped = replace(forward(), nodes=(forward().nodes[1], forward().nodes[0], forward().nodes[2]))
    for other in (half, swapped):
        assert not any(names(with_input_names([traced(), other])[1]))


def test_one_whole_graph_that_differs_leaves_all_of_its_compile_id_without_names() -> None:
    lowered = forward(SHAPES[:2], Stage.POST_GRAD_FORWARD)
    backward = graph(Stage.AOT_BACKWARD, [placeholder("primals_1", SHAPES[0])])
    found = with_input_names([traced(), forward(), lowered, backward])
    assert not any(name for one in found[1:] for name in names(one))


def test_backward_alone_or_with_another_tensor_has_no_names() -> None:
    backward = graph(Stage.AOT_BACKWARD, [placeholder("primals_1", SHAPES[0])])
    other = graph(Stage.AOT_BACKWARD, [placeholder("primals_1", SHAPES[0]), placeholder("primals_2", SHAPES[0])])
    assert not any(names(with_input_names([traced(), backward])[1]))
    assert not any(names(with_input_names([traced(), forward(), other])[2]))


def test_another_compile_id_lends_no_names() -> None:
    assert not any(names(with_input_names([replace(traced(), compile_id="1/0"), forward()])[1]))


@pytest.mark.parametrize("name", ["gpt2", "resnet50", "broken_train", "ddp.compiled.rank0"])
def test_shared_logs_name_every_numbered_input_of_what_was_not_split(name: str) -> None:
    path = TRACES / f"{name}.compile-log.txt.gz"
    if not path.is_file():
        pytest.skip(f"{path.name} is not beside the repository")
    report, _ = read_compile_log(gzip.decompress(path.read_bytes()))
    for one in report.graphs:
        numbered = [
            node for node in one.nodes if node.name.startswith(("primals_", "arg")) and node.op == "placeholder"
        ]
        expected = " part " not in one.compile_id
        assert all(bool(node.input_name) is expected for node in numbered), one.title
