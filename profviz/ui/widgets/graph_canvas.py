"""A pannable, zoomable canvas that shows one graph picture; it knows shapes and indices, no compiler."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace

import numpy as np
from PySide6.QtCore import QEvent, QPointF, QRectF, Qt, QTimer, Signal
from PySide6.QtGui import QColor, QKeyEvent, QMouseEvent, QPainter, QPainterPath, QPaintEvent, QResizeEvent
from PySide6.QtWidgets import QAbstractScrollArea, QWidget

from profviz.ui.widgets.graph_brush import TEXT_SCALE, Brush, graph_fonts
from profviz.ui.widgets.graph_frames import group_corner, is_in_title, sign_at
from profviz.ui.widgets.graph_note import GraphNote
from profviz.ui.widgets.graph_opening import opening
from profviz.ui.widgets.graph_paint import Marks, Window, paint_ground, paint_over, paint_picture
from profviz.ui.widgets.graph_picture import Picture, empty_picture
from profviz.ui.widgets.graph_plane import SMALLEST, GraphPlane
from profviz.ui.widgets.graph_tiles import GraphTiles, Sight
from profviz.ui.widgets.paint_faults import told
from profviz.ui.widgets.palette import Palette

LEGIBLE = 0.73  # what is revealed where the scale is smaller than this is shown at `REVEALED` instead
REVEALED = 0.85
CLICK_PIXELS = 4
EDGE_PIXELS = 5  # from an edge that the mouse is at
ARROWS = {Qt.Key.Key_Left: (-1, 0), Qt.Key.Key_Right: (1, 0), Qt.Key.Key_Up: (0, -1), Qt.Key.Key_Down: (0, 1)}


class GraphCanvas(GraphPlane):
    """`shape_clicked` carries a shape's index or -1 for the ground; `shape_hovered` likewise; `toggled` a group's id.
    `repainted` says that picture or colours are others.

    `tip` gives the plain text to show for a shape, `edge_tip` for an edge, `hull_tip` for a hull.
    """

    shape_clicked = Signal(int)
    shape_hovered = Signal(int)
    toggled = Signal(str)
    repainted = Signal()

    def __init__(self, palette: Palette, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._palette = palette
        self._picture = empty_picture()
        self._marks = Marks()
        self._press: QPointF | None = None
        self._dragged = False
        self._message = ""
        self._fitted: frozenset[int] = frozenset()
        self._elided: dict[tuple[str, int, int], str] = {}
        self._paths: dict[int, QPainterPath] = {}
        self._moving = False
        self._opened: tuple[float, float, float] | None = None  # the place that the picture was opened at
        self._tiles = GraphTiles(self._paint_tile)
        self._refine = QTimer(self)
        self._refine.setSingleShot(True)
        self._refine.timeout.connect(self.viewport().update)
        self._keys = self._make_keys()
        self.tip: Callable[[int], str] = lambda shape: ""
        self.edge_tip: Callable[[int], str] = lambda edge: ""
        self.hull_tip: Callable[[int], str] = lambda hull: ""
        self._note = GraphNote(self.viewport())
        self._corner = QWidget()
        self.setCornerWidget(self._corner)
        self.setFrameShape(QAbstractScrollArea.Shape.NoFrame)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.viewport().setMouseTracking(True)
        self.set_palette(palette)

    # what is shown

    @property
    def picture(self) -> Picture:
        return self._picture

    @property
    def colours(self) -> Palette:
        return self._palette

    @property
    def is_moving(self) -> bool:
        """Whether the picture is one of many in a row."""
        return self._moving

    @property
    def marks(self) -> Marks:
        return self._marks

    def set_palette(self, palette: Palette) -> None:
        self._palette = palette
        self._tiles.forget()
        self._corner.setStyleSheet(f"background:{palette.panel};")
        self._note.set_palette(palette)
        self.repainted.emit()
        self.viewport().update()

    def show_picture(self, picture: Picture, *, keep: str = "") -> None:
        """Replaces the picture and opens it: whole where that is legible, else at its start.

        The group of the id `keep`, which was opened or closed, stays where it was.
        """
        before = group_corner(self._picture, keep) if keep else None
        self._take(picture)
        self._message, self._moving = "", False
        self._marks = Marks()
        self._fitted = frozenset()
        self._elided.clear()
        self._note.hide()
        self.repainted.emit()
        after = group_corner(self._picture, keep) if before is not None else None
        if before is None or after is None:
            self.open_view()
            return
        self._left += after[0] - before[0]
        self._top += after[1] - before[1]
        self._settle()

    def recolour(self, picture: Picture, *, moving: bool = False) -> None:
        """Replaces the picture by one with the same shapes; `moving` while it is one of many in a row."""
        self._hold(picture)
        self._take(picture)
        self._moving = moving
        if not moving:
            self.repainted.emit()
            self._settle()
        self.viewport().update()

    def _hold(self, picture: Picture) -> None:
        """Keeps in its place on the screen what is current, else what is in the middle, where shapes move."""
        before, after = self._picture.rects, picture.rects
        if before is after or before.shape != after.shape or not len(after):
            return
        left, top, right, bottom = self.visible_window()
        away = np.abs(before[:, :2] + before[:, 2:] / 2 - [(left + right) / 2, (top + bottom) / 2]).sum(axis=1)
        held = self._marks.current if self._marks.current >= 0 else int(away.argmin())
        for axis in (0, 1):
            moved = float(after[held, axis] - before[held, axis])
            at_start = (left, top)[axis] <= float(before[:, axis].min())  # it begins where it began
            self._left += moved if axis == 0 and not at_start else 0.0
            self._top += moved if axis == 1 and not at_start else 0.0

    def _take(self, picture: Picture) -> None:
        self._picture = picture
        self._paths.clear()
        self._tiles.forget()

    def show_message(self, text: str) -> None:
        """Shows words instead of a picture."""
        self._picture, self._message, self._marks = empty_picture(), text, Marks()
        self._sync_bars()
        self.repainted.emit()
        self.viewport().update()

    def set_marks(self, marks: Marks) -> None:
        if marks != self._marks:
            self._marks = marks
            self.viewport().update()

    # where it is shown

    def _bounds(self) -> tuple[float, float, float, float]:
        return self._picture.bounds

    def open_view(self) -> None:
        """Whole where that is legible, else its beginning; so it stays when the view is resized, until it is moved."""
        self._opened = None
        for _ in range(2):  # scroll bars that come or go with it change the room
            size = self.viewport().size()
            self._scale, *middle = opening(self._picture, size.width(), size.height())
            self.centre_on(*middle)
            if self.viewport().size() == size:
                break
        self._opened = self._place()

    def _place(self) -> tuple[float, float, float]:
        return self._scale, self._left, self._top

    def resizeEvent(self, event: QResizeEvent) -> None:
        was_opened = self._opened == self._place()
        super().resizeEvent(event)
        if was_opened:
            self.open_view()

    def _first_shape(self) -> int:
        axis = 1 if self._picture.downwards else 0
        return int(self._picture.rects[:, axis].argmin())

    def reveal(self, shapes: Iterable[int]) -> None:
        """Brings the shapes into view, a little smaller where all fit then, else the first; no more than is needed."""
        chosen = list(shapes)
        if not chosen:
            return
        if self._scale < LEGIBLE:
            self._scale = REVEALED
        box = self._around(chosen)
        size = self.viewport().size()
        fitting = min(size.width() / box.width(), size.height() / box.height())
        if fitting < TEXT_SCALE:
            box = self._around(chosen[:1])
        self._scale = min(self._scale, max(fitting, TEXT_SCALE))
        left, top, right, bottom = self.visible_window()
        if not QRectF(left, top, right - left, bottom - top).contains(box):
            self.centre_on(box.center().x(), box.center().y())
        else:
            self._settle()

    def follow(self, shapes: list[int]) -> None:
        """Moves the view, as it is scaled, to the first of the shapes where none of them is seen."""
        if shapes and not set(self._picture.shapes_within(*self.visible_window()).tolist()) & set(shapes):
            centre = self._around(shapes[:1]).center()
            self.centre_on(centre.x(), centre.y())

    def _around(self, shapes: list[int]) -> QRectF:
        """The shapes, with the hulls that have no others."""
        box, chosen = QRectF(), set(shapes)
        for hull, rect in zip(self._picture.hulls, self._picture.hull_rects, strict=True):
            if chosen.issuperset(hull.members):
                box = box.united(QRectF(*map(float, rect)))
        for shape in shapes:
            box = box.united(QRectF(*map(float, self._picture.rects[shape])))
        return box

    # events

    @told
    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self.viewport())
        painter.fillRect(event.rect(), QColor(self._palette.panel))
        if self._message:
            painter.setPen(QColor(self._palette.muted))
            room = QRectF(self.viewport().rect()).adjusted(16, 16, -16, -16)
            painter.drawText(room, int(Qt.AlignmentFlag.AlignCenter | Qt.TextFlag.TextWordWrap), self._message)
            return
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        sight = self._sight()
        # what is not on a path steps back, which tiles do not show, and what moves is not worth keeping
        tiled = not (self._marks.path or self._moving)
        if tiled and not self._tiles.draw(painter, sight, QColor(self._palette.panel)):
            self._refine.start(0)
        painter.scale(self._scale, self._scale)
        painter.translate(*(-at for at in sight.corner))
        paint = paint_over if tiled else paint_picture
        paint(self._brush(painter), self._picture, self._marks, self.visible_window())

    def _sight(self) -> Sight:
        size, ratio = self.viewport().size(), self.viewport().devicePixelRatioF()
        return Sight(self._left, self._top, self._scale, size.width(), size.height(), ratio)

    def _brush(self, painter: QPainter) -> Brush:
        return Brush(painter, self._palette, graph_fonts(self.font()), self._scale, self._elided, self._paths)

    def _paint_tile(self, painter: QPainter, window: Window) -> None:
        paint_ground(self._brush(painter), self._picture, window)

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
        if self._dragged:
            return
        group = sign_at(self._picture, self.to_scene(event.position()))
        if group:
            self.toggled.emit(group)
        else:
            self.activate(self._shape_under(event.position()))

    def toggle_current(self) -> None:
        """Opens the current shape where it is a closed group."""
        current = self._marks.current
        if 0 <= current < len(self._picture.shapes) and self._picture.shapes[current].opens:
            self.toggled.emit(self._picture.shapes[current].opens)

    def close_around(self) -> None:
        """Closes the innermost frame around the current shape."""
        if not 0 <= self._marks.current < len(self._picture.shapes):
            return
        x, y, width, height = self._picture.rects[self._marks.current].tolist()
        frame = self._picture.frame_at(x + width / 2, y + height / 2)
        if frame >= 0:
            self.toggled.emit(self._picture.frames[frame].id)

    def activate(self, shape: int) -> None:
        """Makes a shape current; a far chip leads to what it points to."""
        if shape >= 0 and self._picture.shapes[shape].jump >= 0:
            shape = self._picture.shapes[shape].jump
            self.reveal([shape])
        marks = self._marks
        self.set_marks(replace(marks, current=shape))
        self.shape_clicked.emit(shape)

    def mouseDoubleClickEvent(self, event: QMouseEvent) -> None:
        shape, scene = self._shape_under(event.position()), self.to_scene(event.position())
        frame = self._picture.frame_at(scene.x(), scene.y())
        if shape >= 0 and self._picture.shapes[shape].opens:
            self.toggled.emit(self._picture.shapes[shape].opens)
        elif shape < 0 and frame >= 0 and is_in_title(self._picture.frame_rects[frame], scene):
            self.toggled.emit(self._picture.frames[frame].id)
        elif shape >= 0:
            self.zoom_at(event.position(), 1.0 / self._scale)
            self.reveal([shape])

    def _shape_under(self, point: QPointF) -> int:
        scene = self.to_scene(point)
        return self._picture.shape_at(scene.x(), scene.y())

    def _hover(self, point: QPointF) -> None:
        shape = self._shape_under(point)
        scene = self.to_scene(point)
        edge = self._picture.edge_at(scene.x(), scene.y(), EDGE_PIXELS / self._scale) if shape < 0 else -1
        hull = self._picture.hull_at(scene.x(), scene.y()) if shape < 0 and edge < 0 else -1
        text = self.tip(shape) if shape >= 0 else self.edge_tip(edge) if edge >= 0 else ""
        self._note.show_at(self.hull_tip(hull) if hull >= 0 else text, point.toPoint())
        marks = self._marks
        self.set_marks(replace(marks, hover=shape, edge=edge))
        if shape != marks.hover:
            self.shape_hovered.emit(shape)

    def leaveEvent(self, event: QEvent) -> None:
        self._note.hide()
        marks = self._marks
        self.set_marks(replace(marks, hover=-1, edge=-1))
        self.shape_hovered.emit(-1)
        super().leaveEvent(event)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        key = Qt.Key(event.key())
        deed = self._keys.get(key)
        if deed is not None:
            deed()
        elif key in ARROWS:
            self.step(*ARROWS[key])
        else:
            super().keyPressEvent(event)

    def _make_keys(self) -> dict[Qt.Key, Callable[[], None]]:
        key = Qt.Key
        return {
            **{key.Key_Space: self.fit, key.Key_F: self.fit_selection},
            **{key.Key_Return: self.toggle_current, key.Key_Enter: self.toggle_current},
            **{key.Key_Backspace: self.close_around, key.Key_0: self.open_view, key.Key_Z: self.open_view},
            **{key.Key_W: self.zoom_in, key.Key_Plus: self.zoom_in},
            **{key.Key_S: self.zoom_out, key.Key_Minus: self.zoom_out},
        }

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
        self.centre_on(box.center().x(), box.center().y())

    def step(self, dx: int, dy: int) -> None:
        """Moves along an edge, or to the shape beside."""
        if not len(self._picture.rects):
            return
        current = self._marks.current
        target = self._picture.neighbour(current, dx, dy) if current >= 0 else self._first_shape()
        if target >= 0:
            self.reveal([target])
            self.activate(target)
