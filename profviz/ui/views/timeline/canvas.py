"""The painted timelines of all sides: a stage with a palette, marks and a pointer, painted; `hands` moves them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from PySide6.QtCore import QEvent, QRectF, QSize, Qt, QTimer, Signal
from PySide6.QtGui import QPainter, QPaintEvent, QPen, QResizeEvent
from PySide6.QtWidgets import QLabel, QSizePolicy, QWidget

from profviz.model.overview import Busy
from profviz.model.questions import Question, Unanswered
from profviz.model.results import Results, Side
from profviz.ui.view_state import Alignment, Pick, Selection, TimeRange, TimeWindow, ViewState
from profviz.ui.views.timeline import layout, overlay, texts
from profviz.ui.views.timeline.aligning import align, whole_window
from profviz.ui.views.timeline.arranging import set_rows
from profviz.ui.views.timeline.arrow_painting import MOST_ARROWS, Arrow, arrow_rects, paint_arrows
from profviz.ui.views.timeline.arrows import Arrows, is_autograd
from profviz.ui.views.timeline.backdrop import Backdrop, Heading
from profviz.ui.views.timeline.cuts import Cuts, paint_cuts
from profviz.ui.views.timeline.kinds.counters import derived
from profviz.ui.views.timeline.layout import Hit, Pane, Scale
from profviz.ui.views.timeline.marks import Mark, MarkRow, by_row
from profviz.ui.views.timeline.placing import Placing
from profviz.ui.views.timeline.play_head import paint_play_head
from profviz.ui.views.timeline.scene import Scene
from profviz.ui.views.timeline.stage import Range, Stage
from profviz.ui.views.timeline.strip import strip_of
from profviz.ui.views.timeline.track_list import TrackList
from profviz.ui.views.timeline.tracks import Track
from profviz.ui.widgets.paint_faults import told
from profviz.ui.widgets.palette import Palette
from profviz.ui.widgets.timeline_look import Look

COUNTERS = "counters"
"""The question whose answer is a tuple of counters worked out from a side's trace."""


