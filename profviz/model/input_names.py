"""How Dynamo names the inputs of a graph, and how that reads: the path of a parameter in its model, or an argument."""

from __future__ import annotations

import re

_ROOT = re.compile(r"^[lL]_[A-Za-z0-9]+?_(?=(modules|parameters|buffers)_)")
_STEP = re.compile(r"(^|_)(modules|parameters|buffers)_")
_TANGENT = re.compile(r"tangents_(\d+)")
_ARGUMENT = re.compile(r"[lL]_([A-Za-z]\w*?)_+")


def readable_name(name: str) -> str:
    """`l_self_modules_h_modules_0_parameters_weight_` is h.0.weight, `L_x_` is x; other names stay as they are."""
    path = _ROOT.sub("", name)
    if path != name:
        return _STEP.sub(".", path.rstrip("_")).strip(".")
    argument = _ARGUMENT.fullmatch(name)
    return argument[1] if argument else name


def is_parameter_name(name: str) -> bool:
    """Names that Dynamo or export give to parameters and buffers; AOTAutograd's primals say nothing."""
    return bool(re.search(r"_(parameters|buffers)_|^(p|b)_[a-z]|_params_", name))


def gradient_words(name: str) -> str:
    """What `tangents_2` of a backward graph is; empty for any other name. AOTAutograd counts differentiable outputs."""
    match = _TANGENT.fullmatch(name)
    return f"gradient of output {match[1]}, of those with a gradient" if match else ""
