"""Plain-text labels with a role for the stylesheet, some of which shorten themselves; knows no profiler."""

from __future__ import annotations

from PySide6.QtCore import QRect, QSize, Qt
from PySide6.QtGui import QPainter, QPaintEvent, QResizeEvent
from PySide6.QtWidgets import QFrame, QLabel, QVBoxLayout, QWidget

from profviz.ui.widgets.paint_faults import told


def label(text: str = "", *, role: str = "", wrap: bool = False, parent: QWidget | None = None) -> QLabel:
    made = QLabel(parent)
    made.setTextFormat(Qt.TextFormat.PlainText)
    made.setText(text)
    made.setWordWrap(wrap)
    if role:
        made.setProperty("role", role)
    return made


def set_tone(widget: QWidget, tone: str) -> None:
    """Sets the stylesheet's `tone` (good, warn, bad or plain) and has it taken over."""
    if widget.property("tone") != tone:
        widget.setProperty("tone", tone)
        widget.style().unpolish(widget)
        widget.style().polish(widget)


class ElidedLabel(QLabel):
    """One line that is cut with an ellipsis where it does not fit; the whole text is its tooltip then."""

    def __init__(
        self,
        text: str = "",
        *,
        role: str = "",
        mode: Qt.TextElideMode = Qt.TextElideMode.ElideRight,
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(parent)
        self._mode = mode
        self.setTextFormat(Qt.TextFormat.PlainText)
        if role:
            self.setProperty("role", role)
        self.setText(text)

    def setText(self, text: str) -> None:
        super().setText(text.replace("\n", " "))
        self._update_tip()

    def minimumSizeHint(self) -> QSize:
        return QSize(24, super().minimumSizeHint().height())

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._update_tip()

    @told
    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        rect: QRect = self.contentsRect()
        shown = self.fontMetrics().elidedText(self.text(), self._mode, rect.width())
        flags = int(self.alignment()) | int(Qt.TextFlag.TextSingleLine)
        role = self.foregroundRole()
        self.style().drawItemText(painter, rect, flags, self.palette(), self.isEnabled(), shown, role)
        painter.end()

    def _update_tip(self) -> None:
        cut = self.fontMetrics().horizontalAdvance(self.text()) > self.contentsRect().width()
        self.setToolTip(plain_tip(self.text()) if cut else "")


def plain_tip(text: str) -> str:
    """A tooltip has no plain-text mode: text that Qt could take for markup is escaped and wrapped."""
    if "<" not in text and "&" not in text:
        return text
    escaped = text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
    return f"<span>{escaped}</span>"


def panel(*, title: str = "", spacing: int = 8, inset: int = 16) -> tuple[QFrame, QVBoxLayout]:
    """A frame with the panel look and its layout, the title on top and 16 px from the edge whatever the `inset`."""
    frame = QFrame()
    frame.setProperty("panel", True)
    layout = QVBoxLayout(frame)
    layout.setContentsMargins(inset, 12, inset, inset)
    layout.setSpacing(spacing)
    if title:
        heading = label(title, role="title")
        heading.setContentsMargins(16 - inset, 0, 0, 16 - inset)
        layout.addWidget(heading)
    return frame, layout
