"""Stacked bars one below the other on one scale, with a ruler; paints what is visible, and knows no profiler."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from heapq import nlargest

from PySide6.QtCore import QEvent, QPointF, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QColor, QFont, QFontMetrics, QHelpEvent, QKeyEvent, QMouseEvent, QPainter, QPaintEvent
from PySide6.QtWidgets import QAbstractScrollArea, QFrame, QToolTip

from profviz.model.units import format_ns
from profviz.ui.widgets.paint_faults import told
from profviz.ui.widgets.palette import Palette
from profviz.ui.widgets.panel_style import plain_tip, tabular, verbatim, with_alpha
from profviz.ui.widgets.panel_text import bold_font
from profviz.ui.widgets.stack_paint import fill_colour, paint_fill
from profviz.ui.widgets.stack_values import Pattern, Piece, StackRow
from profviz.ui.widgets.time_ruler import ruler_step

ROW, GROUP, RULER, BAR = 26, 24, 22, 18
MARGIN = 8
MOST_TITLE = 200
TITLE_SHARE = 0.3
MOST_TOLD = 50


class StackedBars(QAbstractScrollArea):
    """Amounts are ns. `row_chosen` carries a row's id, `piece_chosen` that and a piece's.

    Up and Down choose a row, Left and Right a piece of it, Enter says that the piece is meant, as a click does.
    """

    row_chosen = Signal(int)
    piece_chosen = Signal(int, int)

    def __init__(self, palette: Palette, *, name: str) -> None:
        super().__init__()
        self._colours = palette
        self.rows: tuple[StackRow, ...] = ()
        self._tops: list[int] = []
        self._row, self._piece = -1, -1
        self._title_room, self._total_room, self._most, self._extent = 0, 0, 0, 0
        self.setAccessibleName(name)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.viewport().setMouseTracking(True)
        self.setMinimumSize(240, RULER + 2 * ROW)

    def show_rows(self, rows: Sequence[StackRow]) -> None:
        self.rows = tuple(rows)
        self._row, self._piece = -1, -1
        self._tops = []
        top = 0
        for row in self.rows:
            top += GROUP if row.group else 0
            self._tops.append(top)
            top += ROW
        self._extent = top + MARGIN
        told = (f"{row.group} {row.title} {row.total}".strip() for row in self.rows[:MOST_TOLD])
        self.setAccessibleDescription("; ".join(told))
        self._measure()
        self._fit()
        self.verticalScrollBar().setValue(0)
        self.viewport().update()

    def mark_row(self, id_: int) -> None:
        """Shows which row is looked at without telling anyone."""
        self._row = next((at for at, row in enumerate(self.rows) if row.id == id_), -1)
        self.viewport().update()

    def apply(self, palette: Palette) -> None:
        self._colours = palette
        self.viewport().update()

    def sizeHint(self) -> QSize:
        return QSize(520, 240)

    def resizeEvent(self, event: QEvent) -> None:
        self._fit()

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() == QEvent.Type.FontChange:
            self._measure()

    def viewportEvent(self, event: QEvent) -> bool:
        if event.type() == QEvent.Type.ToolTip and isinstance(event, QHelpEvent):
            found = self.piece_at(QPointF(event.pos()))
            text = found[1].tip if found and found[1] else ""
            QToolTip.showText(event.globalPos(), plain_tip(text), self.viewport())
            return True
        return super().viewportEvent(event)

    def mousePressEvent(self, event: QMouseEvent) -> None:
        found = self.piece_at(event.position())
        if event.button() != Qt.MouseButton.LeftButton or found is None:
            return
        at, piece = found
        self._choose(at, self.rows[at].pieces.index(piece) if piece else -1)
        if piece is not None:
            self.piece_chosen.emit(self.rows[at].id, piece.id)

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        event.accept()

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        found = self.piece_at(event.position())
        pointing = found is not None and found[1] is not None
        self.viewport().setCursor(Qt.CursorShape.PointingHandCursor if pointing else Qt.CursorShape.ArrowCursor)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        key, most = event.key(), len(self.rows) - 1
        if key in (Qt.Key.Key_Up, Qt.Key.Key_Down) and self.rows:
            self._choose(min(most, max(0, self._row + (1 if key == Qt.Key.Key_Down else -1))), -1)
        elif key in (Qt.Key.Key_Left, Qt.Key.Key_Right) and self._row >= 0:
            last = len(self.rows[self._row].pieces) - 1
            self._choose(self._row, min(last, max(0, self._piece + (1 if key == Qt.Key.Key_Right else -1))))
        elif key in (Qt.Key.Key_Return, Qt.Key.Key_Enter) and self._piece >= 0:
            row = self.rows[self._row]
            self.piece_chosen.emit(row.id, row.pieces[self._piece].id)
        else:
            super().keyPressEvent(event)

    def piece_at(self, place: QPointF) -> tuple[int, Piece | None] | None:
        """The position of the row under a point of the viewport, and the piece if it is on one."""
        y = place.y() - RULER + self.verticalScrollBar().value()
        at = bisect_right(self._tops, y) - 1
        if at < 0 or y >= self._tops[at] + ROW or place.y() < RULER:
            return None
        for piece, left, width in self._places(self.rows[at]):
            if left <= place.x() < left + max(width, 1):
                return at, piece
        return at, None

    def _choose(self, row: int, piece: int) -> None:
        changed = row != self._row
        self._row, self._piece = row, piece
        top, bar = self._tops[row], self.verticalScrollBar()
        room = self.viewport().height() - RULER
        if top - GROUP < bar.value() or top + ROW > bar.value() + room:
            bar.setValue(top - GROUP if top - GROUP < bar.value() else top + ROW - room)
        if changed:
            self.row_chosen.emit(self.rows[row].id)
        self.viewport().update()

    def _fit(self) -> None:
        room = max(0, self.viewport().height() - RULER)
        self.verticalScrollBar().setPageStep(room)
        self.verticalScrollBar().setSingleStep(ROW)
        self.verticalScrollBar().setRange(0, max(0, self._extent - room))

    def _metrics(self) -> QFontMetrics:
        return QFontMetrics(self._numbers())

    def _numbers(self) -> QFont:
        return tabular(verbatim(self.font()))

    def _measure(self) -> None:
        """What depends on all rows; by far not every text is measured, as the longest have most letters."""
        width = self._metrics().horizontalAdvance
        titles = nlargest(8, {row.title for row in self.rows}, key=len)
        totals = nlargest(8, {row.total for row in self.rows}, key=len)
        self._title_room = max(map(width, titles), default=0)
        self._total_room = max(map(width, totals), default=0)
        self._most = max((row.amount for row in self.rows), default=0)

    def _span(self) -> tuple[float, float]:
        """Left edge and width of where the longest bar goes."""
        title = min(MOST_TITLE, self.viewport().width() * TITLE_SHARE, self._title_room)
        left = MARGIN + title + 12
        return left, max(40.0, self.viewport().width() - left - self._total_room - 2 * MARGIN - 8)

    def _places(self, row: StackRow) -> list[tuple[Piece, float, float]]:
        left, width = self._span()
        most = self._most or 1
        found, before = [], 0
        for piece in row.pieces:
            start, end = left + width * before / most, left + width * (before + piece.amount) / most
            before += piece.amount
            found.append((piece, start, end - start))
        return found

    @told
    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self.viewport())
        painter.setFont(self._numbers())
        painter.fillRect(self.viewport().rect(), QColor(self._colours.panel))
        shift = RULER - self.verticalScrollBar().value()
        self._paint_grid(painter)
        painter.setClipRect(0, RULER, self.viewport().width(), self.viewport().height() - RULER)
        for at in range(max(0, bisect_right(self._tops, -shift - ROW)), len(self.rows)):
            top = self._tops[at] + shift
            if top > self.viewport().height() + GROUP:
                break
            self._paint_row(painter, at, top)

    def _paint_grid(self, painter: QPainter) -> None:
        left, width = self._span()
        most = self._most
        if not most:
            return
        step = ruler_step(most, width)
        for number in range(most // step + 1):
            x = left + width * number * step / most
            painter.fillRect(QRectF(x, RULER - 4, 1, self.viewport().height()), with_alpha(self._colours.border, 0.7))
            painter.setPen(QColor(self._colours.muted))
            text = format_ns(number * step) if number else "0"
            room = QRectF(x + (0 if number == 0 else -40), 0, 80, RULER - 4)
            align = Qt.AlignmentFlag.AlignLeft if number == 0 else Qt.AlignmentFlag.AlignHCenter
            painter.drawText(room, int(align | Qt.AlignmentFlag.AlignVCenter), text)

    def _paint_row(self, painter: QPainter, at: int, top: int) -> None:
        row, width = self.rows[at], self.viewport().width()
        if at == self._row:
            painter.fillRect(QRectF(0, top, width, ROW), with_alpha(self._colours.accent, 0.14))
        if row.group:
            painter.save()
            painter.setFont(bold_font(self._numbers()))
            painter.setPen(QColor(self._colours.text))
            middle = int(Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter)
            painter.drawText(QRectF(MARGIN, top - GROUP + 2, width, GROUP - 2), middle, row.group)
            painter.restore()
        left = self._span()[0]
        title = self._metrics().elidedText(row.title, Qt.TextElideMode.ElideMiddle, int(left - MARGIN - 12))
        middle = int(Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter)
        painter.setPen(QColor(self._colours.muted))
        painter.drawText(QRectF(MARGIN, top, left - MARGIN, ROW), middle, title)
        end = left
        for number, (piece, start, length) in enumerate(self._places(row)):
            self._paint_piece(painter, piece, QRectF(start, top + (ROW - BAR) / 2, max(1.0, length), BAR))
            if at == self._row and number == self._piece:
                self._paint_focus(painter, QRectF(start, top + 2, max(3.0, length), ROW - 4))
            end = start + length
        painter.setPen(QColor(self._colours.text))
        painter.drawText(QRectF(end + 8, top, width, ROW), middle, row.total)

    def _paint_piece(self, painter: QPainter, piece: Piece, area: QRectF) -> None:
        paint_fill(painter, area, piece.fill, self._colours)
        width = self._metrics().horizontalAdvance
        text = next((text for text in piece.texts if width(text) + 12 <= area.width()), "")
        if not text:
            return
        if piece.fill.pattern is not Pattern.SOLID:  # letters on lines are hard to read: they get a ground
            room = width(text) + 12
            ground = QRectF(area.center().x() - room / 2, area.top() + 2, room, area.height() - 4)
            painter.fillRect(ground, with_alpha(self._colours.panel, 0.82))
            painter.setPen(QColor(self._colours.text))
        else:
            dark = fill_colour(self._colours, piece.fill).lightnessF() > 0.55
            painter.setPen(QColor("#0d1117" if dark else "#ffffff"))
        painter.drawText(area, int(Qt.AlignmentFlag.AlignCenter), text)

    def _paint_focus(self, painter: QPainter, area: QRectF) -> None:
        painter.setPen(QColor(self._colours.text))
        painter.setBrush(Qt.BrushStyle.NoBrush)
        painter.drawRect(area)
