"""Every key and gesture of the timelines' table, and the window's own keys, done in a real window on real traces."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import pytest
from driving import ROOT
from PySide6.QtCore import QEvent, QObject, QPoint, Qt
from PySide6.QtGui import QKeySequence
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QWidget
from timeline_bench import LEFT, NO_KEYS, Bench, Seen, linger, look, wait

from profviz.ui import window_dialogs
from profviz.ui.commands import VIEW_ACTIONS
from profviz.ui.main_window import MainWindow
from profviz.ui.settings import Settings
from profviz.ui.theme import Theme
from profviz.ui.widgets.shell_keys import KeySheet
from profviz.ui.widgets.shell_picker import Picker

pytestmark = pytest.mark.qt_log_ignore("This plugin does not support", extend=True)
TRACES = [ROOT / "samples" / "traces" / name for name in ("mlp_eager.json.gz", "mlp_compiled.json.gz")]
SHIFT, CONTROL, ALT = (
    Qt.KeyboardModifier.ShiftModifier,
    Qt.KeyboardModifier.ControlModifier,
    Qt.KeyboardModifier.AltModifier,
)
TIMELINE = next(group.actions for group in VIEW_ACTIONS if group.view == "timeline")
GRAPHS = next(group.actions for group in VIEW_ACTIONS if group.view == "graphs")
KEYS = [(action.id, key) for action in TIMELINE if not action.mouse for key in action.keys]
GESTURES = [action.id for action in TIMELINE if action.mouse]


@pytest.fixture(scope="module")
def window(qapp: QApplication, tmp_path_factory: pytest.TempPathFactory) -> Iterator[MainWindow]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("PROFVIZ_HOME", str(tmp_path_factory.mktemp("home")))
        made = MainWindow(Theme(qapp, preference="dark"), Settings(), idle=False)
        made.resize(1600, 900)  # so low that tracks scroll
        made.show()
        shown: list[bool] = []
        made.results_shown.connect(lambda: shown.append(True))
        made.open_paths([str(path) for path in TRACES])
        wait(lambda: shown)
        made.activateWindow()
        wait(made.isActiveWindow)
        yield made
        made.close()
        made.deleteLater()
        QApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete)


def scrolled(bench: Bench) -> None:
    bench.canvas.tracks_hand.deeds["fold_all"].run()
    bench.canvas.tracks_hand.deeds["fold_all"].run()
    bench.canvas.scroll_by(0, 200)


def at_top(bench: Bench) -> None:
    scrolled(bench)
    bench.canvas.scroll_by(0, -1_000)


def hidden(bench: Bench) -> None:
    bench.canvas.tracks_hand.deeds["hide"].run()


def searched(bench: Bench) -> None:
    bench.search("kernel")
    assert len(bench.canvas.search.hits)


def launched(bench: Bench) -> None:
    bench.pick()
    bench.canvas.deeds["follow_back"].run()


def second_track(bench: Bench) -> None:
    bench.canvas.tracks_hand.touch(0, bench.canvas.placed(0)[1].track.id)


def foldable(bench: Bench) -> None:
    one = next(one for one in bench.canvas.placed(0) if one.track.foldable)
    bench.canvas.tracks_hand.touch(0, one.track.id)


def both_picked(bench: Bench) -> None:
    bench.pick()
    bench.canvas.deeds["align_slices"].run()
    bench.pick(side=1)


def at_first_step(bench: Bench) -> None:
    bench.canvas.align_step(0)


def ranged(bench: Bench) -> None:
    bench.pick()
    bench.canvas.deeds["mark"].run()


BEFORE: dict[str, Callable[[Bench], None]] = {
    "scroll_up": scrolled,
    "scroll_down": at_top,
    "clear": Bench.pick,
    "mark": Bench.pick,
    "keep_mark": Bench.pick,
    "fit": Bench.pick,
    "next_slice": Bench.pick,
    "previous_slice": Bench.pick,
    "follow_back": Bench.pick,
    "follow_launch": launched,
    "next_hit": searched,
    "previous_hit": searched,
    "sum_track": ranged,
    "show_hidden": hidden,
    "only_process": Bench.pick,
    "move_up": second_track,
    "move_down": second_track,
    "fold": foldable,
    "align_slices": both_picked,
    "next_step": at_first_step,
}

Check = Callable[[Seen, Seen], bool]
AFTER: dict[str, Check] = {
    "arrows": lambda a, b: b.arrows is not a.arrows,
    "align_slices": lambda a, b: b.now.alignment != a.now.alignment,
    "previous_step": lambda a, b: b.now.alignment.step == a.now.alignment.step - 1,
    "next_step": lambda a, b: b.now.alignment.step == a.now.alignment.step + 1 and b.start > a.start,
    "whole_trace": lambda a, b: b.span > 2 * a.span,
    "arrange_sides": lambda a, b: b.beside is not a.beside,
    "swap_sides": lambda a, b: b.now.shown == (1, 0),
    "zoom_freely": lambda a, b: len(b.now.own_windows) == 2,
    "show_difference": lambda a, b: b.strip != a.strip,
    "zoom_in": lambda a, b: b.span < a.span,
    "zoom_out": lambda a, b: b.span > a.span,
    "pan_left": lambda a, b: b.start < a.start and b.span == a.span,
    "pan_right": lambda a, b: b.start > a.start and b.span == a.span,
    "scroll_up": lambda a, b: b.scroll[0] < a.scroll[0],
    "scroll_down": lambda a, b: b.scroll[0] > a.scroll[0],
    "fit": lambda a, b: b.span < a.span,
    "reset_zoom": lambda a, b: b.span > a.span,
    "clear": lambda a, b: bool(a.now.selection.slices) and not b.now.selection.slices,
    "mark": lambda a, b: not a.now.ranges and len(b.now.ranges) == 1,
    "keep_mark": lambda a, b: len(b.now.kept) == 1 and b.focus is not a.focus,
    "show_marks": lambda a, b: b.focus is not None and b.focus.accessibleName() == "Marks",
    "next_slice": lambda a, b: b.now.selection.pick.slice > a.now.selection.pick.slice,
    "previous_slice": lambda a, b: b.now.selection.pick.slice < a.now.selection.pick.slice,
    "search": lambda a, b: b.focus is not None and b.focus.accessibleName() == "Search slices",
    "next_hit": lambda a, b: b.at >= 0 and b.now.selection.pick.slice >= 0,
    "previous_hit": lambda a, b: b.at >= 0 and b.now.selection.pick.slice >= 0,
    "find_track": lambda a, b: b.sheet,
    "sum_track": lambda a, b: len(b.now.ranges[0].tracks) == 1,
    "pin": lambda a, b: len(b.now.tracks[0].pinned) == 1,
    "hide": lambda a, b: len(b.now.tracks[0].hidden) == 1,
    "show_hidden": lambda a, b: bool(a.now.tracks[0].hidden) and not b.now.tracks[0].hidden,
    "only_process": lambda a, b: len(b.now.tracks[0].hidden) > 0,
    "move_up": lambda a, b: bool(b.now.tracks[0].order),
    "move_down": lambda a, b: bool(b.now.tracks[0].order),
    "fold": lambda a, b: bool(b.now.tracks[0].rows),
    "fold_all": lambda a, b: bool(b.now.tracks[0].rows),
    "taller": lambda a, b: max(b.now.tracks[0].heights.values()) > 1,
    "shorter": lambda a, b: min(b.now.tracks[0].heights.values()) < 1,
    "copy_name": lambda a, b: b.copied != "",
    "filter_tracks": lambda a, b: b.focus is not None and b.focus.accessibleName() == "Filter the tracks by name",
    "track_menu": lambda a, b: b.menu,
}


def press(widget: QWidget, key: str) -> None:
    """As a keyboard sends it: a sign that needs no Shift in Qt's words has none."""
    combination = QKeySequence(key.replace("Enter", "Return"))[0]
    QTest.keyClick(widget, combination.key(), combination.keyboardModifiers())


