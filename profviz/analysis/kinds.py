"""What each slice does, for colour and totals: by category first, then by what its name says."""

from __future__ import annotations

import re

import numpy as np

from profviz.model import categories
from profviz.model.results import SliceKind
from profviz.model.trace import U8, Trace

K = SliceKind
LONGEST_NAME = 4096


def _table(*entries: tuple[SliceKind, str]) -> tuple[tuple[SliceKind, re.Pattern[str]], ...]:
    return tuple((kind, re.compile(pattern, re.IGNORECASE)) for kind, pattern in entries)


# the first pattern that is found in the name decides
_KERNELS = _table(
    (K.COMMUNICATION, r"nccl|rccl|oneccl|all_?reduce|all_?gather|reduce_?scatter|c10d"),
    (K.FUSED, r"^triton_(?!tem|mm)|cpp_fused|^fused_"),
    (K.GEMM, r"^triton_(?:tem|mm)"),
    (K.ATTENTION, r"flash|fmha|attention|sdpa|mha_|compute_dot_do_o|convert_dq"),
    (K.COPY, r"\bCopy<|CopyFunctor"),
    (K.OPTIMIZER, r"adam|\bsgd|multi_tensor|foreach|optimizer|lamb_"),
    (K.CONVOLUTION, r"conv(?!ert)|wgrad|dgrad|fprop|winograd|im2col|col2im"),
    (K.GEMM, r"gemm|nvjet|cutlass|cublas|xmma|gemv|matmul|splitk|cijk_|s16816|_dot_|dot_kernel"),
    (K.NORMALISATION, r"layer_?norm|batch_?norm|group_?norm|rms_?norm|softmax|gammabeta|bn_(?:fw|bw)|norm_(?:fwd|bwd)"),
    (K.COPY, r"memcpy|memset|copy|nchwtonhwc|nhwctonchw|transpose|catarray|permute|padding|\bpad_"),
    (
        K.REDUCTION,
        r"reduce|argm(?:ax|in)|cumsum|scan|sort|nll_loss|cross_entropy|pool|partial|compute_grad_weight|unique",
    ),
    (K.POINTWISE, r"elementwise|vectorized|unrolled|pointwise|fill|index|gather|scatter|embedding|dropout|where"),
    (K.POINTWISE, r"distribution|philox|arange|range_|tril|triu|gelu|relu|silu|sigmoid|tanh"),
)

_OPERATORS = _table(
    (K.COMPILED_REGION, r"^torch-compiled region|^compiledfunction|^## call compiledfxgraph|compiledfxgraph"),
    (
        K.COMMUNICATION,
        r"nccl|c10d|gloo|all_?reduce|all_?gather|reduce_?scatter|distributeddataparallel|broadcast_|record_param_comms",
    ),
    (K.FUSED, r"cpp_fused|^triton_|^fused_|inductor::"),
    (K.ATTENTION, r"attention|flash|sdpa"),
    (K.COPY, r"_foreach_copy"),
    (K.OPTIMIZER, r"^optimizer|_foreach_|_fused_(?:adam|sgd)|\badamw?\b"),
    (K.CONVOLUTION, r"conv|im2col|col2im"),
    (K.GEMM, r"::(?:_?addmm|addmv|addbmm|baddbmm|mm|bmm|mv|matmul|linear|dot|_int_mm|_scaled_mm|einsum|ger|outer)"),
    (K.GEMM, r"mkl_?linear|mkldnn_?_?linear|linear_pointwise|_linear\b|^(?:addmm|mm|bmm)backward|gemm"),
    (K.NORMALISATION, r"norm|softmax"),
    (
        K.COPY,
        r"copy|::(?:to|_to_copy|clone|contiguous|cat|stack|repeat|pin_memory|item|_local_scalar_dense)\b|memcpy|memset",
    ),
    (
        K.REDUCTION,
        r"::(?:sum|mean|max|min|argmax|argmin|amax|amin|any|all|var|std|prod|cumsum|topk|sort|logsumexp|"
        r"nll_loss\w*|cross_entropy\w*|mse_loss\w*|\w*pool\w*)\b",
    ),
    (
        K.POINTWISE,
        r"::(?:add|sub|rsub|mul|div|neg|pow|sqrt|rsqrt|exp|log|tanh|sigmoid|relu|gelu|silu|elu|leaky_relu|threshold|"
        r"clamp\w*|where|masked_fill|fill|zero|gt|lt|ge|le|eq|ne|abs|sin|cos|erf|lerp|addcmul|addcdiv|bitwise_\w+|"
        r"dropout|native_dropout|bernoulli|normal|uniform|random|embedding|index|index_select|gather|scatter\w*|"
        r"arange|tril|triu|hardtanh|logical_\w+|is_nonzero|isnan|isfinite)(?:_backward|_dense_backward)?_?\b",
    ),
)


def slice_kinds(trace: Trace) -> U8:
    """Shape (slices,), a `SliceKind` each; worked out once for each pair of name and category."""
    slices = trace.slices
    if not len(slices):
        return np.zeros(0, dtype=np.uint8)
    width = len(trace.categories)
    pairs, inverse = np.unique(slices.name.astype(np.int64) * width + slices.category, return_inverse=True)
    kinds = [kind_of(trace.names[pair // width], trace.categories[pair % width]) for pair in pairs.tolist()]
    return np.array(kinds, dtype=np.uint8)[inverse]


def kind_of(name: str, category: str) -> SliceKind:
    """What a slice of this name and category does; of an endless name only the beginning is searched."""
    name = name[:LONGEST_NAME]
    if categories.is_copy(category):
        return K.COPY
    if categories.is_kernel(category):
        return _first(_KERNELS, name, K.OTHER)
    if categories.is_runtime(category):
        return K.RUNTIME
    if categories.is_python(category):
        return K.PYTHON
    if categories.is_operator(category):
        return _first(_OPERATORS, name, K.OPERATOR)
    if categories.is_annotation(category) or categories.is_gpu_annotation(category):
        return K.COMPILED_REGION if _OPERATORS[0][1].search(name) else K.ANNOTATION
    return K.OTHER


def _first(table: tuple[tuple[SliceKind, re.Pattern[str]], ...], name: str, default: SliceKind) -> SliceKind:
    return next((kind for kind, pattern in table if pattern.search(name)), default)
