"""Paints laid-out timelines: rows as one image a pane, labels, headers and axes; every number comes from the layout."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from PySide6.QtCore import QLineF, QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QFontMetricsF, QImage, QPainter, QPen

from profviz.core.raster import U32, paint_row, pixel_edges
from profviz.model.results import Side
from profviz.ui.views.timeline.layout import AXIS, HEADER, Axis, Bar, Pane, Placed, Scale, Tick, labelled
from profviz.ui.views.timeline.texts import short_name
from profviz.ui.views.timeline.tracks import Group
from profviz.ui.widgets.timeline_look import Look

LEAST_LABEL_PX, MOST_LABELS = 26.0, 600
LEFT_MIDDLE = int(Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignLeft)
RIGHT_MIDDLE = int(Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignRight)
TRIANGLE_ROOM = 14


@dataclass(frozen=True, slots=True)
class Scene:
    """All that one pane's picture depends on: `scroll` is how far its tracks are moved up, in px."""

    pane: Pane
    side: Side
    placed: tuple[Placed, ...]
    scale: Scale
    scroll: int
    header: str

    def body_y(self, y: int) -> int:
        return self.pane.body_top + y - self.scroll

    def shows(self, y: int, height: int) -> bool:
        return self.body_y(y) < self.pane.bottom and self.body_y(y) + height > self.pane.body_top


def rows_image(scene: Scene, look: Look, ratio: float) -> tuple[U32, QImage]:
    """The rows of a pane in device pixels; keep the array as long as the image."""
    width, height = round(scene.pane.time_width * ratio), max(1, round(scene.pane.body_height * ratio))
    pixels = np.full((height, width), look.panel_number, dtype=np.uint32)
    edges = pixel_edges(scene.scale.start_ns, scene.scale.span_ns, width)
    for one in scene.placed:
        for number, row in enumerate(one.track.rows[: one.shown]):
            top = one.row_y(number) - scene.scroll
            first, last = round(max(0, top) * ratio), round((top + one.track.row_height - 1) * ratio)
            if last > 0 and first < height:
                pixels[first:last] = paint_row(row, edges, colours=look.colours, ground=look.lane_number)
    return pixels, QImage(pixels.data, width, height, width * 4, QImage.Format.Format_RGB32)


