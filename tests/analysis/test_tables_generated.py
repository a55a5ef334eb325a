"""Tables of generated traces against plain loops, and against what other questions answer."""

from __future__ import annotations

import numpy as np
from gpu_sides import Call, Work, made_side
from hypothesis import given, settings
from hypothesis import strategies as st
from table_checks import cells

from profviz.analysis.queue_depth import launch_queue
from profviz.analysis.tables.kernels import kernels
from profviz.analysis.tables.launches import launches
from profviz.analysis.tables.memory import pair_events
from profviz.analysis.tables.within import Within
from profviz.model.questions import ColumnTable, Unanswered
from profviz.model.trace import MISSING, Memory

US = 1_000
EVENTS = st.lists(
    st.tuples(st.sampled_from([0, 1]), st.integers(0, 2), st.sampled_from([-1, 8, 16]), st.booleans()), max_size=30
)
CALLS = st.lists(st.tuples(st.integers(0, 40), st.integers(0, 60), st.integers(7, 8)), min_size=1, max_size=12)


@given(EVENTS)
def test_a_free_belongs_to_the_allocation_before_it(events: list[tuple[int, int, int, bool]]) -> None:
    def column(values: list[int]) -> np.ndarray:
        return np.array(values, dtype=np.int64)

    none = column([MISSING] * len(events))
    memory = Memory(
        time_ns=column(list(range(len(events)))),
        address=column([address for _, _, address, _ in events]),
        bytes=column([-4 if is_free else 4 for *_, is_free in events]),
        allocated=none,
        reserved=none,
        device_type=column([type_ for type_, *_ in events]),
        device=column([device for _, device, *_ in events]),
        lane=none,
        event=none,
    )
    last: dict[tuple[int, int, int], int] = {}
    freed: dict[int, int] = {}
    older = []
    for at, (type_, device, address, is_free) in enumerate(events):
        before = last.pop((type_, device, address), None)
        if not is_free:
            freed[at] = MISSING
            if address != MISSING:
                last[type_, device, address] = at
        elif before is None:
            older.append(at)
        else:
            freed[before] = at
    pairs = pair_events(memory)
    assert dict(zip(pairs.alloc.tolist(), pairs.free.tolist(), strict=True)) == freed
    assert pairs.older.tolist() == older


@settings(deadline=None)
@given(CALLS)
def test_queue_depths_are_those_of_each_launch_by_itself(drawn: list[tuple[int, int, int]]) -> None:
    calls = [Call(at * 3, 1, id=number + 1) for number, (at, _, _) in enumerate(drawn)]
    work = [Work(at * 3 + late - 5, 4, stream, number + 1) for number, (at, late, stream) in enumerate(drawn)]
    work = [one for one in work if one.at >= 0]
    side = made_side(calls, work)
    table = launches(side, Within())
    assert isinstance(table, ColumnTable)
    columns = (cells(table.column(id_)) for id_ in ("gpu_count", "delay_ns", "depth"))
    for call, count, delay, depth in zip(table.slice.tolist(), *columns, strict=True):
        if not count:
            assert delay is depth is None
            continue
        first = int(side.links.launched[side.links.first_gpu[call]])
        queue = launch_queue(side, first)
        if queue is None:
            assert delay < 0
        else:
            assert (delay, depth) == (queue.delay_ns, queue.depth)


@settings(deadline=None)
@given(CALLS, st.integers(0, 150), st.integers(1, 60))
def test_calls_and_totals_in_a_range_are_those_of_a_loop(
    drawn: list[tuple[int, int, int]], start: int, length: int
) -> None:
    work = [Work(at, dur, stream, name=f"k{at % 3}") for at, dur, stream in drawn]
    side = made_side([], work)
    low, high = start * US, (start + length) * US
    found = kernels(side, Within(((low, high),)))
    assert not isinstance(found, Unanswered)
    calls: dict[str, int] = {}
    total: dict[str, int] = {}
    for one in work:
        begin, end = one.at * US, (one.at + one.dur) * US
        if begin < high and (end > low or begin >= low):
            calls[one.name] = calls.get(one.name, 0) + 1
            total[one.name] = total.get(one.name, 0) + max(0, min(end, high) - max(begin, low))
    names = cells(found.column("name"))
    assert dict(zip(names, cells(found.column("calls")), strict=True)) == calls
    assert dict(zip(names, cells(found.column("total_ns")), strict=True)) == total
