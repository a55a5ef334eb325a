"""The samples, run by the real worker on a CPU: each construct is found at its line, each recompile with its guard."""

from __future__ import annotations

import gzip
from pathlib import Path

import pytest
from driven_worker import ROOT, Heard, needs_torch, run_to_end, workers

from profviz.analysis.break_fixes import fix_of
from profviz.analysis.compile_cost import compile_cost
from profviz.formats.compile_log import read_compile_log
from profviz.model.compile_report import CompileReport, Origin
from profviz.model.run import VariantResult

pytestmark = [pytest.mark.torch, needs_torch]
SAMPLES = ROOT / "samples"
FIRST_USE = "x = (x - x.mean(dim=-1, keepdim=True)) / x.std(dim=-1, keepdim=True)"


def run_sample(name: str, **request: object) -> Heard:
    """Dynamo alone finds all there is to find here, and needs no C++ compiler."""
    with workers() as start:
        heard = run_to_end(start, str(SAMPLES / name), variants=("eager", "dynamo"), **request)
    assert heard.failures == []
    return heard


def report_of(heard: Heard) -> tuple[CompileReport, list[str]]:
    log = gzip.decompress(heard.blobs["dynamo.compile-log.txt.gz"])
    report, notes = read_compile_log(log, counters=heard.result("dynamo")["counters"])
    assert {note.code for note in notes} <= {"unknown_record", "break_sources"}
    return report, [sample.text for note in notes if note.code == "break_sources" for sample in note.samples]


def marked(name: str, mark: str) -> set[int]:
    lines = (SAMPLES / name).read_text(encoding="utf-8").splitlines()
    return {number for number, line in enumerate(lines, 1) if f"  # {mark}: " in line}


@pytest.fixture(scope="module")
def broken() -> tuple[CompileReport, list[str]]:
    return report_of(run_sample("graph_breaks.py"))


def test_every_construct_breaks_or_not_as_its_comment_says(broken: tuple[CompileReport, list[str]]) -> None:
    report, _ = broken
    assert {Path(one.source.file).name for one in report.breaks} == {"graph_breaks.py"}
    found = {one.source.line for one in report.breaks}
    breaks, skipped = marked("graph_breaks.py", "breaks"), marked("graph_breaks.py", "skipped")
    assert (len(breaks), len(skipped), len(marked("graph_breaks.py", "traced"))) == (12, 2, 3)
    assert found == breaks | skipped, "what skips a function breaks the graph of the one that called it"
    assert {one.cause.line for one in report.skipped if one.cause} == skipped
    assert {one.function for one in report.skipped} == {"loop", "with_lock"}
    assert all(fix_of(one) for one in report.breaks)
    assert all(one.plain and one.hints and one.gb_id and one.source.text for one in report.breaks)


def test_one_line_may_break_for_several_reasons(broken: tuple[CompileReport, list[str]]) -> None:
    report, _ = broken
    (numpy,) = (one for one in report.breaks if "default_rng" in one.source.text)
    assert [reason.gb_id for reason in numpy.reasons] == ["GB0294", "GB0156"]
    assert all(reason.plain for reason in numpy.reasons)


def test_the_helper_is_one_break_with_three_ways_to_it(broken: tuple[CompileReport, list[str]]) -> None:
    report, _ = broken
    (helper,) = (one for one in report.breaks if one.source.function == "helper")
    callers = [line.text for chain in helper.chains for line in chain.calls if line.function == "helper_three_times"]
    assert set(callers) == {"x = helper(x)", "return helper(x)"}
    lines = {line.line for chain in helper.chains for line in chain.calls if line.function == "helper_three_times"}
    assert len(lines) == 3
    assert "helper_three_times" in helper.frames


def test_a_library_breaks_at_the_line_that_calls_it(broken: tuple[CompileReport, list[str]]) -> None:
    report, _ = broken
    (library,) = (one for one in report.breaks if "json.loads" in one.source.text)
    assert [line.function for line in library.chains[0].calls[-4:]] == ["library", "loads", "decode", "raw_decode"]


def test_the_counters_know_the_same_breaks(broken: tuple[CompileReport, list[str]]) -> None:
    report, differences = broken
    assert {one.origin for one in report.breaks} == {Origin.BOTH}
    assert [text for text in differences if "only" in text] == []
    assert report.unplaced == ()


def sizes_from(first: str) -> list[str]:
    """The sample's sizes in the order in which they come after `first`, which depends on the eager steps before."""
    sizes = [8, 16, 24, 32]
    at = sizes.index(int(first))
    return [str(size) for size in sizes[at:] + sizes[:at]]


def test_changing_sizes_recompile_once_and_then_for_any() -> None:
    report, _ = report_of(run_sample("dynamic_shapes.py"))
    (found,) = report.recompiles
    (failed,) = found.failed
    assert (failed.entry, failed.name) == ("0/0", "x size at index 0")
    assert [failed.expected, failed.seen] == sizes_from(failed.expected)[:2]
    assert failed.source is not None
    assert failed.source.text == FIRST_USE
    assert found.source is not None
    assert Path(found.source.file).name == "dynamic_shapes.py"
    assert found.dur_ns
    assert [(one.of, one.value) for one in report.symbols] == [("L['x'].size()[0]", failed.seen)]


def test_the_first_call_holds_the_compilers_spans() -> None:
    heard = run_sample("mlp.py")
    report, _ = report_of(heard)
    assert report.first_call is not None
    start, end = report.first_call
    assert end - start == heard.result("dynamo")["first_call_ns"]
    assert report.events
    assert all(start <= event.start_ns and event.start_ns + event.dur_ns <= end for event in report.events)
    result = VariantResult("dynamo", "Dynamo", first_call_ns=end - start)
    cost = compile_cost(report, result)
    assert cost.rest_ns is not None
    assert (cost.wall_ns, cost.explained_ns + cost.rest_ns) == (end - start, end - start)
    assert 0 < cost.explained_ns < end - start


def test_without_dynamic_shapes_every_size_is_compiled_and_told_against_every_entry() -> None:
    report, _ = report_of(run_sample("dynamic_shapes.py", options={"dynamo": {"dynamic": "no"}}))
    assert [found.compile_id for found in report.recompiles] == ["0/1", "0/2", "0/3"]
    values = [[(one.entry, one.expected, one.seen) for one in found.failed] for found in report.recompiles]
    a, b, c, d = sizes_from(values[0][0][1])
    assert values == [
        [("0/0", a, b)],
        [("0/1", b, c), ("0/0", a, c)],
        [("0/2", c, d), ("0/1", b, d), ("0/0", a, d)],
    ]
    texts = {one.source.text for found in report.recompiles for one in found.failed if one.source}
    assert texts == {FIRST_USE}
    assert report.symbols == ()
