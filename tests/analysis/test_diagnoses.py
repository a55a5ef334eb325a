"""The contract of every diagnosis, and what each says of cases made for it."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from defect_files import load_path

from profviz.analysis import registry
from profviz.analysis.diagnoses.recompiles import cure
from profviz.analysis.diagnosis import Case, Diagnosis
from profviz.analysis.registry import ANALYSES, run_diagnoses
from profviz.analysis.sides import make_side
from profviz.formats.registry import open_document
from profviz.model.compile_report import (
    BreakReason,
    CompileEvent,
    CompileReport,
    FailedGuard,
    GraphBreak,
    Recompile,
    SkippedFrame,
)
from profviz.model.findings import Finding, Verdict
from profviz.model.graph import SourceLine
from profviz.model.run import Failure, OutputCheck, Run, RunRequest, Timing, VariantResult

SHARED = Path(__file__).parents[2].parent / "shared" / "traces"
TRACES = sorted(path.name for path in SHARED.glob("*.json.gz"))
LOGS = sorted(path.name for path in SHARED.glob("*compile-log*"))
needs_captures = pytest.mark.skipif(not TRACES, reason="the shared captures are not beside this checkout")
MS = 1_000_000
REPORT = CompileReport("2.13.0", None, (), (), (), (), (), (), graph_count=1, compile_ns=5 * MS)


def variant(name: str, *samples_ms: int, first_ms: int = 0) -> VariantResult:
    timing = Timing("cuda_event", tuple(one * MS for one in samples_ms), (0,) * len(samples_ms))
    first_ns = first_ms * MS if first_ms else None
    return VariantResult(name, name, first_call_ns=first_ns, timing=timing if samples_ms else None)


def found_for(*variants: VariantResult, report: CompileReport | None = REPORT) -> dict[str, Finding]:
    run = Run(RunRequest("model.py"), "done", 0, variants=variants)
    reports = [] if report is None else [("default", report)]
    return {finding.id: finding for finding in run_diagnoses(run, [], reports)}


def keeps_the_contract(findings: list[Finding]) -> None:
    for finding in findings:
        assert finding.id
        assert finding.question.endswith("?")
        assert finding.answer
        assert finding.text.rstrip().endswith(".")
        if finding.verdict is Verdict.UNKNOWN:
            assert finding.text.startswith("Unknown: ")


def test_ids_are_unique() -> None:
    assert len({diagnosis.id for diagnosis in ANALYSES}) == len(ANALYSES) >= 6


@pytest.mark.parametrize("diagnosis", ANALYSES, ids=lambda diagnosis: diagnosis.id)
def test_nothing_known_asks_nothing(diagnosis: Diagnosis) -> None:
    assert diagnosis.diagnose(Case(None, [], [])) == []


@pytest.mark.parametrize("diagnosis", ANALYSES, ids=lambda diagnosis: diagnosis.id)
def test_a_run_of_which_nothing_was_measured_is_unknown_at_most(diagnosis: Diagnosis) -> None:
    run = Run(RunRequest("model.py"), "cancelled", 0, variants=(variant("eager"), variant("default")))
    findings = diagnosis.diagnose(Case(run, [], []))
    keeps_the_contract(findings)
    assert {finding.verdict for finding in findings} <= {Verdict.UNKNOWN}


@needs_captures
@pytest.mark.parametrize("name", TRACES)
def test_every_capture_can_be_diagnosed(name: str) -> None:
    trace, _ = load_path(SHARED / name)
    side = make_side(id="A", title=name, trace=trace, notes=(), report=REPORT)
    for diagnosis in ANALYSES:
        keeps_the_contract(diagnosis.diagnose(Case(None, [side], [("A", REPORT)])))


@needs_captures
@pytest.mark.parametrize("name", LOGS)
def test_every_compile_log_can_be_diagnosed(name: str) -> None:
    report = open_document(SHARED / name).report
    assert report is not None
    for diagnosis in ANALYSES:
        keeps_the_contract(diagnosis.diagnose(Case(None, [], [(name, report)])))


def test_a_diagnosis_that_raises_says_so_and_leaves_the_others_their_turn(monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(case: Case) -> list[Finding]:
        raise ZeroDivisionError("no steps")

    after = Finding("after", "And then?", "yes", Verdict.GOOD, "It went on.")
    table = (Diagnosis("broken", "Does it break?", broken), Diagnosis("after", "And then?", lambda case: [after]))
    monkeypatch.setattr(registry, "ANALYSES", table)
    first, second = run_diagnoses(None, [], [])
    assert (first.id, first.verdict, second) == ("broken", Verdict.UNKNOWN, after)
    assert "ZeroDivisionError: no steps" in first.text


def test_breaks_are_shown_with_their_lines_and_skipped_frames() -> None:
    line = SourceLine("/home/me/model.py", 7)
    skipped = SkippedFrame("helper", line, None, BreakReason("unsupported"))
    report = replace(
        REPORT, breaks=(GraphBreak(line, "print", hints=("Remove it.",)),), skipped=(skipped,), graph_count=2
    )
    finding = found_for(variant("eager", 8), variant("default", 4), report=report)["breaks"]
    assert (finding.answer, finding.verdict, finding.advice) == ("yes", Verdict.BAD, "Remove it.")
    assert [(one.text, one.source) for one in finding.evidence] == [
        ("model.py:7 print", line),
        ("helper ran eager: unsupported", line),
    ]


@pytest.mark.parametrize(
    ("during_timing", "verdict"), [(0, Verdict.DEPENDS), (2, Verdict.BAD)], ids=["warm-up", "timing"]
)
def test_recompiles_weigh_more_once_steps_are_timed(during_timing: int, verdict: Verdict) -> None:
    report = replace(REPORT, recompiles=(Recompile("0/1", "forward", None, ("size mismatch",)),))
    compiled = replace(variant("default", 4), recompiles=during_timing)
    finding = found_for(variant("eager", 8), compiled, report=report)["recompiles"]
    assert (finding.answer, finding.verdict) == ("yes", verdict)
    assert "size mismatch" in finding.evidence[0].text


@pytest.mark.parametrize(
    ("eager", "compiled", "verdict", "words"),
    [
        (variant("eager", 8, 8), variant("default", 2, 2, first_ms=602), Verdict.DEPENDS, "100 steps"),
        (variant("eager", 2, 2), variant("default", 8, 8, first_ms=602), Verdict.BAD, "never pays back"),
        (variant("eager", 2, 9), variant("default", 3, 8, first_ms=602), Verdict.DEPENDS, "spread"),
        (variant("eager", 8, 8), variant("default", 2, 2), Verdict.UNKNOWN, "not measured"),
        (variant("eager"), variant("default", 2, 2, first_ms=602), Verdict.UNKNOWN, "not measured"),
    ],
)
def test_compile_cost(eager: VariantResult, compiled: VariantResult, verdict: Verdict, words: str) -> None:
    finding = found_for(eager, compiled)["compile_cost"]
    assert finding.verdict is verdict
    assert words in finding.text


@pytest.mark.parametrize(
    ("check", "verdict", "words"),
    [
        (OutputCheck(3, True, tolerance="1e-4"), Verdict.GOOD, "3 tensors agree"),
        (OutputCheck(1, True, tolerance="1e-4"), Verdict.GOOD, "1 tensor agrees within"),
        (OutputCheck(3, False, name="grad weight", max_abs=0.25, tolerance="1e-4"), Verdict.BAD, "grad weight is off"),
        (OutputCheck(0, True, detail="the step returns no tensor"), Verdict.UNKNOWN, "the step returns no tensor"),
    ],
)
def test_outputs(check: OutputCheck, verdict: Verdict, words: str) -> None:
    finding = found_for(variant("eager", 8), replace(variant("default", 4), check=check))["outputs"]
    assert finding.verdict is verdict
    assert words in finding.text


def test_a_failed_variant_is_told_with_its_traceback() -> None:
    failure = Failure(
        "It could not be compiled", "No C++ compiler.", "Install one.", "Traceback ...", "compile", "default"
    )
    finding = found_for(variant("eager", 8), replace(variant("default"), failure=failure))["failed"]
    assert (finding.verdict, finding.advice) == (Verdict.BAD, "Install one.")
    assert finding.text == "It could not be compiled. No C++ compiler."
    assert finding.evidence[0].text == "Traceback ..."


@needs_captures
def test_breaks_say_what_they_cost_with_the_most_expensive_first() -> None:
    trace = open_document(SHARED / "broken_train.compiled-default.json.gz").trace
    report = open_document(SHARED / "broken_train.compile-log.txt.gz").report
    assert trace is not None
    assert report is not None
    turned = replace(report, breaks=report.breaks[::-1])
    side = make_side(id="A", title="a", trace=trace, notes=(), report=turned)
    finding = next(one for one in run_diagnoses(None, [side], [("A", turned)]) if one.id == "breaks")
    told = "takes 527 µs a step forward and 124 µs backward, with the GPU idle for 650 µs of it."
    assert told in finding.text
    first, second = finding.evidence
    assert first.text.startswith("capture_one.py:40 (372 µs a step, 8.15 µs of it waiting for the GPU) Unsupported")
    assert second.text == "capture_one.py:43 (280 µs a step) Failed to trace builtin operator"
    assert trace.name_of(first.slice) == "Torch-Compiled Region: 0/0"
    assert "capture_scalar_outputs" in finding.advice


@pytest.mark.parametrize(
    ("failed", "words"),
    [
        (
            FailedGuard("tensor 'x' size mismatch at index 0. expected 8, actual 16", name="x size at index 0"),
            "dynamic",
        ),
        (FailedGuard("self.calls == 0", name="self.calls"), "register_buffer"),
        (FailedGuard("___stack0 == 99.0", name="___stack0"), "keep it a tensor"),
        (FailedGuard("tensor 'x' dtype mismatch. expected Float, actual Double", name="x dtype"), "one dtype"),
        (FailedGuard("GLOBAL_STATE changed: grad_mode"), "one mode"),
        (FailedGuard("len(L['xs']) == 3", name="len(xs)"), "length"),
        (FailedGuard("___check_obj_id(L['f'], 7)"), "same object"),
        (FailedGuard("who knows"), ""),
    ],
)
def test_the_usual_cure_of_a_guard(failed: FailedGuard, words: str) -> None:
    assert words in cure(failed)
    assert bool(cure(failed)) == bool(words)


def test_steps_that_prepare_something_anew_without_a_failed_guard_are_no_recompiles() -> None:
    compiled = replace(variant("reduce-overhead", 4), recompiles=60)
    finding = found_for(variant("eager", 8), compiled, report=REPORT)["recompiles"]
    assert (finding.answer, finding.verdict) == ("no", Verdict.DEPENDS)
    assert "in 60 timed steps something was made again" in finding.text
    assert "0 recomp" not in finding.text


def test_a_recompile_is_told_with_both_values_what_it_took_and_its_line() -> None:
    line = SourceLine("/home/me/model.py", 7)
    failed = FailedGuard("self.calls == 0", "0/0", "self.calls", "0", "1", line)
    again = Recompile("0/1", "forward", None, ("0/0: self.calls == 0",), (failed,), dur_ns=2 * MS)
    report = replace(REPORT, recompiles=(again,))
    finding = found_for(variant("eager", 8), variant("default", 4), report=report)["recompiles"]
    assert [(one.text, one.source) for one in finding.evidence] == [
        ("self.calls was 0, now 1, against 0/0: forward compiled again in 2.00 ms", line)
    ]
    assert "register_buffer" in finding.advice


def test_the_break_even_has_its_interval_and_the_costliest_stage() -> None:
    eager = replace(variant("eager", 8, 8, 9, 9), timing=Timing("perf_counter", (8 * MS, 9 * MS), (0, 1)))
    fast = Timing("perf_counter", (2 * MS, 3 * MS), (0, 1))
    compiled = replace(variant("default", 2, first_ms=602), timing=fast)
    events = (CompileEvent("dynamo", 10, 600 * MS, 0, "0/0"), CompileEvent("compile_file", 20, 500 * MS, 1, "0/0"))
    finding = found_for(eager, compiled, report=replace(REPORT, events=events))["compile_cost"]
    assert "(500 ms of the first call in: Triton or C++ compiler)" in finding.text
    assert "(86 to 120 by single rounds)" in finding.text
