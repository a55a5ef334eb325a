"""The graph canvas' tooltip: a plain-text label of its own, for Qt's would read markup in a file's text."""

from __future__ import annotations

from PySide6.QtCore import QPoint, Qt
from PySide6.QtWidgets import QLabel, QWidget

from profviz.ui.widgets.palette import Palette


class GraphNote(QLabel):
    """Floats over its parent and lets the mouse through."""

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self.setTextFormat(Qt.TextFormat.PlainText)
        self.setWordWrap(True)
        self.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
        self.hide()

    def set_palette(self, palette: Palette) -> None:
        self.setStyleSheet(
            f"background:{palette.raised}; color:{palette.text}; border:1px solid {palette.border};"
            "border-radius:6px; padding:6px 8px;"
        )

    def show_at(self, text: str, point: QPoint) -> None:
        """Beside the point where there is room, hidden where there is nothing to say."""
        if not text:
            self.hide()
            return
        size = self.parentWidget().size()
        self.setText(text)
        self.setMaximumWidth(max(size.width() - 24, 80))
        self.adjustSize()
        room = size - self.size()
        x = min(point.x() + 14, max(room.width() - 4, 0))
        y = point.y() + 18 if point.y() + 18 < room.height() else max(point.y() - self.height() - 10, 0)
        self.move(x, y)
        self.show()
        self.raise_()
