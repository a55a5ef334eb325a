"""The strip's figures: of a run, of opened traces, of a log alone; unknown is a dash with its reason."""

from __future__ import annotations

from dataclasses import replace

from defect_files import load_text

from profviz.analysis.headline import gpu_use, make_headline
from profviz.analysis.registry import run_diagnoses
from profviz.analysis.sides import make_side
from profviz.model.compile_report import CompileReport, GraphBreak, Recompile
from profviz.model.findings import Verdict
from profviz.model.graph import SourceLine
from profviz.model.results import HeadlineItem, Side
from profviz.model.run import Run, RunRequest, Timing, VariantResult

MS = 1_000_000
REPORT = CompileReport("2.13.0", None, (), (), (), (), (), (), graph_count=1, compile_ns=5 * MS)


def variant(name: str, *samples_ms: int, first_ms: int = 0) -> VariantResult:
    timing = Timing("cuda_event", tuple(one * MS for one in samples_ms), (0,) * len(samples_ms))
    first_ns = first_ms * MS if first_ms else None
    return VariantResult(name, name, first_call_ns=first_ns, timing=timing if samples_ms else None)


def run_of(*variants: VariantResult) -> Run:
    return Run(RunRequest("model.py"), "done", 0, variants=variants)


def side(name: str, *, kernels: int, kernel_us: int, result: VariantResult | None = None) -> Side:
    """One profiled step of 20 ms that launches `kernels` kernels of `kernel_us` each."""
    events = [
        '{"ph": "X", "name": "ProfilerStep#1", "cat": "user_annotation", "pid": 1, "tid": 1, "ts": 0, "dur": 20000}'
    ]
    for index in range(kernels):
        at = 100 + index * 3000
        ids = f'"args": {{"correlation": {index + 1}}}'
        launch = f'"name": "launch", "cat": "cuda_runtime", "pid": 1, "tid": 1, "ts": {at}, "dur": 5'
        kernel = f'"name": "k", "cat": "kernel", "pid": 0, "tid": 7, "ts": {at + 10}, "dur": {kernel_us}'
        events += [f'{{"ph": "X", {launch}, {ids}}}', f'{{"ph": "X", {kernel}, {ids}}}']
    trace, _ = load_text(f"[{', '.join(events)}]")
    return make_side(id=name, title=name, trace=trace, notes=(), result=result)


def by_id(items: tuple[HeadlineItem, ...]) -> dict[str, HeadlineItem]:
    assert len({item.id for item in items}) == len(items)
    return {item.id: item for item in items}


def test_a_run_on_a_gpu_is_judged_by_its_steps_without_the_profiler() -> None:
    eager, compiled = variant("eager", 8, 8, 8), variant("default", 2, 2, 2, first_ms=602)
    sides = [
        side("eager", kernels=4, kernel_us=1500, result=eager),
        side("default", kernels=1, kernel_us=1500, result=compiled),
    ]
    items = by_id(make_headline(run_of(eager, compiled), sides, [("default", REPORT)]))
    assert (items["eager"].value, items["compiled"].value) == ("8.00 ms", "2.00 ms")
    assert (items["speed_up"].value, items["speed_up"].tone) == ("4.00×", "good")
    assert (items["kernels"].value, items["kernels"].detail) == ("4 → 1", "75 % fewer")
    assert (items["busy"].value, items["busy"].detail) == ("75 % → 75 %", "idle 2.00 ms → 500 µs")
    assert items["first_call"].detail == "pays back after 100 steps"
    assert (items["breaks"].value, items["breaks"].detail, items["breaks"].tone) == ("0", "1 graph", "good")
    assert (items["recompiles"].value, items["recompiles"].tone) == ("0", "good")


def test_busy_time_longer_than_the_timed_step_is_not_more_than_all_of_it() -> None:
    timed = gpu_use(side("default", kernels=4, kernel_us=1500, result=variant("default", 5)))
    assert timed is not None
    assert (timed.timed, timed.fraction) == (True, 1.0)
    profiled = gpu_use(side("default", kernels=4, kernel_us=1500))
    assert profiled is not None
    assert (profiled.timed, profiled.fraction) == (False, 0.3)


