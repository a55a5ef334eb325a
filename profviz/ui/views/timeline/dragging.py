"""What a pressed mouse does until it is let go: draw a range, pan, scroll, move a title, resize a track."""

from __future__ import annotations

from typing import Protocol

from PySide6.QtCore import QPointF, Qt

from profviz.ui.view_state import TimeRange
from profviz.ui.views.timeline import arranging
from profviz.ui.views.timeline.canvas import TimelineCanvas
from profviz.ui.views.timeline.comparing import Comparing
from profviz.ui.views.timeline.layout import Pane
from profviz.ui.views.timeline.measuring import SNAP_PX, snapped
from profviz.ui.views.timeline.moving import Moving
from profviz.ui.views.timeline.placing import Placed
from profviz.ui.views.timeline.stage import Range


class Drag(Protocol):
    """`cursor` is shown while it goes on; `line` is where something would be put, as y within the widget, or None."""

    cursor: Qt.CursorShape
    line: float | None

    def move(self, point: QPointF, modifiers: Qt.KeyboardModifier) -> None: ...

    def end(self) -> None: ...


class PanDrag:
    """The window follows the mouse."""

    cursor = Qt.CursorShape.ClosedHandCursor
    line: float | None = None

    def __init__(self, canvas: TimelineCanvas, moving: Moving, pane: Pane, point: QPointF) -> None:
        self._canvas, self._moving, self._pane = canvas, moving, pane
        self._from_x = point.x()
        self._window: Range = canvas.window_of(pane.side)

    def move(self, point: QPointF, modifiers: Qt.KeyboardModifier) -> None:
        start, end = self._window
        by = round((point.x() - self._from_x) * (end - start) / self._pane.time_width)
        self._moving.move_to((start - by, end - by), side=self._pane.side)

    def end(self) -> None: ...


class BarDrag:
    """The thumb of a scroll bar follows the mouse."""

    cursor = Qt.CursorShape.ArrowCursor
    line: float | None = None

    def __init__(self, canvas: TimelineCanvas, pane: Pane, point: QPointF) -> None:
        self._canvas, self._pane, self._y = canvas, pane, point.y()

    def move(self, point: QPointF, modifiers: Qt.KeyboardModifier) -> None:
        content = self._canvas.placed(self._pane.side).height
        by = (point.y() - self._y) * content / max(1, self._pane.body_height)
        self._canvas.scroll_by(self._pane.side, round(by))
        self._y = point.y()

    def end(self) -> None: ...


class RangeDrag:
    """Draws a range from where the mouse was pressed; its ends snap to edges of slices of the track under them.

    With Alt they do not; with Ctrl the ranges that were there stay.
    """

    cursor = Qt.CursorShape.CrossCursor
    line: float | None = None

    def __init__(self, canvas: TimelineCanvas, point: QPointF, modifiers: Qt.KeyboardModifier) -> None:
        self._canvas = canvas
        self.side = canvas.stage.pane_near(point.x(), point.y()).side
        self._kept = canvas.state.ranges if modifiers & Qt.KeyboardModifier.ControlModifier else ()
        self._from = point
        self._begun = False

    def move(self, point: QPointF, modifiers: Qt.KeyboardModifier) -> None:
        snaps = not modifiers & Qt.KeyboardModifier.AltModifier
        at = QPointF(point.x(), min(max(point.y(), self._pane.top), self._pane.bottom - 1))
        self._canvas.pointer = at.x(), at.y()
        start, end = sorted((self._time(self._from, snaps=snaps), self._time(at, snaps=snaps)))
        chosen = TimeRange(start, max(end, start + 1))
        self._canvas.state.show_ranges((*self._kept, chosen), remember=not self._begun)
        self._begun = True

    @property
    def _pane(self) -> Pane:
        return self._canvas.arrangement().panes[self.side]

    def _time(self, point: QPointF, *, snaps: bool) -> int:
        time = self._canvas.shared_time(point.x(), point.y())
        found = self._canvas.hit_at(point.x(), point.y()) if snaps else None
        if found is None or not found.placed.track.rows:
            return time
        offset = self._canvas.stage.offset_ns(self.side)
        reach = int(SNAP_PX / self._canvas.scale(self._pane).px_per_ns)
        rows = found.placed.track.rows[: found.placed.shown]
        return snapped(rows, time + offset, reach_ns=reach) - offset

    def end(self) -> None: ...


class AlignDrag:
    """A side follows the mouse beside the others: what stands under each other is then as it was put."""

    cursor = Qt.CursorShape.SizeHorCursor
    line: float | None = None

    def __init__(self, canvas: TimelineCanvas, comparing: Comparing, pane: Pane, point: QPointF) -> None:
        self._canvas, self._comparing, self._pane = canvas, comparing, pane
        self._from_x = point.x()
        self._before = canvas.alignment
        self._begun = False

    def move(self, point: QPointF, modifiers: Qt.KeyboardModifier) -> None:
        by_ns = round((point.x() - self._from_x) / self._canvas.scale(self._pane).px_per_ns)
        self._comparing.drag(self._before, self._pane.side, by_ns, remember=not self._begun)
        self._begun = True

    def end(self) -> None: ...


class TitleDrag:
    """Moves a track among those that show; it goes there when the mouse is let go."""

    cursor = Qt.CursorShape.ClosedHandCursor

    def __init__(self, canvas: TimelineCanvas, side: int, one: Placed) -> None:
        self._canvas, self._side, self._one = canvas, side, one
        self._place = -1
        self.line: float | None = None

    def move(self, point: QPointF, modifiers: Qt.KeyboardModifier) -> None:
        scene = self._canvas.scenes()[self._side]
        group = [one for one in scene.placed if one.is_pinned is self._one.is_pinned]
        tops = [scene.row_top(one, 0) for one in group]
        before = [top + one.height / 2 < point.y() for one, top in zip(group, tops, strict=True)]
        others = [own for one, own in zip(group, before, strict=True) if one.track.id != self._one.track.id]
        self._place = sum(others)
        at = sum(before)
        self.line = float(tops[at]) - 3 if at < len(tops) else float(tops[-1] + group[-1].height + 3)
        self._canvas.update()

    def end(self) -> None:
        if self._place >= 0:
            state, tracks = self._canvas.state, self._canvas.tracks[self._side]
            wanted = arranging.move_to(tracks, state.tracks_of(self._side), self._one.track.id, self._place)
            state.arrange_tracks(self._side, wanted)


class EdgeDrag:
    """Makes a track as high as its lower edge is drawn."""

    cursor = Qt.CursorShape.SizeVerCursor
    line: float | None = None

    def __init__(self, canvas: TimelineCanvas, side: int, one: Placed, point: QPointF) -> None:
        self._canvas, self._side, self._one = canvas, side, one
        self._from_y = point.y()
        self._begun = False

    def move(self, point: QPointF, modifiers: Qt.KeyboardModifier) -> None:
        track, wanted = self._one.track, self._canvas.state.tracks_of(self._side)
        usual = max(1, self._one.shown) * track.row_height
        height = self._one.height + point.y() - self._from_y
        changed = arranging.set_height(wanted, track.id, height / usual)
        self._canvas.state.arrange_tracks(self._side, changed, remember=not self._begun)
        self._begun = self._begun or changed != wanted

    def end(self) -> None: ...
