"""The timelines and, to their right while it is asked for, one list: of hits or of marks."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QEvent, QObject, Qt
from PySide6.QtWidgets import QSplitter, QWidget

WIDTH, SHARE = 376, 0.44
"""What a list takes at first: this many px, but no more than this share."""


class Drawer(QSplitter):
    """One of `lists` shows at a time; the user can make it as wide as needed."""

    def __init__(self, main: QWidget, lists: Sequence[QWidget]) -> None:
        super().__init__(Qt.Orientation.Horizontal)
        self._lists = tuple(lists)
        self.setChildrenCollapsible(False)
        self.setHandleWidth(8)
        self.setStyleSheet("QSplitter::handle { background: transparent; }")
        self.addWidget(main)
        for one in self._lists:
            one.setMinimumWidth(160)
            self.addWidget(one)
            one.installEventFilter(self)
        self.setStretchFactor(0, 1)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() == QEvent.Type.ShowToParent and watched in self._lists:
            for one in self._lists:
                if one is not watched:
                    one.hide()
            own = min(WIDTH, round(self.width() * SHARE))
            self.setSizes([self.width() - own, *(own if one is watched else 0 for one in self._lists)])
        return False
