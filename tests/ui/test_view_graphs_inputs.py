"""Inputs read by the names that people gave them, and are found by these and by the compiler's."""

from __future__ import annotations

from profviz.model.graph import Graph, Node, Stage, TensorSpec
from profviz.ui.views.details.layout import node_facts
from profviz.ui.views.graphs.facts import NodeSearch, node_tip
from profviz.ui.views.graphs.kinds import path_ending
from profviz.ui.views.graphs.layout import lay_out
from profviz.ui.widgets.graph_picture import Role

WEIGHT = "L_self_modules_transformer_modules_h_modules_0_modules_attn_modules_c_attn_parameters_weight_"


def small(*, named: bool = True) -> Graph:
    wide = TensorSpec((4, 4), "float16")
    nodes = (
        Node("primals_1", "placeholder", "primals_1", wide, input_name=WEIGHT if named else ""),
        Node("primals_2", "placeholder", "primals_2", wide, input_name="L_x_" if named else ""),
        Node("tangents_1", "placeholder", "tangents_1", wide),
        Node("mm", "call_function", "torch.ops.aten.mm.default", wide),
        Node("mul", "call_function", "torch.ops.aten.mul.Tensor", wide),
        Node("output", "output", "output"),
    )
    return Graph(Stage.AOT_FORWARD, "0/0", nodes, ((0, 3), (1, 3), (3, 4), (2, 4), (4, 5)))


def test_both_names_of_an_input_are_found() -> None:
    assert NodeSearch().find(small(), "primals_1") == NodeSearch().find(small(), "h.0.attn.c_attn.weight") == [0]
    assert NodeSearch().find(small(named=False), "c_attn") == []


def test_the_hover_and_the_facts_say_both_names() -> None:
    weight, data, tangent = small().nodes[:3]
    assert node_tip(weight).splitlines()[0] == "transformer.h.0.attn.c_attn.weight (primals_1)"
    assert node_tip(data).splitlines()[0] == "x (primals_2)"
    assert "gradient of output 1" in node_tip(tangent)
    assert ("in the graph", "primals_1") in [(fact.key, fact.value) for fact in node_facts(weight)]
    assert any("gradient of output 1" in fact.value for fact in node_facts(tangent))


def test_a_weight_that_is_known_as_one_is_a_chip_and_data_a_box() -> None:
    placement = lay_out(small(), downwards=False)
    weight, data = (placement.picture.shapes[placement.shape_of[node]] for node in (0, 1))
    assert (weight.role, weight.title) == (Role.CHIP, "c_attn.weight")
    assert (data.role, data.title) == (Role.PALE, "x")


def test_a_long_path_loses_its_beginning_and_keeps_its_last_two_steps() -> None:
    assert path_ending("transformer.h.0.attn.c_attn.weight") == "…attn.c_attn.weight"
    assert path_ending("h.0.a_very_long_name_of_a_module.weight") == "…a_very_long_name_of_a_module.weight"
    assert path_ending("fc.bias") == "fc.bias"
