"""Rows 35, 37, 39 and 40 of `cases.md` in real runs: what the worker captures, and what it keeps out of the profile."""

from __future__ import annotations

import gzip
import json
from pathlib import Path

import pytest
from driven_worker import Heard, Worker, needs_proc, needs_torch, run_to_end, workers

from profviz.formats.compile_log import read_compile_log
from profviz.model.compile_report import CompileReport, Origin
from profviz.model.notes import Note
from profviz.model.run import RunRequest
from profviz.protocol.messages import Result, StageProgress
from profviz.worker.stages import STAGES

pytestmark = [pytest.mark.torch, needs_torch]

DEFECTS = Path(__file__).parents[1] / "defects"
LIMIT_S = 25.0
"""What every stage before the one that hangs has to be done in, on a busy machine too."""
TINY = """
import torch
model = torch.nn.Linear(4, 4)
inputs = torch.ones(2, 4)
"""


@pytest.fixture(scope="module")
def ran(tmp_path_factory: pytest.TempPathFactory) -> Heard:
    """Eager and what Dynamo makes of it, which needs no C++ compiler."""
    path = tmp_path_factory.mktemp("rows") / "subject.py"
    path.write_text(TINY)
    with workers() as start:
        return run_to_end(start, str(path), variants=("eager", "dynamo"))


def begun(heard: Heard) -> list[tuple[str, str]]:
    return [(m.stage, m.detail) for m in heard.of(StageProgress)]


def trace_events(heard: Heard, variant: str) -> list[dict]:
    return json.loads(gzip.decompress(heard.blobs[f"{variant}.json.gz"]))["traceEvents"]


def report_of(heard: Heard, variant: str) -> tuple[CompileReport, tuple[Note, ...]]:
    """The report as the engine makes it: from the log and the counters that the worker sent."""
    log = gzip.decompress(heard.blobs[f"{variant}.compile-log.txt.gz"])
    return read_compile_log(log, counters=heard.result(variant)["counters"])


def test_log_and_counters_of_a_run_agree_on_its_breaks() -> None:
    with workers() as start:
        heard = run_to_end(start, str(DEFECTS / "three_ways_to_break.py"), variants=("eager", "dynamo"))
    report, notes = report_of(heard, "dynamo")
    assert [note for note in notes if note.code == "break_sources"] == []
    lines = [found.source.text for found in report.breaks]
    assert lines == ['print("", end="")', "if x.sum() > 0:"], "nothing sets what makes the third one break"
    assert [found.origin for found in report.breaks] == [Origin.BOTH, Origin.BOTH]
    assert report.graph_count == 3
    assert [chain.calls[0].function for found in report.breaks for chain in found.chains] == ["forward", "forward"]


def test_a_run_counts_three_calls_of_a_helper_as_one_break() -> None:
    with workers() as start:
        heard = run_to_end(start, str(DEFECTS / "helper_called_three_times.py"), variants=("eager", "dynamo"))
    report, notes = report_of(heard, "dynamo")
    (found,) = report.breaks
    assert (found.count, found.origin, found.frames) == (4, Origin.BOTH, ("forward", "helper"))
    assert [(chain.count, chain.calls[0].text) for chain in found.chains] == [
        (2, "x = helper(x)"),
        (1, "x = helper(x)"),
        (1, "return helper(x)"),
    ]
    assert [note for note in notes if note.code == "break_sources"] == []


def test_nothing_compiles_under_the_profiler_and_stacks_are_off(ran: Heard) -> None:
    assert (ran.failures, ran.done) == ([], True)
    stages = [stage for stage, _ in ran.stages]
    assert stages.index("compiling") < stages.index("compiled_profile")
    names = {str(event.get("name")) for event in trace_events(ran, "dynamo")}
    assert any(name.startswith("ProfilerStep#") for name in names)
    assert not any("dynamo_timed" in name or "_compile" in name for name in names)
    kinds = {event.get("cat") for event in trace_events(ran, "dynamo")}
    assert "python_function" not in kinds, "no stacks unless asked for"
    assert not RunRequest("x.py").with_stack
    assert RunRequest("x.py").stage_limit_s > 0, "and no stage without a limit"
    assert RunRequest("x.py").profile_event_limit > 0, "nor a profile without one"
    assert len(ran.result("dynamo")["warmup_ns"]) >= 3


def test_a_compiler_that_never_rests_is_not_recorded_with_stacks() -> None:
    with workers() as start:
        heard = run_to_end(
            start,
            str(DEFECTS / "compiles_in_every_step.py"),
            variants=("eager", "dynamo"),
            options={"dynamo": {"dynamic": "no"}},
            with_stack=True,
        )
    assert "python_function" in {event.get("cat") for event in trace_events(heard, "eager")}
    assert "python_function" not in {event.get("cat") for event in trace_events(heard, "dynamo")}
    assert "dynamo: profiled no Python stacks: something still compiles in each step" in heard.logs
    assert len(trace_events(heard, "dynamo")) < RunRequest("x.py").profile_event_limit


def test_the_number_of_events_is_bounded_and_said(tmp_path: Path) -> None:
    path = tmp_path / "subject.py"
    path.write_text(TINY)
    with workers() as start:
        fewer = run_to_end(start, str(path), profile_steps=50, with_stack=True, profile_event_limit=60)
    events = trace_events(fewer, "eager")
    assert "python_function" not in {event.get("cat") for event in events}
    assert "eager: profiled no Python stacks: with them one step makes " in fewer.logs
    steps = fewer.result("eager")["profiled_steps"]
    assert 1 <= steps < 50
    assert f"eager: profiled {steps} of 50 steps: each makes " in fewer.logs
    assert sum(event.get("ph") == "X" for event in events) <= 60 + 2 * steps, "besides what the profiler itself adds"

    with workers() as start:
        none = run_to_end(start, str(path), profile_event_limit=1)
    (failure,) = none.failures
    assert failure.what.startswith("One step makes ")
    assert (failure.stage, failure.variant) == ("eager_profile", "eager")
    assert "raise the limit" in failure.hint
    assert none.result("eager")["timing"]["samples_ns"], "what was measured before is kept"


@pytest.mark.slow
@needs_proc
def test_a_profile_that_hangs_ends_with_its_reason() -> None:
    with workers() as start:
        worker = None

        def started(**env: str) -> Worker:
            nonlocal worker
            worker = start(**env)
            return worker

        heard = run_to_end(started, str(DEFECTS / "hangs_under_the_profiler.py"), stage_limit_s=LIMIT_S)
        assert worker is not None
        assert worker.pids() == []
    assert heard.status == 3
    failure = heard.failures[0]
    assert failure.what.startswith(f"Profiling eager took longer than {LIMIT_S:.0f} s")
    assert failure.why == "The limit for a stage was reached; what was measured before is kept."
    assert "profile fewer steps" in failure.hint
    assert "sleep_when_profiled" in failure.traceback
    assert heard.result("eager")["timing"]["samples_ns"]


def test_the_profiler_is_started_before_anything_is_captured(ran: Heard) -> None:
    told = begun(ran)
    first = told.index(("loading", "starting the profiler"))
    assert first < next(place for place, (stage, _) in enumerate(told) if stage == "eager_warmup")
    measured = next(place for place, message in enumerate(ran.messages) if isinstance(message, Result))
    started = next(
        place
        for place, message in enumerate(ran.messages)
        if isinstance(message, StageProgress) and message.detail == "starting the profiler"
    )
    assert started < measured
    assert {"eager_profile", "compiled_profile"} <= {kind.id for kind in STAGES}, "stages, and so under the limit"
