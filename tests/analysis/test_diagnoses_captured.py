"""How much ran inside compiled graphs: by launch on a GPU, by time around the calls on a CPU."""

from __future__ import annotations

import pytest
from defect_files import load_text

from profviz.analysis.diagnoses.captured import captured
from profviz.analysis.sides import make_side
from profviz.model.results import Side

CALL = "## Call CompiledFxGraph fkey ##"


def event(name: str, category: str, ts: int, dur: int, *, tid: int = 1, correlation: int = 0) -> str:
    args = f'{{"correlation": {correlation}}}' if correlation else "{}"
    head = f'{{"ph": "X", "name": "{name}", "cat": "{category}", "pid": 1, "tid": {tid}, '
    return head + f'"ts": {ts}, "dur": {dur}, "args": {args}}}'


def side_of(*events: str) -> Side:
    trace, _ = load_text(f"[{', '.join(events)}]")
    return make_side(id="A", title="A", trace=trace, notes=())


def share_of(side: Side) -> tuple[float, str]:
    found = captured(side)
    assert found is not None
    return found.fraction, found.what


def test_on_a_cpu_what_broke_out_of_the_graph_counts_although_the_region_lies_around_it() -> None:
    side = side_of(
        event("Torch-Compiled Region: 0/0", "cpu_op", 0, 100),
        event(CALL, "user_annotation", 10, 30),
        event("aten::addmm", "cpu_op", 12, 5),
        event("aten::item", "cpu_op", 45, 10),
        event("aten::_local_scalar_dense", "cpu_op", 46, 5),
        event("Torch-Compiled Region: 1/0", "cpu_op", 60, 40),
        event(CALL, "user_annotation", 65, 30),
        event("aten::sum", "cpu_op", 120, 30),
    )
    assert share_of(side) == (60 / 100, "operator time")


def test_on_a_gpu_work_counts_where_it_was_launched_and_collectives_do_not() -> None:
    side = side_of(
        event(CALL, "user_annotation", 0, 50),
        event("triton_poi_fused_add_0", "cpu_op", 5, 20),
        event("launch", "cuda_runtime", 10, 5, correlation=1),
        event("aten::mul", "cpu_op", 60, 20),
        event("launch", "cuda_runtime", 65, 5, correlation=2),
        event("launch", "cuda_runtime", 90, 5, correlation=3),
        event("triton_poi_fused_add_0", "kernel", 100, 30, tid=7, correlation=1),
        event("elementwise", "kernel", 140, 10, tid=7, correlation=2),
        event("ncclDevKernel_AllReduce", "kernel", 160, 1000, tid=8, correlation=3),
    )
    assert share_of(side) == (pytest.approx(0.75), "GPU time without communication")


def test_a_trace_without_compiled_graphs_has_no_share() -> None:
    assert captured(side_of(event("aten::mul", "cpu_op", 0, 20))) is None


def test_the_optimizer_is_not_what_compiling_a_model_could_capture() -> None:
    cpu = side_of(
        event(CALL, "user_annotation", 0, 30),
        event("aten::nll_loss", "cpu_op", 40, 10),
        event("Optimizer.step#Adam.step", "user_annotation", 60, 100),
        event("aten::mul_", "cpu_op", 70, 50),
    )
    assert share_of(cpu) == (0.75, "operator time without the optimizer")
    gpu = side_of(
        event(CALL, "user_annotation", 0, 30),
        event("launch", "cuda_runtime", 10, 5, correlation=1),
        event("Optimizer.step#Adam.step", "user_annotation", 60, 100),
        event("launch", "cuda_runtime", 70, 5, correlation=2),
        event("gemm", "kernel", 200, 30, tid=7, correlation=1),
        event("multi_tensor_apply", "kernel", 300, 90, tid=7, correlation=2),
    )
    assert share_of(gpu) == (1.0, "GPU time without the optimizer")
