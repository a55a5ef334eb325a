"""Records to one `CompileReport`: frames, graphs at each stage, breaks, recompiles, spans and code."""

from __future__ import annotations

from collections import Counter, defaultdict
from dataclasses import replace

from profviz.formats.compile_log.artifacts import ReadAt, artifacts
from profviz.formats.compile_log.break_text import parse_break
from profviz.formats.compile_log.breaks import Told, rows_of
from profviz.formats.compile_log.caches import TOLD, cache_uses, cuda_graphs
from profviz.formats.compile_log.code import Unit, collect_units, generated_code
from profviz.formats.compile_log.first_uses import FirstUses
from profviz.formats.compile_log.frames import compiled_frames
from profviz.formats.compile_log.graph_text import parse_graph
from profviz.formats.compile_log.guards import Paths, guard_sets, symbols
from profviz.formats.compile_log.input_names import with_input_names
from profviz.formats.compile_log.naming import compile_id_of
from profviz.formats.compile_log.recompiles import recompiles, with_limits
from profviz.formats.compile_log.records import Record
from profviz.formats.compile_log.spans import LATEST_NS, compile_events, outermost_ns
from profviz.formats.compile_log.triton import KIND as TRITON
from profviz.formats.compile_log.triton import triton_kernels
from profviz.formats.compile_log.unwritten import note_unwritten
from profviz.model.compile_report import CompileReport, GeneratedCode
from profviz.model.graph import Graph, Node, Stage
from profviz.model.notes import NoteBook

_STAGES = {
    "dynamo_output_graph": Stage.DYNAMO,
    "aot_joint_graph": Stage.AOT_JOINT,
    "aot_forward_graph": Stage.AOT_FORWARD,
    "aot_backward_graph": Stage.AOT_BACKWARD,
    "aot_inference_graph": Stage.AOT_INFERENCE,
}
_POST_GRAD = {
    "forward": Stage.POST_GRAD_FORWARD,
    "backward": Stage.POST_GRAD_BACKWARD,
    "inference": Stage.POST_GRAD_INFERENCE,
}
_DIRECTIONS = {
    Stage.AOT_FORWARD: "forward",
    Stage.POST_GRAD_FORWARD: "forward",
    Stage.AOT_BACKWARD: "backward",
    Stage.POST_GRAD_BACKWARD: "backward",
    Stage.AOT_INFERENCE: "inference",
    Stage.POST_GRAD_INFERENCE: "inference",
}
TORCH = "profviz_torch"
"""The artifact in which the worker says which torch it runs: one before 2.11 does not."""
FIRST_CALL = "profviz_first_call"
"""The artifact in which profviz's own worker says when the first call began and ended."""
# Known to this reader, whether used or not; any other kind is counted and told
_KNOWN = frozenset(_STAGES) | frozenset(
    [
        "chromium_event",
        "torch_version",
        "dynamo_start",
        "describe_storage",
        "describe_tensor",
        "describe_source",
        "dynamo_graph_break_reason",
        "recompile_reasons",
        "compilation_metrics",
        "bwd_compilation_metrics",
        "compilation_metrics_runtime",
        "bwd_compilation_metrics_runtime",
        "dynamo_cpp_guards_str",
        "dynamo_guards",
        "dynamo_error",
        TOLD,
        FIRST_CALL,
        TORCH,
        "inductor_pre_grad_graph",
        "inductor_post_grad_graph",
        "before_recompile_pre_grad",
        "after_recompile_pre_grad",
        "before_recompile_post_grad",
        "after_recompile_post_grad",
        "inductor_output_code",
        "inductor_provenance_tracking_node_mappings",
        "inductor_provenance_tracking_kernel_stack_traces",
        "before_pre_grad_graph",
        "after_pre_grad_graph",
        "before_joint_graph",
        "after_joint_graph",
        "before_post_grad_graph",
        "after_post_grad_graph",
        "aot_forward_graph_fw_metadata",
        "fx_graph_runnable",
        TRITON,
        "dynamo_side_effects",
        "optimize_ddp_split_graph",
        "optimize_ddp_split_child",
        "create_symbol",
        "guard_added_fast",
        "guard_added",
        "expression_created",
        "symbolic_shape_specialization",
        "link",
        "dump_file",
        "torch._functorch.config",
        "compiled_autograd_graph",
        "fx_graph_cache_hit",
        "fx_graph_cache_miss",
        "fx_graph_cache_bypass",
        "aotautograd_cache_hit",
        "aotautograd_cache_miss",
        "aotautograd_cache_bypass",
        "aotautograd_cache_hash",
        "backward_prologue",
        "backward_epilogue",
        "compiled_function_forward",
        "compiled_function_backward",
        "compiled_fn_wrapper",
        "runtime_wrapper_orchestration",
        "inductor_runtime_and_tensor_meta",
        "graph_execution",
        "min_cut_information",
        "exported_program",
        "missing_fake_kernel",
        "mismatched_fake_kernel",
        "propagate_real_tensors_provenance",
        "guard_on_data_dependent_error",
        "create_unbacked_symbol",
        "compiled_autograd_graph_pre_reordering",
        "inductor_collective_schedule",
        "hints_used",
        "cudagraph_policy",
        "graph_break",
    ]
)


