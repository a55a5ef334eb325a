"""The picture of all panes without what pointer and selection change: it lasts, and only what differs is painted."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from PySide6.QtCore import QRectF, QSize
from PySide6.QtGui import QImage, QPainter

from profviz.core.columns import I32, I64, U32
from profviz.core.picture import fill, stamp
from profviz.ui.views.timeline.areas import area_of
from profviz.ui.views.timeline.labels import PAD, stamps_of
from profviz.ui.views.timeline.layout import AXIS, HEADER, Axis, Pane
from profviz.ui.views.timeline.lines import LANE, LEAST_LABEL_PX, PaneLines, Slot, bands_of, slots_of
from profviz.ui.views.timeline.painting import GutterPainter, paint_axis, paint_header, paint_others
from profviz.ui.views.timeline.placing import Placing
from profviz.ui.views.timeline.scene import Scene
from profviz.ui.views.timeline.strip import HEIGHT as STRIP_HEIGHT
from profviz.ui.views.timeline.strip import MARGIN as STRIP_MARGIN
from profviz.ui.views.timeline.strip import Strip, paint_words, strip_pixels
from profviz.ui.widgets.timeline_look import Look
from profviz.ui.widgets.timeline_text import Stencils


@dataclass(frozen=True, slots=True)
class Heading:
    """A scene, its axis where it has one of its own, and what the axis says of the scale."""

    scene: Scene
    axis: Axis | None
    note: str


@dataclass(frozen=True, slots=True, eq=False)
class Stands:
    """Where the rows of a pane stand at one scroll position, in device px too.

    `full` are the slots that have a row, `rooms` (full, 3) top, bottom and middle of each; see `bands_of`.
    """

    placed: Placing
    scroll: int
    slots: tuple[Slot, ...]
    full: tuple[Slot, ...]
    rooms: I64
    bands: I32


def stands_of(scene: Scene, ratio: float) -> Stands:
    slots = tuple(slots_of(scene))
    full = tuple(slot for slot in slots if slot.row is not None)
    rooms = np.array([(slot.top, slot.bottom, slot.middle) for slot in full], dtype=np.float64).reshape(-1, 3)
    bands = bands_of(slots, scene.pane.body_top, scene.pane.bottom, ratio)
    return Stands(scene.placed, scene.scroll, slots, full, np.rint(rooms * ratio).astype(np.int64), bands)


class Backdrop:
    """One image of the widget's size, kept from frame to frame. `is_waiting`: names are still to be rendered."""

    def __init__(self) -> None:
        self.is_waiting = False
        self._pixels: U32 = np.zeros((1, 1), dtype=np.uint32)
        self._image = QImage()
        self._frame: object = None
        self._stencils: Stencils | None = None
        self._lines: dict[int, PaneLines] = {}
        self._stands: dict[int, Stands] = {}
        self._done: dict[tuple[str, int], object] = {}
        self._ratio = 1.0

    def painted(
        self, headings: Sequence[Heading], size: QSize, ratio: float, look: Look, *, strip: Strip | None = None
    ) -> QImage:
        """The picture as it is now."""
        self._make_room(size, ratio, look, tuple(one.scene.pane for one in headings))
        if self.is_waiting:
            self._done = {key: content for key, content in self._done.items() if key[0] != "rows"}
        self.is_waiting = False
        painter = QPainter(self._image)
        for heading in headings:
            if heading.scene.pane.shows:
                self._paint_pane(painter, heading, look)
        if strip is not None and self._is_new("strip", strip.pane.side, strip):
            self._paint_strip(painter, strip, look)
        painter.end()
        return self._image

    def _make_room(self, size: QSize, ratio: float, look: Look, panes: tuple[Pane, ...]) -> None:
        """Begins anew where the size, the colours or the places of the panes are others."""
        frame = (size, ratio, look, panes)
        if self._frame == frame:
            return
        width, height = max(1, round(size.width() * ratio)), max(1, round(size.height() * ratio))
        if self._pixels.shape != (height, width) or self._ratio != ratio:
            self._pixels = np.empty((height, width), dtype=np.uint32)
            self._image = QImage(self._pixels.data, width, height, width * 4, QImage.Format.Format_RGB32)
            self._image.setDevicePixelRatio(ratio)
        self._frame, self._ratio = frame, ratio
        self._stencils = Stencils(look.small, ratio)
        self._done.clear()
        self._lines.clear()
        self._stands.clear()
        self._pixels.fill(look.panel_number)

    def _is_new(self, part: str, side: int, content: object) -> bool:
        """Whether a part of the picture shows something else than it should."""
        if self._done.get((part, side)) == content:
            return False
        self._done[part, side] = content
        return True

    def _paint_pane(self, painter: QPainter, heading: Heading, look: Look) -> None:
        scene, pane = heading.scene, heading.scene.pane
        if self._is_new("header", pane.side, (scene.side.title, scene.header)):
            painter.fillRect(QRectF(pane.left, pane.top, pane.right - pane.left, HEADER), look.panel)
            paint_header(painter, scene, look)
        stands = self._stands_of(scene)
        if pane.body_height > 0 and pane.has_time and self._is_new("rows", pane.side, (stands, scene.scale)):
            self._paint_rows(scene, stands, look)
            paint_others(painter, scene, look)
        if pane.body_height > 0 and self._is_new("gutter", pane.side, stands):
            painter.fillRect(QRectF(pane.left, pane.body_top, pane.gutter, pane.body_height), look.panel)
            GutterPainter(painter, scene, look).paint()
        axis = heading.axis
        if axis is not None and self._is_new("axis", pane.side, (scene.scale, scene.marks, heading.note)):
            painter.fillRect(QRectF(pane.left, axis.top, pane.right - pane.left, AXIS), look.panel)
            paint_axis(painter, axis, scene, look, heading.note)

    def _stands_of(self, scene: Scene) -> Stands:
        """The same object as long as rows stand where they stood."""
        known = self._stands.get(scene.pane.side)
        if known is None or known.placed is not scene.placed or known.scroll != scene.scroll:
            known = self._stands[scene.pane.side] = stands_of(scene, self._ratio)
        return known

    def _paint_strip(self, painter: QPainter, strip: Strip, look: Look) -> None:
        painter.fillRect(strip.room, look.panel)
        left, top = self._px(strip.pane.time_left), self._px(strip.top + STRIP_MARGIN)
        made = strip_pixels(strip.values(self._ratio), self._px(STRIP_HEIGHT - 2 * STRIP_MARGIN), look)
        room = self._pixels[top : top + made.shape[0], left : left + made.shape[1]]
        room[:] = made[: room.shape[0], : room.shape[1]]
        paint_words(painter, strip, look)

    def _paint_rows(self, scene: Scene, stands: Stands, look: Look) -> None:
        pane, ratio = scene.pane, self._ratio
        left, width = round(pane.time_left * ratio), round(pane.time_width * ratio)
        lines = self._lines.setdefault(pane.side, PaneLines())
        lines.look_at(scene.scale, scene.marks, width, look)
        rows = [slot.row for slot in stands.full if slot.row is not None]
        pixels, bars = lines.of(rows, look, least_px=self._px(LEAST_LABEL_PX))
        fill(self._pixels, left, pixels, stands.bands)
        for slot in stands.slots:
            if slot.placed.track.lines:
                self._paint_area(scene, slot, lines, left, look)
        self._write(scene, stands, bars, left, look)

    def _px(self, logical: float) -> int:
        return round(logical * self._ratio)

    def _paint_area(self, scene: Scene, slot: Slot, lines: PaneLines, left: int, look: Look) -> None:
        """Cut off where the track is."""
        whole = round(scene.row_top(slot.placed, 0) * self._ratio)
        first, last = self._px(slot.top), self._px(slot.bottom)
        height = self._px(slot.placed.row_height - 1)
        shades = look.line_numbers[-len(slot.placed.track.lines) :]
        area = area_of(
            slot.placed.track.lines,
            lines.edges_ns,
            height,
            ground=lines.grounds[LANE],
            colours=shades,
            ratio=self._ratio,
        )
        last = min(last, whole + height)
        self._pixels[first:last, left : left + area.shape[1]] = area[first - whole : last - whole]

    def _write(self, scene: Scene, stands: Stands, bars: I32, left: int, look: Look) -> None:
        """The names of the slices that have room for them."""
        assert self._stencils is not None
        made = stamps_of(
            scene.side,
            stands.full,
            stands.rooms,
            bars,
            self._stencils,
            look.on_kind_numbers,
            left=left,
            pad=self._px(PAD),
        )
        self.is_waiting |= made.waiting > 0
        stamp(self._pixels, self._stencils.stencil, made.stamps, made.colours)
