"""Buttons with several lines of plain text: large cards and list rows; knows no profiler."""

from __future__ import annotations

from PySide6.QtCore import QSize, Qt
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QHBoxLayout, QPushButton, QSizePolicy, QVBoxLayout, QWidget

from profviz.ui.widgets.shell_labels import ElidedLabel, label


class _KeyButton(QPushButton):
    """Return presses it as Space does: outside of dialogs Qt leaves that out."""

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            self.click()
        else:
            super().keyPressEvent(event)


class CardButton(_KeyButton):
    """A heading, a sentence and a key hint; the whole card is the button."""

    def __init__(self, heading: str, sentence: str, *, hint: str = "") -> None:
        super().__init__()
        self.setProperty("card", True)
        self.setAccessibleName(heading)
        self.setAccessibleDescription(sentence)
        self.setCursor(Qt.CursorShape.PointingHandCursor)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        column = QVBoxLayout(self)
        column.setContentsMargins(16, 16, 16, 16)
        column.setSpacing(6)
        column.addWidget(label(heading, role="title"))
        column.addWidget(label(sentence, role="muted", wrap=True), 1, Qt.AlignmentFlag.AlignTop)
        if hint:
            column.addWidget(label(hint, role="muted"))
        _let_clicks_through(self)

    def sizeHint(self) -> QSize:
        return QSize(176, self.layout().totalHeightForWidth(self.width() or 176))

    def minimumSizeHint(self) -> QSize:
        return QSize(136, 112)


class RowButton(_KeyButton):
    """A title over a detail with a short note at the right; `gone` greys it and turns it off."""

    def __init__(self, title: str, detail: str, *, note: str = "", gone: bool = False) -> None:
        super().__init__()
        self.setProperty("row", True)
        self.setAccessibleName(title)
        self.setAccessibleDescription(detail)
        self.setEnabled(not gone)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        column = QVBoxLayout()
        column.setSpacing(2)
        column.addWidget(ElidedLabel(title, role="muted" if gone else ""))
        column.addWidget(ElidedLabel(detail, role="muted", mode=Qt.TextElideMode.ElideMiddle))
        row = QHBoxLayout(self)
        row.setContentsMargins(8, 6, 8, 6)
        row.addLayout(column, 1)
        if note:
            row.addWidget(label(note, role="muted"))
        _let_clicks_through(self)

    def sizeHint(self) -> QSize:
        return QSize(240, self.layout().sizeHint().height())


def _let_clicks_through(button: QPushButton) -> None:
    for child in button.findChildren(QWidget):
        child.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
