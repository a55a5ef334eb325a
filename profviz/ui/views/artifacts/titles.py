"""What the kinds of texts are called, and which text a pass began with; pure, no Qt."""

from __future__ import annotations

import re

from profviz.model.artifacts import Artifact, Language

TITLES = {
    "dynamo_start": "Calls that led here",
    "describe_storage": "Storages of the inputs",
    "describe_tensor": "Tensors of the inputs",
    "describe_source": "Where the inputs come from",
    "dynamo_graph_break_reason": "Graph break",
    "dynamo_side_effects": "Side effects",
    "dynamo_error": "Dynamo's error",
    "recompile_reasons": "Why it was compiled again",
    "dynamo_output_graph": "Dynamo's graph",
    "optimize_ddp_split_graph": "Graph split for DDP",
    "optimize_ddp_split_child": "Part for DDP",
    "compiled_autograd_graph": "Graph of compiled autograd",
    "compiled_autograd_graph_pre_reordering": "Graph of compiled autograd, before it was put in order",
    "before_pre_grad_graph": "Graph before pre-grad passes",
    "after_pre_grad_graph": "Graph after pre-grad passes",
    "aot_joint_graph": "Joint graph",
    "before_joint_graph": "Graph before joint passes",
    "after_joint_graph": "Graph after joint passes",
    "aot_forward_graph": "Forward graph",
    "aot_backward_graph": "Backward graph",
    "aot_inference_graph": "Inference graph",
    "aot_forward_graph_fw_metadata": "Views and mutations of inputs and outputs",
    "torch._functorch.config": "functorch's settings",
    "fx_graph_runnable": "Graph as a script to run alone",
    "before_post_grad_graph": "Graph before post-grad passes",
    "inductor_post_grad_graph": "Graph after post-grad passes",
    "inductor_output_code": "Generated code",
    "inductor_provenance_tracking_node_mappings": "Nodes of each kernel",
    "inductor_provenance_tracking_kernel_stack_traces": "Source lines of each kernel",
    "inductor_runtime_and_tensor_meta": "Estimated run time and tensors",
    "inductor_collective_schedule": "Order of collectives",
    "triton_kernel_info": "Triton kernels",
    "cudagraph_policy": "CUDA graph policy",
    "dynamo_cpp_guards_str": "Guards",
    "dynamo_guards": "Guards with their stacks",
    "create_symbol": "Sizes made symbolic",
    "create_unbacked_symbol": "Sizes that depend on data",
    "guard_added": "Guards on sizes",
    "guard_added_fast": "Guards on sizes, without evaluation",
    "expression_created": "Expressions of sizes",
    "symbolic_shape_specialization": "Sizes that became constants",
    "propagate_real_tensors_provenance": "Values taken from real tensors",
    "guard_on_data_dependent_error": "Guard on a value that depends on data",
    "missing_fake_kernel": "Operators without a fake kernel",
    "mismatched_fake_kernel": "Operators whose fake kernel differs",
    "exported_program": "Exported program",
    "compilation_metrics": "Metrics",
    "bwd_compilation_metrics": "Metrics of the backward",
    "compilation_metrics_runtime": "Metrics at run time",
    "bwd_compilation_metrics_runtime": "Metrics of the backward at run time",
    "graph_execution": "Order in which graphs ran",
    "min_cut_information": "What is kept for the backward",
    "chromium_event": "The compiler's spans, a Chrome trace",
    "torch_version": "torch's version",
    "dump_file": "File",
    "link": "Link",
    "profviz_first_call": "When the first call began and ended",
    "profviz_cudagraphs": "What torch said of CUDA graphs",
}
"""A kind that is not here is called what torch calls it."""

_CACHE = re.compile(r"^(fx_graph|aotautograd)_cache_(hit|miss|bypass|hash)$")
_CACHES = {"fx_graph": "FX graph cache", "aotautograd": "AOTAutograd cache"}
_RESUMED = re.compile(r"^torch_dynamo_resume_in_(.+)_(ORIGINAL|MODIFIED)_BYTECODE$")
CACHE_SIGNS = {"hit": "✓", "miss": "✗", "bypass": "?"}

ISSUES = frozenset(
    [
        "missing_fake_kernel",
        "mismatched_fake_kernel",
        "propagate_real_tensors_provenance",
        "guard_on_data_dependent_error",
    ]
)
"""Why an exported program may be wrong elsewhere, as `torch.export.draft_export` logs it."""
BEFORE = {
    "after_pre_grad_graph": "before_pre_grad_graph",
    "after_joint_graph": "before_joint_graph",
    "inductor_post_grad_graph": "before_post_grad_graph",
}
"""The text that a pass began with, by what it ended with."""


def title(one: Artifact) -> str:
    """In the words of people who use compilers; direction and part where they tell it from others."""
    extra = [one.direction, f"part {one.part}" if one.part else "", _label(one)]
    return " · ".join([_name(one.name), *(word for word in extra if word)])


def _label(one: Artifact) -> str:
    return one.label if one.name in ("dump_file", "link", "optimize_ddp_split_child") else ""


def _name(name: str) -> str:
    if match := _CACHE.match(name):
        return f"{_CACHES[match[1]]}: {match[2]} {CACHE_SIGNS.get(match[2], '')}".rstrip()
    if match := _RESUMED.match(name):
        return f"Bytecode after a break in {match[1]}, {match[2].lower()}"
    return TITLES.get(name, name)


def is_graph(one: Artifact) -> bool:
    return one.language is Language.PYTHON and one.name.endswith("_graph")
