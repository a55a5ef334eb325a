"""The progress of a loading file in the status line, with a button that stops it."""

from __future__ import annotations

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QHBoxLayout, QProgressBar, QPushButton, QWidget

from profviz.ui.widgets.shell_labels import ElidedLabel


class LoadingBar(QWidget):
    cancelled = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.text = ElidedLabel(role="muted")
        self.text.setMinimumWidth(240)
        self.bar = QProgressBar(textVisible=False)
        self.bar.setFixedWidth(160)
        button = QPushButton("Cancel")
        button.setProperty("flat", True)
        button.clicked.connect(self.cancelled)
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 8, 0)
        row.setSpacing(8)
        for part in (self.text, self.bar, button):
            row.addWidget(part)
        self.hide()

    @property
    def busy(self) -> bool:
        return not self.isHidden()

    def show_progress(self, text: str, fraction: float | None) -> None:
        """An empty text hides the bar; no fraction makes it run back and forth."""
        self.setVisible(bool(text))
        self.text.setText(text)
        self.bar.setRange(0, 0 if fraction is None and text else 1000)
        if fraction is not None:
            self.bar.setValue(round(min(max(fraction, 0.0), 1.0) * 1000))
