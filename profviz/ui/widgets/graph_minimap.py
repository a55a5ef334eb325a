"""The whole of a graph, small, in a corner of its canvas: where the view is, and a click goes elsewhere."""

from __future__ import annotations

import numpy as np
from PySide6.QtCore import QEvent, QObject, QRectF, Qt
from PySide6.QtGui import QColor, QMouseEvent, QPainter, QPaintEvent, QPen, QPixmap
from PySide6.QtWidgets import QWidget

from profviz.ui.widgets.graph_brush import Brush, graph_fonts
from profviz.ui.widgets.graph_canvas import GraphCanvas
from profviz.ui.widgets.graph_paint import Marks, paint_picture
from profviz.ui.widgets.graph_picture import Picture
from profviz.ui.widgets.paint_faults import told

WIDEST, HIGHEST = 170.0, 130.0
LEAST_SIDE = 14.0
MARGIN = 10
LEAST_VIEW = 180  # pixels of the canvas' height
ROOM = 2.6  # of its own size that the canvas must have, so that it does not hide the graph


class GraphMinimap(QWidget):
    """Shows itself where not everything is in view and there is room. It is painted anew for a new picture only."""

    def __init__(self, canvas: GraphCanvas) -> None:
        super().__init__(canvas.viewport())
        self._canvas = canvas
        self._shown: Picture | None = None
        self._map = QPixmap()
        self._scale = 1.0
        self.setAccessibleName("Overview of the graph")
        self.setCursor(Qt.CursorShape.PointingHandCursor)
        canvas.moved.connect(self.refresh)
        canvas.repainted.connect(self._forget)
        canvas.viewport().installEventFilter(self)
        self.hide()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() is QEvent.Type.Resize:
            self.refresh()
        return super().eventFilter(watched, event)

    def _forget(self) -> None:
        self._shown = None
        self.refresh()

    def refresh(self) -> None:
        """Takes its place, or leaves where it is not needed."""
        picture, viewport = self._canvas.picture, self._canvas.viewport()
        x, y, width, height = picture.bounds
        left, top, right, bottom = self._canvas.visible_window()
        whole = left <= x + 16 and top <= y + 16 and right >= x + width - 16 and bottom >= y + height - 16
        self._scale = min(WIDEST / width, HIGHEST / height)
        wide = max(round(width * self._scale), round(LEAST_SIDE))
        high = max(round(height * self._scale), round(LEAST_SIDE))
        fits = viewport.width() > ROOM * wide and viewport.height() > max(ROOM * high, LEAST_VIEW)
        if whole or not len(picture.rects) or not fits:
            self.hide()
            return
        self.setGeometry(viewport.width() - wide - MARGIN, viewport.height() - high - MARGIN, wide, high)
        self.show()
        self.update()

    def _draw(self) -> None:
        picture = self._canvas.picture
        self._shown, self._map = picture, QPixmap(self.size())
        self._map.fill(QColor(self._canvas.colours.raised))
        painter = QPainter(self._map)
        x, y, width, height = picture.bounds
        painter.scale(self._scale, self._scale)
        painter.translate(-x, -y)
        brush = Brush(painter, self._canvas.colours, graph_fonts(self.font()), self._scale)
        paint_picture(brush, picture, Marks(), (x, y, x + width, y + height))
        painter.end()

    @told
    def paintEvent(self, event: QPaintEvent) -> None:
        stale = self._shown is not self._canvas.picture and not self._canvas.is_moving
        if stale or self._map.size() != self.size():
            self._draw()
        palette = self._canvas.colours
        painter = QPainter(self)
        painter.drawPixmap(0, 0, self._map)
        painter.setPen(QColor(palette.border))
        painter.drawRect(self.rect().adjusted(0, 0, -1, -1))
        painter.setPen(QPen(QColor(palette.accent), 1.4))
        painter.drawRect(self.window_rect())

    def window_rect(self) -> QRectF:
        """What the canvas shows, in pixels of the map."""
        x, y, _, _ = self._canvas.picture.bounds
        corners = (np.array(self._canvas.visible_window()) - np.array([x, y, x, y])) * self._scale
        left, top, right, bottom = corners.tolist()
        return QRectF(left, top, right - left, bottom - top).intersected(QRectF(self.rect()).adjusted(1, 1, -2, -2))

    def mousePressEvent(self, event: QMouseEvent) -> None:
        self._go(event)

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        if event.buttons() & Qt.MouseButton.LeftButton:
            self._go(event)

    def _go(self, event: QMouseEvent) -> None:
        x, y, _, _ = self._canvas.picture.bounds
        place = event.position() / self._scale
        self._canvas.centre_on(x + place.x(), y + place.y())
        event.accept()
