"""The command palette: type a few letters, press Enter; a list of (id, title, keys) is all it knows."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QEvent, QObject, Qt, Signal
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QDialog, QFrame, QLineEdit, QListWidget, QListWidgetItem, QVBoxLayout, QWidget

_STEP_KEYS = {Qt.Key.Key_Down: 1, Qt.Key.Key_Up: -1, Qt.Key.Key_PageDown: 8, Qt.Key.Key_PageUp: -8}


def matches(query: str, title: str) -> bool:
    """Every letter of the query stands in the title, in this order, whatever stands between."""
    letters = iter(title.casefold())
    return all(letter in letters for letter in query.casefold() if not letter.isspace())


class Picker(QDialog):
    """`picked` carries the id of the chosen entry, after the dialog is closed."""

    picked = Signal(str)

    def __init__(self, entries: Sequence[tuple[str, str, str]], parent: QWidget | None = None) -> None:
        super().__init__(parent, Qt.WindowType.Popup | Qt.WindowType.FramelessWindowHint)
        self._entries = tuple(entries)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.setAccessibleName("Command palette")
        self.field = QLineEdit(placeholderText="Type a command")
        self.list = QListWidget()
        self.list.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self._lay_out()
        self.field.installEventFilter(self)
        self.field.textChanged.connect(self._filter)
        self.field.returnPressed.connect(self._choose)
        self.list.itemClicked.connect(lambda item: self._choose())
        self._filter("")

    def _lay_out(self) -> None:
        frame = QFrame()
        frame.setProperty("panel", True)
        inner = QVBoxLayout(frame)
        inner.addWidget(self.field)
        inner.addWidget(self.list)
        outer = QVBoxLayout(self)
        outer.setContentsMargins(0, 0, 0, 0)
        outer.addWidget(frame)
        self.resize(520, 400)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:  # noqa: N802
        if event.type() == QEvent.Type.KeyPress and isinstance(event, QKeyEvent):
            step = _STEP_KEYS.get(Qt.Key(event.key()), 0)
            if step:
                row = min(max(self.list.currentRow() + step, 0), self.list.count() - 1)
                self.list.setCurrentRow(row)
                return True
        return super().eventFilter(watched, event)

    def _filter(self, query: str) -> None:
        self.list.clear()
        for id_, title, keys in self._entries:
            if matches(query, title):
                item = QListWidgetItem(f"{title}    {keys}" if keys else title)
                item.setData(Qt.ItemDataRole.UserRole, id_)
                self.list.addItem(item)
        self.list.setCurrentRow(0)

    def _choose(self) -> None:
        item = self.list.currentItem()
        if item is not None:
            chosen = str(item.data(Qt.ItemDataRole.UserRole))
            self.close()
            self.picked.emit(chosen)
