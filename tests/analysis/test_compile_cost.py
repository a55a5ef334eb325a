"""Compile time shared out over stages: generated spans against a count ns by ns, real logs, and the break-even."""

from __future__ import annotations

import pytest
from defect_files import SHARED
from hypothesis import given
from hypothesis import strategies as st

from profviz.analysis.compile_cost import (
    break_even,
    compile_cost,
    own_times,
    share_out,
    stage_of,
    steps_until,
)
from profviz.formats.registry import open_document
from profviz.model.compile_cost import BreakEven, CompileStage
from profviz.model.compile_report import CacheUse, CompileEvent, CompileReport
from profviz.model.run import Timing, VariantResult

S = 1_000_000_000


def report_of(
    *events: CompileEvent, first_call: tuple[int, int] | None = None, caches: tuple[CacheUse, ...] = ()
) -> CompileReport:
    return CompileReport(
        "2.13", None, (), (), (), (), events, (), graph_count=0, compile_ns=None, first_call=first_call, caches=caches
    )


def span(name: str, start: int, end: int, compile_id: str = "") -> CompileEvent:
    return CompileEvent(name, start, end - start, 0, compile_id)


@given(st.lists(st.tuples(st.integers(0, 40), st.integers(0, 25)), max_size=9))
def test_every_moment_counts_for_the_span_that_began_last(pairs: list[tuple[int, int]]) -> None:
    spans = sorted((start, start + length) for start, length in pairs)
    expected = [0] * len(spans)
    for moment in range(80):
        open_ = [at for at, (start, end) in enumerate(spans) if start <= moment < end]
        if open_:
            expected[open_[-1]] += 1
    assert own_times(spans) == expected
    assert sum(own_times(spans)) == len({m for start, end in spans for m in range(start, end)})


@given(st.lists(st.tuples(st.integers(0, 40), st.integers(0, 25), st.sampled_from("dgx")), max_size=9))
def test_parts_sum_to_the_union_whatever_overlaps(drawn: list[tuple[int, int, str]]) -> None:
    names = {"d": "dynamo", "g": "Scheduler.codegen", "x": "who knows"}
    events = [span(names[name], start, start + length) for start, length, name in drawn]
    spans = share_out(events)
    union = {moment for start, length, _ in drawn for moment in range(start, start + length)}
    assert sum(one.self_ns for one in spans) == len(union)
    assert all(0 <= one.self_ns <= one.dur_ns for one in spans)


def test_nested_spans_count_once_and_inherit_what_their_names_do_not_say() -> None:
    made = report_of(
        span("dynamo", 0, 100, "0/0"),
        span("entire_frame_compile", 5, 95, "0/0"),
        span("create_aot_dispatcher_function", 10, 90),
        span("fx_codegen_and_compile", 20, 80),
        span("something_new", 30, 40),
        span("Scheduler.codegen", 40, 60),
        span("compile_file", 45, 55),
        span("CachingAutotuner.benchmark_all_configs", 60, 70),
        span("entire_backward_compile", 200, 250, "0/0"),
        span("compile_fx.<locals>.bw_compiler", 210, 240),
    )
    cost = compile_cost(made)
    assert [(part.stage, part.direction, part.dur_ns) for part in cost.parts] == [
        (CompileStage.DYNAMO, "forward", 10),
        (CompileStage.DYNAMO, "", 10),
        (CompileStage.AOT, "forward", 20),
        (CompileStage.AOT, "backward", 20),
        (CompileStage.LOWERING, "forward", 30),
        (CompileStage.LOWERING, "backward", 30),
        (CompileStage.CODEGEN, "forward", 10),
        (CompileStage.COMPILERS, "forward", 10),
        (CompileStage.AUTOTUNE, "forward", 10),
    ]
    assert [one.depth for one in cost.spans] == [0, 1, 2, 3, 4, 4, 5, 4, 0, 1]
    assert {one.compile_id for one in cost.spans} == {"0/0"}
    assert (cost.wall_ns, cost.rest_ns, cost.later_ns, cost.explained_ns) == (None, None, 0, 150)


def result(first_call_ns: int | None = None, *steps: int) -> VariantResult:
    timing = Timing("perf_counter", steps, tuple(range(len(steps)))) if steps else None
    return VariantResult("default", "Compiled", first_call_ns=first_call_ns, timing=timing)


def test_parts_step_and_rest_sum_to_the_first_call() -> None:
    events = (span("dynamo", 1000, 1600), span("backend_compile", 1100, 1500), span("dynamo", 2500, 2600))
    cost = compile_cost(report_of(*events, first_call=(900, 1700)), result(800, 70, 70))
    assert (cost.wall_ns, cost.explained_ns, cost.step_ns, cost.rest_ns, cost.later_ns) == (800, 600, 70, 130, 100)
    assert cost.explained_ns + (cost.step_ns or 0) + (cost.rest_ns or 0) == cost.wall_ns
    unmarked = compile_cost(report_of(*events), result(800, 70, 70))
    assert (unmarked.wall_ns, unmarked.explained_ns, unmarked.later_ns) == (800, 600, 100)
    untimed = compile_cost(report_of(*events, first_call=(900, 1700)))
    assert (untimed.step_ns, untimed.rest_ns) == (None, 200)
    assert compile_cost(report_of()).parts == ()


