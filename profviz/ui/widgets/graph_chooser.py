"""A drop-down that still shows its arrow under a style sheet and elides what does not fit."""

from __future__ import annotations

from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QComboBox, QStyle, QStyleOptionComboBox, QStylePainter

from profviz.ui.widgets.paint_faults import told

ARROW_ROOM = 22


class Chooser(QComboBox):
    """Texts may come from a file: Qt shows them plain in the field and in the list."""

    @told
    def paintEvent(self, event: QPaintEvent) -> None:
        option = QStyleOptionComboBox()
        self.initStyleOption(option)
        painter = QStylePainter(self)
        option.currentText = ""
        painter.drawComplexControl(QStyle.ComplexControl.CC_ComboBox, option)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        room = QRectF(self.rect()).adjusted(9, 0, -ARROW_ROOM, 0)
        ink = self.palette().color(self.foregroundRole())
        painter.setPen(ink)
        text = self.fontMetrics().elidedText(self.currentText(), Qt.TextElideMode.ElideRight, int(room.width()))
        painter.drawText(room, Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignLeft, text)
        if self.count() > 1:
            self._draw_arrow(painter)

    def _draw_arrow(self, painter: QPainter) -> None:
        x, y = self.width() - 13.0, self.height() / 2 + 0.5
        painter.setPen(QPen(self.palette().color(self.foregroundRole()), 1.4))
        painter.drawPolyline([QPointF(x - 3.5, y - 2), QPointF(x, y + 1.8), QPointF(x + 3.5, y - 2)])
