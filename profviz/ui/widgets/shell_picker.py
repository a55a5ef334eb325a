"""A sheet to choose from: type a few letters, press Enter; a list of (id, title, keys) is all it knows."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QEvent, QObject, QSize, Qt, Signal
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QHeaderView, QLineEdit, QTreeWidget, QTreeWidgetItem, QVBoxLayout, QWidget

from profviz.ui.widgets.shell_overlay import Overlay

_STEP_KEYS = {Qt.Key.Key_Down: 1, Qt.Key.Key_Up: -1, Qt.Key.Key_PageDown: 8, Qt.Key.Key_PageUp: -8}


def matches(query: str, title: str) -> bool:
    """Every letter of the query stands in the title, in this order, whatever stands between."""
    letters = iter(title.casefold())
    return all(letter in letters for letter in query.casefold() if not letter.isspace())


def distance(query: str, title: str) -> tuple[int, int]:
    """How badly a title that matches does: best where the query stands whole, at the start of a word, early."""
    wanted, text = query.casefold().strip(), title.casefold()
    at = text.find(wanted)
    if at < 0:
        return 2, len(text)
    return (0 if at == 0 or not text[at - 1].isalnum() else 1), at


class Picker(Overlay):
    """`picked` carries the id of the chosen entry, after the sheet is closed; `name` says what is chosen."""

    picked = Signal(str)

    def __init__(
        self,
        entries: Sequence[tuple[str, str, str]],
        parent: QWidget,
        *,
        name: str = "Command palette",
        prompt: str = "Type a command",
    ) -> None:
        super().__init__(parent)
        self._entries = tuple(entries)
        self.setAccessibleName(name)
        self.field = QLineEdit(placeholderText=prompt)
        self.field.setAccessibleName(prompt)
        self.list = self._make_list()
        column = QVBoxLayout(self)
        column.setContentsMargins(12, 12, 12, 12)
        column.addWidget(self.field)
        column.addWidget(self.list)
        self.setFocusProxy(self.field)
        self.field.installEventFilter(self)
        self.field.textChanged.connect(self._filter)
        self.field.returnPressed.connect(self._choose)
        self.list.itemClicked.connect(lambda item: self._choose())
        self._filter("")

    def sizeHint(self) -> QSize:
        return QSize(560, 420)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if watched is self.field and event.type() == QEvent.Type.KeyPress and isinstance(event, QKeyEvent):
            step = _STEP_KEYS.get(Qt.Key(event.key()), 0)
            if step:
                self._step(step)
                return True
        return super().eventFilter(watched, event)

    def titles(self) -> list[str]:
        return [self.list.topLevelItem(row).text(0) for row in range(self.list.topLevelItemCount())]

    @staticmethod
    def _make_list() -> QTreeWidget:
        made = QTreeWidget()
        made.setColumnCount(2)
        made.setHeaderHidden(True)
        made.setRootIsDecorated(False)
        made.setUniformRowHeights(True)
        made.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        made.header().setStretchLastSection(False)
        made.header().setSectionResizeMode(0, QHeaderView.ResizeMode.Stretch)
        made.header().setSectionResizeMode(1, QHeaderView.ResizeMode.ResizeToContents)
        return made

    def _step(self, step: int) -> None:
        count = self.list.topLevelItemCount()
        row = self.list.indexOfTopLevelItem(self.list.currentItem()) + step
        if count:
            self.list.setCurrentItem(self.list.topLevelItem(min(max(row, 0), count - 1)))

    def _filter(self, query: str) -> None:
        self.list.clear()
        found = [entry for entry in self._entries if matches(query, entry[1])]
        if query.strip():
            found.sort(key=lambda entry: distance(query, entry[1]))
        for id_, title, keys in found:
            item = QTreeWidgetItem([title, keys])
            item.setData(0, Qt.ItemDataRole.UserRole, id_)
            item.setForeground(1, self.palette().placeholderText())
            item.setTextAlignment(1, Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
            self.list.addTopLevelItem(item)
        self.list.setCurrentItem(self.list.topLevelItem(0))

    def _choose(self) -> None:
        item = self.list.currentItem()
        if item is not None:
            chosen = str(item.data(0, Qt.ItemDataRole.UserRole))
            self.dismiss()
            self.picked.emit(chosen)
