"""Paints laid-out timelines: rows as one image a pane, labels, headers and axes; every number comes from the layout."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from PySide6.QtCore import QLineF, QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QFontMetricsF, QImage, QPainter, QPen

from profviz.core.picture import paint_rows
from profviz.core.raster import I64, U32, pixel_edges
from profviz.ui.views.timeline.layout import AXIS, HEADER, Axis, Bar, Pane, Scale, Tick, labelled
from profviz.ui.views.timeline.line_painting import paint_lines, paint_ticks
from profviz.ui.views.timeline.placing import Placed
from profviz.ui.views.timeline.scene import Scene
from profviz.ui.views.timeline.texts import bar_name
from profviz.ui.views.timeline.tracks import Group
from profviz.ui.widgets.timeline_look import Look

LEAST_LABEL_PX, MOST_LABELS = 26.0, 600
LEFT_MIDDLE = int(Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignLeft)
RIGHT_MIDDLE = int(Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignRight)
TRIANGLE_ROOM = 14


def rows_image(scene: Scene, look: Look, ratio: float) -> tuple[U32, QImage]:
    """The rows of a pane in device pixels; keep the array as long as the image."""
    width, height = round(scene.pane.time_width * ratio), max(1, round(scene.pane.body_height * ratio))
    pixels = np.full((height, width), look.panel_number, dtype=np.uint32)
    edges = pixel_edges(scene.scale.start_ns, scene.scale.span_ns, width)
    for _, tracks in scene.parts():
        for one in tracks:
            _fill_rows(pixels, scene, one, edges, look, ratio)
    return pixels, QImage(pixels.data, width, height, width * 4, QImage.Format.Format_RGB32)


def _fill_rows(pixels: U32, scene: Scene, one: Placed, edges: I64, look: Look, ratio: float) -> None:
    room = [edge - scene.pane.body_top for edge in scene.room(one)]
    for number in range(max(1, one.shown)):
        top = scene.row_top(one, number) - scene.pane.body_top
        first, last = max(room[0], top), min(room[1], top + one.row_height - 1)
        if last <= first:
            continue
        part = np.s_[round(first * ratio) : round(last * ratio)]
        if number < min(one.shown, len(one.track.rows)):
            ground = np.full(len(edges) - 1, look.lane_number, dtype=np.uint32)
            pixels[part] = paint_rows([one.track.rows[number]], edges, colours=look.colours, ground=ground).pixels[0]
        elif one.track.is_pending or one.track.row_count:
            pixels[part] = look.lane_number


class PanePainter:
    """Paints one pane with one painter."""

    def __init__(self, painter: QPainter, scene: Scene, look: Look) -> None:
        self._painter = painter
        self._scene = scene
        self._look = look
        self._labels_left = MOST_LABELS

    def paint(self, ratio: float) -> None:
        pane = self._scene.pane
        self._paint_header()
        if pane.body_height <= 0:
            return
        kept, image = rows_image(self._scene, self._look, ratio)
        self._painter.drawImage(QRectF(pane.time_left, pane.body_top, pane.time_width, pane.body_height), image)
        del image, kept
        for place, tracks in self._scene.parts():
            self._painter.save()
            self._painter.setClipRect(place)
            self._paint_grid()
            for one in tracks:
                self._paint_content(one)
                self._paint_gutter(one)
            self._painter.restore()
        if self._scene.scrolled_top > pane.body_top:
            self._painter.setPen(QPen(self._look.muted, 1))
            y = self._scene.scrolled_top - 2.5
            self._painter.drawLine(QLineF(pane.left, y, pane.right, y))

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

    def _paint_grid(self) -> None:
        pane, scale = self._scene.pane, self._scene.scale
        self._painter.setPen(QPen(self._look.grid, 1))
        lines = [
            QLineF(x, pane.body_top, x, pane.bottom) for x in (scale.x(mark.time_ns) for mark in self._scene.marks)
        ]
        self._painter.drawLines([line for line in lines if line.x1() >= pane.time_left])

    def _paint_content(self, one: Placed) -> None:
        """What stands on the rows: names, or what a track shows in place of slices."""
        if one.track.lines:
            paint_lines(self._painter, self._scene, one, self._look)
        elif one.track.ticks is not None:
            paint_ticks(self._painter, self._scene, one, one.track.ticks, self._look)
        else:
            self._paint_labels(one)

    def _paint_labels(self, one: Placed) -> None:
        self._painter.setFont(self._look.small)
        metrics = QFontMetricsF(self._look.small)
        for number, row in enumerate(one.track.rows[: one.shown]):
            if self._labels_left > 0 and self._scene.shows_row(one, number):
                bars = labelled(row, self._scene.scale, least_px=LEAST_LABEL_PX)[: self._labels_left]
                self._labels_left -= len(bars)
                self._label_bars(one, bars, metrics, self._scene.row_top(one, number))

    def _label_bars(self, one: Placed, bars: Sequence[Bar], metrics: QFontMetricsF, top: int) -> None:
        base = top + (one.row_height - 1 + metrics.ascent() - metrics.descent()) / 2
        for bar in bars:
            name = bar_name(self._scene.side, one.track, bar.slice)
            text = metrics.elidedText(name, Qt.TextElideMode.ElideRight, bar.width - 8)
            if len(text) > 2 or text == name:
                self._painter.setPen(self._look.on_kind[bar.kind])
                self._painter.drawText(QPointF(bar.x + 4, base), text)

    def _paint_gutter(self, one: Placed) -> None:
        pane, painter, look = self._scene.pane, self._painter, self._look
        top, height = self._scene.row_top(one, 0), one.row_height
        room = QRectF(pane.left + 4, top, pane.gutter - 12, height)
        hidden = one.track.row_count - one.shown
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
        said = one.track.missing or ("being worked out" if one.track.is_pending else "")
        if said:
            painter.drawText(QRectF(pane.time_left + 6, top, pane.time_width, height), LEFT_MIDDLE, said)


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
