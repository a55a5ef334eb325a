"""A strip of figures: title above, value large, detail below; cells wrap to more rows when the strip is narrow."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from PySide6.QtCore import QRect, QSize
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QFrame, QSizePolicy, QVBoxLayout, QWidget

from profviz.ui.widgets.shell_labels import ElidedLabel, plain_tip, set_tone

CELL_MIN = 92
CELL_PAD = 8
COMPACT_BELOW = 128
CELL_MAX = 216
ROW_HEIGHT, LOW_ROW_HEIGHT = 62, 44
"""With the details of the figures and without."""

MARGIN = 8
HEAD_MIN, HEAD_MAX = 208, 360


@dataclass(frozen=True, slots=True)
class Figure:
    """`tone` is plain, good, warn or bad and colours the value."""

    title: str
    value: str
    detail: str = ""
    tone: str = "plain"


class FigureCell(QWidget):
    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self.title = ElidedLabel(role="muted")
        self.value = ElidedLabel(role="value")
        self.detail = ElidedLabel(role="muted")
        column = QVBoxLayout(self)
        column.setContentsMargins(CELL_PAD, 4, CELL_PAD, 4)
        column.setSpacing(0)
        for part in (self.title, self.value, self.detail):
            column.addWidget(part)

    def show_figure(self, figure: Figure) -> None:
        self.title.setText(figure.title)
        self.value.setText(figure.value)
        self.detail.setText(figure.detail)
        set_tone(self.value, figure.tone)
        self.setToolTip(plain_tip(f"{figure.title}: {figure.value}\n{figure.detail}".strip()))
        self.setAccessibleName(f"{figure.title}: {figure.value} {figure.detail}".strip())

    def widths(self) -> tuple[int, int]:
        """Pixels that title and value need, and that all three lines do."""
        least = max(self.title.sizeHint().width(), self.value.sizeHint().width()) + 2 * CELL_PAD
        return least, max(least, 0 if self.detail.isHidden() else self.detail.sizeHint().width() + 2 * CELL_PAD)

    def set_low(self, *, low: bool) -> None:
        """A low cell leaves its detail to the tool tip."""
        self.detail.setVisible(not low)

    def set_compact(self, *, compact: bool) -> None:
        """A narrow cell writes its value smaller, so that less of it is cut."""
        role = "value-compact" if compact else "value"
        if self.value.property("role") != role:
            self.value.setProperty("role", role)
            self.value.style().unpolish(self.value)
            self.value.style().polish(self.value)


class _Head(QWidget):
    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self.title = ElidedLabel(role="heading")
        self.subtitle = ElidedLabel(role="muted")
        column = QVBoxLayout(self)
        column.setContentsMargins(8, 4, 8, 4)
        column.setSpacing(4)
        column.addStretch(1)
        column.addWidget(self.title)
        column.addWidget(self.subtitle)
        column.addStretch(1)
        self._column = column

    def set_low(self, *, low: bool) -> None:
        self._column.setContentsMargins(8, 0 if low else 4, 8, 0 if low else 4)
        self._column.setSpacing(0 if low else 4)


def columns_for(width: int, *, cells: int) -> int:
    """How many cells stand in a row of `width` pixels so that rows are evenly filled."""
    most = max(1, min(cells, width // CELL_MIN)) if cells else 1
    rows = -(-cells // most) if cells else 1
    return -(-cells // rows) if cells else 1


def column_widths(room: int, cells: Sequence[tuple[int, int]], *, columns: int) -> list[int]:
    """Splits `room` pixels over columns, cells filling row after row.

    A cell is (the least it needs for title and value, what it wants to show its detail whole). Each column gets the
    least of its widest cell, then its share of what is wanted beyond, then an even share of the rest.
    """
    least = [max(cell[0] for cell in cells[column::columns]) for column in range(columns)]
    wanted = [max(cell[1] for cell in cells[column::columns]) for column in range(columns)]
    if sum(least) > room:
        return [room * need // sum(least) for need in least]
    if sum(wanted) > room:
        spare, missing = room - sum(least), sum(wanted) - sum(least)
        return [low + spare * (high - low) // missing for low, high in zip(least, wanted, strict=True)]
    spare = (room - sum(wanted)) // columns
    return [need + min(spare, max(0, CELL_MAX - need)) for need in wanted]


class FigureStrip(QFrame):
    """A head (title, subtitle) at the left, figures after it."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setProperty("panel", True)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self._head = _Head(self)
        self._cells: list[FigureCell] = []
        self._columns = 1
        self._low = False

    @property
    def cells(self) -> tuple[FigureCell, ...]:
        return tuple(self._cells)

    def show_head(self, title: str, subtitle: str = "") -> None:
        self._head.title.setText(title)
        self._head.subtitle.setText(subtitle)
        self._head.subtitle.setVisible(bool(subtitle))
        self._head.setVisible(bool(title or subtitle))
        self._place()

    def show_figures(self, figures: Sequence[Figure]) -> None:
        while len(self._cells) > len(figures):
            self._cells.pop().deleteLater()
        while len(self._cells) < len(figures):
            cell = FigureCell(self)
            cell.set_low(low=self._low)
            cell.show()
            self._cells.append(cell)
        for cell, figure in zip(self._cells, figures, strict=True):
            cell.show_figure(figure)
        self._place()

    def set_low(self, *, low: bool) -> None:
        """Whether it takes less room, and leaves details away, in a low window."""
        if low == self._low:
            return
        self._low = low
        for part in (self._head, *self._cells):
            part.set_low(low=low)
        self._place()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._place()

    def sizeHint(self) -> QSize:
        return QSize(640, self._height_for(self._columns))

    def minimumSizeHint(self) -> QSize:
        return QSize(HEAD_MIN + CELL_MIN, self._height_for(self._columns))

    def _height_for(self, columns: int) -> int:
        rows = -(-len(self._cells) // columns) if self._cells else 1
        return rows * self._row_height + 2 * MARGIN

    @property
    def _row_height(self) -> int:
        return LOW_ROW_HEIGHT if self._low else ROW_HEIGHT

    def _place(self) -> None:
        usual = self._usual_head()
        room = self.width() - usual - 2 * MARGIN
        self._columns = columns_for(room, cells=len(self._cells))
        self.setFixedHeight(self._height_for(self._columns))
        for cell in self._cells:
            cell.set_compact(compact=room // self._columns < COMPACT_BELOW)
        head = self._head_width(usual)
        self._head.setGeometry(QRect(MARGIN, MARGIN, head, self.height() - 2 * MARGIN))
        if not self._cells:
            return
        room = self.width() - head - 2 * MARGIN
        widths = column_widths(room, [cell.widths() for cell in self._cells], columns=self._columns)
        left = self.width() - MARGIN - sum(widths) if head else MARGIN
        for index, cell in enumerate(self._cells):
            row, column = divmod(index, self._columns)
            place = left + sum(widths[:column])
            cell.setGeometry(QRect(place, MARGIN + row * self._row_height, widths[column], self._row_height))

    def _usual_head(self) -> int:
        if self._head.isHidden() or not (self._head.title.text() or self._head.subtitle.text()):
            return 0
        return min(HEAD_MAX, max(HEAD_MIN, self.width() // 4))

    def _head_width(self, usual: int) -> int:
        """More than usual where a row of figures leaves it, less where they need it to show their values whole."""
        if not usual:
            return 0
        wanted, room = self._head.sizeHint().width() + MARGIN, self.width() - 2 * MARGIN
        if self._columns == len(self._cells):
            needed = sum(cell.widths()[0] for cell in self._cells)
            spare = room - sum(max(cell.widths()[1], COMPACT_BELOW) for cell in self._cells)
            usual = max(min(usual, room - needed), spare)
        return max(HEAD_MIN, min(wanted, usual))
