"""A scroll area over a plane that zooms at a point and pans; what is on the plane is its heirs' business."""

from __future__ import annotations

from PySide6.QtCore import QPointF, Qt, Signal
from PySide6.QtGui import QResizeEvent, QWheelEvent
from PySide6.QtWidgets import QAbstractScrollArea, QWidget

SMALLEST, LARGEST = 0.02, 3.0
GROUND = 0.25  # of the view may stay empty beside a picture that is larger than it


class GraphPlane(QAbstractScrollArea):
    """Scene units are pixels at `scale` 1; heirs say what `_bounds` there is."""

    zoomed = Signal(float)
    moved = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._scale = 1.0
        self._left = self._top = 0.0
        self._syncing = False
        self.horizontalScrollBar().valueChanged.connect(self._scrolled)
        self.verticalScrollBar().valueChanged.connect(self._scrolled)

    def _bounds(self) -> tuple[float, float, float, float]:
        raise NotImplementedError

    @property
    def scale(self) -> float:
        return self._scale

    def visible_window(self) -> tuple[float, float, float, float]:
        """The scene rectangle on the screen: left, top, right, bottom."""
        size = self.viewport().size()
        right, bottom = self._left + size.width() / self._scale, self._top + size.height() / self._scale
        return (self._left, self._top, right, bottom)

    def to_scene(self, point: QPointF) -> QPointF:
        return QPointF(self._left + point.x() / self._scale, self._top + point.y() / self._scale)

    def fit_scale(self) -> float:
        _, _, width, height = self._bounds()
        size = self.viewport().size()
        return max(min(size.width() / width, size.height() / height, 1.0), SMALLEST)

    def fit(self) -> None:
        """Shows everything, never larger than 100 %."""
        self._scale = self.fit_scale()
        x, y, width, height = self._bounds()
        self.centre_on(x + width / 2, y + height / 2)

    def zoom_at(self, point: QPointF, factor: float) -> None:
        """Zooms so that what is under the view point stays there."""
        before = self.to_scene(point)
        self._scale = min(max(self._scale * factor, min(self.fit_scale(), SMALLEST * 5)), LARGEST)
        self._left = before.x() - point.x() / self._scale
        self._top = before.y() - point.y() / self._scale
        self._settle()

    def centre_on(self, x: float, y: float) -> None:
        size = self.viewport().size()
        self._left = x - size.width() / 2 / self._scale
        self._top = y - size.height() / 2 / self._scale
        self._settle()

    def _settle(self) -> None:
        """Keeps the picture in sight, moves the scroll bars and repaints."""
        x, y, width, height = self._bounds()
        size = self.viewport().size()
        self._left = _kept(self._left, x, width, size.width() / self._scale)
        self._top = _kept(self._top, y, height, size.height() / self._scale)
        self._sync_bars()
        self.zoomed.emit(self._scale)
        self.moved.emit()
        self.viewport().update()

    def _sync_bars(self) -> None:
        x, y, width, height = self._bounds()
        size = self.viewport().size()
        self._syncing = True
        for bar, start, length, at, page in (
            (self.horizontalScrollBar(), x, width, self._left, size.width()),
            (self.verticalScrollBar(), y, height, self._top, size.height()),
        ):
            bar.setPageStep(page)
            bar.setSingleStep(40)
            room = round(length * self._scale) - page
            ground = round(page * GROUND) if room > 0 else 0
            bar.setRange(-ground, max(room, 0) + ground)
            bar.setValue(round((at - start) * self._scale))
        self._syncing = False

    def _scrolled(self) -> None:
        if self._syncing:
            return
        x, y, _, _ = self._bounds()
        if self.horizontalScrollBar().maximum() > 0:
            self._left = x + self.horizontalScrollBar().value() / self._scale
        if self.verticalScrollBar().maximum() > 0:
            self._top = y + self.verticalScrollBar().value() / self._scale
        self.moved.emit()
        self.viewport().update()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._settle()

    def wheelEvent(self, event: QWheelEvent) -> None:
        steps = event.angleDelta()
        if event.modifiers() & Qt.KeyboardModifier.ControlModifier:
            self.zoom_at(event.position(), 1.2 ** (steps.y() / 120))
        elif event.modifiers() & Qt.KeyboardModifier.ShiftModifier or not self.verticalScrollBar().maximum():
            self._pan(-(steps.y() or steps.x()), 0)
        else:
            self._pan(-steps.x(), -steps.y())
        event.accept()

    def _pan(self, dx: float, dy: float) -> None:
        self._left += dx / self._scale
        self._top += dy / self._scale
        self._settle()

    def zoom_in(self) -> None:
        self.zoom_at(QPointF(self.viewport().rect().center()), 1.25)

    def zoom_out(self) -> None:
        self.zoom_at(QPointF(self.viewport().rect().center()), 0.8)


def _kept(at: float, start: float, length: float, page: float) -> float:
    """Where a view of `page` length may start: within the content and some ground, or with all of it in the middle."""
    if page >= length:
        return start - (page - length) / 2
    ground = page * GROUND
    return min(max(at, start - ground), start + length - page + ground)
