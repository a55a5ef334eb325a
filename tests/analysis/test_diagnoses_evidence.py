"""Findings that are said only where the evidence supports them: guards, small graphs, symbols, CUDA graphs, waits."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from defect_files import load_text

from profviz.analysis.registry import run_diagnoses
from profviz.analysis.sides import make_side
from profviz.engine.results import results_of_documents
from profviz.formats.registry import open_document
from profviz.model.compile_report import CompiledFrame, CompileReport, CudaGraph, Recompile, Symbol
from profviz.model.findings import Finding, Verdict
from profviz.model.graph import Graph, Node, SourceLine, Stage
from profviz.model.results import Side
from profviz.model.run import Run, RunRequest, Timing, VariantResult

SHARED = Path(__file__).parents[2].parent / "shared" / "traces"
needs_captures = pytest.mark.skipif(not SHARED.is_dir(), reason="the shared captures are not beside this checkout")
MS = 1_000_000
LINE = SourceLine("/home/me/model.py", 7)
REPORT = CompileReport("2.13.0", None, (), (), (), (), (), (), graph_count=1, compile_ns=1000 * MS)


def event(name: str, category: str, ts: int, dur: int, *, tid: int = 1, correlation: int = 0) -> str:
    args = f'{{"correlation": {correlation}}}' if correlation else "{}"
    head = f'{{"ph": "X", "name": "{name}", "cat": "{category}", "pid": 1, "tid": {tid}, '
    return head + f'"ts": {ts}, "dur": {dur}, "args": {args}}}'


def step(number: int, ts: int, dur: int) -> str:
    return event(f"ProfilerStep#{number}", "user_annotation", ts, dur)


def side_of(*events: str, name: str = "A") -> Side:
    trace, _ = load_text(f"[{', '.join(events)}]")
    return make_side(id=name, title=name, trace=trace, notes=())


def found(*sides: Side, report: CompileReport | None = None) -> dict[str, Finding]:
    reports = [] if report is None else [("log", report)]
    return {finding.id: finding for finding in run_diagnoses(None, sides, reports)}


REGION = event("Torch-Compiled Region: 0/0", "cpu_op", 30, 60)


@pytest.mark.parametrize(
    ("lookup_us", "answer"), [(3, None), (10, "some"), (30, "yes")], ids=["not felt", "felt", "dominates"]
)
def test_guards_are_told_of_as_soon_as_their_check_is_felt_in_a_step(lookup_us: int, answer: str | None) -> None:
    lookup = event("TorchDynamo Cache Lookup", "cpu_op", 0, lookup_us)
    outside = event("TorchDynamo Cache Lookup", "cpu_op", 200, 90)
    finding = found(side_of(step(1, 0, 100), lookup, REGION, outside)).get("guards")
    assert (finding and finding.answer) == answer
    if finding:
        assert f"{lookup_us}.0 µs of a profiled step of 100 µs ({lookup_us} %), in 1 check." in finding.text
        assert finding.evidence[0].slice >= 0


def graph(compile_id: str, operations: int) -> Graph:
    inputs = (Node("x", "placeholder", "x"),)
    nodes = tuple(Node(f"add_{at}", "call_function", "add", source=LINE) for at in range(operations))
    return Graph(Stage.DYNAMO, compile_id, (*inputs, *nodes, Node("output", "output", "output")), ())


def test_small_graphs_are_counted_by_what_they_compute() -> None:
    frame = CompiledFrame("0/0", "forward", LINE, 1, None)
    report = replace(REPORT, graphs=(graph("0/0", 2), graph("1/0", 9), graph("2/0", 5)), frames=(frame,))
    finding = found(report=report)["tiny_graphs"]
    assert finding.text.startswith("2 of 3 graphs hold 5 operations or fewer (5 in the median one)")
    assert (finding.evidence[0].text, finding.evidence[0].source) == ("0/0 forward: 2 operations", LINE)
    assert "tiny_graphs" not in found(report=replace(REPORT, graphs=(graph("0/0", 2),)))
    assert "tiny_graphs" not in found(
        report=replace(REPORT, graphs=(graph("0/0", 2), graph("1/0", 6), graph("2/0", 7)))
    )


@pytest.mark.parametrize(
    ("allowed", "words"), [("[2, int_oo]", "fits 2 or more"), ("[2, 64]", "fits 2 to 64"), ("odd", "fits odd")]
)
def test_sizes_compiled_as_symbols_say_what_they_fit(allowed: str, words: str) -> None:
    symbol = Symbol("0/1", "s77", "16", allowed, "L['x'].size()[0]", (LINE,))
    finding = found(report=replace(REPORT, symbols=(symbol, symbol)))["dynamic_shapes"]
    assert finding.text == "1 size was compiled as a symbol, in 1 compilation."
    assert [(one.text, one.source) for one in finding.evidence] == [
        (f"0/1: L['x'].size()[0] as s77, was 16, {words}", LINE)
    ]


@pytest.mark.parametrize(
    ("again_ms", "verdict"), [(50, None), (300, Verdict.DEPENDS), (600, Verdict.BAD)], ids=["little", "some", "most"]
)
def test_compile_time_spent_twice(again_ms: int, verdict: Verdict | None) -> None:
    again = Recompile("0/1", "forward", LINE, ("size",), dur_ns=again_ms * MS)
    finding = found(report=replace(REPORT, recompiles=(again,))).get("recompile_cost")
    assert (finding and finding.verdict) == verdict
    if finding:
        assert f"{again_ms} ms of 1.00 s ({again_ms // 10} %)" in finding.text
        assert finding.evidence[0].text == f"0/1 forward: {again_ms} ms"


def test_skipped_cuda_graphs_are_told_with_their_reasons_and_a_cure() -> None:
    skip = CudaGraph("0/0", "skip", "skipping cudagraphs due to mutated inputs (1 instances)")
    again = CudaGraph("1/0", "re-record")
    report = replace(REPORT, cuda_graphs=(skip, skip, again, CudaGraph("2/0", "record")))
    finding = found(report=report)["cuda_graphs"]
    assert (finding.answer, finding.verdict) == ("yes", Verdict.BAD)
    assert finding.text == "2 graphs run without CUDA graphs; 1 graph was recorded again."
    assert finding.evidence[0].text == "0/0 skipped: skipping cudagraphs due to mutated inputs (1 instances) (2 ×)"
    assert "in place" in finding.advice
    assert "cuda_graphs" not in found(report=replace(REPORT, cuda_graphs=(CudaGraph("2/0", "record"),)))


def test_what_compiles_within_profiled_steps_is_no_run_time() -> None:
    compiling = event("_compile.compile_inner (dynamo_timed)", "cpu_op", 10, 80)
    within = event("entire_frame_compile", "cpu_op", 20, 60)
    later = event("_compile.compile_inner (dynamo_timed)", "cpu_op", 500, 80)
    region = event("Torch-Compiled Region: 0/0", "cpu_op", 91, 5)
    finding = found(side_of(step(1, 0, 100), compiling, within, region, later))["compile_cost"]
    assert (finding.answer, finding.verdict) == ("yes", Verdict.BAD)
    assert finding.text.startswith("80.0 µs of the profiled steps (80 %) is compiling")
    assert [one.text for one in finding.evidence] == ["compiling for 80.0 µs in step 1"]
    steady = found(side_of(step(1, 0, 100), region), report=None)["compile_cost"]
    assert (steady.answer, steady.text) == ("no", "Nothing compiles within the profiled steps.")


def test_a_compiled_trace_without_its_log_says_what_it_cannot_know() -> None:
    twice = event("Torch-Compiled Region: 1/0", "cpu_op", 92, 5)
    findings = found(side_of(step(1, 0, 100), REGION, twice))
    assert [findings[one].verdict for one in ("breaks", "recompiles")] == [Verdict.UNKNOWN] * 2
    assert "a step enters compiled code 2 times, so something breaks it up" in findings["breaks"].text


def test_a_log_without_a_trace_answers_all_four_questions() -> None:
    findings = found(report=REPORT)
    assert [findings[one].verdict for one in ("captured", "breaks", "recompiles", "compile_cost")] == [
        Verdict.UNKNOWN,
        Verdict.GOOD,
        Verdict.GOOD,
        Verdict.UNKNOWN,
    ]
    assert "the log counts 1.00 s of compiling" in findings["compile_cost"].text


def test_a_run_that_ended_while_it_compiled_has_no_all_clear() -> None:
    eager, cut = timed("eager", 10, 10), VariantResult("default", "default")
    findings = run_diagnoses(Run(RunRequest("model.py"), "failed", 0, variants=(eager, cut)), [], [("default", REPORT)])
    told = {one.id: one for one in findings}
    assert [told[one].verdict for one in ("breaks", "recompiles")] == [Verdict.UNKNOWN] * 2
    assert told["breaks"].text == "Unknown: the log ends while it is compiled; no break until then, 1 graph compiled."


def test_what_little_runs_outside_is_not_rounded_away() -> None:
    call = event("## Call CompiledFxGraph fkey ##", "user_annotation", 0, 99_999)
    finding = found(side_of(call, event("aten::mul", "cpu_op", 100_000, 1)))["captured"]
    assert finding.text == "Over 99.9 % of operator time runs inside compiled graphs."


def gpu_step(*, waits: str = "cudaLaunchKernel") -> Side:
    """10 of 100 us are busy; the second kernel comes right after a call that took up the time before its launch."""
    return side_of(
        step(1, 0, 100),
        event("launch", "cuda_runtime", 1, 2, correlation=1),
        event("first", "kernel", 5, 5, tid=7, correlation=1),
        event(waits, "cuda_runtime", 6, 80),
        event("launch", "cuda_runtime", 88, 2, correlation=2),
        event("second", "kernel", 92, 5, tid=7, correlation=2),
    )


@pytest.mark.parametrize(
    ("call", "answer", "words"),
    [
        ("cudaFuncGetAttributes", "launch-bound", "CUDA graphs"),
        ("cudaDeviceSynchronize", "synchronising", "less often"),
    ],
)
def test_an_idle_gpu_says_what_it_waits_for(call: str, answer: str, words: str) -> None:
    finding = found(gpu_step(waits=call))["idle_gpu"]
    assert finding.answer == answer
    assert words in finding.advice
    assert finding.evidence[0].text.startswith("the longest wait: ")
    assert finding.evidence[0].text.endswith(", until second")


def test_a_gpu_that_waits_in_a_collective_is_not_called_busy_alone() -> None:
    side = side_of(
        step(1, 0, 100),
        event("launch", "cuda_runtime", 1, 2, correlation=1),
        event("launch", "cuda_runtime", 3, 2, correlation=2),
        event("gemm", "kernel", 5, 30, tid=7, correlation=1),
        event("ncclDevKernel_AllReduce", "kernel", 35, 65, tid=8, correlation=2),
    )
    finding = found(side)["idle_gpu"]
    assert (finding.answer, finding.verdict) == ("for other ranks", Verdict.DEPENDS)
    assert "65.0 µs of a step (65 %) is communication that no other work hides" in finding.text


def timed(name: str, *samples_ms: int, first_ms: int = 1000, recompiles: int = 0) -> VariantResult:
    timing = Timing("cuda_event", tuple(one * MS for one in samples_ms), (0,) * len(samples_ms))
    return VariantResult(name, name, first_call_ns=first_ms * MS, timing=timing, recompiles=recompiles)


def test_the_fastest_of_several_variants_answers_and_the_others_are_its_evidence() -> None:
    variants = (timed("eager", 10, 10), timed("default", 20, 20), timed("reduce-overhead", 5, 5))
    findings = run_diagnoses(Run(RunRequest("model.py"), "done", 0, variants=variants), [], [])
    cost = next(one for one in findings if one.id == "compile_cost")
    assert cost.text.startswith("reduce-overhead: compiling and warming up cost 995 ms; it pays back after 199 steps")
    assert [one.text for one in cost.evidence] == ["default: 980 ms, then 0.50× as fast as eager; never pays back"]


def test_variants_with_one_answer_share_a_finding_and_those_with_another_have_their_own() -> None:
    variants = (timed("eager", 10, 10), timed("default", 8, 8), timed("other", 7, 7), timed("again", 5, recompiles=3))
    reports = [(name, REPORT) for name in ("default", "other", "again")]
    findings = run_diagnoses(Run(RunRequest("model.py"), "done", 0, variants=variants), [], reports)
    first, second = (one for one in findings if one.id == "recompiles")
    assert first.text == "default: Every frame was compiled once. Likewise: other."
    assert second.text.startswith("again: No frame was recompiled, but in 3 timed steps")


@needs_captures
def test_a_break_that_gpu_work_hides_costs_little_and_the_wrapper_that_breaks_is_named() -> None:
    names = ("ddp.compiled.rank0.json.gz", "ddp.compiled.rank0.compile-log.txt.gz")
    results = results_of_documents([open_document(SHARED / name) for name in names])
    finding = next(one for one in results.findings if one.id == "breaks")
    assert (finding.answer, finding.verdict) == ("little", Verdict.DEPENDS)
    assert "idle for none of it" in finding.text
    assert "DDP(torch.compile(model))" in finding.advice


@needs_captures
def test_what_runs_outside_of_the_graphs_can_be_looked_at() -> None:
    names = ("broken_train.compiled-default.json.gz", "broken_train.compile-log.txt.gz")
    results = results_of_documents([open_document(SHARED / name) for name in names])
    finding = next(one for one in results.findings if one.id == "captured")
    first = finding.evidence[0]
    assert first.text == "8.10 µs a step eager: Mean · reduce_kernel"
    assert "reduce_kernel" in results.sides[0].trace.name_of(first.slice)
