"""What changed from one side to the other: whole numbers, and None where a side was not measured."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from defect_files import load_path, load_text

from profviz.analysis.compare import compare_sides
from profviz.analysis.sides import make_side
from profviz.model.record import to_json
from profviz.model.results import Side
from profviz.model.run import Timing, VariantResult

SHARED = Path(__file__).parents[2].parent / "shared" / "traces"
MS = 1_000_000


def kernel(name: str, ts: int, dur: int, *, stream: int = 7) -> str:
    where = f'"cat": "kernel", "pid": 0, "tid": {stream}, "ts": {ts}, "dur": {dur}'
    return f'{{"ph": "X", "name": "{name}", {where}, "args": {{}}}}'


def side(name: str, *events: str, samples_ms: tuple[int, ...] = ()) -> Side:
    trace, _ = load_text(f"[{', '.join(events)}]")
    timing = Timing("cuda_event", tuple(one * MS for one in samples_ms), (0,) * len(samples_ms))
    result = VariantResult(name, name, timing=timing) if samples_ms else None
    return make_side(id=name, title=name, trace=trace, notes=(), result=result)


def test_names_are_set_against_each_other_largest_difference_first() -> None:
    a = side("A", kernel("gemm", 0, 40), kernel("relu", 50, 10), kernel("relu", 70, 10))
    b = side("B", kernel("gemm", 0, 41), kernel("triton_poi_fused_relu_0", 50, 7))
    rows = {row.name: (row.a_calls, row.b_calls, row.a_ns, row.b_ns) for row in compare_sides(a, b).names}
    assert rows == {
        "relu": (2, 0, 20_000, 0),
        "triton_poi_fused_relu_0": (0, 1, 0, 7_000),
        "gemm": (1, 1, 40_000, 41_000),
    }
    assert list(rows) == ["relu", "triton_poi_fused_relu_0", "gemm"]


def test_kinds_sum_over_streams_and_busy_time_does_not() -> None:
    a = side("A", kernel("gemm", 0, 80), kernel("gemm", 40, 60, stream=20))
    compared = compare_sides(a, side("B", kernel("gemm", 0, 30)))
    assert [(row.kind, row.a_ns, row.b_ns) for row in compared.kinds] == [("gemm", 140_000, 30_000)]
    assert (compared.a_busy_ns, compared.b_busy_ns) == (100_000, 30_000)


def test_speed_up_needs_both_times_and_brings_the_quartiles_interval() -> None:
    timed, other = side("A", samples_ms=(6, 8, 10)), side("B", samples_ms=(1, 2, 3))
    found = compare_sides(timed, other)
    assert (found.a_median_ns, found.b_median_ns, found.speed_up) == (8 * MS, 2 * MS, 4.0)
    assert (found.speed_up_low, found.speed_up_high) == (pytest.approx(7 / 2.5), pytest.approx(9 / 1.5))
    unknown = compare_sides(timed, side("B"))
    assert (unknown.b_median_ns, unknown.speed_up, unknown.speed_up_low) == (None, None, None)


def test_a_cpu_and_a_gpu_trace_do_not_compare() -> None:
    cpu = side("A", '{"ph": "X", "name": "aten::add", "cat": "cpu_op", "pid": 1, "tid": 1, "ts": 0, "dur": 5}')
    found = compare_sides(cpu, side("B", kernel("gemm", 0, 30)))
    assert not found.comparable
    assert (found.a_busy_ns, found.b_busy_ns) == (None, 30_000)


def test_two_empty_traces_compare_to_nothing() -> None:
    found = compare_sides(side("A"), side("B"))
    assert (found.kinds, found.names, found.a_busy_ns, found.a_per_step) == ((), (), None, None)


@pytest.mark.skipif(not SHARED.is_dir(), reason="the shared captures are not beside this checkout")
def test_a_real_pair_keeps_every_nanosecond_and_goes_into_json() -> None:
    sides = []
    for name in ("resnet50.eager", "resnet50.compiled-default"):
        trace, _ = load_path(SHARED / f"{name}.json.gz")
        sides.append(make_side(id=name, title=name, trace=trace, notes=()))
    found = compare_sides(*sides)
    for side_ns, own in (("a_ns", sides[0]), ("b_ns", sides[1])):
        whole = sum(row.total_ns for row in own.table)
        assert sum(getattr(row, side_ns) for row in found.names) == whole
        assert sum(getattr(row, side_ns) for row in found.kinds) == whole
    assert (found.a_per_step, found.b_per_step) == (1041 / 3, 372 / 3)
    assert json.loads(json.dumps(to_json(found), allow_nan=False))["names"][0]["a_calls"] >= 0
