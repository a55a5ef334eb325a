"""A sheet of keys over the window: groups of (keys, what they do) in as many columns as fit; a key closes it."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QSize, Qt
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QFrame, QGridLayout, QHBoxLayout, QScrollArea, QVBoxLayout, QWidget

from profviz.ui.widgets.shell_labels import label
from profviz.ui.widgets.shell_overlay import Overlay

Group = tuple[str, Sequence[tuple[str, str]]]
Row = tuple[str, str]
"""A heading has no key."""

COLUMN_WIDTH, MOST_COLUMNS, LEAST_ROWS = 400, 3, 12
SCROLLING = (Qt.Key.Key_Up, Qt.Key.Key_Down, Qt.Key.Key_PageUp, Qt.Key.Key_PageDown, Qt.Key.Key_Home, Qt.Key.Key_End)


def in_columns(groups: Sequence[Group], *, columns: int) -> list[list[Row]]:
    """The groups one after the other in columns of about one length; no column ends with a heading."""
    rows = [row for title, keys in groups for row in (("", title), *keys)]
    length = max(LEAST_ROWS, -(-len(rows) // max(1, columns)))
    made: list[list[Row]] = [[]]
    for row in rows:
        full = len(made[-1]) >= length - (0 if row[0] else 1)
        if full and len(made) < columns:
            made.append([])
        made[-1].append(row)
    return made


class KeySheet(Overlay):
    def __init__(self, groups: Sequence[Group], parent: QWidget) -> None:
        super().__init__(parent)
        self.setAccessibleName("Keys")
        columns = max(1, min(MOST_COLUMNS, (parent.width() - 64) // (COLUMN_WIDTH * 3 // 4)))
        self._inner = QWidget()
        across = QHBoxLayout(self._inner)
        across.setContentsMargins(24, 16, 24, 24)
        across.setSpacing(32)
        for rows in in_columns(groups, columns=columns):
            across.addLayout(_column(rows), 1)
        self.scroll = QScrollArea()
        self.scroll.setAccessibleName("Keys")
        self.scroll.setFrameShape(QFrame.Shape.NoFrame)
        self.scroll.setWidgetResizable(True)
        self.scroll.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.scroll.setWidget(self._inner)
        column = QVBoxLayout(self)
        column.setContentsMargins(1, 1, 1, 1)
        column.addWidget(self.scroll)

    def sizeHint(self) -> QSize:
        wanted = self._inner.sizeHint()
        width = min(wanted.width() + 16, self.parentWidget().width() - 16)
        return QSize(width, max(self._inner.heightForWidth(width), wanted.height()) + 4)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if Qt.Key(event.key()) in SCROLLING:
            bar = self.scroll.verticalScrollBar()
            page = bar.pageStep() if event.key() in (Qt.Key.Key_PageUp, Qt.Key.Key_PageDown) else 48
            ends = {Qt.Key.Key_Home: bar.minimum(), Qt.Key.Key_End: bar.maximum()}
            down = event.key() in (Qt.Key.Key_Down, Qt.Key.Key_PageDown)
            bar.setValue(ends.get(Qt.Key(event.key()), bar.value() + (page if down else -page)))
        else:
            self.dismiss()


def _column(rows: Sequence[Row]) -> QVBoxLayout:
    column = QVBoxLayout()
    grid = QGridLayout()
    grid.setHorizontalSpacing(16)
    grid.setVerticalSpacing(5)
    grid.setColumnStretch(1, 1)
    for at, (key, meaning) in enumerate(rows):
        if not key:
            heading = label(meaning, role="heading")
            heading.setContentsMargins(0, 8 if at else 0, 0, 4)
            grid.addWidget(heading, at, 0, 1, 2)
        else:
            top = Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignTop
            grid.addWidget(label(key, role="key"), at, 0, top)
            grid.addWidget(label(meaning, role="muted", wrap=True), at, 1)
    column.addLayout(grid)
    column.addStretch(1)
    return column
