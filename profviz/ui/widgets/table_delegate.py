"""Paints table cells: thin row lines, toned text, a coloured dot before a word and a share bar; knows no profiler."""

from __future__ import annotations

from typing import Any

from PySide6.QtCore import QPointF, QRect, QRectF, QSize, Qt
from PySide6.QtGui import QColor, QFont, QFontMetrics, QPainter
from PySide6.QtWidgets import QStyle, QStyledItemDelegate, QStyleOptionViewItem

from profviz.ui.widgets.palette import Palette
from profviz.ui.widgets.panel_style import mono_font, tabular, tone_colour, verbatim, with_alpha
from profviz.ui.widgets.table_columns import Column
from profviz.ui.widgets.table_model import COLUMN_ROLE, ROW_ROLE, Index

PADDING = 8
ROW_HEIGHT = 26
BAR_WIDTH = 56


class CellDelegate(QStyledItemDelegate):
    """One for a whole table; `palette` may change at any time."""

    def __init__(self, palette: Palette, parent: Any = None) -> None:
        super().__init__(parent)
        self.colours = palette
        self._fonts: dict[tuple[str, bool, bool], tuple[QFont, QFontMetrics]] = {}

    def sizeHint(self, option: QStyleOptionViewItem, index: Index) -> QSize:
        return QSize(64, ROW_HEIGHT)

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        column: Column = index.data(COLUMN_ROLE)
        row = index.data(ROW_ROLE)
        painter.save()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        self._background(painter, option)
        area = option.rect.adjusted(PADDING, 0, -PADDING, 0)
        if column.dot is not None:
            area = self._dot(painter, area, column.dot(row))
        if column.bar is not None:
            area = self._bar(painter, area, column.bar(row))
        self._text(painter, option, area, column, row)
        painter.restore()

    def _background(self, painter: QPainter, option: QStyleOptionViewItem) -> None:
        if option.state & QStyle.StateFlag.State_Selected:
            painter.fillRect(option.rect, with_alpha(self.colours.accent, 0.18))
        elif option.state & QStyle.StateFlag.State_MouseOver:
            painter.fillRect(option.rect, with_alpha(self.colours.raised, 0.7))
        line = QRect(option.rect.left(), option.rect.bottom(), option.rect.width(), 1)
        painter.fillRect(line, with_alpha(self.colours.border, 0.6))

    def _dot(self, painter: QPainter, area: QRect, kind: int) -> QRect:
        if kind >= 0:
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(QColor(self.colours.kinds[kind]))
            painter.drawRoundedRect(QRectF(area.left(), area.center().y() - 4, 9, 9), 2, 2)
        return area.adjusted(16, 0, 0, 0)

    def _bar(self, painter: QPainter, area: QRect, fraction: float) -> QRect:
        """A quiet track with the share on it, left of the number."""
        width = min(BAR_WIDTH, area.width() // 2)
        if fraction < 0:
            return area.adjusted(width + 4, 0, 0, 0)
        track = QRectF(QPointF(area.left(), area.center().y() - 2), QPointF(area.left() + width, area.center().y() + 3))
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(QColor(self.colours.raised))
        painter.drawRoundedRect(track, 2, 2)
        filled = QRectF(track)
        filled.setWidth(max(1.0, track.width() * min(1.0, max(0.0, fraction))))
        painter.setBrush(QColor(self.colours.accent))
        painter.drawRoundedRect(filled, 2, 2)
        return area.adjusted(width + 4, 0, 0, 0)

    def _text(self, painter: QPainter, option: QStyleOptionViewItem, area: QRect, column: Column, row: Any) -> None:
        font, metrics = self._font(option.font, column)
        painter.setFont(font)
        painter.setPen(QColor(tone_colour(self.colours, column.tone(row) if column.tone else "plain")))
        side = Qt.AlignmentFlag.AlignRight if column.numeric else Qt.AlignmentFlag.AlignLeft
        text = " ".join(column.text(row).split("\n"))
        mode = Qt.TextElideMode.ElideLeft if column.keep_end else Qt.TextElideMode.ElideRight
        shown = (
            text if metrics.horizontalAdvance(text) <= area.width() else metrics.elidedText(text, mode, area.width())
        )
        painter.drawText(area, int(side | Qt.AlignmentFlag.AlignVCenter | Qt.TextFlag.TextSingleLine), shown)

    def _font(self, base: QFont, column: Column) -> tuple[QFont, QFontMetrics]:
        """Made once: fonts with features cost more than the rest of a cell."""
        key = (base.key(), column.mono, column.numeric)
        if key not in self._fonts:
            font = cell_font(base, column)
            self._fonts[key] = font, QFontMetrics(font)
        return self._fonts[key]


def cell_font(font: QFont, column: Column) -> QFont:
    if column.mono:
        return mono_font(font)
    return tabular(verbatim(font)) if column.numeric else verbatim(font)
