"""Grouping, unions and ranges against plain loops."""

from __future__ import annotations

from collections import defaultdict

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from profviz.analysis.tables.grouping import group, number_pairs, rounded_means, spread, unions_ns
from profviz.analysis.tables.within import Within

HUGE = 1 << 60
PIECES = st.lists(st.tuples(st.integers(-3, 5), st.integers(0, 40), st.integers(0, 15)), max_size=40)
RANGES = st.lists(st.tuples(st.integers(0, 60), st.integers(0, 60)), max_size=4)


def column(values: list[int]) -> np.ndarray:
    return np.array(values, dtype=np.int64)


@given(PIECES)
def test_groups_keep_order_and_add_up_exactly(pieces: list[tuple[int, int, int]]) -> None:
    keys, values = column([key for key, _, _ in pieces]), column([HUGE + start for _, start, _ in pieces])
    expected: dict[int, list[int]] = defaultdict(list)
    for place, (key, _, _) in enumerate(pieces):
        expected[key].append(place)
    groups = group(keys)
    assert groups.keys.tolist() == sorted(expected)
    parts = np.split(groups.order, groups.bounds[1:-1]) if len(groups) else []
    assert [part.tolist() for part in parts] == [expected[key] for key in sorted(expected)]
    assert groups.first.tolist() == [expected[key][0] for key in sorted(expected)]
    small = values - HUGE
    assert groups.sums(small).tolist() == [sum(int(small[at]) for at in expected[key]) for key in sorted(expected)]
    assert groups.least(values).tolist() == [min(int(values[at]) for at in expected[key]) for key in sorted(expected)]
    assert groups.most(values).tolist() == [max(int(values[at]) for at in expected[key]) for key in sorted(expected)]


@given(PIECES)
def test_unions_count_each_moment_once(pieces: list[tuple[int, int, int]]) -> None:
    keys = column([key for key, _, _ in pieces])
    start = column([start for _, start, _ in pieces])
    end = start + column([dur for _, _, dur in pieces])
    groups = group(keys)
    for shift in (0, HUGE):
        found = dict(zip(groups.keys.tolist(), unions_ns(groups, start + shift, end + shift).tolist(), strict=True))
        for key in groups.keys.tolist():
            moments = {at for own, begin, dur in pieces if own == key for at in range(begin, begin + dur)}
            assert found[key] == len(moments)


@given(RANGES, st.lists(st.tuples(st.integers(0, 60), st.integers(0, 20)), min_size=1, max_size=20))
def test_what_lies_in_ranges_is_trimmed_to_them(ranges: list[tuple[int, int]], pieces: list[tuple[int, int]]) -> None:
    within = Within(ranges)
    inside = {at for low, high in ranges for at in range(low, high)} if not within.is_whole else set(range(100))
    start, end = column([at for at, _ in pieces]), column([at + dur for at, dur in pieces])
    trimmed = (within.covered(end) - within.covered(start)).tolist()
    assert trimmed == [len(inside & set(range(at, at + dur))) for at, dur in pieces]
    reached = [bool(inside & set(range(at, at + max(1, dur)))) for at, dur in pieces]
    assert within.reached(start, end).tolist() == reached
    assert within.held(start).tolist() == [at in inside for at, _ in pieces]
    assert bool(within.note("cut")) != within.is_whole


def test_means_are_whole_and_round_ties_to_even_beyond_floats() -> None:
    totals = column([0, 7, 5, 3, (1 << 62) + 1, 9])
    counts = column([0, 1, 2, 2, 2, 4])
    assert rounded_means(totals, counts).tolist() == [0, 7, 2, 2, 1 << 61, 2]


def test_values_of_groups_are_spread_over_more_keys() -> None:
    groups = group(column([4, 2, 4]))
    assert spread(groups, column([1, 2, 3, 4]), groups.counts, fill=-1).tolist() == [-1, 1, -1, 2]


@given(st.lists(st.tuples(st.sampled_from([-HUGE, -1, 0, 2, HUGE]), st.integers(-1, 2)), max_size=20))
def test_pairs_are_numbered_whatever_their_size(pairs: list[tuple[int, int]]) -> None:
    found, number = number_pairs(column([one for one, _ in pairs]), column([two for _, two in pairs]))
    assert found == sorted(set(pairs))
    assert [found[at] for at in number.tolist()] == pairs
