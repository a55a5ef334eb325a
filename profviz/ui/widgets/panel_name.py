"""A long name on a few lines: kernels' names have no spaces, so it breaks anywhere; shown as plain text."""

from __future__ import annotations

from PySide6.QtCore import QPointF, QSize, Qt
from PySide6.QtGui import QColor, QFontMetrics, QPainter, QPaintEvent, QResizeEvent
from PySide6.QtWidgets import QSizePolicy, QWidget

from profviz.ui.widgets.paint_faults import told
from profviz.ui.widgets.palette import Palette
from profviz.ui.widgets.panel_style import plain_tip, verbatim
from profviz.ui.widgets.panel_text import bold_font, wrapped


class NameLabel(QWidget):
    """Bold, at most `lines` lines, the last one elided; the whole name is the tool tip and the accessible name."""

    def __init__(self, palette: Palette, *, lines: int = 3) -> None:
        super().__init__()
        self._colours = palette
        self._lines = lines
        self._name = ""
        self.setFont(verbatim(bold_font(self.font())))
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)

    @property
    def name(self) -> str:
        return self._name

    def show_name(self, name: str) -> None:
        self._name = name
        self.setToolTip(plain_tip(name))
        self.setAccessibleName(name)
        self._fit()
        self.update()

    def apply(self, palette: Palette) -> None:
        self._colours = palette
        self.update()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._fit()

    def sizeHint(self) -> QSize:
        return QSize(160, self.height())

    @told
    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.setPen(QColor(self._colours.text))
        metrics = self.fontMetrics()
        for row, text in enumerate(self._rows()):
            painter.drawText(QPointF(0, row * metrics.lineSpacing() + metrics.ascent()), text)

    def _fit(self) -> None:
        self.setFixedHeight(max(1, len(self._rows())) * self.fontMetrics().lineSpacing())

    def _rows(self) -> list[str]:
        rows = wrapped(self._name, self.font(), max(40, self.width()))
        if len(rows) <= self._lines:
            return rows
        rest = "".join(rows[self._lines - 1 :])
        last = QFontMetrics(self.font()).elidedText(rest, Qt.TextElideMode.ElideMiddle, self.width())
        return [*rows[: self._lines - 1], last]
