"""Which tracks a side has: nothing of a trace is without one, nothing is on two, and each kind says what it shows."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from factories import CPU, GPU, make_pair, make_side

from profviz.analysis.sides import make_side as worked_out
from profviz.formats.registry import open_document
from profviz.model.compile_report import CompileEvent, CompileReport
from profviz.model.questions import Unit
from profviz.model.results import Side, SliceKind
from profviz.model.trace import Counter, Instants, Lane, LaneKind, Memory, Trace
from profviz.ui.views.timeline.kinds import memory, threads
from profviz.ui.views.timeline.kinds.counters import derived
from profviz.ui.views.timeline.kinds.parting import Parts
from profviz.ui.views.timeline.kinds.registry import KINDS, tracks_of
from profviz.ui.views.timeline.tracks import Group, Track

DIALECTS = Path(__file__).parents[1] / "dialects"
SHARED = Path(__file__).parents[2].parent / "shared" / "traces"
CAPTURES = sorted(SHARED.glob("*.json.gz")) + sorted(SHARED.glob("*.json.xz"))
GRAPHS = SHARED / "gpt2.compiled-reduce-overhead.json.gz"


def opened(path: Path) -> Side:
    trace = open_document(path).trace
    assert trace is not None
    return worked_out(id="a", title="a", trace=trace, notes=())


def holds_everything_once(trace: Trace, tracks: Sequence[Track]) -> None:
    """Every slice, instant, counter and memory record is on exactly one track."""
    rows = [row for track in tracks if track.of_slices for row in track.rows]
    slices = np.sort(np.concatenate([row.slice for row in rows])) if rows else np.zeros(0, dtype=np.uint32)
    assert np.array_equal(slices, np.arange(len(trace.slices)))
    for row in rows:
        assert (row.start_ns[1:] >= row.end_ns[:-1]).all()
    ticks = [track.ticks.item for track in tracks if track.ticks is not None]
    assert sorted(np.concatenate(ticks).tolist() if ticks else []) == list(range(len(trace.instants.time_ns)))
    assert [track.title for track in tracks if track.group is Group.COUNTER] == [one.name for one in trace.counters]
    kept = [memory.records(trace.memory, track) for track in tracks if track.group is Group.MEMORY]
    assert sorted(np.concatenate(kept).tolist() if kept else []) == list(range(len(trace.memory)))
    for own, track in zip(kept, [one for one in tracks if one.group is Group.MEMORY], strict=True):
        assert all(len(line.series) == len(own) for line in track.lines)
        assert track.lines


@pytest.mark.parametrize("path", sorted(DIALECTS.glob("*.json")), ids=lambda path: path.name)
def test_nothing_of_a_dialect_is_without_a_track(path: Path) -> None:
    side = opened(path)
    holds_everything_once(side.trace, tracks_of(side))


@pytest.mark.skipif(not CAPTURES, reason="the shared captures are not beside this checkout")
@pytest.mark.parametrize("path", CAPTURES, ids=lambda path: path.name)
def test_nothing_of_a_capture_is_without_a_track(path: Path) -> None:
    side = opened(path)
    tracks = tracks_of(side)
    holds_everything_once(side.trace, tracks)
    assert len({track.id for track in tracks}) == len(tracks)
    assert [track.group for track in tracks] == sorted(track.group for track in tracks)


def test_kinds_are_registered_once() -> None:
    assert [kind.group for kind in KINDS] == sorted({kind.group for kind in KINDS})
    assert set(Group) - {kind.group for kind in KINDS} == {Group.DERIVED}


def test_annotations_stand_apart_from_the_operators_in_them() -> None:
    side = make_side(
        [(1, 0, 100, "outer", -1), (1, 10, 50, "aten::op", -1), (1, 20, 10, "inner", -1), (1, 22, 5, "aten::in", -1)],
        kinds={"outer": SliceKind.ANNOTATION, "inner": SliceKind.ANNOTATION},
    )
    operators, ranges = tracks_of(side)[1:]
    assert (operators.group, [row.slice.tolist() for row in operators.rows]) == (Group.CPU, [[1], [3]])
    assert (ranges.group, [row.slice.tolist() for row in ranges.rows]) == (Group.CPU_ANNOTATION, [[0], [2]])


@pytest.mark.parametrize("operator", [-1, 0, 2, 6])
def test_a_thread_is_quiet_when_it_only_calls_the_runtime(monkeypatch: pytest.MonkeyPatch, operator: int) -> None:
    monkeypatch.setattr(threads, "LOOKED_AT", 3)
    names = ["aten::op" if at == operator else "call" for at in range(7)]
    pieces = [(1, 10 * at, 5, name, -1) for at, name in enumerate(names)]
    (track,) = (one for one in tracks_of(make_side(pieces, kinds={"call": SliceKind.RUNTIME})) if one.of_slices)
    assert track.group is (Group.QUIET_CPU if operator < 0 else Group.CPU)


@pytest.mark.skipif(not CAPTURES, reason="the shared captures are not beside this checkout")
@pytest.mark.parametrize("path", CAPTURES, ids=lambda path: path.name)
def test_slices_of_each_group_are_counted_lane_by_lane(path: Path) -> None:
    parts = Parts(opened(path))
    lanes = zip(parts.bounds[:-1], parts.bounds[1:], strict=True)
    counted = [np.bincount(parts.groups[first:last], minlength=len(Group)) for first, last in lanes]
    assert np.array_equal(parts.counts, counted)


def test_steps_are_a_ruler_on_top_and_no_slices() -> None:
    steps = tracks_of(make_pair().sides[0])[0]
    assert (steps.group, steps.of_slices, len(steps.rows[0])) == (Group.STEP, False, 3)
    assert steps.names is not None
    assert steps.names[1] == "step 2 · 16.0 µs"


@pytest.mark.skipif(not GRAPHS.exists(), reason="the shared captures are not beside this checkout")
def test_replays_of_a_graph_are_one_lane_whatever_asked_for_them() -> None:
    side = opened(GRAPHS)
    (graph,) = (track for track in tracks_of(side) if track.group is Group.CUDA_GRAPH)
    assert sum(len(row) for row in graph.rows) == 384
    assert graph.few == 1
    assert graph.about.startswith("3 replays, 384 GPU slices on 1 stream; the trace does not say which graph")


def test_graphs_on_several_streams_fold_to_one_row_each() -> None:
    lanes = (GPU, replace(GPU, stream=8, tid="8"))
    side = make_side([(0, 0, 10, "a", -1), (0, 20, 10, "b", -1), (1, 5, 10, "c", -1), (1, 50, 9, "d", -1)], lanes=lanes)
    graphs = np.array([3, 4, 3, -1])
    side = replace(side, trace=replace(side.trace, gpu=replace(side.trace.gpu, graph=graphs)))
    tracks = tracks_of(side)
    assert [(track.title, track.few, len(track.rows)) for track in tracks] == [
        ("GPU 0 · stream 8", 1, 1),
        ("CUDA graph 3", 1, 2),
        ("CUDA graph 4", 1, 1),
    ]
    holds_everything_once(side.trace, tracks)


def event(start_ns: int, dur_ns: int, depth: int) -> CompileEvent:
    return CompileEvent(f"stage {depth}", start_ns, dur_ns, depth, "0/0")


def with_report(*events: CompileEvent, origin_ns: int) -> Track:
    report = CompileReport("2.11", None, (), (), (), (), events, (), 0, None)
    side = make_side([(1, 0, 1_000, "aten::op", -1)])
    side = replace(side, report=report, trace=replace(side.trace, origin_ns=origin_ns))
    return next(track for track in tracks_of(side) if track.group is Group.COMPILE)


def test_compile_spans_stand_where_they_were_or_say_why_not() -> None:
    now = 1_795_958_000_000_000_000
    placed = with_report(event(now + 100, 500, 0), event(now + 200, 50, 1), origin_ns=now)
    assert [(int(row.start_ns[0]), int(row.end_ns[0])) for row in placed.rows] == [(100, 600), (200, 250)]
    assert placed.names == ("stage 0 · 0/0", "stage 1 · 0/0")
    before = with_report(event(now - 3_000, 1_000, 0), origin_ns=now)
    assert not before.rows
    assert before.missing == "1 spans of the compile log in 1.00 µs: done 2.00 µs before this trace begins"
    unsaid = with_report(event(now, 1_000, 0), origin_ns=5)
    assert "does not say when" in unsaid.missing


def test_memory_shows_both_totals_or_what_was_counted() -> None:
    none = np.full(2, -1, dtype=np.int64)
    times, sizes = np.array([5, 9], dtype=np.int64), np.array([64, -64], dtype=np.int64)
    side = make_side([(1, 0, 10, "aten::op", -1)])

    def lines(allocated: np.ndarray, reserved: np.ndarray) -> list[tuple[str, list[float]]]:
        zeros = np.zeros(2, dtype=np.int32)
        recorded = Memory(times, none, sizes, allocated, reserved, zeros + 1, zeros, zeros, none)
        trace = replace(side.trace, memory=recorded)
        (track,) = (one for one in tracks_of(replace(side, trace=trace)) if one.group is Group.MEMORY)
        assert (track.title, track.lines[0].unit) == ("memory · GPU 0", Unit.BYTES)
        return [(line.title, line.series.value.tolist()) for line in track.lines]

    assert lines(np.array([64, 0]), np.array([128, 128])) == [("reserved", [128, 128]), ("allocated", [64, 0])]
    assert lines(none, none) == [("since recording began", [64, 0])]


def test_counters_and_moments_have_tracks_of_their_own() -> None:
    side = make_side([(0, 0, 10, "k", -1)])
    times = np.array([1, 4], dtype=np.int64)
    counter = Counter("queue", 1, times, np.array([2.0, 0.0]))
    lanes = np.array([1, 0], dtype=np.int32)
    zeros = np.zeros(2, dtype=np.int32)
    instants = Instants(times, zeros, zeros.astype(np.uint16), lanes, times)
    trace = replace(side.trace, counters=(counter,), instants=instants)
    tracks = tracks_of(replace(side, trace=trace))
    assert [track.group for track in tracks] == [Group.GPU, Group.COUNTER, Group.INSTANT, Group.INSTANT]
    assert [track.title for track in tracks[1:]] == ["queue", "moments", "moments · GPU 0 · stream 7"]
    holds_everything_once(trace, tracks)
    (queue,) = derived([counter])
    assert (queue.group, queue.title, queue.about) == (Group.DERIVED, "queue", "worked out from the trace")


def test_a_track_is_known_by_its_lane_not_by_its_title() -> None:
    twins = (CPU, Lane(LaneKind.CPU, "1", "2", CPU.process, CPU.thread))
    tracks = tracks_of(make_side([(0, 0, 1, "a", -1), (1, 0, 1, "b", -1)], lanes=twins))
    titles, ids = ([getattr(track, name) for track in tracks if track.group is Group.CPU] for name in ("title", "id"))
    assert titles[0] == titles[1]
    assert ids[0] != ids[1]