def test_what_was_not_measured_is_a_dash_with_its_reason() -> None:
    items = by_id(make_headline(run_of(variant("eager", 8)), [], []))
    shown = {name: (item.value, item.detail) for name, item in items.items()}
    assert shown["compiled"] == ("–", "not run")
    assert shown["speed_up"] == ("–", "needs both medians")
    assert shown["kernels"] == ("–", "no trace")
    assert shown["busy"] == ("–", "no trace")
    assert shown["first_call"] == ("–", "not measured")
    assert shown["breaks"] == ("–", "no compile log")


def test_medians_within_each_others_spread_promise_nothing() -> None:
    eager, compiled = variant("eager", 1, 8, 15), variant("default", 2, 9, 16, first_ms=602)
    items = by_id(make_headline(run_of(eager, compiled), [], []))
    assert items["speed_up"].tone == "plain"
    assert items["first_call"].detail == "no clear gain to pay it back"


def test_compiled_code_that_is_slower_never_pays_back() -> None:
    eager, compiled = variant("eager", 2, 2), variant("default", 4, 4, first_ms=602)
    items = by_id(make_headline(run_of(eager, compiled), [], []))
    assert items["speed_up"].tone == "bad"
    assert items["first_call"].detail == "never pays back, as measured"


def test_the_report_of_the_variant_shown_counts_and_a_line_breaks_once() -> None:
    here = SourceLine("model.py", 7)
    breaks = (GraphBreak(here, "print"), GraphBreak(here, "item"), GraphBreak(SourceLine("model.py", 9), "print"))
    recompile = Recompile("0/1", "forward", None, ("size",))
    broken = replace(REPORT, breaks=breaks, recompiles=(recompile,), graph_count=4)
    eager, other, shown = variant("eager", 8), variant("aot_eager", 4), variant("default", 2)
    run = run_of(eager, other, replace(shown, recompiles=2))
    sides = [side("eager", kernels=1, kernel_us=1), side("default", kernels=1, kernel_us=1)]
    items = by_id(make_headline(run, sides, [("aot_eager", REPORT), ("default", broken)]))
    assert (items["breaks"].value, items["breaks"].detail, items["breaks"].tone) == ("2", "4 graphs", "bad")
    assert (items["recompiles"].value, items["recompiles"].detail) == ("1", "2 during timing")


def test_opened_traces_say_what_they_hold_and_a_log_alone_claims_nothing_of_a_gpu() -> None:
    two = by_id(make_headline(None, [side("A", kernels=2, kernel_us=10), side("B", kernels=1, kernel_us=30)], []))
    assert two["kernels"].value == "2 → 1"
    assert two["kernel_time"].value == "20.0 µs → 30.0 µs"
    assert "eager" not in two
    log = by_id(make_headline(None, [], [("log", REPORT)]))
    assert list(log) == ["breaks", "recompiles", "compile_time"]
    assert log["compile_time"].value == "5.00 ms"


def test_a_cpu_trace_without_steps_counts_no_kernels() -> None:
    trace, _ = load_text('[{"ph": "X", "name": "aten::add", "cat": "cpu_op", "pid": 1, "tid": 1, "ts": 0, "dur": 5}]')
    items = by_id(make_headline(None, [make_side(id="A", title="A", trace=trace, notes=())], []))
    assert (items["kernels"].value, items["kernels"].detail) == ("–", "no GPU activity")
    assert (items["busy"].value, items["busy"].detail) == ("–", "no GPU activity")


def test_idle_time_seen_under_the_profiler_alone_is_no_verdict() -> None:
    profiled = run_diagnoses(None, [side("A", kernels=1, kernel_us=1500)], [])
    assert [finding.verdict for finding in profiled if finding.id == "idle_gpu"] == [Verdict.DEPENDS]
    result = variant("default", 8)
    timed = run_diagnoses(run_of(result), [side("default", kernels=1, kernel_us=1500, result=result)], [])
    assert [finding.verdict for finding in timed if finding.id == "idle_gpu"] == [Verdict.BAD]


def test_a_log_without_a_graph_is_not_a_log_without_a_break() -> None:
    (breaks,) = (
        one for one in run_diagnoses(None, [], [("log", replace(REPORT, graph_count=0))]) if one.id == "breaks"
    )
    assert breaks.verdict is Verdict.UNKNOWN