def build_report(records: list[Record], book: NoteBook, read_at: ReadAt) -> CompileReport:
    """Everything a log says; `records` in file order, `read_at` gives bytes of the log later on."""
    _count_unknown(records, book)
    events = compile_events(records, book)
    units = collect_units(records)
    codes = _codes(units)
    graphs = _graphs(records, units, codes)
    frames = compiled_frames(records, events, units)
    paths = Paths(records)
    guards, sizes = guard_sets(records, paths), symbols(records)
    breaks, skipped = rows_of(_told(records), frames)
    report = CompileReport(
        torch_version=_torch_version(records),
        process=records[0].pid if records else None,
        rank=next((record.rank for record in records if record.rank is not None), None),
        frames=frames,
        graphs=graphs,
        breaks=breaks,
        recompiles=with_limits(frames, recompiles(records, frames, guards, sizes, paths, FirstUses(graphs))),
        events=events,
        code=tuple(code for _, code in codes),
        graph_count=len({graph.compile_id for graph in graphs if graph.stage is Stage.DYNAMO}),
        compile_ns=outermost_ns(events),
        skipped=skipped,
        guards=guards,
        symbols=sizes,
        caches=cache_uses(records),
        first_call=_first_call(records),
        cuda_graphs=cuda_graphs(records, events, Counter(compile_id_of(unit) for unit, _ in codes)),
        triton=triton_kernels(records),
        artifacts=artifacts(records, _is_known, read_at),
    )
    note_unwritten(report, records, book)
    return report


def _told(records: list[Record]) -> list[Told]:
    wanted = (record for record in records if record.kind == "dynamo_graph_break_reason")
    return [Told(compile_id_of(record), parse_break(record.payload)) for record in wanted]


def _count_unknown(records: list[Record], book: NoteBook) -> None:
    for record in records:
        if not _is_known(record.kind):
            book.add("unknown_record", text=record.kind or "(no kind)", offset=record.offset)


def _is_known(kind: str) -> bool:
    return kind in _KNOWN or kind.startswith("torch_dynamo_resume_in_")


def _first_call(records: list[Record]) -> tuple[int, int] | None:
    for record in records:
        if record.kind == FIRST_CALL and isinstance(data := record.json(), dict):
            start, end = data.get("start_ns"), data.get("end_ns")
            if isinstance(start, int) and isinstance(end, int) and 0 < start < end < LATEST_NS:
                return start, end
    return None


