"""What mouse and keys do on the timelines, as design.md's table says; it paints nothing."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from PySide6.QtCore import QElapsedTimer, QEvent, QPoint, QPointF, Qt
from PySide6.QtGui import QFocusEvent, QKeyEvent, QMouseEvent, QWheelEvent
from PySide6.QtWidgets import QApplication

from profviz.ui.view_state import Pick, TimeWindow, ViewState
from profviz.ui.views.timeline import layout, texts
from profviz.ui.views.timeline.aligning import kept_near, zoomed
from profviz.ui.views.timeline.canvas import Range, TimelineCanvas
from profviz.ui.views.timeline.overlay import Mark
from profviz.ui.widgets.palette import Palette

ZOOM_STEP, PAN_STEP = 0.75, 0.15
LEAST_SPAN_NS = 10
WHEEL_NOTCH, SCROLL_PX = 120, 51
PAUSE_MS = 700
"""Moves that follow each other faster are one step of undo."""

NOTE_WIDTH = 420
Key = Qt.Key


class Timelines(TimelineCanvas):
    """The canvas with its hands."""

    def __init__(self, state: ViewState, palette: Palette) -> None:
        super().__init__(state, palette)
        self._pressed: QPointF | None = None
        self._hovered: QPointF | None = None
        self._pressed_time = 0
        self._drag = ""
        self._drag_window: Range = (0, 1)
        self._drag_side = 0
        self._moved = QElapsedTimer()
        self._keys: dict[Key, Callable[[], None]] = {
            Key.Key_W: lambda: self.zoom(ZOOM_STEP),
            Key.Key_S: lambda: self.zoom(1 / ZOOM_STEP),
            Key.Key_A: lambda: self.pan(-PAN_STEP),
            Key.Key_D: lambda: self.pan(PAN_STEP),
            Key.Key_Left: lambda: self.pan(-PAN_STEP),
            Key.Key_Right: lambda: self.pan(PAN_STEP),
            Key.Key_Up: lambda: self._scroll_keys(-SCROLL_PX),
            Key.Key_Down: lambda: self._scroll_keys(SCROLL_PX),
            Key.Key_Plus: lambda: self.zoom(ZOOM_STEP),
            Key.Key_Minus: lambda: self.zoom(1 / ZOOM_STEP),
            Key.Key_F: self.fit,
            Key.Key_0: self.reset_zoom,
            Key.Key_Z: self.reset_zoom,
            Key.Key_M: self.mark_selection,
            Key.Key_Period: lambda: self.step(1),
            Key.Key_Comma: lambda: self.step(-1),
            Key.Key_BracketRight: self.follow_launch,
            Key.Key_BracketLeft: self.follow_back,
        }

    # Moving the window

    def move_to(self, window: Range, *, apart: bool = False) -> None:
        """`apart` makes an undo step of its own; else moves in quick succession share one."""
        remember = apart or not self._moved.isValid() or self._moved.elapsed() > PAUSE_MS
        self._moved.start()
        self.state.show_window(TimeWindow(*kept_near(window, self.whole)), remember=remember)

    def zoom(self, factor: float, *, x: float | None = None) -> None:
        """Around x, else the pointer, else the middle."""
        start, end = self.window
        at_x = self.pointer_x if x is None else x
        at = (start + end) // 2 if at_x is None else self.shared_time(at_x)
        least = min(LEAST_SPAN_NS, end - start)
        self.move_to(zoomed(self.window, at_ns=at, factor=factor, least_ns=max(1, least)))

    def pan(self, share: float) -> None:
        start, end = self.window
        by = round((end - start) * share) or (1 if share > 0 else -1)
        self.move_to((start + by, end + by))

    def fit(self) -> None:
        """First the selection, or the range where nothing is selected; then, as it fits already, the trace."""
        wanted = self._fit_window()
        if wanted is None or kept_near(wanted, self.whole) == self.window:
            wanted = self.whole
        self.move_to(wanted, apart=True)

    def _fit_window(self) -> Range | None:
        if self.picked is not None:
            return self._around(self.picked)
        return self.range

    def _around(self, mark: Mark) -> Range:
        offset = self.alignment.offsets_ns[mark.side]
        spare = max(LEAST_SPAN_NS, (mark.end_ns - mark.start_ns) // 4)
        return mark.start_ns - offset - spare, mark.end_ns - offset + spare

    def reset_zoom(self) -> None:
        self.move_to(self.first, apart=True)

    # Selecting

    def mark_selection(self) -> None:
        """Makes the picked slice's time the range, to sum up what ran meanwhile."""
        if self.picked is not None:
            offset = self.alignment.offsets_ns[self.picked.side]
            self.show_range((self.picked.start_ns - offset, self.picked.end_ns - offset))

    def clear(self) -> None:
        self.show_range(None)
        self.state.pick(Pick())

    def step(self, by: int) -> None:
        """To a neighbour on the picked slice's row; where nothing is picked, to the first visible GPU slice."""
        if self.picked is None:
            self._pick_first()
            return
        track = self.stage.store.of_id(self.picked.side, self.picked.track)
        if track is None:
            return
        row = track.rows[self.picked.row]
        at = row.place_of(self.picked.slice) + by
        if 0 <= at < len(row):
            self.state.pick(Pick(side=self.picked.side, slice=int(row.slice[at])))

    def _pick_first(self) -> None:
        for side, tracks in enumerate(self.tracks):
            offset = self.alignment.offsets_ns[side]
            start, end = (time + offset for time in self.window_of(side))
            for row in (row for track in tracks if track.of_slices for row in track.rows):
                shown = row.visible(start, end)
                if len(shown):
                    self.state.pick(Pick(side=side, slice=int(row.slice[shown.start])))
                    return

    def follow_launch(self) -> None:
        """From a launch or an operator to the first GPU slice that it asked for."""
        if self.picked is None:
            return
        links = self.sides[self.picked.side].links
        index = self.picked.slice
        if int(links.gpu_count[index]) > 0:
            self._pick_same_side(int(links.launched[int(links.first_gpu[index])]))
            return
        found = np.flatnonzero((links.op == index) & (links.launch >= 0))
        if len(found):
            self._pick_same_side(int(found[0]))

    def follow_back(self) -> None:
        """From a GPU slice to its launch, from there to the operator, from there to what called it."""
        if self.picked is None:
            return
        side, index = self.sides[self.picked.side], self.picked.slice
        steps = (side.links.launch[index], side.links.op[index], side.trace.slices.parent[index])
        target = next((int(step) for step in steps if step >= 0 and step != index), -1)
        if target >= 0:
            self._pick_same_side(target)

    def _pick_same_side(self, index: int) -> None:
        if self.picked is not None:
            self.state.pick(Pick(side=self.picked.side, slice=index))

    # Events

    def keyPressEvent(self, event: QKeyEvent) -> None:
        plain = event.modifiers() & ~Qt.KeyboardModifier.KeypadModifier & ~Qt.KeyboardModifier.ShiftModifier
        action = self._keys.get(Key(event.key()))
        if event.key() == Key.Key_Escape and (self.marks or self.range or self.state.selection.nodes):
            self.clear()
        elif action is not None and self.sides and plain == Qt.KeyboardModifier.NoModifier:
            action()
            self._look_again()
        else:
            super().keyPressEvent(event)

    def _scroll_keys(self, pixels: int) -> None:
        pointer = self.mapFromGlobal(self.cursor().pos())
        pane = self.pane_at(pointer.x(), pointer.y())
        self.scroll_by(pane.side if pane is not None else 0, pixels)

    def wheelEvent(self, event: QWheelEvent) -> None:
        if not self.sides:
            return
        delta = event.angleDelta()
        notches = (delta.y() or delta.x()) / WHEEL_NOTCH
        modifiers = event.modifiers()
        if modifiers & Qt.KeyboardModifier.ControlModifier:
            self.zoom(ZOOM_STEP**notches, x=event.position().x())
        elif modifiers & Qt.KeyboardModifier.ShiftModifier:
            self.pan(-notches * PAN_STEP)
        elif delta.x() and abs(delta.x()) > abs(delta.y()):
            self.pan(-delta.x() / WHEEL_NOTCH * PAN_STEP)
        else:
            pane = self.pane_at(event.position().x(), event.position().y())
            if pane is not None:
                self.scroll_by(pane.side, -round(notches * SCROLL_PX))
        self._look_again()
        event.accept()

    def mousePressEvent(self, event: QMouseEvent) -> None:
        if event.button() is not Qt.MouseButton.LeftButton or not self.sides:
            return
        point = event.position()
        self._pressed = point
        self._pressed_time = self.shared_time(point.x(), point.y())
        self._drag_window = self.window
        pane = self.pane_at(point.x(), point.y())
        self._drag = ""
        if pane is not None and self.bar_rect(pane) is not None and point.x() > pane.right - layout.RIGHT:
            self._drag, self._drag_side = "bar", pane.side
        elif event.modifiers() & Qt.KeyboardModifier.ShiftModifier:
            self._drag = "pan"

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        if not self.sides:
            return
        point = event.position()
        if self._pressed is None:
            self._point_at(point)
        elif self._drag == "bar":
            self._drag_bar(point)
        elif self._drag == "pan":
            self._drag_pan(point)
        elif self._drag == "range" or self._far(point):
            self._drag = "range"
            self.note.hide()
            self.pointer = point.x(), point.y()
            pair = sorted((self._pressed_time, self.shared_time(*self.pointer)))
            self.show_range((pair[0], max(pair[1], pair[0] + 1)))

    def _far(self, point: QPointF) -> bool:
        assert self._pressed is not None
        in_time = (pane := self.pane_at(self._pressed.x(), self._pressed.y())) and self._pressed.x() >= pane.time_left
        return bool(in_time) and abs(point.x() - self._pressed.x()) >= QApplication.startDragDistance() / 2

    def _drag_bar(self, point: QPointF) -> None:
        assert self._pressed is not None
        pane = self.arrangement().panes[self._drag_side]
        content = self.placed(self._drag_side).height
        self.scroll_by(self._drag_side, round((point.y() - self._pressed.y()) * content / max(1, pane.body_height)))
        self._pressed = point

    def _drag_pan(self, point: QPointF) -> None:
        assert self._pressed is not None
        start, end = self._drag_window
        width = self.arrangement().panes[0].time_width
        by = round((point.x() - self._pressed.x()) * (end - start) / width)
        self.move_to((start - by, end - by))

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        if event.button() is not Qt.MouseButton.LeftButton or self._pressed is None:
            return
        dragged, self._pressed, self._drag = self._drag, None, ""
        if not dragged:
            self._click(event.position())

    def _click(self, point: QPointF) -> None:
        found = self.hit_at(point.x(), point.y())
        pane = self.pane_at(point.x(), point.y())
        if found is not None and pane is not None and point.x() < pane.time_left:
            if found.placed.track.foldable:
                self.toggle_track(found.side, found.placed.track)
            return
        if found is not None and found.slice >= 0:
            self.show_range(None)
            self.state.pick(Pick(side=found.side, slice=found.slice))
        elif pane is not None and (self.range or self.marks):
            self.clear()

    def mouseDoubleClickEvent(self, event: QMouseEvent) -> None:
        found = self.hit_at(event.position().x(), event.position().y()) if self.sides else None
        if found is None or found.slice < 0 or event.position().x() < self._time_left(event.position()):
            return
        mark = self.mark_of(found.side, found.slice)
        if mark is not None:
            self.move_to(self._around(mark), apart=True)

    def _time_left(self, point: QPointF) -> float:
        pane = self.pane_at(point.x(), point.y())
        return float(pane.time_left) if pane is not None else 0.0

    def leaveEvent(self, event: QEvent) -> None:
        super().leaveEvent(event)
        self._hovered = self.pointer = None
        self.note.hide()
        self.state.hover(Pick())
        self.update()

    def focusInEvent(self, event: QFocusEvent) -> None:
        super().focusInEvent(event)
        tabbed = (Qt.FocusReason.TabFocusReason, Qt.FocusReason.BacktabFocusReason, Qt.FocusReason.ShortcutFocusReason)
        self.by_key = event.reason() in tabbed
        self.update()

    def focusOutEvent(self, event: QFocusEvent) -> None:
        super().focusOutEvent(event)
        self.update()

    # Hovering

    def _look_again(self) -> None:
        """What lies under a mouse that rests is another thing once the timelines have moved below it."""
        if self._hovered is not None and self._pressed is None:
            self._point_at(self._hovered)

    def _point_at(self, point: QPointF) -> None:
        self._hovered = point
        pane = self.pane_at(point.x(), point.y())
        left = self._time_left(point)
        in_time = pane is not None and point.x() >= left and point.y() >= pane.body_top
        self.pointer = (point.x(), point.y()) if in_time else None
        found = self.hit_at(point.x(), point.y())
        text = ""
        if found is not None and in_time and found.slice >= 0:
            text = texts.details(self.sides[found.side], found.slice)
            self.state.hover(Pick(side=found.side, slice=found.slice))
        else:
            self.state.hover(Pick())
            text = self._other_text(found, point, in_time=in_time) if found is not None and pane is not None else ""
        over_title = found is not None and pane is not None and point.x() < left and found.placed.track.foldable
        self.setCursor(Qt.CursorShape.PointingHandCursor if over_title else Qt.CursorShape.ArrowCursor)
        self._show_note(text, point.toPoint())
        self.update()

    def _other_text(self, found: layout.Hit, point: QPointF, *, in_time: bool) -> str:
        """At a track's title, or at a span, a moment or values that are no slices."""
        if not in_time:
            return self._gutter_text(found)
        pane = self.arrangement().panes[found.side]
        return texts.other_details(self.sides[found.side], found, self.scale(pane).time_ns(point.x()))

    @staticmethod
    def _gutter_text(found: layout.Hit) -> str:
        track = found.placed.track
        hidden = track.row_count - found.placed.shown
        rows = f"{track.row_count} rows" if track.row_count != 1 else "1 row"
        action = f", {hidden} hidden: click to show all" if hidden else ", click to fold" if track.foldable else ""
        lines = [track.title, *([track.about] if track.about else []), *([rows + action] if track.rows else [])]
        return "\n".join(lines) if not track.missing else f"{track.title}: {track.missing}"

    def _show_note(self, text: str, point: QPoint) -> None:
        if not text:
            self.note.hide()
            return
        if text != self.note.text():
            self.note.setText(text)
            metrics = self.note.fontMetrics()
            longest = max(metrics.horizontalAdvance(line) for line in text.splitlines()) + 2 * self.note.margin() + 6
            self.note.setFixedWidth(max(40, min(NOTE_WIDTH, longest, self.width() - 16)))
            self.note.adjustSize()
        x = point.x() + 16
        if x + self.note.width() > self.width() - 4:
            x = max(4, point.x() - self.note.width() - 16)
        y = point.y() + 18
        if y + self.note.height() > self.height() - 4:
            y = max(4, point.y() - self.note.height() - 12)
        self.note.move(x, y)
        self.note.show()
        self.note.raise_()
