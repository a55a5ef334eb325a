"""Begins and ends against a plain stack, native and twin."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from profviz.core import columns
from profviz.core.spans import match_spans, pair_points, plain_match, plain_pairs

FAR = 2**62
MARKS = st.lists(st.tuples(st.sampled_from([0, 1, 5, 2**40]), st.integers(0, 12), st.booleans()), max_size=60)


def by_definition(marks: list[tuple[int, int, bool]]) -> tuple[list[int], list[int]]:
    end, unmatched = [-1] * len(marks), []
    for i in sorted(range(len(marks)), key=lambda i: marks[i][1]):
        if marks[i][2]:
            continue
        earlier = [
            j
            for j, (key, time, begins) in enumerate(marks)
            if key == marks[i][0] and begins and end[j] < 0 and (time, j) < (marks[i][1], i)
        ]
        if earlier:
            end[max(earlier, key=lambda j: (marks[j][1], j))] = i
        else:
            unmatched.append(i)
    return end, unmatched


def arrays(marks: list[tuple[int, int, bool]], key_type: type = np.uint64) -> tuple[np.ndarray, ...]:
    types = (key_type, np.int64, np.bool_)
    return tuple(np.array([item[k] for item in marks], dtype=kind) for k, kind in enumerate(types))


def lists(found: tuple[np.ndarray, np.ndarray]) -> tuple[list[int], list[int]]:
    assert found[0].dtype == found[1].dtype == np.int64
    return found[0].tolist(), found[1].tolist()


@settings(deadline=None)
@given(MARKS, st.sampled_from([0, FAR, -FAR]))
def test_agrees_with_a_plain_stack(marks: list[tuple[int, int, bool]], origin: int) -> None:
    marks = [(key, origin + time, begins) for key, time, begins in marks]
    assert lists(match_spans(*arrays(marks))) == by_definition(marks)
    assert lists(plain_match(*arrays(marks))) == by_definition(marks)


@pytest.mark.parametrize("key_type", [np.uint16, np.uint32, np.int32, np.uint64])
def test_keys_of_each_type(key_type: type) -> None:
    top = int(np.iinfo(key_type).max)
    marks = [
        (top, 5, False),
        (top, 1, True),
        (0, 0, True),
        (0, 3, True),
        (top, 2, True),
        (0, 4, False),
        (top, 9, False),
    ]
    for match in (match_spans, plain_match):
        assert lists(match(*arrays(marks, key_type))) == ([-1, 6, -1, 5, 0, -1, -1], [])


def test_an_end_at_the_time_of_a_begin_goes_by_the_order_in_the_file() -> None:
    for match in (match_spans, plain_match):
        assert lists(match(*arrays([(0, 7, True), (0, 7, False)]))) == ([1, -1], [])
        assert lists(match(*arrays([(0, 7, False), (0, 7, True)]))) == ([-1, -1], [0])


def test_a_deep_stack_and_a_heap_of_lone_ends() -> None:
    deep = 50_000
    at = np.arange(deep, dtype=np.int64)
    time = np.concatenate([at, 2 * deep - at, at])
    begins = np.concatenate([np.ones(deep, dtype=bool), np.zeros(2 * deep, dtype=bool)])
    key = np.concatenate([np.zeros(2 * deep), at + 1]).astype(np.uint32)
    for match in (match_spans, plain_match):
        end, unmatched = match(key, time, begins)
        assert np.array_equal(end[:deep], at + deep)
        assert np.array_equal(unmatched, at + 2 * deep)


def test_nothing_and_wrong_arrays() -> None:
    key, time, begins = arrays([(0, 0, True)])
    assert lists(match_spans(key[:0], time[:0], begins[:0])) == ([], [])
    assert lists(plain_match(key[:0], time[:0], begins[:0])) == ([], [])
    assert lists(match_spans(key, time, begins.astype(np.uint8))) == ([-1], [])
    with pytest.raises(TypeError, match="is_begin"):
        match_spans(key, time, begins.astype(np.int64))
    with pytest.raises(TypeError, match="key"):
        match_spans(key.astype(np.int64), time, begins)
    with pytest.raises(ValueError, match="shape"):
        match_spans(key, time[:0], begins)


@pytest.mark.skipif(not columns.NATIVE, reason="the extension profviz.core._columns is not built")
def test_the_extension_itself_refuses_what_would_crash_it() -> None:
    key, time, begins = arrays([(0, 0, True)])
    with pytest.raises(ValueError, match="end"):
        columns.native.match_spans(key, time, begins, np.empty(0, dtype=np.int64))
    with pytest.raises(TypeError, match="is_begin"):
        columns.native.match_spans(key, time, time, np.empty(1, dtype=np.int64))


OPEN, STEP, CLOSE = 0, 1, 2
GROUPS = st.lists(st.lists(st.sampled_from([OPEN, STEP, CLOSE]), min_size=1, max_size=6), max_size=30)


def pairs_by_definition(groups: list[list[int]]) -> list[tuple[int, int]]:
    found: list[tuple[int, int]] = []
    first = 0
    for group in groups:
        for at, role in enumerate(group):
            before = [place for place in range(at) if group[place] != CLOSE]
            opening = [place for place in range(len(group)) if group[place] == OPEN]
            if role != OPEN and (before or opening):
                found.append((first + (before[-1] if before else opening[0]), first + at))
        first += len(group)
    return found


@settings(deadline=None)
@given(GROUPS)
def test_points_pair_with_those_before_them(groups: list[list[int]]) -> None:
    role = np.array([role for group in groups for role in group], dtype=np.uint8)
    heads = np.array([not at for group in groups for at in range(len(group))], dtype=bool)
    for pair in (pair_points, plain_pairs):
        sources, targets = pair(role == OPEN, role == CLOSE, heads)
        assert sources.dtype == targets.dtype == np.int32
        assert list(zip(sources.tolist(), targets.tolist(), strict=True)) == pairs_by_definition(groups)
