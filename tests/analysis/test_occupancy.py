"""Unions against brute force; sums and unions are never mixed up."""

from __future__ import annotations

import numpy as np
import pytest
from defect_files import load
from hypothesis import given
from hypothesis import strategies as st

from profviz.analysis.linking import link_trace
from profviz.analysis.occupancy import measure_occupancy, union_length_ns
from profviz.model.results import Occupancy


@given(st.lists(st.tuples(st.integers(-50, 50), st.integers(0, 30))))
def test_the_union_counts_each_moment_once(intervals: list[tuple[int, int]]) -> None:
    starts = np.array([start for start, _ in intervals], dtype=np.int64)
    ends = starts + np.array([dur for _, dur in intervals], dtype=np.int64)
    covered = {moment for start, dur in intervals for moment in range(start, start + dur)}
    assert union_length_ns(starts, ends) == len(covered)


def test_the_union_is_exact_where_floats_are_not() -> None:
    start = np.array([1_778_655_624_745_710_980, 1_778_655_624_745_710_981], dtype=np.int64)
    assert union_length_ns(start, start + 1) == 2


def occupancy(name: str) -> Occupancy:
    trace, _ = load(name)
    return measure_occupancy(trace, link_trace(trace))


def test_two_streams_are_never_busier_than_the_clock() -> None:
    found = occupancy("two_streams_at_once.json")
    assert (found.kernel_sum_ns, found.busy_ns, found.span_ns, found.lanes) == (140_000, 100_000, 100_000, 2)


def test_overlapping_kernels_are_summed_and_united() -> None:
    found = occupancy("partial_overlap.json")
    assert (found.kernel_sum_ns, found.busy_ns, found.lanes) == (90_000, 70_000, 1)


@pytest.mark.parametrize(
    ("name", "launches", "said"),
    [
        ("cpu_only.json", 0, "no GPU activity in this trace"),
        ("launches_without_kernels.json", 3, "3 launches, 0 kernels recorded"),
    ],
)
def test_a_trace_without_gpu_work_has_none(name: str, launches: int, said: str) -> None:
    found = occupancy(name)
    assert found == Occupancy(0, 0, 0, 0, 0, 0, 0, 0, 0, launches)
    assert found.absence == said


def test_graph_replays_are_counted_as_launches() -> None:
    found = occupancy("graph_replay.json")
    assert (found.kernels, found.graph_launches, found.unlinked) == (4, 1, 0)
