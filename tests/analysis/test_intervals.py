"""Unions of intervals against sets of moments."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from profviz.analysis.intervals import Union, covered_ns, subtract, unite

SPANS = st.lists(st.tuples(st.integers(-20, 40), st.integers(0, 12)), max_size=12)
Spans = list[tuple[int, int]]


def union(spans: Spans) -> Union:
    start = np.array([start for start, _ in spans], dtype=np.int64)
    return unite(start, start + np.array([dur for _, dur in spans], dtype=np.int64))


def moments(spans: Spans) -> set[int]:
    return {moment for start, dur in spans for moment in range(start, start + dur)}


@given(SPANS, st.integers(-25, 60), st.integers(0, 40))
def test_a_union_covers_what_any_of_its_intervals_does(spans: Spans, low: int, width: int) -> None:
    found, covered = union(spans), moments(spans)
    assert found.length_ns == len(covered)
    assert (found.start_ns[1:] > found.end_ns[:-1]).all()
    assert [spans[at][0] for at in found.first] == found.start_ns.tolist()
    everywhere = np.arange(-25, 65)
    assert set(everywhere[:-1][found.pieces(everywhere)].tolist()) == covered
    start = np.array([low, -100, low], dtype=np.int64)
    end = np.array([low + width, 100, low], dtype=np.int64)
    assert covered_ns(found, start, end).tolist() == [len(covered & set(range(low, low + width))), len(covered), 0]


@given(SPANS, SPANS)
def test_subtracting_leaves_what_only_the_first_covers(one: Spans, other: Spans) -> None:
    left = subtract(union(one), union(other))
    everywhere = np.arange(-25, 65)
    assert set(everywhere[:-1][left.pieces(everywhere)].tolist()) == moments(one) - moments(other)


def test_where_floats_fail_the_length_is_exact() -> None:
    start = np.array([2**60, 2**60 + 1], dtype=np.int64)
    assert unite(start, start + 1).length_ns == 2
