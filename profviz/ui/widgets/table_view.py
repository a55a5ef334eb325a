"""The table that every tab uses: own sorting, filter, keyboard, Ctrl+C as TSV; tells which row the user chose."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from PySide6.QtCore import QItemSelection, QItemSelectionModel, QPoint, Qt, Signal
from PySide6.QtGui import QAction, QGuiApplication, QKeyEvent, QKeySequence, QMouseEvent, QResizeEvent
from PySide6.QtWidgets import QAbstractItemView, QHeaderView, QMenu, QTableView

from profviz.ui.widgets.palette import Palette
from profviz.ui.widgets.table_columns import Column
from profviz.ui.widgets.table_delegate import ROW_HEIGHT, CellDelegate
from profviz.ui.widgets.table_model import TableModel

LEAST_STRETCH, MOST_NAME = 144, 960
MOST_COPIED = 100_000
"""Rows that one Ctrl+C takes: more would keep the window waiting, and are what files are for."""

_MOVES = (
    Qt.Key.Key_Up,
    Qt.Key.Key_Down,
    Qt.Key.Key_PageUp,
    Qt.Key.Key_PageDown,
    Qt.Key.Key_Home,
    Qt.Key.Key_End,
    Qt.Key.Key_Return,
    Qt.Key.Key_Enter,
)


_ENTER = (Qt.Key.Key_Return, Qt.Key.Key_Enter)


class TableView(QTableView):
    """`chosen` carries the row the user clicked or moved to; `mark` selects without telling anyone.

    With `steps`, Enter and N step through what the current row stands for: `stepped` carries the row and 1, or -1 with
    Shift. `copied` tells how many rows went to the clipboard and how many there were. `hidden` are ids of columns.
    """

    chosen = Signal(object)
    stepped = Signal(object, int)
    copied = Signal(int, int)
    columns_changed = Signal()

    def __init__(self, palette: Palette, *, name: str, steps: bool = False) -> None:
        super().__init__()
        self._steps = steps
        self.hidden: set[str] = set()
        self.rows = TableModel(self)
        self._delegate = CellDelegate(palette, self)
        self._marked: set[int] = set()
        self.setAccessibleName(name)
        self.setModel(self.rows)
        self.setItemDelegate(self._delegate)
        self._configure()
        self._configure_header()

    def show_table(self, columns: Sequence[Column], rows: Sequence[Any]) -> None:
        changed = [column.title for column in columns] != [column.title for column in self.rows.columns]
        self._marked = set()
        self.rows.show_rows(columns, rows)
        if changed:
            self._size_columns()
        self._hide_columns()

    def set_filter(self, words: str) -> None:
        self.rows.set_filter(words)
        self.mark(self._marked)

    def sort_by(self, section: int) -> None:
        """Numbers start with the largest; a second call turns the order round."""
        column = self.rows.columns[section]
        down = not self.rows.descending if section == self.rows.sort_column else column.numeric
        self.rows.sort(section, Qt.SortOrder.DescendingOrder if down else Qt.SortOrder.AscendingOrder)
        self.horizontalHeader().viewport().update()

    def mark(self, identities: set[int]) -> None:
        """Selects the rows with these positions in the rows given to `show_table`, and scrolls to the first."""
        self._marked = set(identities)
        places = self.rows.places_of(self._marked)
        chosen = QItemSelection()
        last = self.rows.columnCount() - 1
        for place in places:
            chosen.select(self.rows.index(place, 0), self.rows.index(place, last))
        model = self.selectionModel()
        model.select(chosen, QItemSelectionModel.SelectionFlag.ClearAndSelect)
        if places:
            first = self.rows.index(places[0], 0)
            model.setCurrentIndex(first, QItemSelectionModel.SelectionFlag.NoUpdate)
            self.scrollTo(first)

    def current_row(self) -> int:
        """The identity of the row that the keyboard is on, -1 for none."""
        index = self.currentIndex()
        return self.rows.identity_at(index.row()) if index.isValid() else -1

    def selected_places(self) -> list[int]:
        return sorted(index.row() for index in self.selectionModel().selectedRows())

    def copy(self) -> None:
        places = self.selected_places() or list(range(self.rows.rowCount()))
        QGuiApplication.clipboard().setText(self.rows.tsv(places[:MOST_COPIED]))
        self.copied.emit(min(len(places), MOST_COPIED), len(places))

    def show_column(self, id_: str, *, shown: bool) -> None:
        """The first column always stays."""
        self.hidden = self.hidden - {id_} if shown else self.hidden | {id_}
        self._hide_columns()
        self.columns_changed.emit()

    def apply(self, palette: Palette) -> None:
        self._delegate.colours = palette
        self.viewport().update()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._stretch()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.matches(QKeySequence.StandardKey.Copy):
            self.copy()
            return
        if self._steps and (event.key() in _ENTER or event.key() == Qt.Key.Key_N) and self._step(event.modifiers()):
            return
        super().keyPressEvent(event)
        if event.key() in _MOVES and not event.modifiers() & Qt.KeyboardModifier.ShiftModifier:
            self._choose_current()

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        super().mouseReleaseEvent(event)
        plain = event.modifiers() == Qt.KeyboardModifier.NoModifier
        if plain and event.button() == Qt.MouseButton.LeftButton and self.indexAt(event.position().toPoint()).isValid():
            self._choose_current()

    def _choose_current(self) -> None:
        index = self.currentIndex()
        if index.isValid():
            self._marked = {self.rows.identity_at(index.row())}
            self.chosen.emit(self.rows.row_at(index.row()))

    def _step(self, modifiers: Qt.KeyboardModifier) -> bool:
        index = self.currentIndex()
        if modifiers & ~(Qt.KeyboardModifier.ShiftModifier | Qt.KeyboardModifier.KeypadModifier) or not index.isValid():
            return False
        back = bool(modifiers & Qt.KeyboardModifier.ShiftModifier)
        self.stepped.emit(self.rows.row_at(index.row()), -1 if back else 1)
        return True

    def _configure(self) -> None:
        self.setSelectionBehavior(QAbstractItemView.SelectionBehavior.SelectRows)
        self.setSelectionMode(QAbstractItemView.SelectionMode.ExtendedSelection)
        self.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
        self.setVerticalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        self.setHorizontalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        self.setShowGrid(False)
        self.setWordWrap(False)
        self.setMouseTracking(True)
        self.setTabKeyNavigation(False)
        self.setContextMenuPolicy(Qt.ContextMenuPolicy.CustomContextMenu)
        self.customContextMenuRequested.connect(self._show_menu)

    def _configure_header(self) -> None:
        down = self.verticalHeader()
        down.hide()
        down.setSectionResizeMode(QHeaderView.ResizeMode.Fixed)
        down.setDefaultSectionSize(ROW_HEIGHT)
        across = self.horizontalHeader()
        across.setHighlightSections(False)
        across.setSectionsClickable(True)
        across.setMinimumSectionSize(40)
        across.setFixedHeight(ROW_HEIGHT)
        across.sectionClicked.connect(self.sort_by)
        across.setContextMenuPolicy(Qt.ContextMenuPolicy.CustomContextMenu)
        across.customContextMenuRequested.connect(self._show_menu)

    def _size_columns(self) -> None:
        for section, column in enumerate(self.rows.columns):
            self.setColumnWidth(section, column.width)
        self._stretch()

    def _stretch(self) -> None:
        """Gives what is left to the stretch columns; they keep a readable width and the table scrolls instead."""
        columns = self.rows.columns
        shown = [section for section, column in enumerate(columns) if not self.is_hidden(column)]
        wide = [section for section in shown if columns[section].stretch]
        fixed = sum(self.columnWidth(section) for section in shown if section not in wide)
        for section in wide:
            least, share = max(LEAST_STRETCH, columns[section].width), (self.viewport().width() - fixed) // len(wide)
            most = MOST_NAME if columns[section].mono else share  # names in full; more would part them from their row
            self.setColumnWidth(section, max(least, min(share, most)))

    def is_hidden(self, column: Column) -> bool:
        return bool(column.id) and column.id in self.hidden and column is not self.rows.columns[0]

    def _hide_columns(self) -> None:
        for section, column in enumerate(self.rows.columns):
            self.setColumnHidden(section, self.is_hidden(column))
        self._stretch()

    def _show_menu(self, point: QPoint) -> None:
        menu = self.build_menu()
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        menu.popup(self.viewport().mapToGlobal(point))

    def build_menu(self) -> QMenu:
        """Copy, sorting and which columns are shown, so that all are reached without a mouse (menu key)."""
        menu = QMenu(self)
        copy = QAction("Copy rows", menu)
        copy.setShortcut(QKeySequence.StandardKey.Copy)
        copy.triggered.connect(self.copy)
        menu.addAction(copy)
        sorting = menu.addMenu("Sort by")
        for section, column in enumerate(self.rows.columns):
            action = sorting.addAction(column.title)
            action.triggered.connect(lambda *_, section=section: self.sort_by(section))
        if any(column.id for column in self.rows.columns[1:]):
            self._add_columns(menu.addMenu("Columns"))
        return menu

    def _add_columns(self, menu: QMenu) -> None:
        for column in self.rows.columns[1:]:
            action = menu.addAction(column.title)
            action.setCheckable(True)
            action.setChecked(not self.is_hidden(column))
            action.toggled.connect(lambda shown, id_=column.id: self.show_column(id_, shown=shown))
