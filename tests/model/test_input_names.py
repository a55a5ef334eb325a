"""How the names of inputs read."""

from __future__ import annotations

import pytest

from profviz.model.input_names import gradient_words, is_parameter_name, readable_name


@pytest.mark.parametrize(
    ("name", "readable"),
    [
        ("L_self_modules_transformer_modules_wte_parameters_weight_", "transformer.wte.weight"),
        ("l_s_modules_layer1_modules_0_buffers_running_mean_", "layer1.0.running_mean"),
        ("L_x_", "x"),
        ("l_input_ids_", "input_ids"),
        ("L_args_0_", "args_0"),
        ("s77", "s77"),
        ("primals_1", "primals_1"),
        ("l_", "l_"),
    ],
)
def test_names_read_as_paths_and_arguments(name: str, readable: str) -> None:
    assert readable_name(name) == readable


def test_parameters_and_buffers_are_told_from_arguments() -> None:
    assert is_parameter_name("L_self_modules_fc_parameters_weight_")
    assert is_parameter_name("L_self_buffers_scale_")
    assert not is_parameter_name("L_x_")


def test_only_tangents_are_gradients() -> None:
    assert gradient_words("tangents_2").startswith("gradient of output 2")
    assert gradient_words("primals_2") == gradient_words("my_tangents_2") == ""
