"""Steps of undo: back and forth, and no more of them than are worth their memory."""

from __future__ import annotations

from profviz.ui.view_state import MOST_UNDONE, TimeWindow, ViewState


def test_undo_goes_back_as_far_as_is_kept_and_redo_returns() -> None:
    state = ViewState()
    state.reset(TimeWindow(0, 1))
    count = MOST_UNDONE + 20
    for end_ns in range(2, count + 2):
        state.show_window(TimeWindow(0, end_ns), remember=True)
    for _ in range(count):
        state.undo()
    assert state.window.end_ns == 1 + 20
    for _ in range(count):
        state.redo()
    assert state.window.end_ns == count + 1


def test_a_change_forgets_what_was_undone() -> None:
    state = ViewState()
    state.reset(TimeWindow(0, 1))
    for end_ns in (5, 6):
        state.show_window(TimeWindow(0, end_ns), remember=True)
    state.undo()
    state.show_window(TimeWindow(0, 9), remember=True)
    state.redo()
    assert state.window.end_ns == 9
    state.undo()
    assert state.window.end_ns == 5
