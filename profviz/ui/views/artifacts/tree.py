"""The tree of a log's texts: tells which row is current, keeps what was opened open, knows no log."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from PySide6.QtCore import QSignalBlocker, Qt, Signal
from PySide6.QtGui import QBrush, QColor, QResizeEvent
from PySide6.QtWidgets import QHeaderView, QTreeWidget, QTreeWidgetItem

from profviz.ui.views.artifacts.layout import Row
from profviz.ui.widgets.palette import Palette
from profviz.ui.widgets.panel_style import plain_tip, tone_colour, verbatim

ROLE = int(Qt.ItemDataRole.UserRole)
NOTES_SHARE = 0.45
SPARE = 12
MOST_OPEN = 60
"""Trees with no more rows than this are shown open."""
MOST_OPENED = 3_000
"""Of the rows that were searched for more than this are not opened at once."""


class ArtifactTree(QTreeWidget):
    """`row_chosen` carries the row that became current by the user's hand."""

    row_chosen = Signal(object)

    def __init__(self, palette: Palette, *, name: str) -> None:
        super().__init__()
        self._colours = palette
        self._opens_all = False
        self.setAccessibleName(name)
        self.setFont(verbatim(self.font()))
        self.setColumnCount(2)
        self.setHeaderHidden(True)
        self.setIndentation(14)
        self.setUniformRowHeights(True)
        self.setStyleSheet("QTreeView { show-decoration-selected: 0; }")
        self.setTextElideMode(Qt.TextElideMode.ElideRight)
        self.header().setStretchLastSection(False)
        self.header().setSectionResizeMode(0, QHeaderView.ResizeMode.Stretch)
        self.header().setSectionResizeMode(1, QHeaderView.ResizeMode.Fixed)
        self.itemExpanded.connect(self._fill)
        self.currentItemChanged.connect(lambda item, _: item is not None and self.row_chosen.emit(item.data(0, ROLE)))

    def show_rows(self, rows: Sequence[Row], *, opened: bool = False) -> None:
        """What was open stays open; the current row stays current where it is still there."""
        current, open_ids = self.current(), self._opened()
        count = _count(rows)
        self._opens_all = (opened and count <= MOST_OPENED) or count <= MOST_OPEN
        with QSignalBlocker(self):
            self.clear()
            for row in rows:
                self._add(self.invisibleRootItem(), row)
            for item in self._items() if open_ids else ():  # goes on into what it opens
                if _identity(item.data(0, ROLE)) in open_ids:
                    self._open(item)
            if current is not None:
                self._choose(lambda row: _identity(row) == _identity(current))
        self._share_width()

    def current(self) -> Row | None:
        item = self.currentItem()
        return item.data(0, ROLE) if item is not None else None

    def choose_first(self) -> None:
        if (item := next(self._items(), None)) is not None:
            self.setCurrentItem(item)

    def choose_compile(self, compile_id: str) -> bool:
        """Makes a compilation's row current, opened and in sight; False where there is none."""
        found = self._choose(lambda row: row.is_page and row.compile_id == compile_id)
        if found is None:
            return False
        self._open(found)
        self.scrollToItem(found, QTreeWidget.ScrollHint.PositionAtTop)
        return True

    def choose_artifact(self, *indices: int) -> bool:
        """Makes the first of these texts current, in the tree's order; False where none is in it."""
        wanted = set(indices)
        return self._choose(lambda row: row.artifact in wanted) is not None

    def apply(self, palette: Palette) -> None:
        self._colours = palette
        for item in self._items():
            self._paint(item)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._share_width()

    def _share_width(self) -> None:
        """Notes have what they need, up to their share."""
        notes = (item.text(1) for item in self._items())
        needed = max((self.fontMetrics().horizontalAdvance(note) for note in notes), default=0) + SPARE
        self.setColumnWidth(1, min(needed, int(self.viewport().width() * NOTES_SHARE)))

    def _items(self) -> Iterator[QTreeWidgetItem]:
        waiting = [self.topLevelItem(at) for at in reversed(range(self.topLevelItemCount()))]
        while waiting:
            item = waiting.pop()
            yield item
            waiting += [item.child(at) for at in reversed(range(item.childCount()))]

    def _opened(self) -> set[tuple[str, int, str]]:
        return {_identity(item.data(0, ROLE)) for item in self._items() if item.isExpanded()}

    def _choose(self, fits: Callable[[Row], bool]) -> QTreeWidgetItem | None:
        """Makes the first row that fits current, and opens what it stands in."""
        item = self._find(self.invisibleRootItem(), fits)
        if item is not None:
            self.setCurrentItem(item)
        return item

    def _find(self, parent: QTreeWidgetItem, fits: Callable[[Row], bool]) -> QTreeWidgetItem | None:
        for item in [parent.child(at) for at in range(parent.childCount())]:
            row: Row = item.data(0, ROLE)
            if fits(row):
                return item
            if _has(row.children, fits):
                self._open(item)
                return self._find(item, fits)
        return None

    def _open(self, item: QTreeWidgetItem) -> None:
        self._fill(item)
        item.setExpanded(True)

    def _fill(self, item: QTreeWidgetItem) -> None:
        """Rows come into the tree when what they stand in is opened: a log may have a hundred thousand."""
        row: Row = item.data(0, ROLE)
        if item.childCount() == 0:
            for child in row.children:
                self._add(item, child)

    def _add(self, parent: QTreeWidgetItem, row: Row) -> None:
        item = QTreeWidgetItem(parent, [row.title, row.note])
        item.setData(0, ROLE, row)
        item.setTextAlignment(1, Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
        item.setToolTip(0, plain_tip(row.tip or row.title))
        item.setToolTip(1, plain_tip(row.note))
        self._paint(item)
        if row.children:
            item.setChildIndicatorPolicy(QTreeWidgetItem.ChildIndicatorPolicy.ShowIndicator)
        if row.is_open or (row.children and self._opens_all):
            self._open(item)

    def _paint(self, item: QTreeWidgetItem) -> None:
        """A compilation's own tone is that of the word beside it; of a text it is the title's."""
        row: Row = item.data(0, ROLE)
        word = row.tone if row.is_page else "muted"
        item.setForeground(0, QBrush(QColor(tone_colour(self._colours, "plain" if row.is_page else row.tone))))
        item.setForeground(1, QBrush(QColor(tone_colour(self._colours, word))))


def _count(rows: Sequence[Row]) -> int:
    return sum(1 + _count(row.children) for row in rows)


def _has(rows: Sequence[Row], fits: Callable[[Row], bool]) -> bool:
    return any(fits(row) or _has(row.children, fits) for row in rows)


def _identity(row: Row) -> tuple[str, int, str]:
    return row.compile_id, row.artifact, row.title
