"""Keeps marks: at the selection, a range or the pointer; flags on the axis, and the line to type a note in."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from PySide6.QtCore import QEvent, QObject, QRectF, Qt
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QLineEdit

from profviz.model.results import Side
from profviz.ui.view_state import KeptMark
from profviz.ui.views.timeline import layout
from profviz.ui.views.timeline.canvas import TimelineCanvas
from profviz.ui.views.timeline.keeping import added, removed, renamed, words
from profviz.ui.views.timeline.moving import Moving
from profviz.ui.views.timeline.picking import Picking
from profviz.ui.views.timeline.scene import Scene
from profviz.ui.widgets.view_actions import Deed

FLAG_WIDTH, FLAG_HEIGHT = 9, 8
EDITOR_WIDTH = 240


class Marking(QObject):
    """`list_asked` is called when the list of marks is asked for."""

    def __init__(self, canvas: TimelineCanvas, moving: Moving, picking: Picking) -> None:
        super().__init__(canvas)
        self._canvas, self._moving, self._picking = canvas, moving, picking
        self.list_asked: Callable[[], None] = lambda: None
        self._edited: KeptMark | None = None
        self.editor = QLineEdit(canvas)
        self.editor.setPlaceholderText("Note of the mark")
        self.editor.setAccessibleName("Note of the mark")
        self.editor.setFixedWidth(EDITOR_WIDTH)
        self.editor.setMaxLength(400)
        self.editor.hide()
        self.editor.returnPressed.connect(self._commit)
        self.editor.installEventFilter(self)
        canvas.state.kept_changed.connect(lambda kept: canvas.update())

    @property
    def kept(self) -> tuple[KeptMark, ...]:
        count = len(self._canvas.sides)
        return tuple(mark for mark in self._canvas.state.kept if mark.side < count)

    @property
    def sides(self) -> tuple[Side, ...]:
        return self._canvas.sides

    @property
    def deeds(self) -> dict[str, Deed]:
        return {"keep_mark": Deed(self.keep), "show_marks": Deed(lambda: self.list_asked())}

    def forget(self) -> None:
        self._edited = None
        self.editor.hide()

    # Keeping

    def keep(self) -> None:
        """At the range, else the picked slice, else the pointer, else the middle; then the note can be typed."""
        mark = self._wanted()
        if mark is not None:
            self._canvas.state.keep_marks(added(self._canvas.state.kept, mark))
            self.edit(mark)

    def _wanted(self) -> KeptMark | None:
        canvas, picked = self._canvas, self._canvas.picked
        if not canvas.sides:
            return None
        side = picked.side if picked is not None else self._moving.side
        offset = canvas.stage.offset_ns(side)
        own = (picked.start_ns, picked.end_ns) if picked is not None else None
        if canvas.range is not None and canvas.state.ranges:
            last = canvas.state.ranges[-1]
            start, end = last.start_ns + offset, last.end_ns + offset
            if own != (start, end):
                return KeptMark(side, start, end)
        if picked is not None:
            return KeptMark(side, picked.start_ns, picked.end_ns, picked.slice)
        start, end = canvas.window_of(side)
        at = canvas.shared_time(*canvas.pointer) if canvas.pointer is not None else (start + end) // 2
        return KeptMark(side, at + offset, at + offset)

    def remove(self, mark: KeptMark) -> None:
        self._canvas.state.keep_marks(removed(self._canvas.state.kept, mark))
        self.forget()

    def go_to(self, mark: KeptMark) -> None:
        """Selects a marked slice, and brings the mark into view."""
        if mark.slice >= 0:
            self._picking.pick(mark.side, mark.slice)
        self._moving.show(mark.side, mark.start_ns, mark.end_ns)

    # The note

    def edit(self, mark: KeptMark) -> None:
        self._edited = mark
        self.editor.setText(mark.note)
        self.editor.setPlaceholderText(f"Note: {words(mark, self._canvas.sides)}"[:60])
        scene = self._canvas.scenes()[mark.side]
        flag = self.flag(scene, mark)
        room = self._canvas.width() - EDITOR_WIDTH - 4
        x = min(max(flag.left() if flag is not None else scene.pane.time_left, 4.0), room)
        y = self._axis_top(mark.side) - self.editor.sizeHint().height() - 4
        self.editor.move(max(0, round(x)), max(0, y))
        self.editor.show()
        self.editor.raise_()
        self.editor.selectAll()
        self.editor.setFocus(Qt.FocusReason.ShortcutFocusReason)

    def _commit(self) -> None:
        self._take_note()
        self._leave()

    def _leave(self) -> None:
        """The mark stays whether a note was typed or not."""
        self.forget()
        self._canvas.setFocus(Qt.FocusReason.OtherFocusReason)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() == QEvent.Type.KeyPress and isinstance(event, QKeyEvent):
            if event.key() == Qt.Key.Key_Escape:
                self._leave()
                return True
        elif event.type() == QEvent.Type.FocusOut and self.editor.isVisible():
            self._take_note()  # what was typed counts also when the mouse goes elsewhere
            self.forget()
        return False

    def _take_note(self) -> None:
        if self._edited is not None and self.editor.text() != self._edited.note:
            state = self._canvas.state
            state.keep_marks(renamed(state.kept, self._edited, self.editor.text()), remember=False)
        self._edited = None

    # Flags

    def _axis_top(self, side: int) -> int:
        """The axis a side's flags stand on: its own, or the one between all."""
        axes = self._canvas.arrangement().axes
        return next((axis.top for axis in axes if axis.side == side), axes[0].top)

    def flag(self, scene: Scene, mark: KeptMark) -> QRectF | None:
        """Where a mark's flag stands; None where its time is not in view."""
        x = scene.scale.x(mark.start_ns)
        if not scene.pane.time_left - 0.5 <= x <= scene.pane.time_left + scene.pane.time_width + 0.5:
            return None
        return QRectF(x, self._axis_top(mark.side) + 1, FLAG_WIDTH, layout.AXIS - 2)

    def at(self, scenes: Sequence[Scene], x: float, y: float) -> KeptMark | None:
        """The mark whose flag is under a point."""
        for mark in reversed(self.kept):
            flag = self.flag(scenes[mark.side], mark)
            if flag is not None and flag.adjusted(-2, 0, 2, 0).contains(x, y):
                return mark
        return None
