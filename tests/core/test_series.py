"""Values over time against looking at every point: no extreme is lost at any zoom."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from profviz.core.series import Series

EPOCH_NS = 1_764_400_000_000_000_007


def series_of(seed: int, count: int, *, at: int = 0) -> Series:
    chance = np.random.default_rng(seed)
    value = chance.integers(-50, 50, count).astype(np.float64)
    value[chance.random(count) < 0.1] = np.nan
    return Series(at + chance.integers(0, 5, count).cumsum(), value)


@settings(max_examples=80, deadline=None)
@given(
    st.integers(0, 2**32), st.integers(1, 3_000), st.integers(1, 60), st.floats(-0.2, 1), st.floats(0.001, 1.3),
    st.sampled_from([0, EPOCH_NS]),
)  # fmt: skip
def test_extremes_are_those_of_what_holds_in_each_pixel(
    seed: int, count: int, width: int, first: float, share: float, origin: int
) -> None:
    series = series_of(seed, count, at=origin)
    span = int(series.time_ns[-1] - series.time_ns[0]) + 1
    begin = origin + int(first * span)
    edges = begin + np.arange(width + 1, dtype=np.int64) * max(1, int(span * share) // width)
    found = series.extremes(edges)
    exact = count <= width  # beyond that whole blocks count for the pixels at their borders too
    for at in range(width):
        start, end = int(edges[at]), int(edges[at + 1])
        holding = int(series.time_ns.searchsorted(np.int64(start), "right")) - 1
        last = int(series.time_ns.searchsorted(np.int64(end), "left")) - 1
        values = series.value[max(0, min(holding, last)) : last + 1]
        values = values[~np.isnan(values)]
        if last < 0:
            assert np.isnan(found.high[at])
        elif len(values):
            assert found.high[at] >= values.max()
            assert found.low[at] <= values.min()
            if exact:
                assert (found.low[at], found.high[at]) == (values.min(), values.max())


def test_a_single_spike_among_a_million_points_shows_at_every_zoom() -> None:
    value = np.zeros(1_000_000)
    value[123_456], value[500_000] = 9.0, -3.0
    series = Series(np.arange(1_000_000, dtype=np.int64) * 10, value)
    for width in (1, 7, 1_600):
        edges = np.linspace(0, 10_000_000, width + 1).astype(np.int64)
        found = series.extremes(edges)
        assert (np.nanmax(found.high), np.nanmin(found.low)) == (9.0, -3.0)
    assert (series.highest, series.lowest) == (9.0, -3.0)


def test_before_the_first_point_nothing_is_known() -> None:
    series = Series(np.array([10, 20], dtype=np.int64), np.array([1.0, 5.0]))
    assert [series.at(time) for time in (10, 19, 20, 99)] == [1.0, 1.0, 5.0, 5.0]
    assert np.isnan(series.at(9))
    found = series.extremes(np.array([0, 10, 15, 25, 30], dtype=np.int64))
    assert np.isnan(found.high[0])
    assert found.high[1:].tolist() == [1.0, 5.0, 5.0]
    assert found.low[1:].tolist() == [1.0, 1.0, 5.0]


def test_empty_and_wholly_unknown_series_say_so() -> None:
    empty = Series(np.zeros(0, dtype=np.int64), np.zeros(0))
    assert np.isnan([empty.highest, empty.lowest, empty.at(5)]).all()
    assert np.isnan(empty.extremes(np.array([0, 5, 9], dtype=np.int64)).low).all()
    unknown = Series(np.arange(40, dtype=np.int64), np.full(40, np.nan))
    assert np.isnan(unknown.highest)
    with pytest.raises(ValueError, match="moments"):
        Series(np.arange(2, dtype=np.int64), np.zeros(3))
