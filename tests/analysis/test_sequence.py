"""The alignment of two sequences has the largest total that brute force finds."""

from __future__ import annotations

from functools import cache
from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from profviz.analysis.sequence import align_in_order

texts = st.text("abc", max_size=7)
points = st.lists(st.integers(0, 3), min_size=49, max_size=49)


def best_total(first: str, second: str, points: list[int]) -> int:
    @cache
    def best(i: int, j: int) -> int:
        if i == len(first) or j == len(second):
            return 0
        kept = points[i * 7 + j] + best(i + 1, j + 1) if first[i] == second[j] else 0
        return max(kept, best(i + 1, j), best(i, j + 1))

    return best(0, 0)


@given(texts, texts, points)
def test_pairs_are_in_order_of_equal_keys_and_of_the_largest_total(first: str, second: str, points: list[int]) -> None:
    pairs = align_in_order(first, second, lambda i, j: points[i * 7 + j])
    assert all(i < k and j < m for (i, j), (k, m) in pairwise(pairs))
    assert all(first[i] == second[j] and points[i * 7 + j] > 0 for i, j in pairs)
    assert sum(points[i * 7 + j] for i, j in pairs) == best_total(first, second, points)


def test_a_long_insertion_moves_what_follows_by_as_much() -> None:
    second = [*range(2_000), *["new"] * 3_000, *range(2_000, 4_000)]
    pairs = align_in_order(range(4_000), second, lambda i, j: 1)
    assert pairs == [(i, i if i < 2_000 else i + 3_000) for i in range(4_000)]
