"""What kind of work an FX node does, and how its operator, shape and name are written short. Pure text."""

from __future__ import annotations

import math
import re

from profviz.model.graph import ACCUMULATE_OP, AUTOGRAD_OP, Node, TensorSpec
from profviz.model.input_names import is_parameter_name, readable_name
from profviz.model.results import SliceKind

_VIEW_WORDS = """
view reshape _unsafe_view permute transpose t expand expand_as unsqueeze squeeze slice select split split_with_sizes
chunk unbind getitem alias detach reshape_alias unsafe_view as_strided
flatten contiguous size lift_fresh_copy view_as unflatten narrow T mT
"""
VIEWS = frozenset(_VIEW_WORDS.split())
_FIRST_MATCH: tuple[tuple[SliceKind, re.Pattern[str]], ...] = tuple(
    (kind, re.compile(pattern))
    for kind, pattern in (
        (SliceKind.COMMUNICATION, r"all_reduce|all_gather|reduce_scatter|all_to_all|wait_tensor|c10d"),
        (SliceKind.ATTENTION, r"attention"),
        (SliceKind.CONVOLUTION, r"conv(?!ert)"),
        (SliceKind.GEMM, r"^(add)?(b?mm|mv)$|matmul|linear|einsum|baddbmm|Linear|_scaled_mm"),
        (SliceKind.NORMALISATION, r"norm"),
        (
            SliceKind.REDUCTION,
            r"softmax|^(sum|mean|var|std|prod|amax|amin|argmax|argmin|max|min|any|all|cumsum)(_|$)|loss|pool",
        ),
        (SliceKind.COPY, r"copy|clone|convert_element_type|^to$|^(float|half|cat|stack|index_put|scatter)$|device_put"),
        (SliceKind.OPTIMIZER, r"adam|sgd"),
    )
)
_DTYPES = {
    "float16": "f16",
    "float32": "f32",
    "float64": "f64",
    "bfloat16": "bf16",
    "int64": "i64",
    "int32": "i32",
    "int16": "i16",
    "int8": "i8",
    "uint8": "u8",
    "bool": "bool",
}
LONGEST_PATH = 19  # characters of a parameter's path


def short_op(node: Node) -> str:
    """`torch.ops.aten.addmm.default` is addmm, `torch._C._nn.linear` linear, `operator.getitem` getitem."""
    if node.op in ("placeholder", "get_attr", "output"):
        return node.op
    parts = [part for part in node.target.split(".") if part]
    known = parts[:2] == ["torch", "ops"] or parts[:1] in (["aten"], ["prims"], ["inductor"])
    if known and len(parts) >= 3 + (parts[0] == "torch"):
        return parts[-2]
    return parts[-1] if parts else node.op


def forward_op(node: Node) -> str:
    """As `short_op`; of a tape's node the operation that it undoes: UnsafeViewBackward0 undoes unsafe_view."""
    name = short_op(node)
    if node.op != AUTOGRAD_OP:
        return name
    return re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", re.sub(r"Backward\d*$", "", name)).lower()


def is_view(node: Node) -> bool:
    """Whether it only looks at its input in another way; such a node needs no kernel of its own."""
    return node.op in ("call_function", "call_method", AUTOGRAD_OP) and forward_op(node) in VIEWS


def kind_of(node: Node) -> SliceKind:
    if node.op in ("placeholder", "get_attr", "output", ACCUMULATE_OP) or is_view(node):
        return SliceKind.OTHER
    name = forward_op(node)
    return next((kind for kind, pattern in _FIRST_MATCH if pattern.search(name)), SliceKind.POINTWISE)


def short_tensor(tensor: TensorSpec | None) -> str:
    """`32×128×768 f16`; a tensor without dimensions is a scalar; empty where unknown."""
    if tensor is None:
        return ""
    shape = "×".join(str(size) for size in tensor.shape) or "scalar"
    return f"{shape} {_DTYPES.get(tensor.dtype, tensor.dtype)}".strip()


def tensor_bytes(tensor: TensorSpec | None) -> int | None:
    """What its elements take; None where a size is a symbol or the dtype unknown."""
    if tensor is None or not all(isinstance(size, int) for size in tensor.shape):
        return None
    bits = re.search(r"(\d+)", tensor.dtype)
    each = 1 if tensor.dtype == "bool" else int(bits[1]) // 8 if bits else 0
    return math.prod(int(size) for size in tensor.shape) * each or None


def shown_name(node: Node) -> str:
    """What people call an input, where that is known; the node's own name for everything else."""
    return readable_name(node.input_name or node.name)


def path_ending(name: str) -> str:
    """A long path without its beginning, but with its last two steps: `…attn.c_attn.weight`."""
    steps = name.split(".")
    keep = len(steps)
    while keep > 2 and len(".".join(steps[-keep:])) > LONGEST_PATH:
        keep -= 1
    return name if keep == len(steps) else "…" + ".".join(steps[-keep:])


def is_parameter(node: Node) -> bool:
    return is_parameter_name(node.input_name or node.name)


def is_generated(kernel: str) -> bool:
    """Whether Inductor wrote the kernel; else it is a library's (`extern_kernels.addmm:3`, `torch.ops.aten...`)."""
    return kernel.startswith(("triton_", "cpp_", "pallas_", "mps_", "halide_", "cutlass_"))


def call_number(kernel: str) -> tuple[int, str]:
    """Sorts kernels as they are called: `name:12` by 12; those without a number last."""
    number = kernel.rpartition(":")[2]
    return (int(number) if number.isdecimal() else 1 << 30, kernel)


def own_kernel(node: Node) -> str:
    """The kernel that a node is drawn with, empty for none.

    Provenance names every kernel that a node went into: kernels that repeat its work instead of reading it back, and
    library calls that merely take its result. So a library call counts for the operation it is a library's, and the
    first generated kernel for everything else.
    """
    if not node.kernels:
        return ""
    libraries = [kernel for kernel in node.kernels if not is_generated(kernel)]
    heavy = kind_of(node) in (SliceKind.GEMM, SliceKind.CONVOLUTION, SliceKind.ATTENTION, SliceKind.COMMUNICATION)
    named = [kernel for kernel in libraries if heavy or short_op(node) in kernel]
    generated = [kernel for kernel in node.kernels if is_generated(kernel)]
    return min(named or generated, key=call_number, default="")
