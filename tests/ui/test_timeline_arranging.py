"""Arranging tracks: pure values, by id, and one step of undo each."""

from __future__ import annotations

from dataclasses import dataclass

import pytest

from profviz.ui.view_state import AS_IT_CAME, TimeWindow, TrackArrangement, ViewState
from profviz.ui.views.timeline.arranging import (
    MOST_HEIGHT,
    arranged,
    filter_by,
    hide,
    move_by,
    move_to,
    only,
    resize,
    set_height,
    set_rows,
    show,
    show_all,
    toggle_pin,
)


@dataclass(frozen=True)
class One:
    id: str
    title: str


TRACKS = tuple(One(id_, f"stream {id_}") for id_ in "abcde")


def shown(wanted: TrackArrangement) -> str:
    return "".join(track.id for track in arranged(TRACKS, wanted).shown)


def test_without_wishes_everything_stands_as_it_came() -> None:
    assert shown(AS_IT_CAME) == "abcde"


def test_pinned_tracks_stand_on_top_in_the_order_of_pinning() -> None:
    wanted = toggle_pin(toggle_pin(AS_IT_CAME, "d"), "b")
    assert [track.id for track in arranged(TRACKS, wanted).pinned] == ["d", "b"]
    assert shown(wanted) == "dbace"
    assert shown(toggle_pin(wanted, "d")) == "bacde"


def test_hidden_tracks_are_kept_apart_and_come_back() -> None:
    wanted = hide(AS_IT_CAME, ["b", "e"])
    assert shown(wanted) == "acd"
    assert [track.id for track in arranged(TRACKS, wanted).hidden] == ["b", "e"]
    assert shown(show(wanted, ["e"])) == "acde"
    assert shown(show_all(filter_by(wanted, "stream a"))) == "abcde"
    assert shown(toggle_pin(wanted, "b")) == "bacd"


def test_only_hides_all_the_others() -> None:
    assert shown(only(TRACKS, filter_by(AS_IT_CAME, "x"), ["c", "d"])) == "cd"


@pytest.mark.parametrize(("by", "order"), [(1, "abdce"), (-1, "acbde"), (9, "abdec"), (-9, "cabde")])
def test_a_track_moves_among_those_that_show(by: int, order: str) -> None:
    assert shown(move_by(TRACKS, AS_IT_CAME, "c", by)) == order


def test_moving_passes_over_what_is_hidden_and_leaves_it_in_its_place() -> None:
    wanted = move_by(TRACKS, hide(AS_IT_CAME, ["d"]), "c", 1)
    assert shown(wanted) == "abec"
    assert shown(show_all(wanted)) == "abedc"


def test_pinned_tracks_move_among_themselves() -> None:
    wanted = toggle_pin(toggle_pin(AS_IT_CAME, "a"), "b")
    assert shown(move_by(TRACKS, wanted, "b", -1)) == "bacde"
    assert shown(move_to(TRACKS, wanted, "a", 1)) == "bacde"


def test_an_order_from_other_tracks_moves_only_those_it_names() -> None:
    assert shown(TrackArrangement(order=("gone", "e", "b"))) == "aecdb"


def test_words_keep_the_tracks_that_have_them_all_and_the_pinned_ones() -> None:
    wanted = filter_by(toggle_pin(AS_IT_CAME, "e"), "  C Stream ")
    assert shown(wanted) == "ec"
    assert [track.id for track in arranged(TRACKS, wanted).filtered] == ["a", "b", "d"]


def test_heights_are_bounded_and_the_usual_one_is_not_kept() -> None:
    taller = resize(AS_IT_CAME, "a", taller=True)
    assert taller.heights["a"] > 1
    assert resize(taller, "a", taller=False) == AS_IT_CAME
    assert set_height(AS_IT_CAME, "a", 99.0).heights["a"] == MOST_HEIGHT


def test_rows_are_told_by_track() -> None:
    wanted = set_rows(set_rows(AS_IT_CAME, [("a", 3), ("b", 1)]), [("a", 5)])
    assert wanted.rows == {"a": 5, "b": 1}


def test_the_state_undoes_an_arrangement_of_one_side(qapp: object) -> None:
    state = ViewState()
    state.reset(TimeWindow(0, 9))
    told: list[object] = []
    state.tracks_changed.connect(told.append)
    state.arrange_tracks(1, hide(AS_IT_CAME, ["a"]))
    assert state.tracks_of(0) == AS_IT_CAME
    assert state.tracks_of(1).hidden == {"a"}
    state.undo()
    assert state.tracks_of(1) == AS_IT_CAME
    state.redo()
    assert state.tracks_of(1).hidden == {"a"}
    assert len(told) == 3