@pytest.mark.parametrize(("id_", "key"), KEYS, ids=[f"{id_} {key}" for id_, key in KEYS])
def test_each_key_does_what_the_table_says(window: MainWindow, id_: str, key: str) -> None:
    bench = Bench(window)
    BEFORE.get(id_, lambda bench: None)(bench)
    before = look(bench)
    press(bench.canvas, key)
    after = look(bench)
    assert AFTER.get(id_, lambda a, b: a != b)(before, after), (before, after)
    bench.close_all()


def test_every_action_can_be_done_without_a_key(window: MainWindow) -> None:
    bench = Bench(window)
    wanted = {action.id for action in TIMELINE if not action.mouse}
    assert set(window.deeds_of("timeline")) == wanted
    offered = {id_ for id_, _, _ in window.actions_.entries()}
    assert {"timeline.zoom_in", "timeline.find_track", "file.open"} <= offered
    assert "timeline.mark" not in offered  # nothing is selected
    bench.pick()
    assert "timeline.mark" in {id_ for id_, _, _ in window.actions_.entries()}
    before = look(bench)
    window.actions_.run("timeline.zoom_in")
    assert AFTER["zoom_in"](before, look(bench))


def wheel_scroll(bench: Bench) -> Check:
    at_top(bench)
    bench.wheel(bench.canvas, QPoint(500, 60), -120, NO_KEYS)
    return lambda a, b: b.scroll[0] > 0 and b.span == a.span


