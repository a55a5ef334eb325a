"""The table adds up and says what it lists."""

from __future__ import annotations

import pytest
from defect_files import load, load_text
from test_steps import event

from profviz.analysis.kernel_table import make_table
from profviz.analysis.kinds import slice_kinds
from profviz.model.results import KernelRow, SliceKind


def table(text: list[str]) -> tuple[str, tuple[KernelRow, ...]]:
    trace, _ = load_text(f"[{', '.join(text)}]")
    return make_table(trace, slice_kinds(trace))


def test_kernels_are_grouped_by_name_longest_first() -> None:
    of, rows = table(
        [
            event("nvjet_a", "kernel", 0, 10, tid=7),
            event("triton_poi_fused_b", "kernel", 20, 30, tid=7),
            event("nvjet_a", "kernel", 60, 5, tid=8),
            event("Memset", "gpu_memset", 70, 5, tid=7),
            event("aten::mm", "cpu_op", 0, 500),
        ]
    )
    assert of == "kernels"
    assert [(row.name, row.kind, row.calls, row.total_ns) for row in rows] == [
        ("triton_poi_fused_b", SliceKind.FUSED, 1, 30_000),
        ("nvjet_a", SliceKind.GEMM, 2, 15_000),
        ("Memset", SliceKind.COPY, 1, 5_000),
    ]
    assert (rows[1].mean_ns, rows[1].min_ns, rows[1].max_ns, rows[1].first_slice) == (7_500, 5_000, 10_000, 0)
    assert [row.share for row in rows] == pytest.approx([0.6, 0.3, 0.1])


def test_without_gpu_work_operators_are_listed_with_their_own_time() -> None:
    of, rows = table(
        [
            event("aten::linear", "cpu_op", 0, 100),
            event("aten::addmm", "cpu_op", 10, 80),
            event("aten::expand", "cpu_op", 15, 5),
            event("train.py(3): step", "python_function", 0, 200),
            event("graph_0_cpp_fused_gelu_0", "cpu_op", 120, 20),
        ]
    )
    assert of == "operators"
    assert {row.name: row.total_ns for row in rows} == {
        "aten::addmm": 75_000,
        "aten::linear": 20_000,
        "graph_0_cpp_fused_gelu_0": 20_000,
        "aten::expand": 5_000,
    }
    assert sum(row.total_ns for row in rows) == 120_000  # the outermost operators' time, neither more nor less


def test_an_empty_trace_has_an_empty_table() -> None:
    assert table([]) == ("operators", ())


def test_replayed_kernels_are_all_in_the_table() -> None:
    trace, _ = load("graph_replay.json")
    of, rows = make_table(trace, slice_kinds(trace))
    assert (of, len(rows)) == ("kernels", 4)


def test_unfinished_and_absurd_slices_are_left_out_of_sums() -> None:
    trace, _ = load("odd_durations.json")
    _, rows = make_table(trace, slice_kinds(trace))
    assert {row.name: row.total_ns for row in rows} == {
        "aten::one": 10_000,
        "aten::two": 10_000,
        "aten::backwards": 0,
    }
