"""Tracks that are worked out on a thread: the same as at once, newest results only, and none left behind."""

from __future__ import annotations

import gc
import weakref
from collections.abc import Sequence

import numpy as np
import pytest
from factories import make_pair, make_side
from pytestqt.qtbot import QtBot

from profviz.model.results import Results, Side
from profviz.ui.view_state import Pick, ViewState
from profviz.ui.views.timeline import filling
from profviz.ui.views.timeline.filling import TrackStore
from profviz.ui.views.timeline.hands import Timelines
from profviz.ui.views.timeline.kinds.counters import derived
from profviz.ui.views.timeline.kinds.registry import tracks_of
from profviz.ui.views.timeline.tracks import Group, Track
from profviz.ui.widgets.palette import DARK


@pytest.fixture
def large(monkeypatch: pytest.MonkeyPatch) -> None:
    """Even small traces are worked out on a thread."""
    monkeypatch.setattr(filling, "AT_ONCE", -1)


def described(tracks: Sequence[Track]) -> list[object]:
    return [(one.id, one.title, one.few, [row.slice.tolist() for row in one.rows], one.is_pending) for one in tracks]


def is_filled(store: TrackStore) -> bool:
    return all(tracks and not any(one.is_pending for one in tracks) for tracks in store.tracks)


def test_a_thread_gives_the_same_tracks_as_working_them_out_at_once(qtbot: QtBot, large: None) -> None:
    sides = make_pair().sides
    store = TrackStore()
    store.show(sides)
    assert [len(own) for own in store.tracks] == [0, 0]
    qtbot.waitUntil(lambda: is_filled(store))
    assert [described(own) for own in store.tracks] == [described(tracks_of(side)) for side in sides]
    store.close()


def test_lanes_stand_before_their_rows_are_known(qtbot: QtBot, large: None) -> None:
    store, seen = TrackStore(), []
    store.changed.connect(lambda side: seen.append([one.is_pending for one in store.tracks[side]]))
    store.show(make_pair().sides[:1])
    qtbot.waitUntil(lambda: is_filled(store))
    assert True in seen[0]
    assert not any(seen[-1])
    store.close()


def test_results_that_are_no_longer_shown_are_never_delivered(qtbot: QtBot, large: None) -> None:
    first, second = make_pair().sides
    store = TrackStore()
    store.show([first])
    store.show([second])
    qtbot.waitUntil(lambda: is_filled(store))
    qtbot.wait(20)
    assert described(store.tracks[0]) == described(tracks_of(second))
    store.close()


def test_what_was_counted_elsewhere_joins_its_group_whenever_it_comes(qtbot: QtBot, large: None) -> None:
    side = make_pair().sides[0]
    counter = derived([replace_counter(3.0)])
    for early in (True, False):
        store = TrackStore()
        store.show([side])
        if early:
            store.add(0, counter)
        qtbot.waitUntil(lambda store=store: is_filled(store) and len(store.tracks[0]) > 2)
        if not early:
            store.add(0, counter)
        groups = [one.group for one in store.tracks[0]]
        assert groups == sorted(groups)
        assert Group.DERIVED in groups
        store.add(0, derived([replace_counter(4.0)]))
        (line,) = (one.lines[0] for one in store.tracks[0] if one.group is Group.DERIVED)
        assert line.series.highest == 4.0
        store.close()


def replace_counter(value: float) -> object:
    from profviz.model.trace import Counter

    return Counter("queue", -1, np.array([5], dtype=np.int64), np.array([value]))


def test_a_selection_made_before_the_tracks_came_is_marked_when_they_do(qtbot: QtBot, large: None) -> None:
    canvas, results = Timelines(ViewState(), DARK), make_pair()
    qtbot.addWidget(canvas)
    canvas.show_results(results)
    kernel = int(results.sides[0].trace.gpu.slice[0])
    from profviz.ui.pages.selecting import resolve

    canvas.state.select(resolve(results, Pick(side=0, slice=kernel)))
    qtbot.waitUntil(lambda: is_filled(canvas.stage.store))
    assert canvas.picked is not None
    assert canvas.picked.slice == kernel
    canvas.stage.store.close()


def test_a_mistake_in_a_kind_is_told_and_not_swallowed(
    qtbot: QtBot, large: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(parts: object) -> object:
        raise RuntimeError("no such column")

    monkeypatch.setattr(filling, "plan", broken)
    store = TrackStore()
    with qtbot.captureExceptions() as caught:
        store.show(make_pair().sides)
        qtbot.waitUntil(lambda: bool(caught))
    assert str(caught[0][1]) == "no such column"
    store.close()


def test_slices_are_found_by_their_lane(qtbot: QtBot) -> None:
    side: Side = make_side([(0, 0, 9, "k", -1), (1, 0, 90, "outer", -1), (1, 5, 10, "inner", -1)])
    canvas = Timelines(ViewState(), DARK)
    qtbot.addWidget(canvas)
    canvas.show_results(Results("", "", (side,), (), (), ()))
    for index in range(3):
        mark = canvas.mark_of(0, index)
        assert mark is not None
        track = canvas.stage.store.of_id(0, mark.track)
        assert track is not None
        assert index in track.rows[mark.row].slice
    assert canvas.mark_of(0, 3) is None
    assert canvas.mark_of(1, 0) is None
    assert canvas.stage.store.of_id(0, "no such") is None


def test_a_closed_store_goes_with_its_last_reference(qtbot: QtBot, large: None) -> None:
    def used() -> weakref.ref[TrackStore]:
        store = TrackStore()
        store.show(make_pair().sides)
        qtbot.waitUntil(lambda: is_filled(store))
        store.close()
        return weakref.ref(store)

    left = used()
    gc.collect()
    assert left() is None
