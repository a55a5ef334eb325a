"""The table beside stacked bars: their legend, the figures of each part, and the change as a waterfall."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QEvent, QPointF, QRectF, QSize, Qt, Signal
from PySide6.QtGui import (
    QColor,
    QFont,
    QFontMetrics,
    QGuiApplication,
    QHelpEvent,
    QKeyEvent,
    QKeySequence,
    QMouseEvent,
    QPainter,
    QPaintEvent,
)
from PySide6.QtWidgets import QSizePolicy, QToolTip, QWidget

from profviz.ui.widgets.paint_faults import told
from profviz.ui.widgets.palette import Palette
from profviz.ui.widgets.panel_style import plain_tip, tabular, verbatim, with_alpha
from profviz.ui.widgets.panel_text import bold_font
from profviz.ui.widgets.stack_paint import paint_swatch
from profviz.ui.widgets.stack_values import FigureRow

ROW, HEAD, GAP = 24, 24, 16
SWATCH = 28
LEAST_BARS, BAR = 72, 10
MOST_HEAD, LEAST_TITLE = 88, 96


class FigureTable(QWidget):
    """`chosen` carries the id of the row that was clicked, or entered with the keyboard; Ctrl+C copies all as TSV.

    `heads` are the titles of the columns of numbers. Values that shrink are good: their change is drawn as such.
    """

    chosen = Signal(int)

    def __init__(self, palette: Palette, *, name: str) -> None:
        super().__init__()
        self._colours = palette
        self._name = name
        self.heads: tuple[str, ...] = ()
        self.rows: tuple[FigureRow, ...] = ()
        self._current = -1
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.setMouseTracking(True)
        self.setAccessibleName(name)

    def show_figures(self, heads: Sequence[str], rows: Sequence[FigureRow]) -> None:
        self.heads, self.rows, self._current = tuple(heads), tuple(rows), -1
        self.setAccessibleDescription("; ".join(f"{row.title} {', '.join(row.values)}" for row in self.rows))
        self.setFixedHeight(HEAD + ROW * len(self.rows) + 2)
        self.setMinimumWidth(self._room(least=True))
        self.update()

    def apply(self, palette: Palette) -> None:
        self._colours = palette
        self.update()

    def sizeHint(self) -> QSize:
        return QSize(self._room(), HEAD + ROW * len(self.rows) + 2)

    def as_text(self) -> str:
        lines = [("part", *self.heads), *((row.title, *row.values) for row in self.rows)]
        return "\n".join("\t".join(line) for line in lines)

    def row_at(self, place: QPointF) -> int:
        at = int((place.y() - HEAD) // ROW)
        return at if place.y() >= HEAD and at < len(self.rows) else -1

    def event(self, event: QEvent) -> bool:
        if event.type() == QEvent.Type.ToolTip and isinstance(event, QHelpEvent):
            at = self.row_at(QPointF(event.pos()))
            QToolTip.showText(event.globalPos(), plain_tip(self.rows[at].tip if at >= 0 else ""), self)
            return True
        return super().event(event)

    def mousePressEvent(self, event: QMouseEvent) -> None:
        at = self.row_at(event.position())
        if event.button() == Qt.MouseButton.LeftButton and at >= 0:
            self._current = at
            self.update()
            self.chosen.emit(self.rows[at].id)

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        event.accept()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.matches(QKeySequence.StandardKey.Copy):
            QGuiApplication.clipboard().setText(self.as_text())
        elif event.key() in (Qt.Key.Key_Up, Qt.Key.Key_Down) and self.rows:
            step = 1 if event.key() == Qt.Key.Key_Down else -1
            self._current = min(len(self.rows) - 1, max(0, self._current + step))
            self.update()
        elif event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter) and self._current >= 0:
            self.chosen.emit(self.rows[self._current].id)
        else:
            super().keyPressEvent(event)

    @told
    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        plain = tabular(verbatim(self.font()))
        columns, left, width = self._columns()
        painter.setFont(plain)
        painter.setPen(QColor(self._colours.muted))
        for (right, size), head in zip(columns, self.heads, strict=True):
            shown = QFontMetrics(plain).elidedText(head, Qt.TextElideMode.ElideMiddle, size)
            self._write(painter, QRectF(right - size, 0, size, HEAD), shown, Qt.AlignmentFlag.AlignRight)
        places = waterfall([row.change for row in self.rows], left=left, width=width)
        for at, row in enumerate(self.rows):
            self._paint_row(painter, at, row, columns, bold_font(plain) if row.fill is None else plain)
            if places[at] is not None and width:
                self._paint_change(painter, at, row, *places[at])

    def _metrics(self) -> QFontMetrics:
        return QFontMetrics(bold_font(tabular(verbatim(self.font()))))

    def _widths(self) -> tuple[int, list[int]]:
        metrics = self._metrics()
        title = max((metrics.horizontalAdvance(row.title) for row in self.rows), default=0)
        sizes = []
        for at, head in enumerate(self.heads):
            values = max((metrics.horizontalAdvance(row.values[at]) for row in self.rows), default=0)
            sizes.append(max(values, min(MOST_HEAD, metrics.horizontalAdvance(head))))
        return title + SWATCH, sizes

    def _has_changes(self) -> bool:
        return any(row.change is not None for row in self.rows)

    def _room(self, *, least: bool = False) -> int:
        """The width that shows everything, or the one below which numbers would be cut: the bars go first."""
        title, sizes = self._widths()
        numbers = sum(size + GAP for size in sizes)
        if least:
            return min(title, LEAST_TITLE + SWATCH) + numbers
        return title + numbers + (LEAST_BARS + GAP if self._has_changes() else 0)

    def _columns(self) -> tuple[list[tuple[float, int]], float, float]:
        """(right edge, width) of each column of numbers, then left edge and width of the bars."""
        title, sizes = self._widths()
        right, columns = float(min(title, self.width() - sum(size + GAP for size in sizes))), []
        for size in sizes:
            right += size + GAP
            columns.append((right, size))
        room = self.width() - right - GAP - 2
        return columns, right + GAP, room if room >= LEAST_BARS / 2 else 0.0

    def _paint_row(
        self, painter: QPainter, at: int, row: FigureRow, columns: list[tuple[float, int]], font: QFont
    ) -> None:
        top = HEAD + at * ROW
        if at == self._current and self.hasFocus():
            painter.fillRect(QRectF(0, top, self.width(), ROW), with_alpha(self._colours.accent, 0.14))
        painter.fillRect(QRectF(0, top, self.width(), 1), with_alpha(self._colours.border, 0.6))
        painter.setFont(font)
        if row.fill is not None:
            paint_swatch(painter, 0, top + ROW / 2, row.fill, self._colours)
        painter.setPen(QColor(self._colours.text))
        room = columns[0][0] - columns[0][1] - GAP - SWATCH if columns else self.width() - SWATCH
        title = QFontMetrics(font).elidedText(row.title, Qt.TextElideMode.ElideRight, int(room) + 8)
        self._write(painter, QRectF(SWATCH, top, room + 8, ROW), title, Qt.AlignmentFlag.AlignLeft)
        for (right, size), value in zip(columns, row.values, strict=True):
            self._write(painter, QRectF(right - size, top, size, ROW), value, Qt.AlignmentFlag.AlignRight)

    def _write(self, painter: QPainter, area: QRectF, text: str, align: Qt.AlignmentFlag) -> None:
        painter.drawText(area, int(align | Qt.AlignmentFlag.AlignVCenter), text)

    def _paint_change(self, painter: QPainter, at: int, row: FigureRow, start: float, end: float) -> None:
        top = HEAD + at * ROW
        colour = QColor(self._colours.good if (row.change or 0) <= 0 else self._colours.bad)
        low, high = min(start, end), max(start, end)
        painter.fillRect(QRectF(low, top + (ROW - BAR) / 2, max(2.0, high - low), BAR), colour)
        if row.fill is not None:  # leads on to the next row
            painter.fillRect(QRectF(end, top + (ROW - BAR) / 2, 1, ROW), QColor(self._colours.muted))


def waterfall(changes: Sequence[int | None], *, left: float, width: float) -> list[tuple[float, float] | None]:
    """Where each change's bar starts and ends: each goes on from the one before, the last (the sum) from zero."""
    reached, total = [0], 0
    for change in changes[:-1]:
        total += change or 0
        reached.append(total)
    low, high = min(reached), max(reached)
    scale = width / ((high - low) or 1)
    places: list[tuple[float, float] | None] = []
    for at, change in enumerate(changes):
        begin = 0 if at == len(changes) - 1 else reached[at]
        if change is None:
            places.append(None)
        else:
            places.append((left + (begin - low) * scale, left + (begin + change - low) * scale))
    return places
