"""What mouse and keys do on the timelines, as the table in `keys` says; it paints nothing itself."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from PySide6.QtCore import QEvent, QKeyCombination, QPoint, QPointF, Qt
from PySide6.QtGui import (
    QContextMenuEvent,
    QFocusEvent,
    QKeyEvent,
    QKeySequence,
    QMouseEvent,
    QPainter,
    QResizeEvent,
    QWheelEvent,
)
from PySide6.QtWidgets import QApplication

from profviz.model.results import Results
from profviz.ui.view_state import KeptMark, Pick, ViewState
from profviz.ui.views.timeline import hand_painting, keeping, layout, texts
from profviz.ui.views.timeline.canvas import TimelineCanvas
from profviz.ui.views.timeline.comparing import Comparing
from profviz.ui.views.timeline.dragging import AlignDrag, BarDrag, Drag, EdgeDrag, PanDrag, RangeDrag, TitleDrag
from profviz.ui.views.timeline.keys import ACTIONS
from profviz.ui.views.timeline.marking import Marking
from profviz.ui.views.timeline.moving import PAN_STEP, ZOOM_STEP, Moving
from profviz.ui.views.timeline.picking import Picking
from profviz.ui.views.timeline.placing import Placed
from profviz.ui.views.timeline.scene import Scene
from profviz.ui.views.timeline.searching import Search
from profviz.ui.views.timeline.track_hands import TrackHands, track_details
from profviz.ui.widgets.palette import Palette
from profviz.ui.widgets.view_actions import Deed

WHEEL_NOTCH, SCROLL_PX = 120, 51
EDGE_PX = 4
NOTE_WIDTH = 420
SHIFT, CONTROL = Qt.KeyboardModifier.ShiftModifier, Qt.KeyboardModifier.ControlModifier
Key = Qt.Key


def _combinations() -> dict[QKeyCombination, str]:
    """Action ids by key; Enter of the number pad is Enter."""
    known = {}
    for action in ACTIONS:
        for key in () if action.mouse else action.keys:
            known[QKeySequence(key.replace("Enter", "Return"))[0].toCombined()] = action.id
    return known


class Timelines(TimelineCanvas):
    """The canvas with its hands: each of them knows how to do a part of the table."""

    def __init__(self, state: ViewState, palette: Palette) -> None:
        self.tracks_hand: TrackHands | None = None
        super().__init__(state, palette)
        self.moving = Moving(self)
        self.picking = Picking(self)
        self.marking = Marking(self, self.moving, self.picking)
        self.search = Search(state, self)
        self.tracks_hand = TrackHands(self)
        self.comparing = Comparing(self)
        self.search_asked: Callable[[], None] = lambda: None
        self._deeds, self._track_deeds = self._make_deeds(), frozenset(self.tracks_hand.deeds)
        self._combinations = _combinations()
        self._pressed: QPointF | None = None
        self._hovered: QPointF | None = None
        self._drag: Drag | None = None
        self._ranged = 0
        self.search.changed.connect(self.update)
        self.search.stepped.connect(self.update)

    def show_results(self, results: Results) -> None:
        self._drag = self._pressed = self._hovered = None
        self._ranged = 0
        super().show_results(results)
        self.marking.forget()
        self.search.show_sides(self.sides)
        self.comparing.refresh()
        if self.tracks_hand is not None:
            self.tracks_hand.forget()

    # What can be done

    @property
    def deeds(self) -> dict[str, Deed]:
        """What the actions of `keys` that need no mouse do, by id; nothing without sides."""
        return self._deeds if self.sides else {}

    def _make_deeds(self) -> dict[str, Deed]:
        move, pick = self.moving, self.picking
        return {
            "zoom_in": Deed(lambda: move.zoom(ZOOM_STEP)),
            "zoom_out": Deed(lambda: move.zoom(1 / ZOOM_STEP)),
            "pan_left": Deed(lambda: move.pan(-PAN_STEP)),
            "pan_right": Deed(lambda: move.pan(PAN_STEP)),
            "scroll_up": Deed(lambda: self.scroll_by(move.side, -SCROLL_PX)),
            "scroll_down": Deed(lambda: self.scroll_by(move.side, SCROLL_PX)),
            "fit": Deed(move.fit),
            "reset_zoom": Deed(move.reset),
            "whole_trace": Deed(move.show_whole),
            "clear": Deed(self.clear, self.can_clear),
            "mark": Deed(pick.mark, lambda: pick.has_pick),
            "next_slice": Deed(lambda: pick.step(1)),
            "previous_slice": Deed(lambda: pick.step(-1)),
            "follow_launch": Deed(pick.follow, lambda: pick.has_pick),
            "follow_back": Deed(pick.follow_back, lambda: pick.has_pick),
            "arrows": Deed(self.arrows.toggle),
            "search": Deed(lambda: self.search_asked()),
            "next_hit": Deed(lambda: self.search.step(1), lambda: len(self.search.hits) > 0),
            "previous_hit": Deed(lambda: self.search.step(-1), lambda: len(self.search.hits) > 0),
            **self.marking.deeds,
            **self.tracks_hand.deeds,
            **self.comparing.deeds,
        }

    def can_clear(self) -> bool:
        selection = self.state.selection
        return bool(self.marks or self.range or selection.nodes or selection.slices or self.search.text)

    def clear(self) -> None:
        """The selection and ranges first, the search once nothing else is left."""
        selection = self.state.selection
        if self.marks or self.range or selection.nodes or selection.slices:
            self.show_range(None)
            self.state.pick(Pick())
        else:
            self.search.look_for("")

    # Events

    def keyPressEvent(self, event: QKeyEvent) -> None:
        id_ = self._action_of(event)
        deed = self.deeds.get(id_)
        if deed is not None and deed.usable():
            deed.run()
            self._look_again(touches=id_ not in self._track_deeds)  # a second key is for the same track
        else:
            super().keyPressEvent(event)

    def _action_of(self, event: QKeyEvent) -> str:
        """The action of a key; Shift that only helped to type a sign, or did nothing of its own, does not count."""
        modifiers = event.modifiers() & ~Qt.KeyboardModifier.KeypadModifier & ~Qt.KeyboardModifier.GroupSwitchModifier
        key = Key.Key_Return if event.key() == Key.Key_Enter else Key(event.key())
        for own in (modifiers, modifiers & ~SHIFT):
            found = self._combinations.get(QKeyCombination(own, key).toCombined())
            if found is not None:
                return found
        return ""

    def wheelEvent(self, event: QWheelEvent) -> None:
        if not self.sides:
            return
        delta, at = event.angleDelta(), event.position()
        notches = (delta.y() or delta.x()) / WHEEL_NOTCH
        side = self.stage.pane_near(at.x(), at.y()).side
        if event.modifiers() & CONTROL:
            self.moving.zoom(ZOOM_STEP**notches, point=(at.x(), at.y()))
        elif event.modifiers() & SHIFT:
            self.moving.pan(-notches * PAN_STEP, side=side)
        elif delta.x() and abs(delta.x()) > abs(delta.y()):
            self.moving.pan(-delta.x() / WHEEL_NOTCH * PAN_STEP, side=side)
        else:
            self.scroll_by(side, -round(notches * SCROLL_PX))
        self._look_again()
        event.accept()

    def mousePressEvent(self, event: QMouseEvent) -> None:
        if event.button() is Qt.MouseButton.LeftButton and self.sides:
            self._pressed = event.position()
            self._drag = self._drag_at(event.position(), event.modifiers())
            self._modifiers = event.modifiers()

    def _drag_at(self, point: QPointF, modifiers: Qt.KeyboardModifier) -> Drag | None:
        """What begins at once where the mouse was pressed; ranges and titles only once it moved."""
        pane = self.pane_at(point.x(), point.y())
        if pane is None:
            return None
        if self.bar_rect(pane) is not None and point.x() > pane.right - layout.RIGHT:
            return BarDrag(self, pane, point)
        if modifiers & SHIFT:
            return PanDrag(self, self.moving, pane, point)
        if point.y() < pane.body_top and self.comparing.has_two():
            return AlignDrag(self, self.comparing, pane, point)
        edge = self._edge_at(point)
        return EdgeDrag(self, pane.side, edge, point) if edge is not None else None

    def _edge_at(self, point: QPointF) -> Placed | None:
        """The track whose lower edge is under a point in the gutter."""
        pane = self.pane_at(point.x(), point.y())
        if pane is None or point.x() >= pane.time_left or point.y() < pane.body_top:
            return None
        scene = self.scenes()[pane.side]
        for above in range(2 * EDGE_PX):
            found = self.hit_at(point.x(), point.y() - above)
            if found is not None:
                bottom = scene.row_top(found.placed, 0) + found.placed.height
                return found.placed if abs(bottom - point.y()) <= EDGE_PX else None
        return None

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        if not self.sides:
            return
        point = event.position()
        if self._pressed is None:
            self._point_at(point)
            return
        if self._drag is None and self._far(point):
            self._drag = self._late_drag()
        if self._drag is not None:
            self.note.hide()
            self.setCursor(self._drag.cursor)
            self._drag.move(point, event.modifiers())

    def _far(self, point: QPointF) -> bool:
        assert self._pressed is not None
        return (point - self._pressed).manhattanLength() >= QApplication.startDragDistance() / 2

    def _late_drag(self) -> Drag | None:
        assert self._pressed is not None
        pane = self.pane_at(self._pressed.x(), self._pressed.y())
        if pane is None:
            return None
        if self._pressed.x() >= pane.time_left:
            return RangeDrag(self, self._pressed, self._modifiers)
        found = self.hit_at(self._pressed.x(), self._pressed.y())
        return TitleDrag(self, pane.side, found.placed) if found is not None else None

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        if event.button() is not Qt.MouseButton.LeftButton or self._pressed is None:
            return
        drag, self._pressed, self._drag = self._drag, None, None
        if drag is None:
            self._click(event.position())
        else:
            drag.end()
            self._point_at(event.position())
        self.update()

    def _click(self, point: QPointF) -> None:
        mark = self.marking.at(self.scenes(), point.x(), point.y())
        if mark is not None:
            self.marking.go_to(mark)
            return
        found, pane = self.hit_at(point.x(), point.y()), self.pane_at(point.x(), point.y())
        if found is not None and pane is not None and point.x() < pane.time_left:
            if found.placed.track.foldable:
                self.toggle_track(found.side, found.placed.track)
        elif found is not None and found.slice >= 0:
            self.show_range(None)
            self.picking.pick(found.side, found.slice)
        elif pane is not None and (self.range or self.marks):
            self.show_range(None)
            self.state.pick(Pick())

    def mouseDoubleClickEvent(self, event: QMouseEvent) -> None:
        point = event.position()
        kept = self.marking.at(self.scenes(), point.x(), point.y()) if self.sides else None
        if kept is not None:
            self.marking.edit(kept)
            return
        found = self.hit_at(point.x(), point.y()) if self.sides else None
        if found is None or found.slice < 0 or point.x() < self._time_left(point):
            return
        mark = self.mark_of(found.side, found.slice)
        if mark is not None:
            self.moving.move_to(self.moving.around(mark), side=found.side, apart=True)

    def contextMenuEvent(self, event: QContextMenuEvent) -> None:
        """By the mouse for the track under it, by key for the one touched."""
        by_mouse = event.reason() is QContextMenuEvent.Reason.Mouse
        if self.sides and QApplication.activePopupWidget() is None:
            self.tracks_hand.open_menu(event.pos() if by_mouse else None)
            event.accept()

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

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        if self.sides:
            self.tracks_hand.place_chips()

    def _changed(self) -> None:
        super()._changed()
        if self.tracks_hand is not None and self.sides:
            self.tracks_hand.place_chips()

    # Hovering

    def _look_again(self, *, touches: bool = True) -> None:
        """What lies under a mouse that rests is another thing once the timelines have moved below it."""
        if self._hovered is not None and self._pressed is None:
            self._point_at(self._hovered, touches=touches)

    def _point_at(self, point: QPointF, *, touches: bool = True) -> None:
        self._hovered = point
        pane = self.pane_at(point.x(), point.y())
        left = self._time_left(point)
        in_time = pane is not None and point.x() >= left and point.y() >= pane.body_top
        self.pointer = (point.x(), point.y()) if in_time else None
        found = self.hit_at(point.x(), point.y())
        kept = self.marking.at(self.scenes(), point.x(), point.y())
        if found is not None and touches:
            self.tracks_hand.touch(found.side, found.placed.track.id)
        over_slice = found is not None and in_time and found.slice >= 0
        self.state.hover(Pick(side=found.side, slice=found.slice) if over_slice and found is not None else Pick())
        self.setCursor(self._cursor_at(point, found, kept))
        self._show_note(self._note_text(point, found, kept, in_time=in_time), point.toPoint())
        self.update()

    def _cursor_at(self, point: QPointF, found: layout.Hit | None, kept: KeptMark | None) -> Qt.CursorShape:
        if kept is not None:
            return Qt.CursorShape.PointingHandCursor
        if self._edge_at(point) is not None:
            return Qt.CursorShape.SizeVerCursor
        over_title = found is not None and point.x() < self._time_left(point) and found.placed.track.foldable
        return Qt.CursorShape.PointingHandCursor if over_title else Qt.CursorShape.ArrowCursor

    def _note_text(self, point: QPointF, found: layout.Hit | None, kept: KeptMark | None, *, in_time: bool) -> str:
        if kept is not None:
            return keeping.details(kept, self.sides)
        if found is None:
            return ""
        if in_time and found.slice >= 0:
            return texts.details(self.sides[found.side], found.slice)
        if not in_time:
            return track_details(found.placed)
        pane = self.arrangement().panes[found.side]
        return texts.other_details(self.sides[found.side], found, self.scale(pane).time_ns(point.x()))

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

    # Painting

    def _paint_over(self, painter: QPainter, scenes: Sequence[Scene]) -> None:
        hand_painting.paint_hits(painter, scenes, self.search, self.mark_of, self.look)
        super()._paint_over(painter, scenes)
        hand_painting.paint_touched(painter, scenes, self.tracks_hand.touched, self.look)
        hand_painting.paint_kept(painter, scenes, self.marking, self.look)
        ranging = isinstance(self._drag, RangeDrag)
        self._ranged = self._drag.side if isinstance(self._drag, RangeDrag) else self._ranged
        if self.state.ranges:
            side = self._ranged if self._ranged in self.arrangement().order else self.arrangement().order[0]
            hand_painting.paint_measures(painter, self, scenes[side], self.look, ends=ranging)
        if self._drag is not None and self._drag.line is not None:
            hand_painting.paint_drop(painter, self.width(), self._drag.line, self.look)
