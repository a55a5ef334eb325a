"""A sheet of keys over the window: groups of (keys, what they do); any key closes it."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import Qt
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QGridLayout, QHBoxLayout, QVBoxLayout, QWidget

from profviz.ui.widgets.shell_labels import label
from profviz.ui.widgets.shell_overlay import Overlay

Group = tuple[str, Sequence[tuple[str, str]]]


class KeySheet(Overlay):
    def __init__(self, groups: Sequence[Group], parent: QWidget) -> None:
        super().__init__(parent)
        self.setAccessibleName("Keys")
        columns = QHBoxLayout(self)
        columns.setContentsMargins(24, 16, 24, 24)
        columns.setSpacing(48)
        for title, keys in groups:
            columns.addLayout(_column(title, keys))

    def keyPressEvent(self, event: QKeyEvent) -> None:
        self.dismiss()


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
