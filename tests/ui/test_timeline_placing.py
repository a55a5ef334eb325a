"""Where tracks stand: found by height and by id, pinned ones apart, even among a hundred thousand."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from profviz.core.raster import Row
from profviz.ui.view_state import TrackArrangement
from profviz.ui.views.timeline.placing import TRACK_GAP, place
from profviz.ui.views.timeline.tracks import Group, Track


def track(number: int, rows: int = 1, *, few: int = 1, group: Group = Group.CPU) -> Track:
    empty = np.zeros(0, dtype=np.int64)
    row = Row(start_ns=empty, end_ns=empty, kind=np.zeros(0, dtype=np.uint8), slice=empty)
    return Track(f"t{number}", f"track {number}", group, number, (row,) * rows, few)


def test_tracks_follow_each_other_with_a_gap() -> None:
    placed = place([track(0), track(1, 5, few=3), track(2, group=Group.GPU)])
    assert [(one.y, one.shown, one.row_height) for one in placed] == [(0, 1, 17), (23, 3, 17), (80, 1, 32)]
    assert placed.height == 80 + 32 + TRACK_GAP
    assert placed[-1].track.id == "t2"
    assert [one.track.id for one in placed[1:]] == ["t1", "t2"]


def test_a_height_finds_its_track_and_nothing_between_two() -> None:
    placed = place([track(0), track(1, 5, few=3)])
    found = [placed.at(y) for y in (-1, 0, 16.9, 17, 22.9, 23, 73, 74, 500)]
    assert [one.track.id if one is not None else "" for one in found] == ["", "t0", "t0", "", "", "t1", "t1", "", ""]


def test_pinned_tracks_stay_on_top_and_take_room() -> None:
    wanted = TrackArrangement(pinned=("t2", "t1"), hidden=frozenset({"t3"}), rows={"t1": 2}, heights={"t0": 2.0})
    placed = place([track(0), track(1, 5), track(2), track(3)], wanted)
    assert [(one.track.id, one.is_pinned) for one in placed] == [("t2", True), ("t1", True), ("t0", False)]
    assert placed.pinned_height == 17 + 34 + 2 * TRACK_GAP
    assert [one.track.id for one in placed.pinned()] == ["t2", "t1"]
    assert [one.track.id for one in placed.scrolled(0, 10**6)] == ["t0"]
    unpinned = placed.of("t0")
    assert unpinned is not None
    assert (unpinned.y, unpinned.row_height) == (placed.pinned_height, 34)
    assert placed.of("t3") is None


@settings(max_examples=50, deadline=None)
@given(st.lists(st.integers(1, 4), max_size=30), st.floats(-10, 900), st.floats(0, 400))
def test_what_shows_between_two_heights_is_what_overlaps_them(rows: list[int], top: float, height: float) -> None:
    placed = place([track(number, count, few=count) for number, count in enumerate(rows)])
    shown = [one.track.id for one in placed.scrolled(top, top + height)]
    overlapping = [one.track.id for one in placed if one.y < top + height and one.y + one.height > top]
    assert set(overlapping) <= set(shown)
    assert len(shown) <= len(overlapping) + 2
    assert all(a.y + a.height + TRACK_GAP == b.y for a, b in pairwise(placed))


def test_a_hundred_thousand_tracks_are_looked_up_without_being_gone_over() -> None:
    placed = place([track(number) for number in range(100_000)])
    one = placed.of("t77777")
    assert one is not None
    assert placed.at(one.y + 1) == one
    assert placed.scrolled(one.y, one.y + 40)[0].track.id == "t77777"
