"""A sheet over the window, not a window of its own: Escape, a click beside it or lost focus closes it."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QObject, Qt, Signal
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QApplication, QFrame, QWidget


class Overlay(QFrame):
    """Centred over its parent; deleted once closed, and the focus goes back where it was, if that is still there."""

    closed = Signal()

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self.setProperty("panel", True)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self._before = QApplication.focusWidget()
        if self._before is not None:
            self._before.destroyed.connect(self._forget)
        self._open = False

    def show_over(self, *, top: int = -1) -> None:
        """`top` px from the parent's top, -1 for the middle."""
        parent = self.parentWidget()
        self.adjustSize()
        width = min(max(self.width(), self.sizeHint().width()), parent.width() - 16)
        height = min(self.sizeHint().height(), parent.height() - 16)
        y = (parent.height() - height) // 2 if top < 0 else min(top, parent.height() - height)
        self.setGeometry((parent.width() - width) // 2, max(8, y), width, height)
        self._open = True
        self.show()
        self.raise_()
        self.setFocus()
        QApplication.instance().installEventFilter(self)

    def dismiss(self) -> None:
        if self._open:
            self._open = False
            QApplication.instance().removeEventFilter(self)
            self.hide()
            if self._before is not None and self._before.isVisible():
                self._before.setFocus()
            self.closed.emit()
            self.deleteLater()

    def _forget(self) -> None:
        self._before = None

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() == QEvent.Type.MouseButtonPress and isinstance(watched, QWidget):
            if watched is not self and not self.isAncestorOf(watched) and QWidget.window(watched) is self.window():
                self.dismiss()
        elif event.type() == QEvent.Type.Resize and watched is self.parentWidget():
            self.dismiss()
        return False

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() == Qt.Key.Key_Escape:
            self.dismiss()
        else:
            super().keyPressEvent(event)