def _torch_version(records: list[Record]) -> str:
    """From its own record (torch 2.13 on), from profviz's worker, else from what a compilation is summed up in."""
    for record in records:
        if record.kind == TORCH:
            return record.payload.strip()
        if record.kind == "torch_version" and isinstance(data := record.json(), dict):
            return str(data.get("pytorch_version") or "")
    summed = (record.value for record in records if record.kind == "compilation_metrics")
    return next(
        (str(one["pytorch_version"]) for one in summed if isinstance(one, dict) and one.get("pytorch_version")), ""
    )


def _graphs(records: list[Record], units: list[Unit], codes: list[tuple[Unit, GeneratedCode]]) -> tuple[Graph, ...]:
    """Every stage's graphs, the last attempt of each compile id; several of one stage are numbered parts."""
    last = {compile_id_of(record): record.attempt for record in records if record.kind == "dynamo_output_graph"}
    kept: dict[tuple[str, Stage], list[Graph]] = defaultdict(list)
    for record in records:
        stage = _STAGES.get(record.kind)
        compile_id = compile_id_of(record)
        if stage is None or (stage is Stage.DYNAMO and record.attempt < last.get(compile_id, 0)):
            continue
        kept[compile_id, stage].append(parse_graph(record.payload, stage=stage, compile_id=compile_id))
    for unit in units:
        if unit.post_grad:
            compile_id, stage = compile_id_of(unit), _POST_GRAD[unit.direction]
            kept[compile_id, stage].append(parse_graph(unit.post_grad, stage=stage, compile_id=compile_id))
    numbered = [
        replace(graph, compile_id=_part(compile_id, index, len(graphs), backward=_is_backward(stage)))
        for (compile_id, stage), graphs in kept.items()
        for index, graph in enumerate(graphs)
    ]
    return tuple(_with_kernels(graph, codes) for graph in with_input_names(numbered))


def _is_backward(stage: Stage) -> bool:
    return stage is Stage.POST_GRAD_BACKWARD


def _part(compile_id: str, index: int, count: int, *, backward: bool) -> str:
    """A compile id that was split into several graphs; their backwards are lowered last part first."""
    if count < 2:
        return compile_id
    return f"{compile_id} part {count - index if backward else index + 1}"


def _codes(units: list[Unit]) -> list[tuple[Unit, GeneratedCode]]:
    groups: dict[tuple[str, str], list[Unit]] = defaultdict(list)
    for unit in units:
        if unit.text:
            groups[compile_id_of(unit), unit.direction].append(unit)
    return [
        (unit, generated_code(unit, _part(compile_id, i, len(group), backward=direction == "backward")))
        for (compile_id, direction), group in groups.items()
        for i, unit in enumerate(group)
    ]


def _with_kernels(graph: Graph, codes: list[tuple[Unit, GeneratedCode]]) -> Graph:
    """Puts on each node the handles of the generated kernels that compute it, by provenance.

    Names lead back to Dynamo's nodes only where its graph was lowered as a whole: the parts of a split one each name
    their nodes anew. Nothing leads back to the joint graph.
    """
    direction = _DIRECTIONS.get(graph.stage)
    kernels: dict[str, list[str]] = defaultdict(list)
    for unit, code in codes:
        if code.compile_id != graph.compile_id:
            continue
        if graph.stage is Stage.DYNAMO and code.direction != "backward":
            _add_pre_grad(kernels, unit, code)
        elif direction == code.direction:
            for handle, nodes in code.nodes.items():
                for node in nodes:
                    kernels[node].append(handle)
    if not kernels:
        return graph
    return replace(graph, nodes=tuple(_carry(node, kernels) for node in graph.nodes))


def _add_pre_grad(kernels: dict[str, list[str]], unit: Unit, code: GeneratedCode) -> None:
    """Dynamo's nodes by way of the post-grad nodes they became."""
    before = unit.nodes("postToPre")
    for handle, nodes in code.nodes.items():
        for name in dict.fromkeys(name for node in nodes for name in before.get(node, ())):
            kernels[name].append(handle)


def _carry(node: Node, kernels: dict[str, list[str]]) -> Node:
    handles = kernels.get(node.name)
    return replace(node, kernels=tuple(dict.fromkeys(handles))) if handles else node
