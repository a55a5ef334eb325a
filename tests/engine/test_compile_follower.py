"""A growing compile log is read as it comes, seldom enough never to be in the way."""

from __future__ import annotations

import gzip

from profviz.engine.compile_follower import REST, CompileFollower
from profviz.engine.worker_process import Frame
from profviz.model.compile_cost import CompileStage
from profviz.protocol.messages import Blob, Done

EVENT = '{"name": "dynamo", "ts": %d, "ph": "%s", "tid": 0, "pid": 0, "args": {"compile_id": "0/0"}}'


def record(payload: str) -> str:
    return f'V1129 13:13:34.064000 7 torch/x.py:1] {{"chromium_event": {{}}}}\n\t{payload}\n'


BEGUN = record(EVENT % (1_000, "B"))
ENDED = BEGUN + record(EVENT % (3_500, "E"))


def frame(text: str, *, kind: str = "compile_log") -> Frame:
    data = gzip.compress(text.encode())
    return Frame(Blob(kind, "default", "default.compile-log.txt.gz", len(data)), data)


class Clock:
    """Each look at it takes a second."""

    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        self.now += 1.0
        return self.now


def test_each_log_replaces_the_one_before() -> None:
    follower = CompileFollower(clock=lambda: 0.0)
    seen = [follower.take(frame(text)) for text in (BEGUN, ENDED)]
    assert [one.variant for one in seen if one] == ["default"] * 2
    last = seen[1]
    assert last is not None
    assert [(part.stage, part.dur_ns) for part in last.cost.parts] == [(CompileStage.DYNAMO, 2_500_000)]
    assert len(last.report.events) == 1


def test_what_is_no_log_or_cut_is_passed_over() -> None:
    follower = CompileFollower(clock=lambda: 0.0)
    whole = frame(ENDED)
    assert follower.take(Frame(Done(ok=True))) is None
    assert follower.take(frame(ENDED, kind="trace")) is None
    assert follower.take(Frame(whole.message, whole.payload[:-9])) is None
    assert follower.take(Frame(whole.message, b"no gzip")) is None
    assert follower.take(whole) is not None


def test_a_log_that_takes_long_is_read_less_often() -> None:
    clock = Clock()
    follower = CompileFollower(clock=clock)
    assert follower.take(frame(ENDED)) is not None
    assert follower.take(frame(ENDED)) is None
    clock.now += 3 * REST
    assert follower.take(frame(ENDED)) is not None
