"""Launch queues as step functions, against counting at every moment."""

from __future__ import annotations

import numpy as np
import pytest
from gpu_sides import Call, Work, made_side
from hypothesis import given
from hypothesis import strategies as st

from profviz.analysis.questions import answer
from profviz.analysis.queue_depth import launch_queue, queues_over_time, step_function
from profviz.model.over_time import LaunchQueue
from profviz.model.questions import Question, Unanswered
from profviz.model.results import Results, Side
from profviz.model.trace import Counter

US = 1_000


def value_at(counter: Counter, time_ns: int) -> float:
    at = int(counter.time_ns.searchsorted(time_ns, "right")) - 1
    return float(counter.value[at]) if at >= 0 else 0.0


@given(st.lists(st.tuples(st.integers(0, 30), st.integers(-5, 12)), max_size=10))
def test_a_step_function_counts_the_intervals_that_hold_a_moment(spans: list[tuple[int, int]]) -> None:
    begin = np.array([start for start, _ in spans], dtype=np.int64)
    time, count = step_function(begin, begin + np.array([dur for _, dur in spans], dtype=np.int64))
    found = Counter("", -1, time, count)
    for moment in range(-1, 45):
        assert value_at(found, moment) == sum(start <= moment < start + dur for start, dur in spans)
    assert (np.diff(time) > 0).all()
    assert (np.diff(count) != 0).all()


CALLS = st.lists(st.builds(Call, at=st.integers(0, 30), dur=st.integers(0, 5)), min_size=1, max_size=6)
WORK = st.lists(
    st.builds(Work, at=st.integers(0, 40), dur=st.integers(0, 9), stream=st.sampled_from([7, 8]), id=st.integers(1, 7)),
    min_size=1,
    max_size=9,
)


@given(CALLS, WORK)
def test_queues_and_busy_streams_are_what_counting_at_every_moment_gives(calls: list[Call], work: list[Work]) -> None:
    side = made_side([Call(call.at, call.dur, id=number + 1) for number, call in enumerate(calls)], work)
    found = queues_over_time(side)
    launched = {number + 1: call.at for number, call in enumerate(calls)}
    queues = {side.trace.lanes[counter.lane].stream: counter for counter in found.queues}
    for moment in range(0, 50):
        for stream, counter in queues.items():
            waiting = [one for one in work if one.stream == stream and launched.get(one.id, 99) <= moment < one.at]
            assert value_at(counter, moment * US) == len(waiting)
        busy = {one.stream for one in work if one.at <= moment < one.at + one.dur}
        assert len(found.busy) == (len({one.stream for one in work}) > 1)
        assert not found.busy or value_at(found.busy[0], moment * US) == len(busy)
    for index in side.trace.gpu.slice.tolist():
        check_one(side, index)


def check_one(side: Side, index: int) -> None:
    start, launch = side.trace.slices.start_ns, side.links.launch
    found = launch_queue(side, index)
    if launch[index] < 0 or start[index] < start[launch[index]]:
        assert found is None
        return
    began = start[launch[index]]
    lane = side.trace.slices.lane
    mine = [i for i in side.trace.gpu.slice.tolist() if launch[i] >= 0 and lane[i] == lane[index]]
    depth = sum(1 for i in mine if start[launch[i]] < began < start[i])
    assert found == LaunchQueue(depth, int(start[index] - began))


def test_a_replayed_graph_counts_each_kernel_and_missing_launches_are_said() -> None:
    work = [Work(5, 2, id=1), Work(8, 2, id=1), Work(11, 2, id=1), Work(20, 2)]
    found = queues_over_time(made_side([Call(0, 4, "cudaGraphLaunch", id=1)], work))
    (queue,) = found.queues
    assert queue.name == "launch queue · GPU 0 · stream 7"
    assert [(t // US, v) for t, v in zip(queue.time_ns, queue.value, strict=True)] == [(0, 3), (5, 2), (8, 1), (11, 0)]
    assert found.notes[0].startswith("1 of 4 pieces of GPU work have no launch")
    assert found.notes[1].startswith("Launches of several pieces at once (graph replays): 1")


def test_questions_give_counters_and_the_queue_at_a_launch() -> None:
    side = made_side([Call(0, 1, id=1), Call(2, 1, id=2)], [Work(4, 5, id=1), Work(9, 5, id=2), Work(20, 1, stream=8)])
    results = Results("", "", (side,), (), (), ())
    names = [counter.name for counter in answer(results, Question("counters", 0))]
    assert names == ["launch queue · GPU 0 · stream 7", "busy streams · GPU 0"]
    first, second, bare = side.trace.gpu.slice.tolist()
    assert answer(results, Question("launch queue", 0, (first,))) == LaunchQueue(0, 4 * US)
    assert answer(results, Question("launch queue", 0, (second,))) == LaunchQueue(1, 7 * US)
    assert isinstance(answer(results, Question("launch queue", 0, (bare,))), Unanswered)
    assert len(answer(results, Question("queues", 0)).queues) == 1


@pytest.mark.parametrize("calls", [[], [Call(0, 1, id=1)]])
def test_a_trace_without_gpu_work_has_no_queue_and_says_why(calls: list[Call]) -> None:
    found = queues_over_time(made_side(calls, []))
    assert (found.queues, found.busy) == ((), ())
    assert found.notes[0].startswith("No launch queue: ")