def test_what_a_cache_had_is_marked() -> None:
    uses = (CacheUse("0/0", "fx_graph", "hit"), CacheUse("1/0", "fx_graph", "miss"))
    events = (
        span("dynamo", 0, 10, "0/0"),
        span("bytecode_tracing", 2, 4),
        span("dynamo", 20, 30, "1/0"),
    )
    cost = compile_cost(report_of(*events, caches=uses))
    assert [(one.compile_id, one.cached) for one in cost.spans] == [
        ("0/0", True),
        ("0/0", True),
        ("1/0", False),
    ]
    assert cost.explained_ns == 20


@pytest.mark.parametrize(
    ("name", "stage"),
    [
        ("compile_attempt_1", CompileStage.DYNAMO),
        ("aot_trace_joint_graph", CompileStage.AOT),
        ("_recursive_joint_graph_passes", CompileStage.LOWERING),
        ("GraphLowering.run", CompileStage.LOWERING),
        ("Scheduler.fused_nodes", CompileStage.SCHEDULING),
        ("GraphLowering.codegen", CompileStage.CODEGEN),
        ("PyCodeCache.load_by_key_path", CompileStage.CODEGEN),
        ("async_compile.wait", CompileStage.COMPILERS),
        ("CUDAGraphNode.record", CompileStage.CUDA_GRAPHS),
        ("AOTAutogradCache.inductor_load", CompileStage.CACHES),
        ("inductor_codecache_torch_key", CompileStage.CACHES),
        ("reload_kernel_in_parent", None),
    ],
)
def test_names_of_stages(name: str, stage: CompileStage | None) -> None:
    assert stage_of(name) is stage


@pytest.mark.skipif(not SHARED.is_dir(), reason="the shared captures are not beside this checkout")
@pytest.mark.parametrize("name", ["gpt2", "resnet50", "broken_train", "ddp.compiled.rank0"])
def test_stages_of_real_logs_sum_to_the_compilers_time(name: str) -> None:
    report = open_document(SHARED / f"{name}.compile-log.txt.gz").report
    assert report is not None
    cost = compile_cost(report)
    assert cost.explained_ns == report.compile_ns
    assert CompileStage.OTHER not in {part.stage for part in cost.parts}
    assert {CompileStage.DYNAMO, CompileStage.AOT, CompileStage.COMPILERS} <= {part.stage for part in cost.parts}


def rounds(name: str, first_s: int, *medians_ms: tuple[int, ...]) -> VariantResult:
    samples = tuple(ms * 1_000_000 for one in medians_ms for ms in one)
    numbers = tuple(at for at, one in enumerate(medians_ms) for _ in one)
    return VariantResult(
        name, name, first_call_ns=first_s * S, timing=Timing("perf_counter", samples, numbers), warmup_ns=()
    )


def test_the_break_even_has_the_interval_of_its_rounds() -> None:
    eager = rounds("eager", 0, (10, 10, 10), (12, 12, 12))
    compiled = rounds("default", 1, (5, 5, 5), (6, 6, 6))
    found = break_even(eager, compiled)
    assert found is not None
    assert (found.cost_ns, found.gain_ns) == (S - 5_500_000, 5_500_000)
    assert (found.steps, found.low, found.high, found.rounds) == (181, 143, 249, 2)


def test_never_maybe_never_and_unknown() -> None:
    eager, slower = rounds("eager", 0, (10,), (11,)), rounds("default", 1, (20,), (21,))
    assert break_even(eager, slower) == BreakEven(979_500_000, -10_000_000, None, None, None, 2)
    unclear = break_even(eager, rounds("default", 1, (10,), (9,)))
    assert unclear is not None
    assert unclear.low is not None
    assert (unclear.steps is not None, unclear.high) == (True, None), "it pays by the medians, and may never"
    single = break_even(rounds("eager", 0, (10,)), rounds("default", 1, (5,)))
    assert single is not None
    assert (single.steps, single.low, single.high, single.rounds) == (199, None, None, 1)
    assert break_even(eager, None) is None
    assert break_even(None, slower) is None
    assert break_even(eager, result(5)) is None


@given(st.integers(0, 10**15), st.integers(-5, 10**9))
def test_steps_until_earned(cost_ns: int, gain_ns: int) -> None:
    steps = steps_until(cost_ns, gain_ns)
    if gain_ns <= 0:
        assert steps is None
    else:
        assert steps is not None
        assert steps * gain_ns >= cost_ns
        assert steps == 1 or (steps - 1) * gain_ns < cost_ns
