"""Bins hold each duration once, between whole nanoseconds, and quantiles are those that the timings have."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest
from defect_files import load_text
from hypothesis import given
from hypothesis import strategies as st

from profviz.analysis.durations import (
    MOST_BINS,
    answer_durations,
    counts_in,
    gather,
    linear_edges,
    log_edges,
    quantile,
    slices_named,
)
from profviz.analysis.sides import make_side
from profviz.model.durations import Durations
from profviz.model.questions import Question, Unanswered
from profviz.model.results import Results
from profviz.model.run import Timing, VariantResult

DURATIONS = st.lists(st.one_of(st.integers(0, 50), st.integers(0, 10**14)), min_size=1, max_size=60)


@given(DURATIONS, st.sampled_from([linear_edges, log_edges]))
def test_every_duration_is_in_the_bin_between_its_edges(durations: list[int], edges_of: object) -> None:
    ordered = np.sort(np.array(durations, dtype=np.int64))
    edges = edges_of(int(ordered[0]), int(ordered[-1]))  # type: ignore[operator]
    assert edges.dtype == np.int64
    assert (np.diff(edges) > 0).all()
    counted = [sum(low <= d < high for d in durations) for low, high in pairwise(edges)]
    assert counts_in(ordered, edges).tolist() == counted
    assert sum(counted) == len(durations)
    assert 0 not in (counted[0], counted[-1]), "no empty room at either end"


@given(st.integers(0, 10**12), st.integers(0, 10**12))
def test_linear_bins_are_few_equal_and_round(least: int, more: int) -> None:
    edges = linear_edges(least, least + more)
    width = int(edges[1] - edges[0])
    assert len(edges) - 1 <= MOST_BINS
    assert set(np.diff(edges).tolist()) == {width}
    assert int(str(width).rstrip("0")) in (1, 2, 5)
    assert (edges % width == 0).all()


def test_logarithmic_bins_have_nearly_equal_ratios() -> None:
    edges = log_edges(1_000, 50_000_000)
    ratios = edges[1:] / edges[:-1]
    assert ratios.max() / ratios.min() < 1.01
    assert 30 <= len(edges) <= 70


@given(st.lists(st.integers(0, 10**9), min_size=1, max_size=40))
def test_quantiles_are_those_of_a_timing(samples: list[int]) -> None:
    timing = Timing("host", tuple(samples), (), ())
    ordered = np.sort(np.array(samples, dtype=np.int64))
    assert abs(quantile(ordered, 95, 100) - (timing.quantile_ns(0.95) or 0)) <= 1  # that one goes through a float
    assert quantile(ordered, 1, 2) == timing.median_ns


def test_what_is_far_apart_is_binned_by_ratio_unless_told() -> None:
    wide = [(0, "a", np.array([10, 100_000], dtype=np.int64), -1)]
    by = {scale: gather("steps", wide, scale=scale) for scale in ("auto", "linear", "log")}
    assert [found.is_log for found in by.values() if found] == [True, False, True]
    assert gather("steps", [(0, "a", np.zeros(0, dtype=np.int64), -1)]) is None


def two_sides() -> Results:
    event = '{"ph": "X", "name": "%s", "cat": "%s", "pid": 1, "tid": %d, "ts": %d, "dur": %d}'
    first = [event % ("k", "kernel", 7, at, 4 + at // 10) for at in range(0, 50, 10)]
    second = [event % ("other", "kernel", 7, 0, 3), event % ("k", "kernel", 7, 10, 9), event % ("k", "cpu_op", 1, 0, 1)]
    sides = []
    for title, events, samples in (("A", first, (5, 7)), ("B", second, ())):
        result = VariantResult(title, title, timing=Timing("host", samples, (), ())) if samples else None
        trace, _ = load_text(f"[{', '.join(events)}]")
        sides.append(make_side(id=title, title=title, trace=trace, notes=(), result=result))
    return Results("two", "", tuple(sides), (), (), ())


def ask(what: str, name: str = "", category: str = "") -> Durations | Unanswered:
    return answer_durations(two_sides(), Question("durations", -1, (what, "auto", name, category)))


def test_sides_share_bins_and_a_name_is_one_of_its_category() -> None:
    found = ask("slices", "k", "kernel")
    assert isinstance(found, Durations)
    a, b = found.series
    assert [one.title for one in found.series] == ["A", "B"]
    assert (a.spread.count, a.spread.min_ns, a.spread.median_ns, a.spread.max_ns) == (5, 4_000, 6_000, 8_000)
    assert (a.spread.total_ns, a.spread.mean_ns, a.spread.p95_ns) == (30_000, 6_000, 7_800)
    assert (b.spread.count, b.spread.median_ns) == (1, 9_000)
    assert len(a.counts) == len(b.counts) == len(found.edges) - 1
    trace = two_sides().sides[1].trace
    assert trace.name_of(b.first) == "k"
    assert trace.category_of(b.first) == "kernel"


def test_a_side_without_any_has_no_series_and_none_at_all_is_said() -> None:
    found = ask("measured")
    assert isinstance(found, Durations)
    assert [(one.title, one.spread.median_ns) for one in found.series] == [("A", 6)]
    assert isinstance(ask("steps"), Unanswered)
    assert isinstance(ask("slices", "no such", "kernel"), Unanswered)


def test_a_slice_that_never_ended_has_no_duration() -> None:
    trace, _ = load_text('[{"ph": "B", "name": "k", "cat": "cpu_op", "pid": 1, "tid": 1, "ts": 0}]')
    assert len(slices_named(trace, "k", "cpu_op")) == 0


@pytest.mark.parametrize("values", [[0], [0, 0, 1], [7], [2**53, 2**53 + 1]])
def test_few_and_equal_durations_have_bins_too(values: list[int]) -> None:
    ordered = np.array(values, dtype=np.int64)
    for scale in ("linear", "log"):
        found = gather("slices", [(0, "a", ordered, -1)], scale=scale)
        assert found is not None
        assert found.series[0].counts.sum() == len(values)
