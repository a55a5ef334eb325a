"""Progress of stages, and the watchdog over them."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator

import pytest

from profviz.protocol.messages import StageProgress
from profviz.worker import stages
from profviz.worker.stages import STAGES, Stage, Stages


@pytest.fixture
def make(monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[..., Stages]]:
    monkeypatch.setattr(stages, "_TICK_S", 0.01)
    made: list[Stages] = []

    def make(send, overdue=lambda stage: None, limit_s: float = 60.0) -> Stages:
        made.append(Stages(send, limit_s=limit_s, overdue=overdue))
        return made[-1]

    yield make
    for one in made:
        one.close()


def test_a_stage_begins_steps_and_ends(make) -> None:
    sent: list[StageProgress] = []
    with make(sent.append).stage("eager_timing", variant="eager", total=3) as stage:
        stage.step(count=1, detail="x")
        stage.step(count=2)
    assert [(m.stage, m.variant, m.state, m.count, m.total, m.detail) for m in sent] == [
        ("eager_timing", "eager", "begin", 0, 3, ""),
        ("eager_timing", "eager", "step", 1, 3, "x"),
        ("eager_timing", "eager", "step", 2, 3, "x"),
        ("eager_timing", "eager", "end", 2, 3, "x"),
    ]
    assert [m.elapsed_ns for m in sent] == sorted(m.elapsed_ns for m in sent)


def test_a_stage_that_fails_ends_too(make) -> None:
    sent: list[StageProgress] = []
    with pytest.raises(KeyError), make(sent.append).stage("loading"):
        raise KeyError
    assert sent[-1].state == "end"


def test_long_stages_tick_but_not_those_with_a_clock(make) -> None:
    ticked = threading.Event()
    with make(lambda m: ticked.set() if m.state == "step" else None).stage("compiling"):
        assert ticked.wait(10)
    quiet = threading.Event()
    with make(lambda m: quiet.set() if m.state == "step" else None).stage("steady_timing"):
        assert not quiet.wait(0.2)
    assert {kind.id for kind in STAGES if not kind.ticking} >= {"eager_timing", "steady_timing"}


def test_a_stage_over_its_limit_is_reported_once(make) -> None:
    late: list[Stage] = []
    reported = threading.Event()

    def overdue(stage: Stage) -> None:
        late.append(stage)
        reported.set()

    with make(lambda m: None, overdue, limit_s=0.05).stage("check", variant="default"):
        assert reported.wait(10)
    assert [(stage.kind.id, stage.variant) for stage in late] == [("check", "default")]


def test_no_limit_means_for_ever(make) -> None:
    reported = threading.Event()
    with make(lambda m: None, lambda stage: reported.set(), limit_s=0.0).stage("check"):
        assert not reported.wait(0.2)
