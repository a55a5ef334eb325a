"""Rows 39 and 40 of `cases.md`, in a real run: what compiles does so before the profiler looks."""

from __future__ import annotations

import gzip
import json

import pytest
from driven_worker import Heard, Worker, needs_torch, run_to_end

from profviz.model.run import RunRequest
from profviz.protocol.messages import Result, StageProgress
from profviz.worker.stages import STAGES

pytestmark = [pytest.mark.torch, needs_torch]

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
    started: list[Worker] = []

    def start(**env: str) -> Worker:
        started.append(Worker(**env))
        return started[-1]

    try:
        return run_to_end(start, str(path), variants=("eager", "dynamo"))
    finally:
        for worker in started:
            worker.end()


def begun(heard: Heard) -> list[tuple[str, str]]:
    return [(m.stage, m.detail) for m in heard.of(StageProgress)]


def test_nothing_compiles_under_the_profiler_and_stacks_are_off(ran: Heard) -> None:
    assert (ran.failures, ran.done) == ([], True)
    stages = [stage for stage, _ in ran.stages]
    assert stages.index("compiling") < stages.index("compiled_profile")
    events = json.loads(gzip.decompress(ran.blobs["dynamo.json.gz"]))["traceEvents"]
    names = {str(event.get("name")) for event in events}
    assert any(name.startswith("ProfilerStep#") for name in names)
    assert not any("dynamo_timed" in name or "_compile" in name for name in names)
    assert not any(event.get("cat") == "python_function" for event in events), "no stacks unless asked for"
    assert not RunRequest("x.py").with_stack
    assert RunRequest("x.py").stage_limit_s > 0, "and no stage without a limit"
    assert len(ran.result("dynamo")["warmup_ns"]) >= 3


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