def wheel_zoom(bench: Bench) -> Check:
    bench.wheel(bench.canvas, QPoint(500, 60), 120, CONTROL)
    return lambda a, b: b.span < a.span


def wheel_pan(bench: Bench) -> Check:
    bench.wheel(bench.canvas, QPoint(500, 60), -120, SHIFT)
    return lambda a, b: b.start > a.start and b.span == a.span


def drag_pan(bench: Bench) -> Check:
    bench.drag(bench.canvas, QPoint(500, 60), QPoint(400, 60), SHIFT)
    return lambda a, b: b.start > a.start and b.span == a.span and not b.now.ranges


def click(bench: Bench) -> Check:
    QTest.mouseClick(bench.canvas, LEFT, NO_KEYS, bench.point())
    return lambda a, b: b.now.selection.pick.slice >= 0


def drag(bench: Bench) -> Check:
    at = bench.point()
    bench.drag(bench.canvas, at, at + QPoint(120, 0))
    return lambda a, b: len(b.now.ranges) == 1 and b.now.selection == a.now.selection


def add_range(bench: Bench) -> Check:
    at = bench.point()
    bench.drag(bench.canvas, at, at + QPoint(120, 0))
    bench.drag(bench.canvas, at + QPoint(160, 0), at + QPoint(200, 0), CONTROL)
    return lambda a, b: len(b.now.ranges) == 2


def double_click(bench: Bench) -> Check:
    QTest.mouseDClick(bench.canvas, LEFT, NO_KEYS, bench.point())
    return lambda a, b: b.span < a.span / 2


def drag_title(bench: Bench) -> Check:
    bench.drag(bench.canvas, bench.title(0), bench.title(2) + QPoint(0, 20))
    return lambda a, b: bool(b.now.tracks[0].order)


def drag_edge(bench: Bench) -> Check:
    scene = bench.canvas.scenes()[0]
    one = scene.placed[1]
    at = QPoint(scene.pane.left + 40, scene.row_top(one, 0) + one.height - 1)
    bench.drag(bench.canvas, at, at + QPoint(0, 30))
    return lambda a, b: b.now.tracks[0].heights[one.track.id] > 1


def overview_drag(bench: Bench) -> Check:
    minimap = bench.view.minimap
    at = minimap.window_rect(0).center().toPoint()
    bench.drag(minimap, at, at + QPoint(30, 0))
    bench.wheel(minimap, at, 120, NO_KEYS)
    return lambda a, b: b.start != a.start and b.span < a.span


