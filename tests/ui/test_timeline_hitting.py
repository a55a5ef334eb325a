"""What is under a point against looking at every slice; pinned tracks, spans, moments and values too."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest
from factories import make_pair, make_side
from hypothesis import given, settings
from hypothesis import strategies as st
from pytestqt.qtbot import QtBot

from profviz.core.raster import Row
from profviz.model.results import Results, Side
from profviz.model.trace import Counter, Instants
from profviz.ui.view_state import TimeWindow, TrackArrangement, ViewState
from profviz.ui.views.timeline import texts
from profviz.ui.views.timeline.hands import Timelines
from profviz.ui.views.timeline.layout import NEAR_PX, Scale, nearest
from profviz.ui.views.timeline.tracks import Group
from profviz.ui.widgets.palette import DARK

EPOCH_NS = 1_764_400_000_000_000_007


def by_looking_at_all(row: Row, scale: Scale, x: float) -> set[int]:
    """The slice at x where it is a px wide at least, else the longest ones within a few px."""
    spans = list(zip(row.start_ns.tolist(), row.end_ns.tolist(), row.slice.tolist(), strict=True))
    at = scale.time_ns(x)
    here = {index for start, end, index in spans if start <= at < end and (end - start) * scale.px_per_ns >= 1}
    if here:
        return here
    first, last = scale.time_ns(x - NEAR_PX), scale.time_ns(x + NEAR_PX) + 1
    near = [(end - start, index) for start, end, index in spans if start < last and (end > first or start >= first)]
    longest = max((length for length, _ in near), default=None)
    return {index for length, index in near if length == longest} or {-1}


@settings(max_examples=120, deadline=None)
@given(
    st.lists(st.tuples(st.integers(0, 9), st.integers(0, 12)), max_size=25),
    st.integers(-20, 300), st.integers(1, 400), st.floats(0, 100), st.sampled_from([0, EPOCH_NS]),
)  # fmt: skip
def test_a_point_finds_what_looking_at_every_slice_finds(
    pieces: list[tuple[int, int]], start: int, span: int, x: float, origin: int
) -> None:
    begins, ends, at = [], [], origin
    for gap, length in pieces:
        begins.append(at + gap)
        ends.append(at := at + gap + length)
    columns = [np.array(values, dtype=np.int64) for values in (begins, ends)]
    kinds = np.zeros(len(pieces), dtype=np.uint8)
    row = Row(start_ns=columns[0], end_ns=columns[1], kind=kinds, slice=np.arange(len(pieces)) * 2 + 1)
    scale = Scale(0.0, 100.0, origin + start, span)
    assert nearest(row, scale, x) in by_looking_at_all(row, scale, x)


@pytest.fixture
def shown(qtbot: QtBot) -> Callable[[Results], Timelines]:
    def show(results: Results) -> Timelines:
        canvas = Timelines(ViewState(), DARK)
        qtbot.addWidget(canvas)
        canvas.resize(900, 420)
        canvas.show_results(results)
        return canvas

    return show


def test_every_row_that_shows_is_hit_where_it_is_painted(shown: Callable[[Results], Timelines]) -> None:
    """Also pinned ones, and those that are scrolled, higher than usual or cut off."""
    canvas = shown(make_pair())
    for wanted, pixels in (
        (TrackArrangement(), 0),
        (TrackArrangement(pinned=("1 CPU",)), 40),
        (TrackArrangement(heights={"0 GPU": 2.5}, rows={"1 CPU": 1}), 23),
    ):
        canvas.state.arrange_tracks(0, wanted)
        canvas.scroll_by(0, pixels)
        scene = canvas.scenes()[0]
        for place, tracks in scene.parts():
            for one in tracks:
                for row in range(max(1, one.shown)):
                    y = scene.row_top(one, row) + one.row_height / 2
                    if place.top() <= y < place.bottom():
                        found = canvas.hit_at(scene.pane.time_left + 50.0, y)
                        assert found is not None
                        assert (found.placed.track.id, found.row) == (one.track.id, row)


def told(canvas: Timelines, side: Side, group: Group, time_ns: int) -> str:
    """What a pointer tells at a time on the first track of a group."""
    scene = canvas.scenes()[0]
    one = next(one for one in scene.placed if one.track.group is group)
    x, y = scene.scale.x(time_ns) + 0.5, scene.row_top(one, 0) + one.row_height / 2
    found = canvas.hit_at(x, y)
    assert found is not None
    assert found.slice == -1
    return texts.other_details(side, found, scene.scale.time_ns(x))


def test_what_is_no_slice_tells_what_it_is(shown: Callable[[Results], Timelines]) -> None:
    side = make_side([(1, 0, 1_000, "aten::op", -1)], steps=[(0, 400), (400, 1_000)])
    times, zeros = np.array([100, 600], dtype=np.int64), np.zeros(2, dtype=np.int32)
    instants = Instants(times, zeros, zeros.astype(np.uint16), zeros + 1, times)
    counter = Counter("queue", 1, times, np.array([3.0, 0.5]))
    side = replace(side, trace=replace(side.trace, counters=(counter,), instants=instants))
    canvas = shown(Results("", "", (side,), (), (), ()))
    canvas.state.show_window(TimeWindow(0, 1_000))
    assert told(canvas, side, Group.STEP, 500).splitlines()[0] == "step 2 · 600 ns"
    assert told(canvas, side, Group.COUNTER, 300) == "queue\nvalue  3"
    assert told(canvas, side, Group.COUNTER, 50) == "queue\nvalue  —"
    assert told(canvas, side, Group.COUNTER, 700) == "queue\nvalue  0.5"
    moment = told(canvas, side, Group.INSTANT, 600)
    assert moment.splitlines() == ["aten::op", "at  600 ns", "lane  thread 1 (python3)"]
    assert told(canvas, side, Group.INSTANT, 300) == ""
