"""Labels, link buttons and the root of a panel; every text is shown as plain text, whatever it holds."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QRect, QSize, Qt, QTimer, Signal
from PySide6.QtGui import (
    QFont,
    QFontMetrics,
    QGuiApplication,
    QPainter,
    QPaintEvent,
    QResizeEvent,
    QTextLayout,
    QTextOption,
)
from PySide6.QtWidgets import QHBoxLayout, QLabel, QPushButton, QSizePolicy, QStackedLayout, QVBoxLayout, QWidget

from profviz.ui.widgets.paint_faults import told
from profviz.ui.widgets.palette import Palette
from profviz.ui.widgets.panel_style import panel_sheet, plain_tip, verbatim


class TextLabel(QLabel):
    """A plain-text label that wraps anywhere, as words of code are longer than a panel is wide.

    `role` is plain, muted, accent, good, warn or bad. The context menu copies the text.
    """

    def __init__(self, text: str = "", *, role: str = "plain", bold: bool = False, wrap: bool = True) -> None:
        super().__init__()
        self.setTextFormat(Qt.TextFormat.PlainText)
        self.setWordWrap(wrap)
        self.setProperty("role", role)
        self.setContextMenuPolicy(Qt.ContextMenuPolicy.ActionsContextMenu)
        self.addAction("Copy text", lambda: QGuiApplication.clipboard().setText(self.text()))
        font = verbatim(self.font())
        self.setFont(bold_font(font) if bold else font)
        self.setText(text)

    def hasHeightForWidth(self) -> bool:
        return self.wordWrap()

    def heightForWidth(self, width: int) -> int:
        if not self.wordWrap():
            return super().heightForWidth(width)
        margins = self.contentsMargins()
        inner = width - margins.left() - margins.right()
        lines = len(wrapped(self.text(), self.font(), inner))
        return lines * self.fontMetrics().lineSpacing() + margins.top() + margins.bottom()

    def minimumSizeHint(self) -> QSize:
        if not self.wordWrap():
            return super().minimumSizeHint()
        return QSize(48, self.fontMetrics().lineSpacing())

    @told
    def paintEvent(self, event: QPaintEvent) -> None:
        if not self.wordWrap():
            super().paintEvent(event)
            return
        painter = QPainter(self)
        painter.setPen(self.palette().color(self.foregroundRole()))
        area = self.contentsRect()
        step = self.fontMetrics().lineSpacing()
        rows = wrapped(self.text(), self.font(), area.width())
        spare = max(0, area.height() - len(rows) * step) if self.alignment() & Qt.AlignmentFlag.AlignVCenter else 0
        for number, row in enumerate(rows):
            line = QRect(area.left(), area.top() + spare // 2 + number * step, area.width(), step)
            painter.drawText(line, int(self.alignment() | Qt.TextFlag.TextSingleLine), row)

    def show_text(self, text: str, *, role: str | None = None) -> None:
        if role is not None and role != self.property("role"):
            self.setProperty("role", role)
            self.style().unpolish(self)
            self.style().polish(self)
        self.setText(text)


class LinkButton(QPushButton):
    """A flat button that reads like a link and is reached with Tab; what does not fit is elided."""

    def __init__(self, text: str, clicked: Callable[[], None], *, tip: str = "") -> None:
        super().__init__()
        self._whole = text
        self.setProperty("role", "link")
        self.setFlat(True)
        self.setCursor(Qt.CursorShape.PointingHandCursor)
        self.setFont(verbatim(self.font()))
        self.setAccessibleName(text)
        self.setToolTip(plain_tip(tip))
        self.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Fixed)
        self.clicked.connect(lambda: clicked())

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        room = self.width() - 8
        shown = self.fontMetrics().elidedText(self._whole, Qt.TextElideMode.ElideRight, room)
        self.setText(shown.replace("&", "&&"))


class ToggleButton(QPushButton):
    """As wide as its text is while it is on: the style sheet makes it bold then, without asking for the room."""

    def sizeHint(self) -> QSize:
        bold = QFont(self.font())
        bold.setWeight(QFont.Weight.DemiBold)
        text = self.text()
        wider = QFontMetrics(bold).horizontalAdvance(text) - self.fontMetrics().horizontalAdvance(text)
        return super().sizeHint() + QSize(max(0, wider), 0)


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
        button = ToggleButton(title.replace("&", "&&"))
        button.setCheckable(True)
        button.setAccessibleName(title)
        button.clicked.connect(lambda: self._press(index))
        self._row.addWidget(button)
        return button

    def _press(self, index: int) -> None:
        self.set_current(index)
        self._chosen(index)


class Panel(QWidget):
    """The root of a view: a body to fill, or one calm sentence in its place while there is nothing to show.

    `seen` is sent when it shows after `is_seen` had to say no: a panel behind other tabs counts as visible to Qt.
    """

    seen = Signal()

    def __init__(self, *, name: str, margin: int = 8) -> None:
        super().__init__()
        self._was_missed = False
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
    def is_seen(self) -> bool:
        """Whether any of it shows."""
        seen = not self.visibleRegion().isEmpty()
        self._was_missed = self._was_missed or not seen
        return seen

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

    @told
    def paintEvent(self, event: QPaintEvent) -> None:
        """Nothing else tells that a tab was brought to the front."""
        super().paintEvent(event)
        if self._was_missed:
            self._was_missed = False
            QTimer.singleShot(0, self, self.seen.emit)


def wrapped(text: str, font: QFont, width: int) -> list[str]:
    """`text` cut into lines that fit `width` pixels: at words where possible, else anywhere."""
    option = QTextOption()
    option.setWrapMode(QTextOption.WrapMode.WrapAtWordBoundaryOrAnywhere)
    return [row for line in text.split("\n") for row in _wrapped_line(line, font, width, option)]


def _wrapped_line(text: str, font: QFont, width: int, option: QTextOption) -> list[str]:
    layout = QTextLayout(text, font)
    layout.setTextOption(option)
    layout.beginLayout()
    starts: list[int] = []
    while (line := layout.createLine()).isValid():
        line.setLineWidth(max(24, width))
        starts.append(line.textStart())
    layout.endLayout()
    units = text.encode("utf-16-le", "surrogatepass")
    ends = [*starts[1:], len(units) // 2]
    return [units[2 * a : 2 * b].decode("utf-16-le", "replace").rstrip() for a, b in zip(starts, ends, strict=True)]


def bold_font(font: QFont) -> QFont:
    made = QFont(font)
    made.setWeight(QFont.Weight.DemiBold)
    return made