class PanePainter:
    """Paints one pane with one painter."""

    def __init__(self, painter: QPainter, scene: Scene, look: Look) -> None:
        self._painter = painter
        self._scene = scene
        self._look = look

    def paint(self, marks: Sequence[Tick], ratio: float) -> None:
        pane = self._scene.pane
        self._paint_header()
        if pane.body_height <= 0:
            return
        self._painter.save()
        self._painter.setClipRect(QRectF(pane.left, pane.body_top, pane.right - pane.left, pane.body_height))
        kept, image = rows_image(self._scene, self._look, ratio)
        self._painter.drawImage(QRectF(pane.time_left, pane.body_top, pane.time_width, pane.body_height), image)
        del image, kept
        self._paint_grid(marks)
        self._paint_labels()
        for one in self._scene.placed:
            if self._scene.shows(one.y, one.height):
                self._paint_gutter(one)
        self._painter.restore()

    def _paint_header(self) -> None:
        pane, painter = self._scene.pane, self._painter
        room = QRectF(pane.left + 4, pane.top, pane.right - pane.left - 12, HEADER)
        text_width = QFontMetricsF(self._look.font).horizontalAdvance(self._scene.header)
        wanted = QFontMetricsF(self._look.bold).horizontalAdvance(self._scene.side.title) + 2
        title_width = min(wanted, max(pane.gutter - 8.0, room.width() - text_width - 16))
        self._write(QRectF(room.left(), room.top(), title_width, HEADER), self._scene.side.title, bold=True)
        left = max(room.left() + title_width + 12, float(pane.time_left))
        painter.setPen(self._look.muted)
        self._write(QRectF(left, room.top(), max(0.0, room.right() - left), HEADER), self._scene.header)

    def _write(self, room: QRectF, text: str, *, bold: bool = False) -> None:
        font = self._look.bold if bold else self._look.font
        self._painter.setFont(font)
        if bold:
            self._painter.setPen(self._look.text)
        elide = Qt.TextElideMode.ElideMiddle if bold else Qt.TextElideMode.ElideRight
        self._painter.drawText(room, LEFT_MIDDLE, QFontMetricsF(font).elidedText(text, elide, room.width()))

    def _paint_grid(self, marks: Sequence[Tick]) -> None:
        pane, scale = self._scene.pane, self._scene.scale
        self._painter.setPen(QPen(self._look.grid, 1))
        lines = [QLineF(x, pane.body_top, x, pane.bottom) for x in (scale.x(mark.time_ns) for mark in marks)]
        self._painter.drawLines([line for line in lines if line.x1() >= pane.time_left])

    def _paint_labels(self) -> None:
        self._painter.setFont(self._look.small)
        metrics = QFontMetricsF(self._look.small)
        left = MOST_LABELS
        for one in self._scene.placed:
            for number, row in enumerate(one.track.rows[: one.shown]):
                if left <= 0 or not self._scene.shows(one.row_y(number), one.track.row_height):
                    continue
                bars = labelled(row, self._scene.scale, least_px=LEAST_LABEL_PX)[:left]
                left -= len(bars)
                top = self._scene.body_y(one.row_y(number))
                self._label_bars(bars, metrics, top, one.track.row_height - 1)

    def _label_bars(self, bars: Sequence[Bar], metrics: QFontMetricsF, top: int, height: int) -> None:
        base = top + (height + metrics.ascent() - metrics.descent()) / 2
        for bar in bars:
            name = short_name(self._scene.side.trace.name_of(bar.slice))
            text = metrics.elidedText(name, Qt.TextElideMode.ElideRight, bar.width - 8)
            if len(text) > 2 or text == name:
                self._painter.setPen(self._look.on_kind[bar.kind])
                self._painter.drawText(QPointF(bar.x + 4, base), text)

    def _paint_gutter(self, one: Placed) -> None:
        pane, painter, look = self._scene.pane, self._painter, self._look
        top, height = self._scene.body_y(one.y), one.track.row_height
        room = QRectF(pane.left + 4, top, pane.gutter - 12, height)
        hidden = len(one.track.rows) - one.shown
        if one.track.foldable:
            paint_triangle(painter, room.left() + 4, room.center().y(), look.muted, down=one.shown > 1 or hidden <= 0)
        text_room = room.adjusted(TRIANGLE_ROOM, 0, 0, 0)
        painter.setFont(look.small)
        metrics = QFontMetricsF(look.small)
        if hidden > 0:
            more = f"+{hidden}" if one.shown < 2 else f"{hidden} row{'s' if hidden > 1 else ''} more"
            painter.setPen(look.accent)
            painter.drawText(text_room.translated(0, height if one.shown > 1 else 0), RIGHT_MIDDLE, more)
            if one.shown < 2:
                text_room.adjust(0, 0, -metrics.horizontalAdvance(more) - 6, 0)
        painter.setPen(look.muted)
        width = text_room.width()
        title = metrics.elidedText(_title(one, metrics, width), Qt.TextElideMode.ElideRight, width)
        painter.drawText(text_room, LEFT_MIDDLE, title)
        if one.track.missing:
            painter.drawText(QRectF(pane.time_left, top, pane.time_width, height), LEFT_MIDDLE, one.track.missing)


def _title(one: Placed, metrics: QFontMetricsF, width: float) -> str:
    """A stream's title without its device where there is no room for both."""
    title = one.track.title
    fits = one.track.group is not Group.GPU or metrics.horizontalAdvance(title) <= width
    return title if fits else title.rpartition(" · ")[2]


def paint_triangle(painter: QPainter, x: float, y: float, colour: QColor, *, down: bool) -> None:
    """The sign that more rows can be shown, or fewer."""
    painter.save()
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    painter.setPen(Qt.PenStyle.NoPen)
    painter.setBrush(colour)
    points = [(-3.5, -2), (3.5, -2), (0, 3)] if down else [(-2, -3.5), (-2, 3.5), (3, 0)]
    painter.drawPolygon([QPointF(x + dx, y + dy) for dx, dy in points])
    painter.restore()


def paint_axis(
    painter: QPainter, axis: Axis, pane: Pane, scale: Scale, marks: Sequence[Tick], look: Look, note: str
) -> None:
    """Tick labels beside their lines; those that would be cut off are left out."""
    painter.setFont(look.small)
    metrics = QFontMetricsF(look.small)
    painter.setPen(look.muted)
    painter.drawText(QRectF(pane.left + 4 + TRIANGLE_ROOM, axis.top, pane.gutter - 26, AXIS), LEFT_MIDDLE, note)
    for mark in marks:
        x = scale.x(mark.time_ns)
        width = metrics.horizontalAdvance(mark.text)
        if x < pane.time_left - 0.5 or x > pane.right - 4:
            continue
        painter.setPen(QPen(look.border, 1))
        painter.drawLine(QLineF(x, axis.top + 2, x, axis.top + AXIS - 2))
        if x + 5 + width <= pane.right:
            painter.setPen(look.muted)
            painter.drawText(QRectF(x + 5, axis.top, width + 4, AXIS), LEFT_MIDDLE, mark.text)
