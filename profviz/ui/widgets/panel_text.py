"""Labels, link buttons and the root of a panel; every text is shown as plain text, whatever it holds."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import Qt
from PySide6.QtGui import QFont
from PySide6.QtWidgets import QHBoxLayout, QLabel, QPushButton, QSizePolicy, QStackedLayout, QVBoxLayout, QWidget

from profviz.ui.widgets.palette import Palette
from profviz.ui.widgets.panel_style import panel_sheet, plain_tip, verbatim


class TextLabel(QLabel):
    """A wrapping plain-text label; `role` is plain, muted, accent, good, warn or bad."""

    def __init__(self, text: str = "", *, role: str = "plain", bold: bool = False, wrap: bool = True) -> None:
        super().__init__()
        self.setTextFormat(Qt.TextFormat.PlainText)
        self.setWordWrap(wrap)
        self.setProperty("role", role)
        self.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        font = verbatim(self.font())
        self.setFont(bold_font(font) if bold else font)
        self.setText(text)

    def show_text(self, text: str, *, role: str | None = None) -> None:
        if role is not None and role != self.property("role"):
            self.setProperty("role", role)
            self.style().unpolish(self)
            self.style().polish(self)
        self.setText(text)


class LinkButton(QPushButton):
    """A flat button that reads like a link and is reached with Tab."""

    def __init__(self, text: str, clicked: Callable[[], None], *, tip: str = "") -> None:
        super().__init__(text.replace("&", "&&"))
        self.setProperty("role", "link")
        self.setFlat(True)
        self.setCursor(Qt.CursorShape.PointingHandCursor)
        self.setFont(verbatim(self.font()))
        self.setAccessibleName(text)
        self.setToolTip(plain_tip(tip))
        self.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Fixed)
        self.clicked.connect(lambda: clicked())


class ToggleRow(QWidget):
    """Flat buttons of which one is on; `chosen(index)` is called when the user changes it."""

    def __init__(self, *, name: str, chosen: Callable[[int], None]) -> None:
        super().__init__()
        self.setAccessibleName(name)
        self._chosen = chosen
        self._row = QHBoxLayout(self)
        self._row.setContentsMargins(0, 0, 0, 0)
        self._row.setSpacing(4)
        self._buttons: list[QPushButton] = []

    def show_choices(self, titles: list[str], *, current: int) -> None:
        for button in self._buttons:
            self._row.removeWidget(button)
            button.hide()
            button.deleteLater()
        self._buttons = [self._button(title, index) for index, title in enumerate(titles)]
        self.set_current(current)

    def set_current(self, index: int) -> None:
        for position, button in enumerate(self._buttons):
            button.setChecked(position == index)

    def button(self, index: int) -> QPushButton:
        return self._buttons[index]

    def _button(self, title: str, index: int) -> QPushButton:
        button = QPushButton(title.replace("&", "&&"))
        button.setCheckable(True)
        button.setAccessibleName(title)
        button.clicked.connect(lambda: self._press(index))
        self._row.addWidget(button)
        return button

    def _press(self, index: int) -> None:
        self.set_current(index)
        self._chosen(index)


class Panel(QWidget):
    """The root of a view: a body to fill, or one calm sentence in its place while there is nothing to show."""

    def __init__(self, *, name: str, margin: int = 8) -> None:
        super().__init__()
        self.setObjectName("panel")
        self.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
        self.setAccessibleName(name)
        self.content = QWidget()
        self.column = QVBoxLayout(self.content)
        self.column.setContentsMargins(margin, margin, margin, margin)
        self.column.setSpacing(8)
        self._message = TextLabel(role="muted")
        self._message.setAlignment(Qt.AlignmentFlag.AlignCenter)
        self._message.setContentsMargins(24, 16, 24, 16)
        self._stack = QStackedLayout(self)
        self._stack.addWidget(self.content)
        self._stack.addWidget(self._message)

    @property
    def message(self) -> str:
        """The sentence shown instead of the body, or empty."""
        return self._message.text() if self._stack.currentWidget() is self._message else ""

    def show_message(self, text: str) -> None:
        """Shows `text` instead of the body; the empty text brings the body back."""
        self._message.setText(text)
        self._stack.setCurrentWidget(self._message if text else self.content)

    def apply(self, palette: Palette) -> None:
        self.setStyleSheet(panel_sheet(palette))


def bold_font(font: QFont) -> QFont:
    made = QFont(font)
    made.setWeight(QFont.Weight.DemiBold)
    return made
