"""A pannable, zoomable canvas that shows one graph picture; it knows shapes and indices, no compiler."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from PySide6.QtCore import QEvent, QPoint, QPointF, QRectF, Qt, Signal
from PySide6.QtGui import QColor, QKeyEvent, QMouseEvent, QPainter, QPaintEvent, QResizeEvent, QWheelEvent
from PySide6.QtWidgets import QAbstractScrollArea, QLabel, QWidget

from profviz.ui.widgets.graph_paint import Brush, Marks, graph_fonts, paint_picture
from profviz.ui.widgets.graph_picture import Picture, empty_picture
from profviz.ui.widgets.palette import Palette

SMALLEST, LARGEST = 0.02, 3.0
LEGIBLE = 0.73  # where a whole graph would be smaller than this, it opens at `OPENING` instead
OPENING = 0.85
CLICK_PIXELS = 4
GROUND = 0.25  # of the view may stay empty beside a picture that is larger than it
ARROWS = {Qt.Key.Key_Left: (-1, 0), Qt.Key.Key_Right: (1, 0), Qt.Key.Key_Up: (0, -1), Qt.Key.Key_Down: (0, 1)}


class GraphCanvas(QAbstractScrollArea):
    """`shape_clicked` carries a shape's index or -1 for the ground; `shape_hovered` likewise.

    `tip` gives the plain text to show for a shape, `hull_tip` for a hull.
    """

    shape_clicked = Signal(int)
    shape_hovered = Signal(int)
    zoomed = Signal(float)

    def __init__(self, palette: Palette, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._palette = palette
        self._picture = empty_picture()
        self._marks = Marks()
        self._scale = 1.0
        self._left = self._top = 0.0
        self._press: QPointF | None = None
        self._dragged = False
        self._syncing = False
        self._message = ""
        self._fitted: frozenset[int] = frozenset()
        self._elided: dict[tuple[str, int, int], str] = {}
        self.tip: Callable[[int], str] = lambda shape: ""
        self.hull_tip: Callable[[int], str] = lambda hull: ""
        self._note = QLabel(self.viewport())
        self._note.setTextFormat(Qt.TextFormat.PlainText)
        self._note.setWordWrap(True)
        self._note.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
        self._note.hide()
        self._corner = QWidget()
        self.setCornerWidget(self._corner)
        self.setFrameShape(QAbstractScrollArea.Shape.NoFrame)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.viewport().setMouseTracking(True)
        self.horizontalScrollBar().valueChanged.connect(self._scrolled)
        self.verticalScrollBar().valueChanged.connect(self._scrolled)
        self.set_palette(palette)

    # what is shown

    @property
    def picture(self) -> Picture:
        return self._picture

    @property
    def marks(self) -> Marks:
        return self._marks

    @property
    def scale(self) -> float:
        return self._scale

    def set_palette(self, palette: Palette) -> None:
        self._palette = palette
        self._corner.setStyleSheet(f"background:{palette.panel};")
        self._note.setStyleSheet(
            f"background:{palette.raised}; color:{palette.text}; border:1px solid {palette.border};"
            "border-radius:6px; padding:6px 8px;"
        )
        self.viewport().update()

    def show_picture(self, picture: Picture) -> None:
        """Replaces the picture and opens it: whole where that is legible, else at its start."""
        self._picture, self._message = picture, ""
        self._marks = Marks()
        self._fitted = frozenset()
        self._elided.clear()
        self._note.hide()
        self.open_view()

    def show_message(self, text: str) -> None:
        """Shows words instead of a picture."""
        self._picture, self._message, self._marks = empty_picture(), text, Marks()
        self._sync_bars()
        self.viewport().update()

    def set_marks(self, marks: Marks) -> None:
        if marks != self._marks:
            self._marks = marks
            self.viewport().update()

    # where it is shown

    def visible_window(self) -> tuple[float, float, float, float]:
        """The scene rectangle on the screen: left, top, right, bottom."""
        size = self.viewport().size()
        right, bottom = self._left + size.width() / self._scale, self._top + size.height() / self._scale
        return (self._left, self._top, right, bottom)

    def to_scene(self, point: QPointF) -> QPointF:
        return QPointF(self._left + point.x() / self._scale, self._top + point.y() / self._scale)

    def to_view(self, x: float, y: float) -> QPointF:
        return QPointF((x - self._left) * self._scale, (y - self._top) * self._scale)

    def fit_scale(self) -> float:
        _, _, width, height = self._picture.bounds
        size = self.viewport().size()
        return max(min(size.width() / width, size.height() / height, 1.0), SMALLEST)

    def fit(self) -> None:
        """Shows everything, never larger than 100 %."""
        self._scale = self.fit_scale()
        x, y, width, height = self._picture.bounds
        self._centre_on(x + width / 2, y + height / 2)

    def open_view(self) -> None:
        if self.fit_scale() >= LEGIBLE or not len(self._picture.rects):
            self.fit()
            return
        self._scale = OPENING
        size = self.viewport().size()
        x, y, _, _ = self._picture.bounds
        wide, high = size.width() / self._scale, size.height() / self._scale
        if self._picture.downwards:
            self._centre_on(self._picture.middle(y, y + high), y + high / 2)
        else:
            self._centre_on(x + wide / 2, self._picture.middle(x, x + wide))

    def _first_shape(self) -> int:
        axis = 1 if self._picture.downwards else 0
        return int(self._picture.rects[:, axis].argmin())

    def zoom_at(self, point: QPointF, factor: float) -> None:
        """Zooms so that what is under the view point stays there."""
        before = self.to_scene(point)
        self._scale = min(max(self._scale * factor, min(self.fit_scale(), SMALLEST * 5)), LARGEST)
        self._left = before.x() - point.x() / self._scale
        self._top = before.y() - point.y() / self._scale
        self._settle()

    def reveal(self, shapes: Iterable[int]) -> None:
        """Brings the shapes into view, all where they fit, else the first; leaves the view alone when they are seen."""
        chosen = list(shapes)
        if not chosen:
            return
        if self._scale < LEGIBLE:
            self._scale = OPENING
        box = self._around(chosen)
        if box.width() * self._scale > self.viewport().width() or box.height() * self._scale > self.viewport().height():
            box = self._around(chosen[:1])
        left, top, right, bottom = self.visible_window()
        if not QRectF(left, top, right - left, bottom - top).contains(box):
            self._centre_on(box.center().x(), box.center().y())
        else:
            self._settle()

    def _around(self, shapes: list[int]) -> QRectF:
        box = QRectF()
        for shape in shapes:
            box = box.united(QRectF(*map(float, self._picture.rects[shape])))
        return box

    def _centre_on(self, x: float, y: float) -> None:
        size = self.viewport().size()
        self._left = x - size.width() / 2 / self._scale
        self._top = y - size.height() / 2 / self._scale
        self._settle()

    def _settle(self) -> None:
        """Keeps the picture in sight, moves the scroll bars and repaints."""
        x, y, width, height = self._picture.bounds
        size = self.viewport().size()
        self._left = _kept(self._left, x, width, size.width() / self._scale)
        self._top = _kept(self._top, y, height, size.height() / self._scale)
        self._sync_bars()
        self.zoomed.emit(self._scale)
        self.viewport().update()

    def _sync_bars(self) -> None:
        x, y, width, height = self._picture.bounds
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
        x, y, _, _ = self._picture.bounds
        if self.horizontalScrollBar().maximum() > 0:
            self._left = x + self.horizontalScrollBar().value() / self._scale
        if self.verticalScrollBar().maximum() > 0:
            self._top = y + self.verticalScrollBar().value() / self._scale
        self.viewport().update()

    # events

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self.viewport())
        painter.fillRect(event.rect(), QColor(self._palette.panel))
        if self._message:
            painter.setPen(QColor(self._palette.muted))
            room = QRectF(self.viewport().rect()).adjusted(16, 16, -16, -16)
            painter.drawText(room, int(Qt.AlignmentFlag.AlignCenter | Qt.TextFlag.TextWordWrap), self._message)
            return
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.scale(self._scale, self._scale)
        painter.translate(-self._left, -self._top)
        brush = Brush(painter, self._palette, graph_fonts(self.font()), self._scale, self._elided)
        paint_picture(brush, self._picture, self._marks, self.visible_window())

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

    def mousePressEvent(self, event: QMouseEvent) -> None:
        if event.button() is Qt.MouseButton.LeftButton:
            self._press, self._dragged = event.position(), False
            self._note.hide()

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        if self._press is None:
            self._hover(event.position())
            return
        moved = event.position() - self._press
        if self._dragged or moved.manhattanLength() > CLICK_PIXELS:
            self._dragged = True
            self.viewport().setCursor(Qt.CursorShape.ClosedHandCursor)
            self._press = event.position()
            self._pan(-moved.x(), -moved.y())

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        if self._press is None:
            return
        self._press = None
        self.viewport().unsetCursor()
        if not self._dragged:
            self.activate(self._shape_under(event.position()))

    def activate(self, shape: int) -> None:
        """Makes a shape current; a far chip leads to what it points to."""
        if shape >= 0 and self._picture.shapes[shape].jump >= 0:
            shape = self._picture.shapes[shape].jump
            self.reveal([shape])
        marks = self._marks
        self.set_marks(Marks(marks.selected, marks.found, shape, marks.hover))
        self.shape_clicked.emit(shape)

    def mouseDoubleClickEvent(self, event: QMouseEvent) -> None:
        shape = self._shape_under(event.position())
        if shape >= 0:
            self.zoom_at(event.position(), 1.0 / self._scale)
            self.reveal([shape])

    def _shape_under(self, point: QPointF) -> int:
        scene = self.to_scene(point)
        return self._picture.shape_at(scene.x(), scene.y())

    def _hover(self, point: QPointF) -> None:
        shape = self._shape_under(point)
        scene = self.to_scene(point)
        text = self.tip(shape) if shape >= 0 else ""
        if shape < 0:
            hull = self._picture.hull_at(scene.x(), scene.y())
            text = self.hull_tip(hull) if hull >= 0 else ""
        self._show_note(text, point.toPoint())
        if shape != self._marks.hover:
            marks = self._marks
            self.set_marks(Marks(marks.selected, marks.found, marks.current, shape))
            self.shape_hovered.emit(shape)

    def _show_note(self, text: str, point: QPoint) -> None:
        """The tooltip is a plain-text label of our own: Qt's would read markup in a file's text."""
        if not text:
            self._note.hide()
            return
        self._note.setText(text)
        self._note.setMaximumWidth(max(self.viewport().width() - 24, 80))
        self._note.adjustSize()
        room = self.viewport().size() - self._note.size()
        x = min(point.x() + 14, max(room.width() - 4, 0))
        y = point.y() + 18 if point.y() + 18 < room.height() else max(point.y() - self._note.height() - 10, 0)
        self._note.move(x, y)
        self._note.show()
        self._note.raise_()

    def leaveEvent(self, event: QEvent) -> None:
        self._note.hide()
        marks = self._marks
        self.set_marks(Marks(marks.selected, marks.found, marks.current, -1))
        self.shape_hovered.emit(-1)
        super().leaveEvent(event)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        key = Qt.Key(event.key())
        if key in ARROWS:
            self.step(*ARROWS[key])
        elif key == Qt.Key.Key_Space:
            self.fit()
        elif key == Qt.Key.Key_F:
            self.fit_selection()
        elif key in (Qt.Key.Key_0, Qt.Key.Key_Z):
            self.open_view()
        elif key in (Qt.Key.Key_W, Qt.Key.Key_Plus):
            self.zoom_in()
        elif key in (Qt.Key.Key_S, Qt.Key.Key_Minus):
            self.zoom_out()
        else:
            super().keyPressEvent(event)

    def zoom_in(self) -> None:
        self.zoom_at(QPointF(self.viewport().rect().center()), 1.25)

    def zoom_out(self) -> None:
        self.zoom_at(QPointF(self.viewport().rect().center()), 0.8)

    def fit_selection(self) -> None:
        """First what is selected, again everything, as F does on the timelines."""
        current = {self._marks.current} if self._marks.current >= 0 else set()
        chosen = self._marks.selected or frozenset(current)
        if not chosen or chosen == self._fitted:
            self._fitted = frozenset()
            self.fit()
            return
        self._fitted = chosen
        box = self._around(sorted(chosen)).adjusted(-16, -16, 16, 16)
        size = self.viewport().size()
        self._scale = max(min(size.width() / box.width(), size.height() / box.height(), 1.0), SMALLEST)
        self._centre_on(box.center().x(), box.center().y())

    def step(self, dx: int, dy: int) -> None:
        """Moves along an edge, or to the shape beside."""
        if not len(self._picture.rects):
            return
        current = self._marks.current
        target = self._picture.neighbour(current, dx, dy) if current >= 0 else self._first_shape()
        if target >= 0:
            self.reveal([target])
            self.activate(target)


def _kept(at: float, start: float, length: float, page: float) -> float:
    """Where a view of `page` length may start: within the content and some ground, or with all of it in the middle."""
    if page >= length:
        return start - (page - length) / 2
    ground = page * GROUND
    return min(max(at, start - ground), start + length - page + ground)
