"""Strips with something to tell: what, why and a hint as plain text, closable, never in the way of the window."""

from __future__ import annotations

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QFrame, QHBoxLayout, QPushButton, QSizePolicy, QVBoxLayout, QWidget

from profviz.ui.widgets.shell_labels import label

MOST_STRIPS = 3
LONGEST_TEXT = 2000


class MessageStrip(QFrame):
    """`tone` is error, warning or info; `report` is offered for copying and shown nowhere else."""

    closed = Signal()

    def __init__(self, what: str, *, why: str = "", hint: str = "", report: str = "", tone: str = "error") -> None:
        super().__init__()
        self.setProperty("message", tone)
        self.setAccessibleName(what)
        self.texts = tuple(text for text in (what, why, hint) if text)
        self._report = report
        row = QHBoxLayout(self)
        row.setContentsMargins(16, 8, 8, 8)
        row.setSpacing(8)
        row.addLayout(self._text_column(what, why, hint, tone=tone), 1)
        self._add_buttons(row)

    def _text_column(self, what: str, why: str, hint: str, *, tone: str) -> QVBoxLayout:
        column = QVBoxLayout()
        column.setSpacing(2)
        for text, role in ((what, "title"), (why, ""), (hint, "muted")):
            if text:
                line = label(text[:LONGEST_TEXT], role=role, wrap=True)
                line.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
                line.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Preferred)
                column.addWidget(line)
        first = column.itemAt(0).widget()
        first.setProperty("tone", {"error": "bad", "warning": "warn"}.get(tone, "plain"))
        return column

    def _add_buttons(self, row: QHBoxLayout) -> None:
        if self._report:
            copy = QPushButton("Copy report")
            copy.clicked.connect(self.copy_report)
            row.addWidget(copy, 0, Qt.AlignmentFlag.AlignTop)
        close = QPushButton("✕")
        close.setProperty("flat", True)
        close.setAccessibleName("Close this message")
        close.clicked.connect(self.closed)
        row.addWidget(close, 0, Qt.AlignmentFlag.AlignTop)

    def copy_report(self) -> None:
        QGuiApplication.clipboard().setText(self._report)


class MessageStack(QWidget):
    """The newest strips on top of each other, at most `MOST_STRIPS`; the same message is not shown twice."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._column = QVBoxLayout(self)
        self._column.setContentsMargins(8, 8, 8, 0)
        self._column.setSpacing(8)
        self._strips: list[MessageStrip] = []
        self.setVisible(False)

    @property
    def strips(self) -> tuple[MessageStrip, ...]:
        return tuple(self._strips)

    def show_message(self, strip: MessageStrip) -> None:
        for other in [other for other in self._strips if other.texts == strip.texts]:
            self._remove(other)
        while len(self._strips) >= MOST_STRIPS:
            self._remove(self._strips[0])
        self._strips.append(strip)
        self._column.addWidget(strip)
        strip.closed.connect(lambda: self._remove(strip))
        self.setVisible(True)

    def clear(self) -> None:
        for strip in list(self._strips):
            self._remove(strip)

    def _remove(self, strip: MessageStrip) -> None:
        if strip in self._strips:
            self._strips.remove(strip)
            self._column.removeWidget(strip)
            strip.hide()
            strip.deleteLater()
        self.setVisible(bool(self._strips))
