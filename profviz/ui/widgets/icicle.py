"""A painted icicle: nested spans hang below their outer ones on a time axis; zoomed and walked by keys and mouse."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from PySide6.QtCore import QEvent, QLineF, QPointF, QRectF, QSize, Qt, Signal
from PySide6.QtGui import (
    QBrush,
    QColor,
    QFontMetrics,
    QHelpEvent,
    QKeyEvent,
    QMouseEvent,
    QPainter,
    QPaintEvent,
    QPen,
    QResizeEvent,
    QWheelEvent,
)
from PySide6.QtWidgets import QAbstractScrollArea, QFrame, QToolTip

from profviz.model.units import format_ns
from profviz.ui.widgets import icicle_values as values
from profviz.ui.widgets.icicle_values import F64, HOLLOW, I64, Icicle, Mask
from profviz.ui.widgets.paint_faults import told
from profviz.ui.widgets.palette import Palette
from profviz.ui.widgets.panel_style import plain_tip, tabular, verbatim, with_alpha
from profviz.ui.widgets.time_ruler import ruler_step
from profviz.ui.widgets.timeline_look import Look

ROW, RULER, PAD = 18, 22, 8
ZOOM_STEP, PAN_STEP = 0.75, 0.15
DIMMED = 0.25
THIN = 2.0
_KEYS: dict[int, str] = {
    Qt.Key.Key_W: "zoom_in",
    Qt.Key.Key_S: "zoom_out",
    Qt.Key.Key_A: "pan_left",
    Qt.Key.Key_D: "pan_right",
    Qt.Key.Key_F: "fit",
    Qt.Key.Key_0: "reset_zoom",
    Qt.Key.Key_Z: "reset_zoom",
    Qt.Key.Key_Left: "previous",
    Qt.Key.Key_Right: "next",
    Qt.Key.Key_Up: "outer",
    Qt.Key.Key_Down: "inner",
    Qt.Key.Key_Escape: "release",
}
_LEFT = int(Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter | Qt.TextFlag.TextSingleLine)


class IcicleView(QAbstractScrollArea):
    """`span_chosen` carries the span that was clicked or walked to, or -1 when Escape let go.

    W and S zoom, A and D pan, F fits the chosen span and then all, 0 and Z show all; the arrows walk to outer, inner
    and neighbouring spans; Ctrl+wheel zooms, Shift+wheel and dragging pan, a double click zooms to a span.
    """

    span_chosen = Signal(int)

    def __init__(self, palette: Palette, *, name: str) -> None:
        super().__init__()
        self._colours = palette
        self._look = Look(palette, self.font())
        self._data = Icicle()
        self._tell: Callable[[int], str] = lambda _: ""
        self._window = self._data.whole
        self._dim: Mask | None = None
        self._picked = -1
        self._grabbed: tuple[float, tuple[int, int]] | None = None
        self._dragged = False
        self.setAccessibleName(name)
        self.setFont(tabular(verbatim(self.font())))
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.viewport().setMouseTracking(True)
        self.setMinimumSize(240, RULER + 3 * ROW)

    def show_data(self, data: Icicle, *, tell: Callable[[int], str]) -> None:
        """`tell` gives the whole truth about a span, for its tip and for who cannot see."""
        self._data, self._tell = data, tell
        self._window = data.whole
        self._dim = None
        self._take(-1)
        self._fit()
        self.verticalScrollBar().setValue(0)

    def dim(self, dimmed: Mask | None) -> None:
        """Fades the spans of a mask of shape (spans,), or none."""
        self._dim = dimmed
        self.viewport().update()

    def apply(self, palette: Palette) -> None:
        self._colours = palette
        self._look = Look(palette, self.font())
        self.viewport().update()

    @property
    def data(self) -> Icicle:
        return self._data

    @property
    def window_ns(self) -> tuple[int, int]:
        return self._window

    @property
    def picked(self) -> int:
        return self._picked

    def show_window(self, window: tuple[int, int]) -> None:
        self._window = values.kept(window, self._data.whole)
        self.viewport().update()

    def sizeHint(self) -> QSize:
        return QSize(640, RULER + 12 * ROW)

    # Where things are

    def _width(self) -> float:
        return max(1.0, self.viewport().width() - 2.0 * PAD)

    def _time(self, x: float) -> int:
        start, end = self._window
        return start + round((x - PAD) * (end - start) / self._width())

    def _x(self, time_ns: int) -> float:
        start, end = self._window
        return PAD + (time_ns - start) * self._width() / max(1, end - start)

    def span_at(self, place: QPointF) -> int:
        """The span under a point of the viewport, or -1."""
        y = place.y() - RULER + self.verticalScrollBar().value()
        if place.y() < RULER or y < 0:
            return -1
        slack = max(1, self._time(place.x() + 1) - self._time(place.x()))
        depth, time = int(y // ROW), self._time(place.x())
        found = self._data.at(time, depth)
        return found if found >= 0 else self._data.at(time - slack, depth)

    def box_of(self, index: int) -> QRectF:
        """Where a span stands in the viewport."""
        left, right = (self._x(int(times[index])) for times in (self._data.start_ns, self._data.end_ns))
        top = RULER + ROW * int(self._data.depth[index]) - self.verticalScrollBar().value()
        return QRectF(left, top, max(1.0, right - left), ROW)

    # Events

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._fit()

    def viewportEvent(self, event: QEvent) -> bool:
        if event.type() == QEvent.Type.ToolTip and isinstance(event, QHelpEvent):
            found = self.span_at(QPointF(event.pos()))
            QToolTip.showText(event.globalPos(), plain_tip(self._tell(found) if found >= 0 else ""), self.viewport())
            return True
        return super().viewportEvent(event)

    def wheelEvent(self, event: QWheelEvent) -> None:
        steps = event.angleDelta().y() or event.angleDelta().x()
        if event.modifiers() & Qt.KeyboardModifier.ControlModifier:
            self._zoom(ZOOM_STEP ** (steps / 120), self._time(event.position().x()))
        elif event.modifiers() & Qt.KeyboardModifier.ShiftModifier:
            self._pan(-PAN_STEP * steps / 120)
        else:
            super().wheelEvent(event)
            return
        event.accept()

    def mousePressEvent(self, event: QMouseEvent) -> None:
        if event.button() == Qt.MouseButton.LeftButton:
            self._grabbed, self._dragged = (event.position().x(), self._window), False

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        if self._grabbed is None:
            pointing = self.span_at(event.position()) >= 0
            self.viewport().setCursor(Qt.CursorShape.PointingHandCursor if pointing else Qt.CursorShape.ArrowCursor)
            return
        from_x, (start, end) = self._grabbed
        self._dragged = self._dragged or abs(event.position().x() - from_x) > 4
        if self._dragged:
            by = round((from_x - event.position().x()) * (end - start) / self._width())
            self.show_window((start + by, end + by))

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        if event.button() != Qt.MouseButton.LeftButton or self._grabbed is None:
            return
        self._grabbed = None
        if not self._dragged:
            self._choose(self.span_at(event.position()))

    def mouseDoubleClickEvent(self, event: QMouseEvent) -> None:
        found = self.span_at(event.position())
        if found >= 0:
            self.show_window(values.around(self._data, found))

    def keyPressEvent(self, event: QKeyEvent) -> None:
        plain = not event.modifiers() & ~Qt.KeyboardModifier.KeypadModifier
        id_ = _KEYS.get(event.key(), "") if plain else ""
        if id_ and len(self._data) and (id_ != "release" or self._picked >= 0):
            self.deeds[id_]()
        else:
            super().keyPressEvent(event)

    @property
    def deeds(self) -> dict[str, Callable[[], None]]:
        """What can be done by key, by a name each."""
        return {
            "zoom_in": lambda: self._zoom(ZOOM_STEP),
            "zoom_out": lambda: self._zoom(1 / ZOOM_STEP),
            "pan_left": lambda: self._pan(-PAN_STEP),
            "pan_right": lambda: self._pan(PAN_STEP),
            "fit": self._fit_picked,
            "reset_zoom": lambda: self.show_window(self._data.whole),
            "previous": lambda: self._walk(lambda at: self._data.beside(at, -1)),
            "next": lambda: self._walk(lambda at: self._data.beside(at, 1)),
            "outer": lambda: self._walk(self._data.parent),
            "inner": lambda: self._walk(self._data.child),
            "release": lambda: self._choose(-1),
        }

    # What they do

    def _zoom(self, factor: float, at_ns: int | None = None) -> None:
        if at_ns is None and self._picked >= 0:
            at_ns = int(self._data.start_ns[self._picked] + self._data.end_ns[self._picked]) // 2
            at_ns = at_ns if self._window[0] <= at_ns <= self._window[1] else None
        self.show_window(values.zoomed(self._window, self._data.whole, factor=factor, at_ns=at_ns))

    def _pan(self, share: float) -> None:
        by = round((self._window[1] - self._window[0]) * share)
        self.show_window(values.moved(self._window, self._data.whole, by))

    def _fit_picked(self) -> None:
        wanted = values.around(self._data, self._picked) if self._picked >= 0 else self._data.whole
        self.show_window(self._data.whole if wanted == self._window else wanted)

    def _walk(self, step: Callable[[int], int]) -> None:
        self._choose(step(self._picked) if self._picked >= 0 else 0)
        self._reveal(self._picked)

    def _reveal(self, index: int) -> None:
        """Brings a span into view, moving no more than is needed."""
        start, end = int(self._data.start_ns[index]), int(self._data.end_ns[index])
        if end < self._window[0] or start > self._window[1]:
            self._pan_to((start + end) // 2)
        top, bar = ROW * int(self._data.depth[index]), self.verticalScrollBar()
        room = self.viewport().height() - RULER
        bar.setValue(min(top, max(bar.value(), top + ROW - room)))

    def _pan_to(self, middle_ns: int) -> None:
        half = (self._window[1] - self._window[0]) // 2
        self.show_window((middle_ns - half, middle_ns + half))

    def _choose(self, index: int) -> None:
        self._take(index)
        self.span_chosen.emit(index)

    def _take(self, index: int) -> None:
        self._picked = index
        told = self._tell(index).replace("\n", "; ") if index >= 0 else f"{len(self._data)} spans"
        self.setAccessibleDescription(told)
        self.viewport().update()

    def _fit(self) -> None:
        room = max(0, self.viewport().height() - RULER)
        bar = self.verticalScrollBar()
        bar.setPageStep(room)
        bar.setSingleStep(ROW)
        bar.setRange(0, max(0, self._data.rows * ROW + 4 - room))

    # Painting

    @told
    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self.viewport())
        painter.setFont(self.font())
        painter.fillRect(self.viewport().rect(), QColor(self._colours.panel))
        self._paint_grid(painter)
        painter.setClipRect(0, RULER, self.viewport().width(), self.viewport().height() - RULER)
        shown = values.boxes(self._data, self._window, self._width())
        thin = (shown.right - shown.left < THIN) & (self._dim is None)
        self._paint_thin(painter, shown.index[thin], PAD + shown.left[thin])
        wide = zip(shown.index[~thin].tolist(), shown.left[~thin].tolist(), shown.right[~thin].tolist(), strict=True)
        for index, left, right in wide:
            self._paint_span(painter, index, PAD + left, PAD + right)
        for time_ns, word in self._data.lines:
            self._paint_line(painter, time_ns, word)
        if self._picked >= 0:
            self._paint_picked(painter)

    def _paint_grid(self, painter: QPainter) -> None:
        start, end = self._window
        step = ruler_step(end - start, self._width())
        for number in range(-(-start // step), end // step + 1):
            x = self._x(number * step)
            painter.fillRect(QRectF(x, RULER - 4, 1, self.viewport().height()), with_alpha(self._colours.border, 0.7))
            text = format_ns(number * step) if number else "0"
            if x + 3 + self.fontMetrics().horizontalAdvance(text) <= self.viewport().width():
                painter.setPen(QColor(self._colours.muted))
                painter.drawText(QRectF(x + 3, 0, 90, RULER - 4), _LEFT, text)

    def _paint_thin(self, painter: QPainter, index: I64, left: F64) -> None:
        """A line for each, all of a colour at once."""
        top = RULER + ROW * self._data.depth[index] - self.verticalScrollBar().value()
        colour = self._data.colour[index]
        for kind in np.unique(colour).tolist():
            own = colour == kind
            painter.setPen(QPen(QColor(self._colours.muted if kind == HOLLOW else self._colours.kinds[kind]), 1))
            places = zip((np.floor(left[own]) + 0.5).tolist(), top[own].tolist(), strict=True)
            painter.drawLines([QLineF(x, y, x, y + ROW - 2) for x, y in places])

    def _paint_span(self, painter: QPainter, index: int, left: float, right: float) -> None:
        top = RULER + ROW * int(self._data.depth[index]) - self.verticalScrollBar().value()
        if top + ROW < RULER or top > self.viewport().height():
            return
        area = QRectF(left, top, max(1.0, right - left - (1 if right - left > 3 else 0)), ROW - 1)
        faded = self._dim is not None and bool(self._dim[index])
        painter.setOpacity(DIMMED if faded else 1.0)
        kind = int(self._data.colour[index])
        if kind == HOLLOW:
            self._paint_hollow(painter, area)
        else:
            painter.fillRect(area, QColor(self._colours.kinds[kind]))
        if self._data.marked[index] and area.width() > 3:
            painter.fillRect(area, QBrush(with_alpha(self._colours.panel, 0.55), Qt.BrushStyle.BDiagPattern))
        self._paint_text(painter, index, area, kind)
        painter.setOpacity(1.0)

    def _paint_hollow(self, painter: QPainter, area: QRectF) -> None:
        if area.width() <= 3:
            painter.fillRect(area, with_alpha(self._colours.muted, 0.5))
            return
        painter.fillRect(area, QBrush(with_alpha(self._colours.muted, 0.28), Qt.BrushStyle.FDiagPattern))
        painter.setPen(QPen(QColor(self._colours.muted), 1, Qt.PenStyle.DotLine))
        painter.setBrush(Qt.BrushStyle.NoBrush)
        painter.drawRect(area.adjusted(0.5, 0.5, -0.5, -0.5))

    def _paint_text(self, painter: QPainter, index: int, area: QRectF, kind: int) -> None:
        room = QRectF(max(area.left(), PAD), area.top(), 0, area.height())
        room.setRight(min(area.right(), self.viewport().width()))
        room.adjust(4, 0, -4, 0)
        if room.width() < 12:
            return
        advance = QFontMetrics(painter.font()).horizontalAdvance
        texts = self._data.texts(index)
        text = values.fitting(texts, room.width(), [advance(one) for one in texts])
        if not text:
            return
        if kind == HOLLOW or self._data.marked[index]:  # letters on lines are hard to read: they get a ground
            ground = QRectF(room.left() - 2, area.top() + 2, advance(text) + 4, area.height() - 4)
            painter.fillRect(ground, with_alpha(self._colours.panel, 0.85))
            painter.setPen(QColor(self._colours.text))
        else:
            painter.setPen(self._look.on_kind[kind])
        painter.drawText(room, _LEFT, text)

    def _paint_line(self, painter: QPainter, time_ns: int, word: str) -> None:
        x = self._x(time_ns)
        if not -200 < x < self.viewport().width() + 200:
            return
        painter.setPen(QPen(QColor(self._colours.accent), 1, Qt.PenStyle.DashLine))
        painter.drawLine(QPointF(x, RULER), QPointF(x, self.viewport().height()))
        width = QFontMetrics(painter.font()).horizontalAdvance(word)
        left = x + 4 if x + width + 8 < self.viewport().width() else x - width - 4
        area = QRectF(left, self.viewport().height() - ROW, width, ROW)
        painter.fillRect(area.adjusted(-2, 1, 2, -1), with_alpha(self._colours.panel, 0.85))
        painter.drawText(area, _LEFT, word)

    def _paint_picked(self, painter: QPainter) -> None:
        painter.setBrush(Qt.BrushStyle.NoBrush)
        painter.setPen(QPen(QColor(self._colours.selection), 2))
        painter.drawRect(self.box_of(self._picked).adjusted(0, 0, -1, -2))
