"""The whole of all sides in one strip, with the window, hits and marks on it: drag, click and wheel move the window."""

from __future__ import annotations

from typing import Any

import numpy as np
from PySide6.QtCore import QLineF, QPointF, QRectF, QSize, Qt
from PySide6.QtGui import (
    QColor,
    QKeyEvent,
    QMouseEvent,
    QPainter,
    QPaintEvent,
    QPen,
    QPixmap,
    QResizeEvent,
    QWheelEvent,
)
from PySide6.QtWidgets import QSizePolicy, QWidget

from profviz.model.overview import Overview
from profviz.model.questions import Question
from profviz.ui.views.timeline import overview
from profviz.ui.views.timeline.hands import WHEEL_NOTCH, Timelines
from profviz.ui.views.timeline.layout import RIGHT
from profviz.ui.views.timeline.moving import PAN_STEP, ZOOM_STEP
from profviz.ui.views.timeline.overview import LANE, MiniScale, lane_height, lane_top
from profviz.ui.widgets.paint_faults import told
from profviz.ui.widgets.palette import Palette
from profviz.ui.widgets.panel_style import with_alpha
from profviz.ui.widgets.timeline_look import Look

LEAST_WINDOW_PX = 3.0
KEYS = {Qt.Key.Key_Left: -PAN_STEP, Qt.Key.Key_Right: PAN_STEP}