class TimelineCanvas(QWidget):
    """One pane a side on one time axis. `aligned` is sent when the steps under each other changed."""

    aligned = Signal()

    def __init__(self, state: ViewState, palette: Palette) -> None:
        super().__init__()
        self.state = state
        self.stage = Stage(state)
        self.look = Look(palette, self.font())
        self.pointer: tuple[float, float] | None = None
        """Where the mouse rests on the time of a pane."""
        self.by_key = False
        """Whether the focus came by key: then it is framed."""
        self.marks: tuple[Mark, ...] = ()
        self.picked: Mark | None = None
        self._mark_rows: tuple[MarkRow, ...] = ()
        self._asked: Pick | None = None
        self._results: Results | None = None
        self._backdrop = Backdrop()
        self.compared: dict[int, Busy] = {}
        """When each of the compared sides is busy, as far as it is known."""
        self.arrows = Arrows(state, self)
        self._arrows: tuple[Arrow, ...] = ()
        self.cuts = Cuts(state, self)
        self.note = _note(self)
        self.setMouseTracking(True)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setAccessibleName("Timelines")
        self.setAttribute(Qt.WidgetAttribute.WA_OpaquePaintEvent)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Expanding)
        self.setMinimumSize(QSize(200, 80))
        self.set_palette(palette)
        self._listen()

    def _listen(self) -> None:
        state = self.state
        state.window_changed.connect(self._window_changed)
        state.alignment_changed.connect(self._alignment_changed)
        state.ranges_changed.connect(self._ranges_changed)
        state.tracks_changed.connect(self._tracks_changed)
        state.selection_changed.connect(self._selection_changed)
        state.play_changed.connect(lambda _: self.update())
        state.picked.connect(self._asked_for)
        self.stage.store.changed.connect(self._filled)
        self.arrows.changed.connect(self._arrows_changed)
        self.destroyed.connect(self.stage.store.close)

    # What is shown

    def show_results(self, results: Results) -> None:
        self._results = results
        self.stage.show(results.sides)
        self.pointer = None
        self.note.hide()
        self.arrows.forget()
        alignment = align(self.sides, shown=self.stage.shown_at_first)
        self.state.reset(TimeWindow(0, 1), alignment, shown=self.stage.shown_at_first)
        self.state.show_window(TimeWindow(*self.first))
        for side in range(len(self.sides)):
            self.state.ask(Question(COUNTERS, side), self._show_counters)
        self.cuts.show(results)
        self._selection_changed(self.state.selection)
        self._changed()
        self.aligned.emit()

    def _show_counters(self, question: Question, answer: Any) -> None:
        if not isinstance(answer, Unanswered) and question.side < len(self.sides):
            self.stage.store.add(question.side, derived(answer))

    def set_palette(self, palette: Palette) -> None:
        self.look = Look(palette, self.font())
        self.note.setStyleSheet(
            f"QLabel {{ background: {palette.raised}; color: {palette.text}; border: 1px solid {palette.border};"
            " border-radius: 6px; }"
        )
        self.note.setFont(self.look.font)
        self._changed()

    def set_beside(self, *, beside: bool) -> None:
        self.stage.beside = beside
        self._changed()

    def align_step(self, step: int) -> None:
        """Puts the given step of every side that shows under each other and into view."""
        alignment = self.stage.aligned(step)
        self.state.align(alignment, TimeWindow(*self.stage.first_window(alignment)))
        self.show_range(None)

    def toggle_track(self, side: int, track: Track) -> None:
        wanted = self.state.tracks_of(side)
        shown = min(wanted.rows.get(track.id, track.few), track.row_count)
        self.state.arrange_tracks(side, set_rows(wanted, [(track.id, track.toggled(shown))]))

    def show_range(self, chosen: Range | None) -> None:
        """A range in shared time, summed up for each side; None takes it away."""
        self.state.show_ranges((TimeRange(*chosen),) if chosen else (), remember=not self.state.ranges)

    # Where it stands

    @property
    def sides(self) -> tuple[Side, ...]:
        return self.stage.sides

    @property
    def tracks(self) -> tuple[TrackList, ...]:
        return self.stage.tracks

    @property
    def beside(self) -> bool:
        return self.stage.beside

    @property
    def alignment(self) -> Alignment:
        return self.state.alignment

    @property
    def range(self) -> Range | None:
        ranges = self.state.ranges
        return (ranges[0].start_ns, ranges[0].end_ns) if ranges else None

    def window_of(self, side: int) -> Range:
        window = self.state.window_of(side)
        return window.start_ns, window.end_ns

    @property
    def whole(self) -> Range:
        return whole_window(self.sides, self.alignment)

    @property
    def first(self) -> Range:
        return self.stage.first_window(self.alignment)

    def placed(self, side: int) -> Placing:
        return self.stage.placed(side)

    def arrangement(self) -> layout.Arrangement:
        self.stage.size = (self.width(), self.height())
        return self.stage.arrangement()

    def scale(self, pane: Pane) -> Scale:
        return self.stage.scale(pane)

    def scenes(self) -> list[Scene]:
        return [self._scene(pane) for pane in self.arrangement().panes]

    def _scene(self, pane: Pane) -> Scene:
        side, scale = pane.side, self.stage.scale(pane)
        zero = self.alignment.anchor_ns + self.stage.offset_ns(side)
        marks = layout.ticks(scale.start_ns, scale.start_ns + scale.span_ns, zero_ns=zero, width=scale.width)
        windows = [self.state.window_of(own) for own in range(len(self.sides))]
        header = texts.header(self._results, side, self.alignment, windows, self.tracks[side]) if self._results else ""
        placed, scroll = self.placed(side), self.stage.scroll(side)
        return Scene(pane, self.sides[side], placed, scale, scroll, header, tuple(marks))

    def scroll_by(self, side: int, pixels: int) -> None:
        self.arrangement()
        self.stage.scroll_to(side, self.stage.scroll(side) + pixels)
        self._changed()

    def pane_at(self, x: float, y: float) -> Pane | None:
        self.arrangement()
        return self.stage.pane_at(x, y)

    def hit_at(self, x: float, y: float) -> Hit | None:
        self.arrangement()
        return self.stage.hit_at(x, y)

    def shared_time(self, x: float, y: float | None = None) -> int:
        """The time under a point, in shared time; with sides zoomed freely it depends on y which one is meant."""
        self.arrangement()
        return self.stage.shared_time(x, y)

    def mark_of(self, side: int, index: int) -> Mark | None:
        return self.stage.mark_of(side, index)

    def reveal(self, mark: Mark) -> None:
        """Unfolds and scrolls so that the mark's row shows, and moves the window where its time does not."""
        one = self.placed(mark.side).of(mark.track)
        if one is not None and mark.row >= one.shown:
            rows = set_rows(self.state.tracks_of(mark.side), [(mark.track, one.track.row_count)])
            self.state.arrange_tracks(mark.side, rows, remember=False)
        self.arrangement()
        self.stage.scroll_to_row(mark.side, mark.track, mark.row)
        start, end = self.window_of(mark.side)
        offset = self.alignment.offsets_ns[mark.side]
        if mark.end_ns - offset <= start or mark.start_ns - offset >= end:
            begin = (mark.start_ns + mark.end_ns) // 2 - offset - (end - start) // 2
            self.state.show_side_window(mark.side, TimeWindow(begin, begin + end - start))  # undone with the selection
        self._changed()

    # Reactions

    def _window_changed(self, window: TimeWindow) -> None:
        self._changed()

    def _tracks_changed(self, tracks: object) -> None:
        self._changed()

    def _alignment_changed(self, alignment: Alignment) -> None:
        self._changed()
        self.aligned.emit()

    def _filled(self, side: int) -> None:
        """More tracks are worked out: what is selected may stand on one of them."""
        if self.marks or self.state.selection.slices:
            self._selection_changed(self.state.selection)
            self._arrows_changed()
        self._changed()

    def _ranges_changed(self, ranges: tuple[TimeRange, ...]) -> None:
        self.setAccessibleDescription(texts.ranges_text(ranges))
        self.update()

    def _selection_changed(self, selection: Selection) -> None:
        pick = selection.pick
        wanted = list(selection.slices)
        if pick.slice >= 0 and (pick.side, pick.slice) not in wanted:
            wanted.insert(0, (pick.side, pick.slice))
        found = [self.mark_of(side, index) for side, index in wanted[: overlay.MOST_MARKS]]
        self.marks = tuple(mark for mark in found if mark is not None)
        self._mark_rows = by_row(self.marks)
        self.picked = next((m for m in self.marks if (m.side, m.slice) == (pick.side, pick.slice)), None)
        if self.picked is None and self.marks:
            self.picked = self.marks[0]
        if self.picked is not None:
            name = self.sides[self.picked.side].trace.name_of(self.picked.slice)
            self.setAccessibleDescription(f"Selected on {self.sides[self.picked.side].title}: {name}")
        self.arrows.show((self.picked.side, self.picked.slice) if self.picked is not None else None)
        self._reveal_asked()
        self.update()

    def _arrows_changed(self) -> None:
        """Where they stand is worked out once, not in every frame."""
        found = []
        for pair in self.arrows.pairs[:MOST_ARROWS]:
            cause, effect = (self.mark_of(self.arrows.side, index) for index in pair)
            if cause is not None and effect is not None:
                found.append(Arrow(cause, effect, is_autograd(self.sides[self.arrows.side], pair)))
        self._arrows = tuple(found)
        self.update()

    def _asked_for(self, pick: Pick) -> None:
        """Only what someone picks is brought into view: undo restores its window, and that stays."""
        self._asked = pick
        self._reveal_asked()

    def _reveal_asked(self) -> None:
        if self._asked == self.state.selection.pick and self.picked is not None:
            self._asked = None
            self.reveal(self.picked)

    def _changed(self) -> None:
        self.update()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._changed()

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() == QEvent.Type.FontChange:
            self.set_palette(self.look.palette)

    # Painting

    @told
    def paintEvent(self, event: QPaintEvent) -> None:
        scenes = self.scenes()
        headings = self._headings(scenes)
        painter = QPainter(self)
        ratio, strip = self.devicePixelRatioF(), strip_of(self.arrangement(), scenes, self.compared)
        painter.drawImage(0, 0, self._backdrop.painted(headings, self.size(), ratio, self.look, strip=strip))
        if self._backdrop.is_waiting:
            QTimer.singleShot(0, self, self.update)
        if scenes:
            self._paint_over(painter, scenes)
        if self.hasFocus() and self.by_key:
            painter.setPen(QPen(self.look.accent, 1))
            painter.setBrush(Qt.BrushStyle.NoBrush)
            painter.drawRect(self.rect().adjusted(0, 0, -1, -1))

    def _headings(self, scenes: Sequence[Scene]) -> list[Heading]:
        axes, order = {axis.side: axis for axis in self.arrangement().axes}, self.arrangement().order
        scales = [scenes[side].scale for side in order]
        notes = {side: texts.scale_note(scales, place) for place, side in enumerate(order)}
        return [Heading(scene, axes.get(at), notes.get(at, "")) for at, scene in enumerate(scenes)]

    def _paint_over(self, painter: QPainter, scenes: Sequence[Scene]) -> None:
        for scene in scenes:
            paint_cuts(painter, scene, self.cuts.of(scene.pane.side), self.look)
            overlay.paint_marks(painter, scene, self._mark_rows, self.picked, self.look)
            overlay.paint_bar(painter, self.bar_rect(scene.pane), self.look)
            for chosen in self.state.ranges:
                overlay.paint_range(painter, scene, chosen, self.stage.offset_ns(scene.pane.side), self.look)
        overlay.paint_connectors(painter, self.connectors(scenes), self.look)
        paint_arrows(painter, self.arrow_rects(scenes), self.look)
        paint_play_head(painter, scenes, self.state.play, self.look)
        self._paint_pointer(painter, scenes)
        if self.state.ranges:
            overlay.paint_strip(painter, [texts.ranges_text(self.state.ranges)], self._strip_room(), self.look)

    def _strip_room(self) -> QRectF:
        """Above an axis at the bottom."""
        lowest = max((axis.top for axis in self.arrangement().axes), default=0)
        below = layout.AXIS if lowest + layout.AXIS >= self.height() else 0
        return QRectF(self.rect()).adjusted(0, 0, 0, -below)

    def connectors(self, scenes: Sequence[Scene]) -> list[tuple[QRectF, QRectF]]:
        """From the picked slice to those of the other sides that show."""
        own = overlay.mark_rect(scenes[self.picked.side], self.picked) if self.picked is not None else None
        if own is None or self.picked is None:
            return []
        others = [row for row in self._mark_rows if row.side != self.picked.side]
        return [(own, rect) for row in others for rect in overlay.row_rects(scenes[row.side], row)]

    def arrow_rects(self, scenes: Sequence[Scene]) -> list[tuple[QRectF, QRectF, bool]]:
        """From causes to effects, as far as they show, and whether they are dashed."""
        return arrow_rects(scenes, self._arrows)

    def bar_rect(self, pane: Pane) -> QRectF | None:
        """The thumb of the pane's scroll bar; None where everything fits."""
        content = self.placed(pane.side).height
        if content <= pane.body_height or pane.body_height < 24:
            return None
        height = max(20.0, pane.body_height * pane.body_height / content)
        spare = pane.body_height - height
        top = pane.body_top + spare * self.stage.scroll(pane.side) / max(1, content - pane.body_height)
        return QRectF(pane.right - 6, top, 5, height)

    def _paint_pointer(self, painter: QPainter, scenes: Sequence[Scene]) -> None:
        if self.pointer is None:
            return
        shared = self.shared_time(*self.pointer)
        axes = {axis.side: axis for axis in self.arrangement().axes}
        for scene in scenes:
            x = scene.scale.x(shared + self.alignment.offsets_ns[scene.pane.side])
            if not scene.pane.time_left <= x <= scene.pane.right:
                continue
            overlay.paint_pointer(painter, x, scene.pane.body_top, scene.pane.bottom, self.look)
            axis = axes.get(scene.pane.side)
            if axis is not None:
                text = texts.format_exact_ns(shared - self.alignment.anchor_ns)
                overlay.paint_time(painter, x, axis.top, layout.AXIS, text, scene.pane.right, self.look)


def _note(parent: QWidget) -> QLabel:
    """The box that tells what the pointer is at."""
    note = QLabel(parent)
    note.setTextFormat(Qt.TextFormat.PlainText)
    note.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
    note.setWordWrap(True)
    note.setMargin(8)
    note.hide()
    return note