def align_drag(bench: Bench) -> Check:
    pane = bench.canvas.arrangement().panes[1]
    at = QPoint(pane.time_left + 300, pane.top + 10)
    bench.drag(bench.canvas, at, at + QPoint(50, 0))
    return lambda a, b: b.now.alignment.offsets_ns != a.now.alignment.offsets_ns


DONE: dict[str, Callable[[Bench], Check]] = {
    made.__name__: made
    for made in (
        wheel_zoom,
        wheel_scroll,
        wheel_pan,
        drag_pan,
        click,
        drag,
        add_range,
        double_click,
        drag_title,
        drag_edge,
        overview_drag,
        align_drag,
    )
}


@pytest.mark.parametrize("id_", GESTURES)
def test_each_gesture_does_what_the_table_says(window: MainWindow, id_: str) -> None:
    bench = Bench(window)
    before = look(bench)
    check = DONE[id_](bench)
    after = look(bench)
    assert check(before, after), (before, after)


@pytest.mark.parametrize("key", ["Ctrl+Shift+P", "?", "Ctrl+P"])
def test_sheets_open_from_anywhere_and_escape_goes_back(window: MainWindow, key: str) -> None:
    bench = Bench(window)
    focus = bench.view.minimap
    focus.setFocus()
    press(focus, key)
    (sheet,) = window.findChildren(Picker) or window.findChildren(KeySheet)
    press(sheet.focusProxy() or sheet, "Esc")
    QApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete)
    assert not window.findChildren(Picker) + window.findChildren(KeySheet)
    assert QApplication.focusWidget() is focus


def test_ctrl_o_opens(window: MainWindow, monkeypatch: pytest.MonkeyPatch) -> None:
    bench = Bench(window)
    asked: list[str] = []
    monkeypatch.setattr(window_dialogs, "choose_files", lambda *_, **__: asked.append("asked") or [])
    press(bench.canvas, "Ctrl+O")
    assert asked == ["asked"]


def test_undo_takes_back_zoom_selection_range_marks_and_tracks_in_turn(window: MainWindow) -> None:
    bench = Bench(window)
    seen = [bench.state._now]
    for id_ in ("zoom_out", "next_slice", "mark", "keep_mark", "pin", "fold_all"):
        bench.canvas.setFocus()
        bench.canvas.deeds[id_].run()
        seen.append(bench.state._now)
    bench.canvas.setFocus()
    for step in reversed(seen[:-1]):
        while bench.state._now != step:
            before = bench.state._now
            press(bench.canvas, "Ctrl+Z")
            assert bench.state._now != before
    press(bench.canvas, "Ctrl+Shift+Z")
    assert bench.state._now != seen[0]


def test_a_key_reaches_the_screen_in_the_next_frame(window: MainWindow) -> None:
    bench = Bench(window)
    painted: list[int] = []
    paint = bench.canvas.paintEvent

    def paint_event(event: Any) -> None:
        painted.append(bench.state.window.span_ns)
        paint(event)

    bench.canvas.paintEvent = paint_event  # type: ignore[method-assign]
    try:
        for _ in range(5):
            painted.clear()
            press(bench.canvas, "W")
            QApplication.sendPostedEvents(bench.window.windowHandle(), QEvent.Type.UpdateRequest)
            QApplication.sendPostedEvents(bench.window, QEvent.Type.UpdateRequest)
            assert painted == [bench.state.window.span_ns]
    finally:
        del bench.canvas.paintEvent


def test_an_idle_window_paints_nothing(window: MainWindow) -> None:
    bench = Bench(window)
    linger(300)

    class Watch(QObject):
        seen = 0

        def eventFilter(self, watched: QObject, event: QEvent) -> bool:
            self.seen += event.type() in (QEvent.Type.Paint, QEvent.Type.LayoutRequest)
            return False

    watch = Watch()
    bench.window.results_page.panels.installEventFilter(watch)
    linger(400)
    assert watch.seen == 0
