"""Unions by group against marking every nanosecond."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from profviz.analysis import covering
from profviz.analysis.covering import covered_ns

INTERVALS = st.lists(st.tuples(st.integers(0, 4), st.integers(-30, 30), st.integers(0, 25)), max_size=40)


def columns(intervals: list[tuple[int, int, int]], origin: int = 0) -> list[np.ndarray]:
    table = np.array([(g, origin + s, origin + s + d) for g, s, d in intervals], dtype=np.int64).reshape(-1, 3)
    return [table[:, 1], table[:, 2], table[:, 0]]


@given(INTERVALS, st.sampled_from([0, 2**61, -(2**61)]))
def test_agrees_with_marking_every_moment(intervals: list[tuple[int, int, int]], origin: int) -> None:
    marked = [len({t for g, s, d in intervals if g == group for t in range(s, s + d)}) for group in range(5)]
    assert covered_ns(*columns(intervals, origin), 5).tolist() == marked


@given(INTERVALS)
def test_groups_that_do_not_fit_behind_each_other_are_taken_in_turns(intervals: list[tuple[int, int, int]]) -> None:
    whole = covered_ns(*columns(intervals), 5).tolist()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(covering, "MOST", 120)  # two groups at a time at most
        assert covered_ns(*columns(intervals), 5).tolist() == whole
