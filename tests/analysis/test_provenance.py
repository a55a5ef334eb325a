"""Generated kernels find the slices that ran them: in real captures all of them, in doubt none."""

from __future__ import annotations

from pathlib import Path

import pytest
from defect_files import load_path, load_text

from profviz.analysis.linking import link_trace
from profviz.analysis.provenance import align, match_kernels
from profviz.formats.registry import open_document
from profviz.model.compile_report import CompileReport, GeneratedCode, kernel_key

SHARED = Path(__file__).parents[2].parent / "shared" / "traces"
needs_captures = pytest.mark.skipif(not SHARED.is_dir(), reason="the shared captures are not beside this checkout")
CALL = "## Call CompiledFxGraph fkey ##"


def event(name: str, category: str, ts: int, dur: int, *, tid: int = 1, correlation: int = 0) -> str:
    args = f'{{"correlation": {correlation}}}' if correlation else "{}"
    head = f'{{"ph": "X", "name": "{name}", "cat": "{category}", "pid": 1, "tid": {tid}, '
    return head + f'"ts": {ts}, "dur": {dur}, "args": {args}}}'


def report_of(*codes: GeneratedCode) -> CompileReport:
    return CompileReport("2.13.0", None, (), (), (), (), (), codes, graph_count=len(codes), compile_ns=None)


def code(*kernels: str, compile_id: str = "0/0", key: str = "fkey") -> GeneratedCode:
    return GeneratedCode(compile_id, "inference", "", "", key=key, kernels=kernels)


def names_by_kernel(report: CompileReport, *events: str) -> dict[str, list[tuple[str, int]]]:
    """For each kernel the names and starts (us) of its slices."""
    trace, _ = load_text(f"[{', '.join(events)}]")
    found = match_kernels(trace, link_trace(trace), report)
    start_us = trace.slices.start_ns // 1000
    return {key: [(trace.name_of(index), int(start_us[index])) for index in found[key]] for key in found}


@needs_captures
@pytest.mark.parametrize("name", ["gpt2", "resnet50", "broken_train"])
def test_every_triton_kernel_of_a_real_capture_is_found_under_its_own_name(name: str) -> None:
    trace, _ = load_path(SHARED / f"{name}.compiled-default.json.gz")
    report = open_document(SHARED / f"{name}.compile-log.txt.gz").report
    assert report is not None
    found = match_kernels(trace, link_trace(trace), report)
    assert set(found) == {kernel_key(c.compile_id, c.direction, handle) for c in report.code for handle in c.kernels}
    linked = [index for slices in found.values() for index in slices]
    assert len(linked) == len(set(linked))
    triton = {int(index) for index in trace.gpu.slice if trace.name_of(index).startswith("triton_")}
    assert triton
    assert triton <= set(linked)
    for key, slices in found.items():
        handle = key.split(" ")[-1].rpartition(":")[0]
        if handle.startswith("triton_"):
            assert [trace.name_of(index) for index in slices] == [handle] * 3, key


@needs_captures
def test_replayed_cuda_graphs_are_not_guessed_at() -> None:
    trace, _ = load_path(SHARED / "gpt2.compiled-reduce-overhead.json.gz")
    report = open_document(SHARED / "gpt2.compile-log.txt.gz").report
    assert report is not None
    assert match_kernels(trace, link_trace(trace), report) == {}


def test_on_a_cpu_the_operators_themselves_are_the_slices() -> None:
    found = names_by_kernel(
        report_of(code("cpp_fused_relu_0:1", "extern_kernels.addmm:2", "cpp_fused_relu_0:3")),
        event(CALL, "user_annotation", 0, 100),
        event("graph_0_cpp_fused_relu_0", "cpu_op", 10, 10),
        event("aten::addmm", "cpu_op", 30, 20),
        event("aten::expand", "cpu_op", 32, 5),
        event("graph_0_cpp_fused_relu_0", "cpu_op", 60, 10),
    )
    assert found == {
        "0/0 inference cpp_fused_relu_0:1": [("graph_0_cpp_fused_relu_0", 10)],
        "0/0 inference extern_kernels.addmm:2": [("aten::addmm", 30)],
        "0/0 inference cpp_fused_relu_0:3": [("graph_0_cpp_fused_relu_0", 60)],
    }


def test_gpu_work_is_found_by_its_launch_however_deep_and_in_every_step() -> None:
    found = names_by_kernel(
        report_of(code("extern_kernels.addmm:1")),
        *(
            text
            for step in (0, 200)
            for text in (
                event(CALL, "user_annotation", step, 100),
                event("aten::addmm", "cpu_op", step + 10, 50),
                event("aten::deeper", "cpu_op", step + 20, 30),
                event("launch", "cuda_runtime", step + 30, 5, correlation=step + 1),
                event("nvjet", "kernel", step + 150, 20, tid=7, correlation=step + 1),
            )
        ),
        event("aten::addmm", "cpu_op", 400, 50),
        event("launch", "cuda_runtime", 430, 5, correlation=999),
        event("nvjet", "kernel", 500, 20, tid=7, correlation=999),
    )
    assert found == {"0/0 inference extern_kernels.addmm:1": [("nvjet", 150), ("nvjet", 350)]}


def test_a_call_that_does_not_fit_its_code_links_nothing() -> None:
    found = names_by_kernel(
        report_of(code("cpp_fused_relu_0:1", "cpp_fused_add_1:2")),
        event(CALL, "user_annotation", 0, 100),
        event("graph_0_cpp_fused_add_1", "cpu_op", 10, 10),
        event("graph_0_cpp_fused_relu_0", "cpu_op", 30, 10),
    )
    assert found == {}


def test_a_graph_of_another_key_links_nothing() -> None:
    call = event(CALL, "user_annotation", 0, 100)
    operator = event("graph_0_cpp_fused_relu_0", "cpu_op", 10, 10)
    assert names_by_kernel(report_of(code("cpp_fused_relu_0:1", key="other")), call, operator) == {}


def test_an_empty_trace_links_nothing() -> None:
    assert names_by_kernel(report_of(code("cpp_fused_relu_0:1"))) == {}


@pytest.mark.parametrize(
    ("handles", "names", "places"),
    [
        (["extern_kernels.mm:1"], ["aten::mm"], [0]),
        (["cpp_fused_add_0:1"], ["aten::empty", "cpp_fused_add_0"], [1]),
        (["extern_kernels.mm:1", "cpp_a_0:2"], ["aten::mm", "aten::empty", "cpp_a_0"], [0, 2]),
        (["cpp_a_0:1", "cpp_b_1:2"], ["cpp_a_0"], None),
        (["cpp_a_0:1"], ["aten::mm"], None),
        (["extern_kernels.mm:1"], ["cpp_a_0"], None),
        ([], [], []),
    ],
)
def test_handles_take_their_operators_in_order(handles: list[str], names: list[str], places: list[int] | None) -> None:
    assert align(handles, names) == places
