"""The overview counts busy time exactly, of the GPU where there is one."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from factories import make_pair, make_side
from hypothesis import given
from hypothesis import strategies as st

from profviz.analysis.intervals import Union, covered_before
from profviz.analysis.overview import BINS
from profviz.analysis.questions import answer
from profviz.model.overview import Overview
from profviz.model.questions import Question
from profviz.model.results import Side


def overview(side: Side) -> Overview:
    made = answer(replace(make_pair(), sides=(side,)), Question("overview", 0))
    assert isinstance(made, Overview), made
    return made


def test_the_gpu_counts_and_overlapping_streams_once() -> None:
    side = make_side(
        [(0, 0, 3_000, "k", -1), (0, 1_000, 1_000, "k", -1), (0, 9_000, 1_000, "k", -1), (1, 0, 9, "op", -1)]
    )
    made = overview(side)
    assert made.of == "GPU"
    assert int(made.busy_ns.sum()) == 4_000
    assert made.bin_ns * BINS >= 10_000
    assert (made.busy_ns <= made.bin_ns).all()


def test_without_a_gpu_the_cpu_counts() -> None:
    made = overview(make_side([(1, 0, 50, "op", -1), (1, 10, 20, "inner", -1), (1, 70, 30, "op", -1)]))
    assert made.of == "CPU"
    assert int(made.busy_ns.sum()) == 80


def test_an_empty_trace_has_an_empty_overview() -> None:
    assert int(overview(make_side([])).busy_ns.sum()) == 0


@given(st.lists(st.tuples(st.integers(0, 40), st.integers(1, 9)), max_size=12), st.lists(st.integers(-3, 400)))
def test_busy_before_is_what_counting_each_moment_gives(pieces: list[tuple[int, int]], times: list[int]) -> None:
    starts, ends, at = [], [], 0
    for gap, length in pieces:
        starts.append(at + gap)
        ends.append(at + gap + length)
        at += gap + length
    moments = {moment for start, end in zip(starts, ends, strict=True) for moment in range(start, end)}
    start, end, at_ns = (np.array(one, dtype=np.int64) for one in (starts, ends, times))
    found = covered_before(Union(start, end, np.zeros_like(start)), at_ns)
    assert found.tolist() == [sum(moment < time for moment in moments) for time in times]
