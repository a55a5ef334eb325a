"""A sheet of keys over the window: groups of (keys, what they do); any key or click closes it."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import Qt
from PySide6.QtGui import QKeyEvent, QMouseEvent
from PySide6.QtWidgets import QDialog, QFrame, QGridLayout, QHBoxLayout, QVBoxLayout, QWidget

from profviz.ui.widgets.shell_labels import label

Group = tuple[str, Sequence[tuple[str, str]]]


class KeySheet(QDialog):
    def __init__(self, groups: Sequence[Group], parent: QWidget | None = None) -> None:
        super().__init__(parent, Qt.WindowType.Popup | Qt.WindowType.FramelessWindowHint)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.setAccessibleName("Keys")
        frame = QFrame()
        frame.setProperty("panel", True)
        columns = QHBoxLayout(frame)
        columns.setContentsMargins(24, 16, 24, 24)
        columns.setSpacing(48)
        for title, keys in groups:
            columns.addLayout(_column(title, keys))
        outer = QVBoxLayout(self)
        outer.setContentsMargins(0, 0, 0, 0)
        outer.addWidget(frame)

    def keyPressEvent(self, event: QKeyEvent) -> None:  # noqa: N802
        self.close()

    def mousePressEvent(self, event: QMouseEvent) -> None:  # noqa: N802
        self.close()


def _column(title: str, keys: Sequence[tuple[str, str]]) -> QVBoxLayout:
    column = QVBoxLayout()
    column.setSpacing(8)
    column.addWidget(label(title, role="heading"))
    grid = QGridLayout()
    grid.setHorizontalSpacing(16)
    grid.setVerticalSpacing(6)
    for row, (key, meaning) in enumerate(keys):
        grid.addWidget(label(key, role="key"), row, 0, Qt.AlignmentFlag.AlignLeft)
        grid.addWidget(label(meaning, role="muted"), row, 1)
    column.addLayout(grid)
    column.addStretch(1)
    return column