class Minimap(QWidget):
    """Asks for each side's overview when results are shown; the strip is painted once for each size and alignment."""

    def __init__(self, canvas: Timelines, palette: Palette) -> None:
        super().__init__()
        self._canvas = canvas
        self._look = Look(palette, self.font())
        self._overviews: dict[int, Overview] = {}
        self._strip: QPixmap | None = None
        self._hits: list[QLineF] = []
        self._dragged: tuple[float, int, tuple[int, int]] | None = None
        self.setAccessibleName("Overview of the whole")
        self.setToolTip("Drag the window, click to go there, turn the wheel to zoom")
        self.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        state = canvas.state
        state.window_changed.connect(lambda window: self.update())
        state.alignment_changed.connect(lambda alignment: self._changed())
        state.kept_changed.connect(lambda kept: self.update())
        state.ranges_changed.connect(lambda ranges: self.update())
        canvas.search.changed.connect(self._changed)

    def show_results(self) -> None:
        self._overviews = {}
        for side in range(len(self._canvas.sides)):
            self._canvas.state.ask(Question("overview", side), self._take)
        self.updateGeometry()
        self._changed()

    def _take(self, question: Question, answer: Any) -> None:
        if isinstance(answer, Overview):
            self._overviews[question.side] = answer
            self._changed()
            parts = [f"{side.title}: {self._overviews[at].of} shown" for at, side in self._known()]
            self.setAccessibleDescription(". ".join(parts))

    def _known(self) -> list[tuple[int, Any]]:
        return [(at, side) for at, side in enumerate(self._canvas.sides) if at in self._overviews]

    def set_palette(self, palette: Palette) -> None:
        self._look = Look(palette, self.font())
        self._changed()

    def sizeHint(self) -> QSize:
        return QSize(200, overview.height(len(self._canvas.sides)))

    minimumSizeHint = sizeHint

    @property
    def _lane(self) -> int:
        return lane_height(len(self._canvas.sides))

    def _changed(self) -> None:
        self._strip = None
        self.update()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._changed()

    # Where things are

    @property
    def scale(self) -> MiniScale:
        start, end = self._canvas.whole if self._canvas.sides else (0, 1)
        spare = (end - start) // 100
        return MiniScale(0.0, max(1.0, float(self.width() - RIGHT)), start - spare, end + spare)

    def window_rect(self, side: int) -> QRectF:
        """The window of a side on the strip; of all together where they are linked."""
        start, end = self._canvas.window_of(side)
        scale = self.scale
        left, right = scale.x(start), scale.x(end)
        if right - left < LEAST_WINDOW_PX:
            left, right = (left + right - LEAST_WINDOW_PX) / 2, (left + right + LEAST_WINDOW_PX) / 2
        if self._canvas.state.is_linked:
            return QRectF(left, 0.5, right - left, self.height() - 1)
        return QRectF(left, lane_top(side) - 1.5, right - left, LANE + 3)

    def side_at(self, y: float) -> int:
        """Whose window is meant: all show one, or it is that of the lane under the mouse."""
        count = len(self._canvas.sides)
        return next((side for side in range(count) if y < lane_top(side) + LANE + overview.GAP / 2), count - 1)

    # Hands

    def mousePressEvent(self, event: QMouseEvent) -> None:
        if event.button() is not Qt.MouseButton.LeftButton or not self._canvas.sides:
            return
        point = event.position()
        side = self.side_at(point.y())
        window = self._canvas.window_of(side)
        rect = self.window_rect(side)
        if not rect.left() - 2 <= point.x() <= rect.right() + 2:
            window = overview.centred(window, self.scale.time_ns(point.x()))
            self._canvas.moving.move_to(window, side=side, apart=True)
        self._dragged = point.x(), side, self._canvas.window_of(side)
        self.setCursor(Qt.CursorShape.ClosedHandCursor)

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        if self._dragged is not None:
            x, side, window = self._dragged
            by = self.scale.time_ns(event.position().x()) - self.scale.time_ns(x)
            self._canvas.moving.move_to(overview.dragged(window, by_ns=by), side=side)

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        self._dragged = None
        self.unsetCursor()

    def wheelEvent(self, event: QWheelEvent) -> None:
        if not self._canvas.sides:
            return
        notches = (event.angleDelta().y() or event.angleDelta().x()) / WHEEL_NOTCH
        side = self.side_at(event.position().y())
        if event.modifiers() & Qt.KeyboardModifier.ShiftModifier:
            self._canvas.moving.pan(-notches * PAN_STEP, side=side)
        else:
            at = self.scale.time_ns(event.position().x())
            self._canvas.moving.zoom_at(side, ZOOM_STEP**notches, at)
        event.accept()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        moving = self._canvas.moving
        if event.key() in KEYS and self._canvas.sides:
            moving.pan(KEYS[Qt.Key(event.key())])
        elif event.key() in (Qt.Key.Key_Plus, Qt.Key.Key_Minus) and self._canvas.sides:
            moving.zoom(ZOOM_STEP if event.key() == Qt.Key.Key_Plus else 1 / ZOOM_STEP)
        else:
            super().keyPressEvent(event)

    # Painting

    @told
    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        if self._strip is None:
            self._strip = self._painted_strip()
            self._hits = [line for side in range(len(self._canvas.sides)) for line in self._hit_lines(side)]
        painter.drawPixmap(0, 0, self._strip)
        if self._canvas.sides:
            self._paint_ranges(painter)
            self._paint_windows(painter)
            painter.setPen(QPen(QColor(self._look.palette.warn), 1))
            painter.drawLines(self._hits)
            self._paint_kept(painter)
        if self.hasFocus():
            painter.setPen(QPen(self._look.accent, 1))
            painter.setBrush(Qt.BrushStyle.NoBrush)
            painter.drawRect(self.rect().adjusted(0, 0, -1, -1))

    def _painted_strip(self) -> QPixmap:
        ratio = self.devicePixelRatioF()
        strip = QPixmap(self.size() * ratio)
        strip.setDevicePixelRatio(ratio)
        strip.fill(self._look.panel)
        painter = QPainter(strip)
        scale = self.scale
        for side in range(len(self._canvas.sides)):
            top = lane_top(side)
            painter.fillRect(QRectF(scale.left, top, scale.width, self._lane), QColor(self._look.palette.lane))
            self._paint_busy(painter, side, top)
        painter.end()
        return strip

    def _paint_busy(self, painter: QPainter, side: int, top: int) -> None:
        """Columns as high as the side is busy there, at least a pixel where it is at all."""
        known, scale = self._overviews.get(side), self.scale
        if known is None:
            return
        start = scale.start_ns + self._canvas.stage.offset_ns(side)
        width = int(scale.width)
        busy = overview.shares(known.busy_ns, known.bin_ns, start_ns=start, span_ns=scale.span_ns, width=width)
        painter.setPen(QPen(with_alpha(self._look.palette.muted, 0.9), 1))
        heights = np.where(busy > 0, np.maximum(1.0, busy * (self._lane - 1)), 0.0)
        bottom = float(top + self._lane)
        painter.drawLines(
            [
                QLineF(scale.left + x + 0.5, bottom - high, scale.left + x + 0.5, bottom)
                for x, high in enumerate(heights.tolist())
                if high
            ]
        )

    def _hit_lines(self, side: int) -> list[QLineF]:
        """Where hits of the search are, one line a pixel."""
        scale, search = self.scale, self._canvas.search
        found = search.density(side)
        if found is not None:
            offset = self._canvas.stage.offset_ns(side)
            times = np.flatnonzero(found.density) * found.bin_ns + found.bin_ns // 2 - offset
        else:
            times = search.hits.start_ns[search.hits.side == side]
        xs = np.unique((scale.left + (times - scale.start_ns) * (scale.width / scale.span_ns)).astype(np.int64))
        top = lane_top(side)
        return [QLineF(x + 0.5, top - 1, x + 0.5, top + 4) for x in xs.tolist()]

    def _paint_ranges(self, painter: QPainter) -> None:
        scale = self.scale
        for chosen in self._canvas.state.ranges:
            left, right = scale.x(chosen.start_ns), scale.x(chosen.end_ns)
            painter.fillRect(QRectF(left, 1, max(1.0, right - left), self.height() - 2), self._look.range)

    def _paint_windows(self, painter: QPainter) -> None:
        shown = [0] if self._canvas.state.is_linked else range(len(self._canvas.sides))
        painter.setPen(QPen(self._look.accent, 1.5))
        painter.setBrush(with_alpha(self._look.palette.accent, 0.14))
        for side in shown:
            painter.drawRect(self.window_rect(side).intersected(QRectF(self.rect())))

    def _paint_kept(self, painter: QPainter) -> None:
        scale, colour = self.scale, QColor(self._look.palette.warn)
        for mark in self._canvas.marking.kept:
            x = scale.x(mark.start_ns - self._canvas.stage.offset_ns(mark.side))
            painter.setPen(QPen(colour, 1))
            painter.drawLine(QPointF(x, 0), QPointF(x, self.height()))
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(colour)
            painter.drawPolygon([QPointF(x, 0), QPointF(x + 5, 2.5), QPointF(x, 5)])
