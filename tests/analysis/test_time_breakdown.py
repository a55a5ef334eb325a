"""Wall time shared out: against the definitions applied moment by moment, and by hand on what each part is for."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from defect_files import DEFECTS, SHARED, load, load_path
from gpu_sides import Call, Work, made_side
from hypothesis import given, settings
from hypothesis import strategies as st

from profviz.analysis.questions import answer
from profviz.analysis.sides import make_side
from profviz.analysis.time_breakdown import break_down
from profviz.model.breakdown import CPU_PARTS, GPU_PARTS, Part, WallTime, changes
from profviz.model.questions import Question
from profviz.model.results import Results, Side

US = 1_000
P = Part


def parts(wall: WallTime) -> dict[Part, int]:
    """In microseconds, without those that are zero."""
    assert sum(wall.parts_ns) == wall.wall_ns
    assert min(wall.parts_ns) >= 0
    return {part: wall.parts_ns[part] // US for part in Part if wall.parts_ns[part]}


def within(side: Side, start: int, end: int) -> dict[Part, int]:
    return parts(break_down(side, window=(start * US, end * US)).whole)


# --- moment by moment: the definitions of the module, with nothing of its arrays


class ByHand:
    def __init__(self, side: Side) -> None:
        self.slices, self.trace, self.side = side.trace.slices, side.trace, side
        self.work = [int(i) for i in side.trace.gpu.slice]
        self.start = [int(t) // US for t in self.slices.start_ns]
        self.end = [int(t) // US for t in self.slices.end_ns]
        self.launch = side.links.launch.tolist()
        self.syncs = [i for i in range(len(self.slices)) if "Synchronize" in self.trace.name_of(i)]

    def at(self, moment: int) -> Part:
        running = {self.what(i) for i in self.work if self.start[i] <= moment < self.end[i]}
        if running:
            return min(running)
        ran_dry = max((self.end[i] for i in self.work if self.end[i] <= moment), default=None)
        later = sorted((self.start[i], i) for i in self.work if self.start[i] > moment)
        if moment < 0:
            return P.UNKNOWN
        if not later:
            return self.tail(moment, ran_dry)
        return self.before(later[0][1], moment, ran_dry)

    def what(self, i: int) -> Part:
        if self.trace.category_of(i) == "gpu_memcpy":
            return P.COPY
        return P.COMMUNICATION if "nccl" in self.trace.name_of(i) else P.COMPUTE

    def tail(self, moment: int, ran_dry: int | None) -> Part:
        if ran_dry is None:
            return P.UNKNOWN
        running = [self.end[i] for i in self.syncs if self.start[i] <= ran_dry < self.end[i]]
        if moment < max(running, default=ran_dry):
            return P.SYNCHRONISE
        if moment >= self.trace.span_ns // US or all(self.launch[i] < 0 for i in self.work):
            return P.UNKNOWN
        return P.HOST

    def before(self, following: int, moment: int, ran_dry: int | None) -> Part:
        call = self.launch[following]
        if call < 0:
            return P.UNKNOWN
        if ran_dry is None:
            return P.HOST
        handed = min(self.end[call], *(self.start[i] for i in self.work if self.launch[i] == call), 10**9)
        if handed > ran_dry:
            waited = max(self.waited_here(call), self.waited_anywhere(call))
            return P.SYNCHRONISE if moment < ran_dry + waited else P.HOST
        lane = self.slices.lane[following]
        earlier = [self.end[i] for i in self.work if self.slices.lane[i] == lane and i < following]
        return P.BETWEEN if max(earlier, default=None) == ran_dry else P.DEPENDENCY

    def waited_anywhere(self, call: int) -> int:
        now = self.start[call]
        if any(self.start[i] <= now < self.end[i] for i in self.syncs):
            return 0
        since = max((self.start[i] for i in set(self.launch) if i >= 0 and self.start[i] < now), default=-1)
        return len({t for i in self.syncs for t in range(self.start[i], self.end[i]) if since <= t < now})

    def waited_here(self, call: int) -> int:
        lane = self.slices.lane[call]
        launches = [i for i in set(self.launch) if 0 <= i < call and self.slices.lane[i] == lane]
        since = max(launches, default=0)
        mine = [i for i in self.syncs if self.slices.lane[i] == lane and i < call]
        counted = {t for i in mine if i >= since for t in range(self.start[i], self.end[i])}
        return len(counted - {t for i in mine if i < since for t in range(self.start[i], self.end[i])})


MOMENTS, LENGTHS = st.integers(0, 40), st.integers(0, 8)
LAUNCHES = st.lists(st.builds(Call, at=MOMENTS, dur=LENGTHS, thread=st.integers(1, 2)), max_size=6)
SYNCS = st.lists(
    st.builds(
        Call, at=MOMENTS, dur=st.integers(0, 15), name=st.just("cudaStreamSynchronize"), thread=st.integers(1, 2)
    ),
    max_size=4,
)
KINDS = st.sampled_from(["kernel", "kernel", "communication", "copy"])
WORK = st.lists(
    st.builds(Work, at=MOMENTS, dur=LENGTHS, stream=st.sampled_from([7, 8]), id=st.integers(-1, 6), what=KINDS),
    max_size=8,
)


@settings(max_examples=300)
@given(LAUNCHES, SYNCS, WORK, st.integers(-5, 50), st.integers(0, 60))
def test_each_moment_is_in_the_part_that_the_definitions_say(
    launches: list[Call], syncs: list[Call], work: list[Work], start: int, width: int
) -> None:
    numbered = [replace(call, id=number + 1) for number, call in enumerate(launches)]
    side = made_side([*numbered, *syncs], work)
    found = within(side, start, start + width)
    if not work:
        assert set(found) <= {P.OTHER}
        return
    by_hand = ByHand(side)
    expected = [by_hand.at(moment) for moment in range(start, start + width)]
    assert found == {part: expected.count(part) for part in Part if part in expected}


@given(WORK, st.integers(-(2**60), 2**60), st.integers(0, 2**60))
def test_any_window_sums_to_itself_however_far_off(work: list[Work], start: int, width: int) -> None:
    wall = break_down(made_side([], work), window=(start, start + width)).whole
    assert sum(wall.parts_ns) == width
    assert min(wall.parts_ns) >= 0


# --- what each part is for


def test_a_launch_that_comes_late_waits_for_the_host() -> None:
    side = made_side([Call(0, 2, id=1), Call(20, 4, id=2)], [Work(2, 8, id=1), Work(26, 4, id=2)])
    assert within(side, 0, 30) == {P.COMPUTE: 12, P.HOST: 2 + 16}


def test_a_launch_whose_call_ends_after_the_gpu_ran_dry_was_late_too() -> None:
    side = made_side([Call(0, 2, id=1), Call(9, 3, id=2)], [Work(2, 8, id=1), Work(13, 4, id=2)])
    assert within(side, 2, 17) == {P.COMPUTE: 12, P.HOST: 3}


def test_queued_work_waits_in_its_own_stream_or_for_another() -> None:
    calls = [Call(0, 1, id=1), Call(1, 1, id=2), Call(2, 1, id=3)]
    side = made_side(calls, [Work(3, 4, id=1), Work(8, 2, id=2), Work(13, 2, stream=8, id=3)])
    assert within(side, 3, 15) == {P.COMPUTE: 8, P.BETWEEN: 1, P.DEPENDENCY: 3}


@pytest.mark.parametrize("name", ["cudaDeviceSynchronize", "hipEventSynchronize", "cuCtxSynchronize", "cudaMemcpy"])
def test_a_wait_explains_as_much_of_a_gap_as_it_lasted(name: str) -> None:
    def side(began: int) -> Side:
        calls = [Call(0, 1, id=1), Call(began, 22 - began, name), Call(50, 1, id=2)]
        return made_side(calls, [Work(2, 18, id=1), Work(52, 8, id=2)])

    assert within(side(12), 20, 52) == {P.SYNCHRONISE: 10, P.HOST: 22}
    assert within(side(2), 20, 52) == {P.SYNCHRONISE: 20, P.HOST: 12}


def test_a_wait_before_an_earlier_launch_or_that_still_goes_on_elsewhere_explains_nothing() -> None:
    calls = [Call(0, 1, id=1), Call(2, 9, "cudaStreamSynchronize"), Call(12, 1, id=2), Call(30, 1, id=3)]
    work = [Work(2, 9, id=1), Work(14, 6, id=2), Work(32, 1, id=3)]
    assert within(made_side(calls, work), 11, 33) == {P.SYNCHRONISE: 3, P.COMPUTE: 7, P.HOST: 12}
    other = Call(2, 40, "cudaStreamSynchronize", thread=2)
    assert within(made_side([*calls, other], work), 11, 33) == {P.SYNCHRONISE: 3, P.COMPUTE: 7, P.HOST: 12}


def test_a_wait_after_which_another_thread_launches_counts_since_the_last_launch_of_all() -> None:
    calls = [Call(0, 1, id=1), Call(2, 20, "cudaStreamSynchronize"), Call(40, 1, thread=2, id=2)]
    side = made_side(calls, [Work(2, 18, id=1), Work(42, 5, id=2)])
    assert within(side, 20, 42) == {P.SYNCHRONISE: 20, P.HOST: 2}


def test_item_is_a_synchronise_call_inside_an_operator() -> None:
    calls = [
        Call(0, 1, id=1),
        Call(2, 30, "aten::item"),
        Call(3, 2, "cudaMemcpyAsync", id=2),
        Call(6, 24, "cudaStreamSynchronize"),
        Call(40, 1, id=3),
    ]
    side = made_side(calls, [Work(2, 20, id=1), Work(22, 4, id=2, what="copy"), Work(42, 3, id=3)])
    assert within(side, 22, 45) == {P.COPY: 4, P.SYNCHRONISE: 16, P.COMPUTE: 3}


def test_an_asynchronous_copy_of_pageable_memory_blocks() -> None:
    calls = [Call(0, 1, id=1), Call(2, 24, "cudaMemcpyAsync", id=2), Call(40, 1, id=3)]
    name = "Memcpy DtoH (Device -> {})"
    for kind, expected in (("Pageable", {P.SYNCHRONISE: 14}), ("Pinned", {P.HOST: 14})):
        copy = Work(22, 4, id=2, what="copy", name=name.format(kind))
        side = made_side(calls, [Work(2, 20, id=1), copy, Work(40, 3, id=3)])
        assert within(side, 26, 40) == expected


def test_a_drivers_wait_within_a_runtimes_counts_once() -> None:
    waits = [Call(2, 20, "cudaDeviceSynchronize"), Call(3, 18, "cuCtxSynchronize")]
    side = made_side([Call(0, 1, id=1), *waits, Call(60, 1, id=2)], [Work(2, 18, id=1), Work(62, 2, id=2)])
    assert within(side, 20, 62) == {P.SYNCHRONISE: 20, P.HOST: 22}


def test_a_replayed_graph_waits_for_the_host_once_and_then_for_itself() -> None:
    calls = [Call(0, 1, id=1), Call(20, 15, "cudaGraphLaunch", id=2)]
    side = made_side(calls, [Work(2, 8, id=1), Work(24, 3, id=2), Work(28, 3, id=2), Work(32, 3, id=2)])
    assert within(side, 10, 35) == {P.COMPUTE: 9, P.HOST: 14, P.BETWEEN: 2}
    assert any("graph replays" in note for note in break_down(side).notes)


def test_work_without_a_launch_leaves_its_gap_unknown_and_is_said() -> None:
    found = break_down(made_side([Call(0, 1, id=1)], [Work(2, 8, id=1), Work(30, 5)]), window=(0, 35 * US))
    assert parts(found.whole) == {P.COMPUTE: 13, P.HOST: 2, P.UNKNOWN: 20}
    assert any(note.startswith("1 of 2 pieces") for note in found.notes)


def test_launches_whose_work_was_not_recorded_are_said() -> None:
    found = break_down(made_side([Call(0, 1, id=1), Call(5, 1, id=2)], [Work(2, 8, id=1)]))
    assert any(note.startswith("1 launch has no GPU work") for note in found.notes)


def test_a_wait_at_the_end_is_synchronising_and_what_follows_the_hosts() -> None:
    calls = [Call(0, 1, id=1), Call(2, 20, "cudaDeviceSynchronize"), Call(22, 8, "aten::add")]
    side = made_side(calls, [Work(2, 8, id=1)])
    assert within(side, 10, 40) == {P.SYNCHRONISE: 12, P.HOST: 8, P.UNKNOWN: 10}


def test_exposed_is_what_nothing_else_hides_and_streams_are_not_added_up() -> None:
    work = [
        Work(0, 10),
        Work(5, 10, stream=17, what="communication"),
        Work(12, 8, stream=18, what="communication"),
        Work(8, 20, stream=9, what="copy"),
    ]
    found = break_down(made_side([], work), window=(0, 28 * US))
    assert parts(found.whole) == {P.COMPUTE: 10, P.COMMUNICATION: 10, P.COPY: 8}
    told = {
        (one.what, one.title): (one.total_ns // US, one.exposed_ns // US, one.overlapped_ns // US)
        for one in found.exposures
    }
    assert told == {
        ("communication", "GPU 0 · stream 17"): (10, 5, 5),
        ("communication", "GPU 0 · stream 18"): (8, 8, 0),
        ("communication", "all streams"): (15, 10, 5),
        ("copies", "GPU 0 · stream 9"): (20, 18, 2),
        ("copies", "all streams"): (20, 18, 2),
    }


def test_two_gpus_are_taken_together_or_one_at_a_time() -> None:
    side = made_side([], [Work(0, 10), Work(5, 10, device=1)])
    together = break_down(side)
    assert (together.devices, together.device) == ((0, 1), None)
    assert parts(together.whole) == {P.COMPUTE: 15}
    assert any(note.startswith("2 GPUs taken together") for note in together.notes)
    assert parts(break_down(side, device=1).whole) == {P.UNKNOWN: 5, P.COMPUTE: 10}


def test_steps_are_shared_out_on_the_hosts_clock_and_the_median_one_is_real() -> None:
    steps = [(0, 30), (30, 50), (50, 100)]
    side = made_side([], [Work(0, 10), Work(25, 10), Work(60, 5)], steps=steps)
    found = break_down(side)
    assert [parts(step.wall).get(P.COMPUTE) for step in found.steps] == [15, 5, 5]
    assert found.median_step is not None
    assert (found.median_step.number, found.median_step.wall.wall_ns) == (0, 30 * US)


def test_the_longest_stretch_of_a_part_leads_to_what_ended_it() -> None:
    side = made_side([Call(0, 1, id=1), Call(20, 1, id=2)], [Work(2, 8, id=1), Work(22, 4, id=2)])
    found = break_down(side, window=(12 * US, 40 * US)).whole.longest[P.HOST]
    assert found is not None
    assert (found.start_ns, found.end_ns) == (12 * US, 22 * US)
    assert side.trace.slices.start_ns[found.slice] == 22 * US


def test_without_gpu_work_operators_share_the_time_out() -> None:
    calls = [Call(0, 10, "aten::addmm"), Call(2, 4, "aten::mm"), Call(5, 10, "aten::sum", thread=2)]
    found = break_down(made_side(calls, [], steps=[(0, 20)]))
    assert (found.has_gpu, found.parts) == (False, CPU_PARTS)
    assert parts(found.steps[0].wall) == {P.OPERATORS: 15, P.OTHER: 5}
    assert any("no GPU activity" in note for note in found.notes)


def test_changes_sum_to_the_difference_of_the_walls() -> None:
    first, second = (break_down(load_side(name)).whole for name in ("graph_replay.json", "two_streams_at_once.json"))
    found = changes(first, second, GPU_PARTS)
    assert sum(change.change_ns for change in found) == second.wall_ns - first.wall_ns


def load_side(name: str) -> Side:
    trace, _ = load(name)
    return make_side(id=name, title=name, trace=trace, notes=())


def test_it_is_asked_for_as_a_question_of_a_side_or_of_a_range() -> None:
    side = made_side([], [Work(0, 10)], steps=[(0, 20)])
    results = Results("", "", (side,), (), (), ())
    assert len(answer(results, Question("breakdown", 0)).steps) == 1
    ranged = answer(results, Question("breakdown", 0, (5 * US, 15 * US)))
    assert (parts(ranged.whole), ranged.steps) == ({P.COMPUTE: 5, P.UNKNOWN: 5}, ())


@pytest.mark.parametrize("path", sorted(SHARED.glob("*.json.gz")) or [None], ids=lambda path: path and path.name)
def test_every_shared_capture_sums_to_wall_and_agrees_with_the_occupancy(path) -> None:  # type: ignore[no-untyped-def]
    if path is None:
        pytest.skip("the shared captures are not here")
    trace, _ = load_path(path)
    side = make_side(id="a", title="a", trace=trace, notes=())
    found = break_down(side)
    assert found.whole.busy_ns == side.occupancy.busy_ns
    for wall in (found.whole, *(step.wall for step in found.steps)):
        assert parts(wall)
        assert wall.busy_ns + wall.idle_ns == wall.wall_ns


TINY = sorted([*DEFECTS.glob("*.json"), *DEFECTS.with_name("dialects").glob("*.json")])


@pytest.mark.parametrize("path", TINY, ids=lambda path: path.name)
def test_whatever_wrote_the_trace_and_whatever_is_wrong_with_it_the_parts_sum_to_wall(path: Path) -> None:
    trace, _ = load_path(path)
    side = make_side(id="a", title="a", trace=trace, notes=())
    found = break_down(side)
    assert found.whole.busy_ns == side.occupancy.busy_ns
    for wall in (found.whole, *(step.wall for step in found.steps)):
        assert sum(wall.parts_ns) == wall.wall_ns
        assert min(wall.parts_ns) >= 0
    assert found.has_gpu == (side.occupancy.lanes > 0)
