"""A table over plain rows: columns say how a row reads, sorts and looks; sorting and filtering never copy a row."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from PySide6.QtCore import QAbstractTableModel, QModelIndex, QObject, QPersistentModelIndex, Qt

from profviz.ui.widgets.panel_style import plain_tip
from profviz.ui.widgets.table_columns import Column
from profviz.ui.widgets.table_filter import rows_passing
from profviz.ui.widgets.table_sort import I64, matching, sort_order, to_tsv
from profviz.ui.widgets.table_values import Mask

Index = QModelIndex | QPersistentModelIndex
COLUMN_ROLE = int(Qt.ItemDataRole.UserRole) + 1
ROW_ROLE = int(Qt.ItemDataRole.UserRole) + 2
_ROOT = QModelIndex()


class TableModel(QAbstractTableModel):
    """`rows` are any values; a row's position in `rows` is its identity while the table is sorted or filtered."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._rows: Sequence[Any] = ()
        self._columns: tuple[Column, ...] = ()
        self._order: I64 = np.zeros(0, dtype=np.int64)
        self._sorted: I64 = self._order
        self._texts: list[str] | None = None
        self._words = ""
        self.sort_column = -1
        self.descending = False

    @property
    def columns(self) -> tuple[Column, ...]:
        return self._columns

    @property
    def total(self) -> int:
        """Rows before filtering."""
        return len(self._rows)

    @property
    def order(self) -> I64:
        """The identities of the rows as they are shown."""
        return self._order

    def show_rows(self, columns: Sequence[Column], rows: Sequence[Any]) -> None:
        """Replaces everything; a sort stays when its column is still there."""
        self.beginResetModel()
        kept = self.sort_column if tuple(c.title for c in columns) == tuple(c.title for c in self._columns) else -1
        self._rows, self._columns, self._texts = rows, tuple(columns), None
        self.sort_column = kept
        self._sorted = self._sort_order()
        self._order = self._filtered()
        self.endResetModel()

    def set_filter(self, words: str) -> None:
        self.beginResetModel()
        self._words = words
        self._order = self._filtered()
        self.endResetModel()

    def sort(self, column: int, order: Qt.SortOrder = Qt.SortOrder.AscendingOrder) -> None:
        self.layoutAboutToBeChanged.emit()
        held = self.persistentIndexList()
        identities = [int(self._order[index.row()]) for index in held]
        self.sort_column, self.descending = column, order == Qt.SortOrder.DescendingOrder
        self._sorted = self._sort_order()
        self._order = self._filtered()
        places = self._places() if held else self._order
        moved = [self.index(int(places[row]), index.column()) for row, index in zip(identities, held, strict=True)]
        self.changePersistentIndexList(held, moved)
        self.layoutChanged.emit()

    def row_at(self, place: int) -> Any:
        return self._rows[int(self._order[place])]

    def places_of(self, wanted: set[int]) -> list[int]:
        """Where the rows with these identities stand now; filtered ones are left out."""
        return [int(place) for place in np.flatnonzero(np.isin(self._order, list(wanted)))] if wanted else []

    def identity_at(self, place: int) -> int:
        return int(self._order[place])

    def tsv(self, places: Sequence[int]) -> str:
        """The rows at `places` with the header, tab-separated."""
        lines = [[_copied(column, self.row_at(place)) for column in self._columns] for place in places]
        return to_tsv([column.title for column in self._columns], lines)

    def rowCount(self, parent: Index = _ROOT) -> int:
        return 0 if parent.isValid() else len(self._order)

    def columnCount(self, parent: Index = _ROOT) -> int:
        return 0 if parent.isValid() else len(self._columns)

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        if not index.isValid():
            return None
        column = self._columns[index.column()]
        row = self.row_at(index.row())
        if role in (Qt.ItemDataRole.DisplayRole, Qt.ItemDataRole.AccessibleTextRole):
            return column.text(row)
        if role == Qt.ItemDataRole.ToolTipRole:
            return plain_tip(column.tip(row) if column.tip else "") or None
        if role == COLUMN_ROLE:
            return column
        return row if role == ROW_ROLE else None

    def headerData(self, section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        if orientation != Qt.Orientation.Horizontal or not 0 <= section < len(self._columns):
            return None
        column = self._columns[section]
        if role == Qt.ItemDataRole.DisplayRole:
            arrow = "" if section != self.sort_column else " ▾" if self.descending else " ▴"
            return column.title + arrow
        if role == Qt.ItemDataRole.ToolTipRole:
            return plain_tip(column.about) or None
        if role == Qt.ItemDataRole.TextAlignmentRole:
            side = Qt.AlignmentFlag.AlignRight if column.numeric else Qt.AlignmentFlag.AlignLeft
            return side | Qt.AlignmentFlag.AlignVCenter
        return None

    def _sort_order(self) -> I64:
        if self.sort_column < 0:
            return np.arange(len(self._rows), dtype=np.int64)
        column = self._columns[self.sort_column]
        if column.values is not None:
            return column.values.order(descending=self.descending)
        key = column.key or column.text
        return sort_order([key(row) for row in self._rows], descending=self.descending)

    def _filtered(self) -> I64:
        if not self._words.strip():
            return self._sorted
        return self._sorted[self._passing()[self._sorted]]

    def _passing(self) -> Mask:
        if any(column.values is not None for column in self._columns):
            return rows_passing(self._words, self._columns, len(self._rows))
        if self._texts is None:
            words = [column.text for column in self._columns if not column.numeric]
            self._texts = [" ".join([text(row) for text in words]).casefold() for row in self._rows]
        passing = np.zeros(len(self._rows), dtype=bool)
        passing[matching(self._texts, self._words)] = True
        return passing

    def _places(self) -> I64:
        """Where each row stands now, by identity; -1 for those that are filtered out."""
        places = np.full(len(self._rows), -1, dtype=np.int64)
        places[self._order] = np.arange(len(self._order))
        return places


def _copied(column: Column, row: Any) -> str:
    return (column.copy or column.text)(row)
