"""The buttons beside the minimap, as wide as the tracks' titles below, and the line that filters tracks by name."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QEvent, QPoint, QSize, Qt
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QHBoxLayout, QLineEdit, QMenu, QPushButton, QSizePolicy, QWidget

from profviz.ui.views.timeline.hands import Timelines
from profviz.ui.views.timeline.keys import ACTIONS
from profviz.ui.views.timeline.layout import GUTTER
from profviz.ui.views.timeline.track_hands import TrackHands
from profviz.ui.widgets.panel_style import plain_tip
from profviz.ui.widgets.panel_text import TextLabel

_BY_ID = {action.id: action for action in ACTIONS}
TRACK_MENU = ("find_track", "filter_tracks", "fold_all", "show_hidden")


class ToolBar(QWidget):
    """Search, marks and tracks, for hands that do not know the keys."""

    def __init__(self, canvas: Timelines) -> None:
        super().__init__()
        self._canvas = canvas
        self.setAccessibleName("Timeline tools")
        self.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Preferred)
        self.search = self._button("Find", "search", lambda: self._do("search"))
        self.marks = self._button("Marks", "show_marks", lambda: self._do("show_marks"))
        self.tracks = self._button("Tracks", "find_track", self._open_tracks)
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(0)
        for button in (self.search, self.marks, self.tracks):
            row.addWidget(button)
        row.addStretch(1)

    def sizeHint(self) -> QSize:
        return QSize(GUTTER, super().sizeHint().height())

    def _button(self, text: str, id_: str, clicked: Callable[[], object]) -> QPushButton:
        made = QPushButton(text)
        made.setObjectName("tool")
        made.setAccessibleName(_BY_ID[id_].title)
        made.setToolTip(plain_tip(f"{_BY_ID[id_].title} ({_BY_ID[id_].keys[0]})"))
        made.clicked.connect(lambda: clicked())
        return made

    def _do(self, id_: str) -> None:
        deed = self._canvas.deeds.get(id_)
        if deed is not None and deed.usable():
            deed.run()

    def track_menu(self) -> QMenu:
        """What can be done to all tracks."""
        menu, deeds = QMenu(self), self._canvas.deeds
        for id_ in TRACK_MENU:
            made = menu.addAction(f"{_BY_ID[id_].title}\t{_BY_ID[id_].keys[0]}")
            made.setObjectName(id_)
            made.setEnabled(id_ in deeds and deeds[id_].usable())
            made.triggered.connect(lambda *_, id_=id_: self._do(id_))
        return menu

    def _open_tracks(self) -> None:
        menu = self.track_menu()
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        menu.popup(self.tracks.mapToGlobal(QPoint(0, self.tracks.height())))


class FilterLine(QWidget):
    """Hidden until it is asked for or while it filters; Enter goes back and keeps the filter, Escape takes it away."""

    def __init__(self, hands: TrackHands, left: Callable[[], None]) -> None:
        super().__init__()
        self._left = left
        self.setAccessibleName("Filter the tracks")
        self.line = QLineEdit()
        self.line.setPlaceholderText("Only tracks with these words in their names")
        self.line.setAccessibleName("Filter the tracks by name")
        self.line.setClearButtonEnabled(True)
        self.line.textEdited.connect(hands.filter_by)
        self.line.textChanged.connect(lambda text: text or hands.filter_by(""))
        self.line.installEventFilter(self)
        self.close_button = QPushButton("×")
        self.close_button.setAccessibleName("Show all tracks again")
        self.close_button.clicked.connect(self.leave)
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(4)
        row.addWidget(TextLabel("Tracks", role="muted", wrap=False))
        row.addWidget(self.line, 1)
        row.addWidget(self.close_button)
        self.hide()

    def start(self) -> None:
        self.show()
        self.line.setFocus(Qt.FocusReason.ShortcutFocusReason)
        self.line.selectAll()

    def show_words(self, words: str) -> None:
        """What filters now: it may have been undone, or shown again from elsewhere."""
        if words != self.line.text().strip():
            self.line.setText(words)
        if words:
            self.show()
        elif not self.line.hasFocus():
            self.hide()

    def leave(self) -> None:
        self.line.clear()
        self.hide()
        self._left()

    def eventFilter(self, watched: object, event: QEvent) -> bool:
        if event.type() == QEvent.Type.KeyPress and isinstance(event, QKeyEvent):
            if event.key() == Qt.Key.Key_Escape:
                self.leave()
                return True
            if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
                self._left()
                return True
        return False
