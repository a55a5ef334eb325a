"""The painted timelines of all sides: holds tracks, window and scroll positions and paints; `hands` moves them."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QEvent, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QPainter, QPaintEvent, QPen, QPixmap, QResizeEvent
from PySide6.QtWidgets import QLabel, QSizePolicy, QWidget

from profviz.model.results import Results, Side
from profviz.ui.view_state import Alignment, Pick, Selection, TimeRange, TimeWindow, ViewState
from profviz.ui.views.timeline import layout, overlay, texts
from profviz.ui.views.timeline.aligning import align, first_window, whole_window
from profviz.ui.views.timeline.layout import Hit, Pane, Placed, Scale
from profviz.ui.views.timeline.overlay import Mark
from profviz.ui.views.timeline.painting import PanePainter, Scene, paint_axis
from profviz.ui.views.timeline.tracks import Track, tracks_of
from profviz.ui.widgets.palette import Palette
from profviz.ui.widgets.timeline_look import Look

Range = tuple[int, int]


class TimelineCanvas(QWidget):
    """One pane a side on one time axis. `aligned` is sent when the steps under each other changed."""

    aligned = Signal()

    def __init__(self, state: ViewState, palette: Palette) -> None:
        super().__init__()
        self.state = state
        self.look = Look(palette, self.font())
        self.sides: tuple[Side, ...] = ()
        self.tracks: tuple[tuple[Track, ...], ...] = ()
        self.beside = False
        self.pointer_x: float | None = None
        self.by_key = False
        """Whether the focus came by key: then it is framed."""
        self.marks: tuple[Mark, ...] = ()
        self.picked: Mark | None = None
        self._asked: Pick | None = None
        self._results: Results | None = None
        self._shown: list[dict[str, int]] = []
        self._scroll: list[int] = []
        self._layer: tuple[object, QPixmap] | None = None
        self._sums: tuple[str, ...] = ()
        self.note = QLabel(self)
        self.note.setTextFormat(Qt.TextFormat.PlainText)
        self.note.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
        self.note.setWordWrap(True)
        self.note.setMargin(8)
        self.note.hide()
        self.setMouseTracking(True)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setAccessibleName("Timelines")
        self.setAttribute(Qt.WidgetAttribute.WA_OpaquePaintEvent)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Expanding)
        self.setMinimumSize(QSize(200, 80))
        self.set_palette(palette)
        state.window_changed.connect(self._window_changed)
        state.alignment_changed.connect(self._alignment_changed)
        state.ranges_changed.connect(self._ranges_changed)
        state.selection_changed.connect(self._selection_changed)
        state.picked.connect(self._asked_for)

    # What is shown

    def show_results(self, results: Results) -> None:
        self._results = results
        self.sides = results.sides
        self.tracks = tuple(tracks_of(side) for side in results.sides)
        self._shown = [{} for _ in self.sides]
        self._scroll = [0] * len(self.sides)
        self.pointer_x = None
        self.note.hide()
        alignment = align(self.sides)
        self.state.reset(TimeWindow(*first_window(self.sides, alignment)), alignment)
        self._selection_changed(self.state.selection)
        self._changed()
        self.aligned.emit()

    def set_palette(self, palette: Palette) -> None:
        self.look = Look(palette, self.font())
        self.note.setStyleSheet(
            f"QLabel {{ background: {palette.raised}; color: {palette.text}; border: 1px solid {palette.border};"
            " border-radius: 6px; }"
        )
        self.note.setFont(self.look.font)
        self._changed()

    def set_beside(self, *, beside: bool) -> None:
        self.beside = beside
        self._changed()

    def align_step(self, step: int) -> None:
        """Puts the given step of every side under each other and into view."""
        alignment = align(self.sides, step=step)
        self.state.align(alignment, TimeWindow(*first_window(self.sides, alignment)))
        self.show_range(None)

    def toggle_track(self, side: int, track: Track) -> None:
        shown = min(self._shown[side].get(track.id, track.few), len(track.rows))
        self._shown[side][track.id] = track.toggled(shown)
        self._changed()

    def show_range(self, chosen: Range | None) -> None:
        """A range in shared time, summed up for each side; None takes it away."""
        self.state.show_ranges((TimeRange(*chosen),) if chosen else (), remember=not self.state.ranges)

    @property
    def sums(self) -> tuple[str, ...]:
        """The texts of the range's strip."""
        return self._sums

    # Where it stands

    @property
    def alignment(self) -> Alignment:
        return self.state.alignment

    @property
    def range(self) -> Range | None:
        ranges = self.state.ranges
        return (ranges[0].start_ns, ranges[0].end_ns) if ranges else None

    @property
    def window(self) -> Range:
        return self.state.window.start_ns, self.state.window.end_ns

    @property
    def whole(self) -> Range:
        return whole_window(self.sides, self.alignment)

    @property
    def first(self) -> Range:
        return first_window(self.sides, self.alignment)

    def placed(self, side: int) -> tuple[Placed, ...]:
        return layout.place(self.tracks[side], self._shown[side])

    def arrangement(self) -> layout.Arrangement:
        contents = [layout.content_height(self.placed(side)) for side in range(len(self.sides))]
        return layout.arrange(self.width(), self.height(), contents, beside=self.beside)

    def scale(self, pane: Pane) -> Scale:
        start, end = self.window
        return pane.scale(start + self.alignment.offsets_ns[pane.side], end - start)

    def scenes(self) -> list[Scene]:
        made = []
        for pane in self.arrangement().panes:
            placed, side = self.placed(pane.side), self.sides[pane.side]
            self._scroll[pane.side] = max(0, min(self._scroll[pane.side], self._spare(pane, placed)))
            header = (
                texts.header(self._results, pane.side, self.alignment, self.window, self.tracks[pane.side])
                if self._results
                else ""
            )
            made.append(Scene(pane, side, placed, self.scale(pane), self._scroll[pane.side], header))
        return made

    @staticmethod
    def _spare(pane: Pane, placed: Sequence[Placed]) -> int:
        return max(0, layout.content_height(placed) - pane.body_height)

    def scroll_by(self, side: int, pixels: int) -> None:
        self._scroll[side] += pixels
        self.scenes()  # keeps it within its bounds
        self._changed()

    def pane_at(self, x: float, y: float) -> Pane | None:
        inside = (p for p in self.arrangement().panes if p.left <= x < p.right and p.top <= y < p.bottom)
        return next(inside, None)

    def hit_at(self, x: float, y: float) -> Hit | None:
        pane = self.pane_at(x, y)
        if pane is None or y < pane.body_top:
            return None
        inner = y - pane.body_top + self._scroll[pane.side]
        return layout.hit(pane.side, self.placed(pane.side), self.scale(pane), x, inner)

    def shared_time(self, x: float) -> int:
        """The time under x, in the shared window; x left or right of the panes counts as their edge."""
        panes = self.arrangement().panes
        pane = next((p for p in panes if p.left <= x < p.right), panes[0])
        inside = min(max(x, float(pane.time_left)), float(pane.time_left + pane.time_width))
        return self.scale(pane).time_ns(inside) - self.alignment.offsets_ns[pane.side]

    def reveal(self, mark: Mark) -> None:
        """Unfolds and scrolls so that the mark's row shows, and moves the window where its time does not."""
        track = next(track for track in self.tracks[mark.side] if track.id == mark.track)
        if mark.row >= self._shown[mark.side].get(track.id, track.few):
            self._shown[mark.side][track.id] = len(track.rows)
        pane = self.arrangement().panes[mark.side]
        one = next(one for one in self.placed(mark.side) if one.track.id == mark.track)
        top, height = one.row_y(mark.row), one.track.row_height
        scroll = self._scroll[mark.side]
        self._scroll[mark.side] = max(min(scroll, top), top + height - pane.body_height)
        start, end = self.window
        offset = self.alignment.offsets_ns[mark.side]
        if mark.end_ns - offset <= start or mark.start_ns - offset >= end:
            middle = (mark.start_ns + mark.end_ns) // 2 - offset
            begin = middle - (end - start) // 2
            self.state.show_window(TimeWindow(begin, begin + end - start))  # undone with the selection
        self._changed()

    # Reactions

    def _window_changed(self, window: TimeWindow) -> None:
        self._changed()

    def _alignment_changed(self, alignment: Alignment) -> None:
        self._changed()
        self.aligned.emit()

    def _ranges_changed(self, ranges: tuple[TimeRange, ...]) -> None:
        self._sums = self._sum_up(self.range) if self.range else ()
        self.setAccessibleDescription(". ".join(self._sums))
        self.update()

    def _selection_changed(self, selection: Selection) -> None:
        pick = selection.pick
        wanted = list(selection.slices)
        if pick.slice >= 0 and (pick.side, pick.slice) not in wanted:
            wanted.insert(0, (pick.side, pick.slice))
        found = [self.mark_of(side, index) for side, index in wanted]
        self.marks = tuple(mark for mark in found if mark is not None)
        self.picked = next((m for m in self.marks if (m.side, m.slice) == (pick.side, pick.slice)), None)
        if self.picked is None and self.marks:
            self.picked = self.marks[0]
        if self.picked is not None:
            name = self.sides[self.picked.side].trace.name_of(self.picked.slice)
            self.setAccessibleDescription(f"Selected on {self.sides[self.picked.side].title}: {name}")
        self._reveal_asked()
        self.update()

    def _asked_for(self, pick: Pick) -> None:
        """Only what someone picks is brought into view: undo restores its window, and that stays."""
        self._asked = pick
        self._reveal_asked()

    def _reveal_asked(self) -> None:
        if self._asked == self.state.selection.pick:
            self._asked = None
            if self.picked is not None:
                self.reveal(self.picked)

    def mark_of(self, side: int, index: int) -> Mark | None:
        """Where a slice stands; None for one that no side has."""
        if not (0 <= side < len(self.sides) and 0 <= index < len(self.sides[side].trace.slices)):
            return None
        lane = int(self.sides[side].trace.slices.lane[index])
        for track in self.tracks[side]:
            for number, row in enumerate(track.rows if track.lane == lane else ()):
                at = row.place_of(index)
                if at >= 0:
                    return Mark(side, index, track.id, number, int(row.start_ns[at]), int(row.end_ns[at]))
        return None

    def _sum_up(self, chosen: Range) -> tuple[str, ...]:
        lines = [f"Range of {texts.length_text(chosen[1] - chosen[0])}"]
        for side, offset, tracks in zip(self.sides, self.alignment.offsets_ns, self.tracks, strict=True):
            found = texts.aggregate(side, tracks, chosen[0] + offset, chosen[1] + offset)
            lines.append(texts.range_text(side.title, found))
        return tuple(lines)

    def _changed(self) -> None:
        self._layer = None
        self.update()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._changed()

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() == QEvent.Type.FontChange:
            self.set_palette(self.look.palette)

    # Painting

    def paintEvent(self, event: QPaintEvent) -> None:
        scenes = self.scenes()
        if self._layer is None:
            self._layer = (None, self._painted_layer(scenes))
        painter = QPainter(self)
        painter.drawPixmap(0, 0, self._layer[1])
        if scenes:
            self._paint_over(painter, scenes)
        if self.hasFocus() and self.by_key:
            painter.setPen(QPen(self.look.accent, 1))
            painter.setBrush(Qt.BrushStyle.NoBrush)
            painter.drawRect(self.rect().adjusted(0, 0, -1, -1))

    def _painted_layer(self, scenes: Sequence[Scene]) -> QPixmap:
        """All that stays while the pointer moves: rows, labels, headers and axes."""
        ratio = self.devicePixelRatioF()
        layer = QPixmap(self.size() * ratio)
        layer.setDevicePixelRatio(ratio)
        layer.fill(self.look.panel)
        painter = QPainter(layer)
        axes = {axis.side for axis in self.arrangement().axes}
        for scene in scenes:
            marks = self._ticks(scene)
            PanePainter(painter, scene, self.look).paint(marks, ratio)
            if scene.pane.side in axes:
                axis = next(axis for axis in self.arrangement().axes if axis.side == scene.pane.side)
                note = "same scale" if len(scenes) > 1 else "time"
                paint_axis(painter, axis, scene.pane, scene.scale, marks, self.look, note)
        painter.end()
        return layer

    def _ticks(self, scene: Scene) -> list[layout.Tick]:
        """Ticks in the pane's own time, counted from the aligned moment."""
        scale, offset = scene.scale, self.alignment.offsets_ns[scene.pane.side]
        zero = self.alignment.anchor_ns + offset
        return layout.ticks(scale.start_ns, scale.start_ns + scale.span_ns, zero_ns=zero, width=scale.width)

    def _paint_over(self, painter: QPainter, scenes: Sequence[Scene]) -> None:
        for scene in scenes:
            own = [mark for mark in self.marks if mark.side == scene.pane.side]
            overlay.paint_marks(painter, scene, own, self.picked, self.look)
            self._paint_bar(painter, scene)
            if self.range:
                offset = self.alignment.offsets_ns[scene.pane.side]
                overlay.paint_range(painter, scene, self.range[0] + offset, self.range[1] + offset, self.look)
        overlay.paint_connectors(painter, self.connectors(scenes), self.look)
        self._paint_pointer(painter, scenes)
        if self._sums:
            overlay.paint_strip(painter, self._sums, self._strip_room(), self.look)

    def _strip_room(self) -> QRectF:
        """Above an axis at the bottom."""
        lowest = max((axis.top for axis in self.arrangement().axes), default=0)
        below = layout.AXIS if lowest + layout.AXIS >= self.height() else 0
        return QRectF(self.rect()).adjusted(0, 0, 0, -below)

    def connectors(self, scenes: Sequence[Scene]) -> list[tuple[QRectF, QRectF]]:
        """From the picked slice to those of the other sides that show, and between it and what launched it."""
        if self.picked is None:
            return []
        own = overlay.mark_rect(scenes[self.picked.side], self.picked)
        if own is None:
            return []
        launch = int(self.sides[self.picked.side].links.launch[self.picked.slice])
        asked = self.mark_of(self.picked.side, launch) if launch >= 0 else None
        others = [mark for mark in self.marks if mark.side != self.picked.side] + ([asked] if asked else [])
        rects = [overlay.mark_rect(scenes[mark.side], mark) for mark in others]
        return [(own, rect) for rect in rects if rect is not None]

    def _paint_bar(self, painter: QPainter, scene: Scene) -> None:
        place = self.bar_rect(scene.pane)
        if place is not None:
            painter.fillRect(place, self.look.border)

    def bar_rect(self, pane: Pane) -> QRectF | None:
        """The thumb of the pane's scroll bar; None where everything fits."""
        content = layout.content_height(self.placed(pane.side))
        if content <= pane.body_height or pane.body_height < 24:
            return None
        height = max(20.0, pane.body_height * pane.body_height / content)
        spare = pane.body_height - height
        top = pane.body_top + spare * self._scroll[pane.side] / max(1, content - pane.body_height)
        return QRectF(pane.right - 6, top, 5, height)

    def _paint_pointer(self, painter: QPainter, scenes: Sequence[Scene]) -> None:
        if self.pointer_x is None:
            return
        shared = self.shared_time(self.pointer_x)
        axes = {axis.side: axis for axis in self.arrangement().axes}
        for scene in scenes:
            x = scene.scale.x(shared + self.alignment.offsets_ns[scene.pane.side])
            overlay.paint_pointer(painter, x, scene.pane.body_top, scene.pane.bottom, self.look)
            axis = axes.get(scene.pane.side)
            if axis is not None:
                text = texts.format_exact_ns(shared - self.alignment.anchor_ns)
                overlay.paint_time(painter, x, axis.top, layout.AXIS, text, scene.pane.right, self.look)
