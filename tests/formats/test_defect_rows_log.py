"""The rows of `cases.md` that ask for a compile log or for what was measured."""

from __future__ import annotations

import functools
import json
import re
from typing import Any

import pytest
from defect_files import DEFECTS
from defect_rows import row

from profviz.analysis.headline import break_places, make_headline
from profviz.analysis.registry import run_diagnoses
from profviz.formats.compile_log import read_compile_log
from profviz.model.compile_report import CompileReport, Origin
from profviz.model.run import Run, RunRequest, Timing, VariantResult
from profviz.model.speedup import compile_cost_ns, speed_up


@functools.cache
def log(name: str, counters: str = "") -> tuple[CompileReport, dict[str, int]]:
    known = json.loads((DEFECTS / counters).read_text()) if counters else None
    report, notes = read_compile_log((DEFECTS / name).read_bytes(), counters=known)
    return report, {note.code: note.count for note in notes}


def source_of(name: str, line: int) -> str:
    """The line of the script that a log was made with."""
    return (DEFECTS / name).read_text().splitlines()[line - 1].strip()


THREE_WAYS = ("three_ways_to_break.log.txt", "three_ways_to_break.counters.json")


@row(35, "three_ways_to_break.py", *THREE_WAYS)
def test_breaks_are_listed_by_the_users_line_with_who_knows_of_them() -> None:
    report, notes = log(*THREE_WAYS)
    assert notes == {}, "both sources say the same"
    lines = [found.source.line for found in report.breaks]
    assert [source_of("three_ways_to_break.py", line) for line in lines] == [
        'print("", end="")',
        "if x.sum() > 0:",
        "torch._dynamo.graph_break()",
    ]
    assert [found.source.text for found in report.breaks] == [source_of("three_ways_to_break.py", at) for at in lines]
    assert [found.origin for found in report.breaks] == [Origin.BOTH] * 3
    assert [(found.reasons[0].count, found.reasons[0].counted) for found in report.breaks] == [(1, 1), (1, 1), (2, 2)]
    assert (report.skipped, report.unplaced) == ((), ())
    items = {item.id: item for item in make_headline(None, [], [("log", report)])}
    assert (items["breaks"].value, items["breaks"].detail) == ("3", "6 graphs")
    finding = next(one for one in run_diagnoses(None, [], [("log", report)]) if one.id == "breaks")
    assert finding.text == "3 lines break the graph; 6 graphs compiled."


@row(35, *THREE_WAYS)
def test_what_the_counters_alone_know_is_listed_and_the_disagreement_said() -> None:
    data = (DEFECTS / THREE_WAYS[0]).read_bytes()
    counters = json.loads((DEFECTS / THREE_WAYS[1]).read_text())
    records = re.split(rb"\n(?=V1129 )", data)
    without_jump = b"\n".join(one for one in records if b"Graph Break Reason: Data-dependent branching" not in one)
    report, notes = read_compile_log(without_jump, counters=counters)
    assert [found.source.line for found in report.breaks] == [13, 22]
    (unplaced,) = report.unplaced
    assert (unplaced.gb_id, unplaced.origin, unplaced.counted) == ("GB0170", Origin.COUNTERS, 1)
    assert unplaced.near is not None
    assert unplaced.near.line == 15
    (note,) = notes
    assert (note.code, note.count) == ("break_sources", 1)
    assert note.samples[0].text == "only the counters: Data-dependent branching (1x)"
    finding = next(one for one in run_diagnoses(None, [], [("log", report)]) if one.id == "breaks")
    assert "1 more reason is known only to Dynamo's counters, which name no line" in finding.text

    del counters["graph_break"]
    report, notes = read_compile_log(data, counters=counters)
    assert [found.origin for found in report.breaks] == [Origin.LOG, Origin.BOTH, Origin.LOG]
    assert [note.samples[0].text[:14] for note in notes if note.code == "break_sources"] == ["only the log: "]


@row(35, *THREE_WAYS)
def test_other_numbers_and_counters_cut_to_their_first_line_are_understood() -> None:
    data = (DEFECTS / THREE_WAYS[0]).read_bytes()
    counters = json.loads((DEFECTS / THREE_WAYS[1]).read_text())
    old = {group: {text.split("\n")[0]: n for text, n in known.items()} for group, known in counters.items()}
    report, notes = read_compile_log(data, counters=old)
    assert notes == ()
    assert [found.origin for found in report.breaks] == [Origin.BOTH] * 3
    old["graph_break"]["Call to `torch._dynamo.graph_break()`"] = 5
    _, notes = read_compile_log(data, counters=old)
    texts = [sample.text for note in notes for sample in note.samples]
    assert texts == ["the log 2x, the counters 5x: Call to `torch._dynamo.graph_break()`"]
    assert read_compile_log(data, counters={"profviz": {"set_up": 1}})[1] == (), "no counters at all"


@row(37, "helper_called_three_times.py", "helper_called_three_times.log.txt", "helper_called_three_times.counters.json")
def test_the_same_break_again_and_again_is_one() -> None:
    report, notes = log("helper_called_three_times.log.txt", "helper_called_three_times.counters.json")
    assert notes == {}
    (found,) = report.breaks
    assert source_of("helper_called_three_times.py", found.source.line) == 'print("", end="")'
    assert found.count == len(found.compile_ids) == 8, "three calls and the helper by itself, compiled twice"
    assert {one.split("/")[1] for one in found.compile_ids} == {"0", "1"}
    assert found.frames == ("forward", "helper")
    first_size = [chain for chain in found.chains if chain.compile_ids[0].endswith("/0")]
    calls = [source_of("helper_called_three_times.py", chain.calls[-2].line) for chain in first_size]
    assert calls == ["x = helper(x)", "x = helper(x)", "return helper(x)"]
    assert len({chain.calls[-2].line for chain in first_size}) == 3
    assert [chain.count for chain in first_size] == [2, 1, 1]
    assert sum(chain.count for chain in found.chains) == found.count
    assert {chain.calls[-1].line for chain in found.chains} == {found.source.line}
    assert break_places(report) == 1
    finding = next(one for one in run_diagnoses(None, [], [("log", report)]) if one.id == "breaks")
    assert finding.text == "1 line breaks the graph; 4 graphs compiled."


@row(42, "compiling_in_the_first_step.json")
def test_the_first_call_is_never_a_verdict() -> None:
    measured: dict[str, Any] = json.loads((DEFECTS / "compiling_in_the_first_step.json").read_text())
    eager, compiled = (
        VariantResult(
            name,
            name,
            first_call_ns=measured[name]["first_call_ns"],
            timing=Timing(
                "perf_counter", tuple(measured[name]["samples_ns"]), (0,) * len(measured[name]["samples_ns"])
            ),
        )
        for name in ("eager", "default")
    )
    found = speed_up(eager, compiled)
    assert found is not None
    assert found.ratio == pytest.approx(1.2)
    assert compile_cost_ns(compiled) == 16_490_000_000
    run = Run(RunRequest("model.py"), "done", 0, variants=(eager, compiled))
    items = {item.id: item for item in make_headline(run, [], [])}
    assert (items["speed_up"].value, items["first_call"].value) == ("1.20×", "16.5 s")


@row(43, "damaged_records.log.txt")
def test_a_damaged_record_costs_only_itself() -> None:
    report, notes = log("damaged_records.log.txt")
    assert notes == {"bad_record": 1, "bad_digest": 1, "unknown_record": 1}
    assert len(report.frames) == 1, "a list that is null is an empty one"
    assert len(report.graphs) == 2
