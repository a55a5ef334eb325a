"""Marks are kept with a session, or in the settings by the files' paths and sizes, and come back with them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from factories import make_pair
from pytestqt.qtbot import QtBot

from profviz.engine.marks import load_marks, save_marks
from profviz.formats.session import SessionContents, write_session
from profviz.model.errors import UserError
from profviz.model.run import Run, RunRequest
from profviz.ui.mark_store import MarkStore, from_values, keys_of, to_values
from profviz.ui.settings import MARKED_LIMIT, Settings
from profviz.ui.view_state import KeptMark, TimeWindow, ViewState

PAIR = make_pair()
FIRST, SECOND = KeptMark(0, 30, 90, -1, "a range"), KeptMark(1, 12_000, 12_000, -1, "<b>moment</b>")


@pytest.fixture
def store(qtbot: QtBot) -> Iterator[MarkStore]:
    state = ViewState()
    made = MarkStore(state, Settings(), state)
    yield made
    made.close()


def state_of(store: MarkStore) -> ViewState:
    parent = store.parent()
    assert isinstance(parent, ViewState)
    return parent


def files(tmp_path: Path, *names: str) -> list[str]:
    for name in names:
        (tmp_path / name).write_text(name)
    return [str(tmp_path / name) for name in names]


def test_marks_of_traces_come_back_and_each_file_has_its_own(store: MarkStore, tmp_path: Path) -> None:
    state, (one, two) = state_of(store), files(tmp_path, "one.json", "two.json")
    store.show_results(PAIR, [one, two])
    state.keep_marks((FIRST, SECOND))
    store.forget()
    state.reset(TimeWindow(0, 9))
    assert state.kept == ()
    store.show_results(PAIR, [one, two])
    assert state.kept == (FIRST, SECOND)
    alone = replace(PAIR, sides=PAIR.sides[1:])
    store.show_results(alone, [two])
    assert state.kept == (replace(SECOND, side=0),)


def test_marks_of_another_size_are_of_another_file(store: MarkStore, tmp_path: Path) -> None:
    (path,) = files(tmp_path, "one.json")
    alone = replace(PAIR, sides=PAIR.sides[:1])
    store.show_results(alone, [path])
    state_of(store).keep_marks((FIRST,))
    Path(path).write_text("something longer")
    store.show_results(alone, [path])
    assert state_of(store).kept == ()


def test_undoing_a_mark_is_kept_as_well(store: MarkStore, tmp_path: Path) -> None:
    paths = files(tmp_path, "one.json", "two.json")
    store.show_results(PAIR, paths)
    state_of(store).keep_marks((FIRST,))
    state_of(store).undo()
    store.show_results(PAIR, paths)
    assert state_of(store).kept == ()


def test_marks_of_a_session_stand_in_it(store: MarkStore, tmp_path: Path) -> None:
    path = tmp_path / "run.profviz"
    write_session(path, SessionContents(Run(request=RunRequest(script="model.py"), state="done", started_ns=5)))
    store.show_results(PAIR, [str(path)])
    state_of(store).keep_marks((FIRST,))
    state_of(store).keep_marks((FIRST, SECOND))
    store.close()
    assert [one["note"] for one in load_marks(str(path))] == ["a range", "<b>moment</b>"]
    store.show_results(PAIR, [str(path)])
    assert state_of(store).kept == (FIRST, SECOND)


def test_two_windows_keep_each_others_marks_in_one_session(store: MarkStore, tmp_path: Path) -> None:
    path = tmp_path / "run.profviz"
    write_session(path, SessionContents(Run(request=RunRequest(script="model.py"), state="done", started_ns=5)))
    state = ViewState()
    other = MarkStore(state, Settings(), state)
    for one in (store, other):
        one.show_results(PAIR, [str(path)])
    steps = [(store, (FIRST,)), (other, (SECOND,)), (store, (FIRST, replace(FIRST, note="later"))), (store, ())]
    kept = []
    for one, marks in steps:
        state_of(one).keep_marks(marks)
        one.close()
        kept.append(sorted(value["note"] for value in load_marks(str(path))))
    assert kept == [["a range"], ["<b>moment</b>", "a range"], ["<b>moment</b>", "a range", "later"], ["<b>moment</b>"]]


def test_what_one_window_removed_does_not_come_back_with_the_next_mark_of_another(
    store: MarkStore, tmp_path: Path
) -> None:
    path = tmp_path / "run.profviz"
    write_session(path, SessionContents(Run(request=RunRequest(script="model.py"), state="done", started_ns=5)))
    save_marks(str(path), to_values((FIRST,), PAIR.sides))
    state = ViewState()
    other = MarkStore(state, Settings(), state)
    for one in (store, other):
        one.show_results(PAIR, [str(path)])
    for one, marks in ((store, ()), (other, (FIRST, SECOND))):
        state_of(one).keep_marks(marks)
        one.close()
    assert [value["note"] for value in load_marks(str(path))] == ["<b>moment</b>"]


def test_windows_that_save_at_once_lose_nothing(qtbot: QtBot, tmp_path: Path) -> None:
    path = tmp_path / "run.profviz"
    write_session(path, SessionContents(Run(request=RunRequest(script="model.py"), state="done", started_ns=5)))
    states = [ViewState() for _ in range(3)]
    others = [MarkStore(state, Settings(), state) for state in states]
    for one in others:
        one.show_results(PAIR, [str(path)])
    for number in range(6):
        for at, state in enumerate(states):
            state.keep_marks((*state.kept, replace(FIRST, note=f"{at}.{number}")))
    for one in others:
        one.close()
    kept = {value["note"] for value in load_marks(str(path))}
    assert kept == {f"{at}.{number}" for at in range(3) for number in range(6)}
    assert [file.name for file in tmp_path.iterdir()] == ["run.profviz"]


def test_a_session_that_cannot_be_written_is_told(store: MarkStore, tmp_path: Path, qtbot: QtBot) -> None:
    store.show_results(PAIR, [str(tmp_path / "gone.profviz")])
    with qtbot.waitSignal(store.problem) as told:
        state_of(store).keep_marks((FIRST,))
    assert isinstance(told.args[0], UserError)
    assert state_of(store).kept == (FIRST,)


def test_a_slice_is_found_again_only_where_it_was() -> None:
    start = int(PAIR.sides[0].trace.slices.start_ns[3])
    there, elsewhere = KeptMark(0, start, start + 5, 3), KeptMark(0, start + 1, start + 5, 3)
    assert from_values(to_values((there, elsewhere), PAIR.sides), PAIR.sides) == (there, replace(elsewhere, slice=-1))


@pytest.mark.parametrize("value", [None, 5, "x", {}, {"side": "eager"}, {"side": "who", "start_ns": 1, "end_ns": 2}])
def test_damaged_values_are_left_out(value: object) -> None:
    assert from_values([value, *to_values((FIRST,), PAIR.sides)], PAIR.sides) == (FIRST,)
    assert from_values([{"side": "eager", "start_ns": 10**30, "end_ns": 10**30}], PAIR.sides) == ()


def test_files_have_keys_of_their_own_where_each_is_a_side() -> None:
    sizes = {"a": 1, "b": 2}
    own = keys_of(["a", "b"], 2, size_of=sizes.__getitem__)
    assert own[0] == keys_of(["a"], 1, size_of=sizes.__getitem__)[0] != own[1]
    assert len(keys_of(["a", "b"], 1, size_of=sizes.__getitem__)) == 1


def test_settings_forget_the_files_marked_longest_ago() -> None:
    settings = Settings()
    for number in range(MARKED_LIMIT + 3):
        settings.keep_marks(f"k{number}", [{"n": number}])
    kept = [number for number in range(MARKED_LIMIT + 3) if settings.marks(f"k{number}")]
    assert len(kept) == MARKED_LIMIT
    settings.keep_marks("k5", [])
    assert settings.marks("k5") == []
