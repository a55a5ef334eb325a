"""Sums over ranges against the plainest definition there is, on any slices, ranges and tracks."""

from __future__ import annotations

import json

import numpy as np
import pytest
from defect_files import SHARED, load_path, load_text
from hypothesis import given, settings
from hypothesis import strategies as st

from profviz.analysis.occupancy import union_length_ns
from profviz.analysis.range_sums import Asked, merged, sum_ranges
from profviz.analysis.sides import make_side
from profviz.model.questions import ColumnTable
from profviz.model.results import Side, SliceKind
from profviz.model.trace import LaneKind, Trace

CATEGORIES = ("cpu_op", "python_function", "kernel", "user_annotation")
GRAPH_LAUNCH = 7
"""The correlation id of a graph launch, which the kernels named n3 have."""
SLICES = st.lists(
    st.tuples(st.integers(0, 3), st.integers(0, 2), st.integers(0, 3), st.integers(0, 40), st.integers(0, 30)),
    min_size=1,
    max_size=30,
)
SPANS = st.tuples(st.integers(0, 60), st.integers(1, 30)).map(lambda pair: (pair[0], sum(pair)))
PARTS = ("", "python", "cpu_annotation", "cpu", "gpu")
TRACKS = st.lists(
    st.one_of(st.tuples(st.integers(0, 3), st.sampled_from(PARTS)), st.just((-1, "graph 0 -1"))), max_size=3
).map(tuple)


def side_of(trace: Trace) -> Side:
    return make_side(id="a", title="a", trace=trace, notes=())


def made(slices: list[tuple[int, int, int, int, int]]) -> Side:
    """(category, thread, name, start, duration) in ns each."""
    events = [
        {
            "ph": "X",
            "cat": CATEGORIES[category],
            "name": f"n{name}",
            "pid": 0 if category == 2 else 1,
            "tid": thread,
            "ts": start / 1000,
            "dur": dur / 1000,
            "args": {"device": 0, "stream": thread, "correlation": GRAPH_LAUNCH * (name == 3)} if category == 2 else {},
        }
        for category, thread, name, start, dur in slices
    ]
    launch = {"ph": "X", "cat": "cuda_runtime", "name": "cudaGraphLaunch", "pid": 1, "tid": 9, "ts": 0.0, "dur": 0.005}
    events.append(launch | {"args": {"correlation": GRAPH_LAUNCH}})
    trace, _ = load_text(json.dumps({"displayTimeUnit": "ns", "traceEvents": events}))
    return side_of(trace)


def by_definition(side: Side, asked: list[Asked], what: str) -> dict[tuple[str, int], list[int]]:
    """(name, kind) to the moments, counted apart for each slice, that are within a range that is on the slice."""
    wanted = {"gpu": LaneKind.GPU, "cpu": LaneKind.CPU}.get(what)
    slices = side.trace.slices
    found: dict[tuple[str, int], list[set[int]]] = {}
    for i in range(len(slices)):
        lane, start, end = int(slices.lane[i]), int(slices.start_ns[i]), int(slices.end_ns[i])
        part = {SliceKind.PYTHON: "python", SliceKind.ANNOTATION: "cpu_annotation"}.get(side.kinds[i], "cpu")
        on_gpu, in_graph = side.trace.category_of(i) == "kernel", side.trace.name_of(i) == "n3"
        where = {(lane, ""), (lane, part)}
        where |= {(-1, "graph 0 -1")} if on_gpu and in_graph else {(lane, "gpu")}
        own = [
            (low, high)
            for low, high, tracks in asked
            if where & set(tracks) or (not tracks and wanted in (None, side.trace.lanes[lane].kind))
        ]
        hit = [(low, high) for low, high in own if (end > low or start >= low) and start < high]
        if hit:
            moments = {t for low, high in hit for t in range(max(low, start), min(high, end))}
            found.setdefault((side.trace.name_of(i), int(side.kinds[i])), []).append(moments)
    return {
        key: [len(sets), *(f([len(one) for one in sets]) for f in (sum, min, max)), len(set().union(*sets))]
        for key, sets in found.items()
    }


def rows(table: ColumnTable) -> list[list[int]]:
    return np.stack([table.column(id_).values for id_ in ("count", "total", "min", "max", "union")], axis=1).tolist()


@settings(deadline=None)
@given(SLICES, st.lists(st.tuples(SPANS, TRACKS), min_size=1, max_size=3), st.sampled_from(["gpu", "cpu", "all"]))
def test_agrees_with_the_definition(
    slices: list[tuple[int, int, int, int, int]], ranges: list[tuple[tuple[int, int], tuple]], what: str
) -> None:
    side = made(slices)
    asked: list[Asked] = [(start, end, tracks) for (start, end), tracks in ranges]
    found = sum_ranges(side, asked, what=what)
    name = found.names.column("name")
    keys = [(name.texts[at], int(kind)) for at, kind in zip(name.values, found.names.kind, strict=True)]
    assert dict(zip(keys, rows(found.names), strict=True)) == by_definition(side, asked, what)
    assert found.span_ns == len({t for start, end, _ in asked for t in range(start, end)})
    assert found.total_ns == found.lanes.column("total").values.sum() == found.names.column("total").values.sum()
    assert found.count == found.lanes.column("count").values.sum() == found.names.column("count").values.sum()
    assert found.union_ns <= min(found.span_ns, found.total_ns)


def test_ranges_that_touch_are_one() -> None:
    assert merged([(5, 9), (0, 5), (20, 30), (8, 12), (22, 25)]) == [(0, 12), (20, 30)]


def test_what_never_ended_is_left_out_and_nothing_is_shared_out() -> None:
    begun = '{"ph": "B", "name": "open", "cat": "cpu_op", "pid": 1, "tid": 1, "ts": 0}'
    done = '{"ph": "X", "name": "done", "cat": "cpu_op", "pid": 1, "tid": 1, "ts": 1, "dur": 2}'
    side = side_of(load_text(f"[{begun}, {done}]")[0])
    found = sum_ranges(side, [(0, 10_000, ())])
    assert found.names.column("name").texts == ("done",)
    assert found.names.column("share").values.tolist() == [0.2]
    nothing = sum_ranges(side, [(50_000, 60_000, ())])
    assert len(nothing.names) == len(nothing.lanes) == 0


def test_a_real_trace_as_a_whole_has_the_sums_of_its_headline() -> None:
    path = SHARED / "gpt2.eager.json.gz"
    if not path.exists():
        pytest.skip("the shared captures are not beside this checkout")
    side = side_of(load_path(path)[0])
    found = sum_ranges(side, [(0, side.trace.span_ns, ())], what="gpu")
    occupancy = side.occupancy
    assert found.names.column("count").values.sum() == occupancy.kernels + occupancy.copies
    assert found.lanes.column("union").values.tolist() == [found.union_ns] == [occupancy.busy_ns]
    work = side.trace.gpu.slice
    middle = side.trace.span_ns // 2
    start = np.maximum(side.trace.slices.start_ns[work], middle)
    end = np.maximum(side.trace.slices.end_ns[work], middle)
    half = sum_ranges(side, [(middle, side.trace.span_ns, ())], what="gpu")
    assert half.lanes.column("union").values.tolist() == [union_length_ns(start, end)]
    assert half.names.column("total").values.sum() == (end - start).sum()
