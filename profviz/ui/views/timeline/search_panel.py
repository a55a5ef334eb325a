"""The line to search in, the count of hits, and the table of them; the search itself is `searching.Search`."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QEvent, QObject, Qt
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QHBoxLayout, QLineEdit, QPushButton, QVBoxLayout, QWidget

from profviz.model.results import Side
from profviz.model.short_names import short_name
from profviz.model.units import format_count, format_exact_ns
from profviz.ui.views.timeline.searching import MOST_READ, Search
from profviz.ui.widgets.palette import Palette
from profviz.ui.widgets.panel_style import plain_tip
from profviz.ui.widgets.panel_text import TextLabel
from profviz.ui.widgets.table_columns import Column
from profviz.ui.widgets.table_view import TableView

HELP = """Text, or /regular expression/, and any of:
name:add   cat:kernel   kind:gemm   stream:7   track:thread   step:2
dur>10us   dur<=1.5ms   dur=400ns
arg:grid=128,2,1   arg:registers>32   arg:correlation=17   arg:shapes=[8,128]
arg:NAME=VALUE and args:TEXT read the events themselves
-word leaves out what has it; "two words" are one"""


class SearchLine(QLineEdit):
    """Enter steps forward, Shift+Enter back, Down opens the table, Escape leaves."""

    def __init__(self, step: Callable[[int], None], leave: Callable[[], None], open_: Callable[[], None]) -> None:
        super().__init__()
        self._step, self._leave, self._open = step, leave, open_

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            self._step(-1 if event.modifiers() & Qt.KeyboardModifier.ShiftModifier else 1)
        elif event.key() == Qt.Key.Key_Escape:
            self._leave()
        elif event.key() == Qt.Key.Key_Down:
            self._open()
        else:
            super().keyPressEvent(event)


class SearchPanel(QWidget):
    """Hidden until it is asked for, as is its `table`, which stands where the view puts it.

    `left` is called when the keyboard should go back to the timelines.
    """

    def __init__(self, search: Search, palette: Palette, left: Callable[[], None]) -> None:
        super().__init__()
        self._search, self._left = search, left
        self.setAccessibleName("Search slices")
        self.line = SearchLine(search.step, self.leave, self.open_table)
        self.regex = _button(".*", "Regular expression", "Take all words as one regular expression", checkable=True)
        self.back = _button("‹", "Previous hit", "Previous hit (Shift+Enter)")
        self.forth = _button("›", "Next hit", "Next hit (Enter)")
        self.list = _button("List", "List of hits", "List the hits (Down)", checkable=True)
        self.close_button = _button("×", "Close the search", "Close the search (Esc)")
        self.found = TextLabel(role="muted", wrap=False)
        self.table = TableView(palette, name="Hits of the search")
        self.table.hide()
        self._build()
        self._connect()
        self.hide()

    def _build(self) -> None:
        self.line.setPlaceholderText("Search: text, /regex/, kind:gemm, dur>10us, arg:grid=128 …")
        self.line.setAccessibleName("Search slices")
        self.line.setToolTip(plain_tip(HELP))
        self.line.setClearButtonEnabled(True)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(4)
        row = QHBoxLayout()
        row.setSpacing(4)
        row.addWidget(self.line, 1)
        for part in (self.regex, self.found, self.back, self.forth, self.list, self.close_button):
            row.addWidget(part)
        column.addLayout(row)

    def _connect(self) -> None:
        self.line.textChanged.connect(lambda text: self._look())
        self.regex.toggled.connect(lambda on: self._look())
        self.back.clicked.connect(lambda: self._search.step(-1))
        self.forth.clicked.connect(lambda: self._search.step(1))
        self.list.toggled.connect(self.table.setVisible)
        self.table.installEventFilter(self)
        self.close_button.clicked.connect(self.leave)
        self.table.chosen.connect(self._search.go_to)
        self._search.changed.connect(self._show)
        self._search.stepped.connect(self._mark)

    def apply(self, palette: Palette) -> None:
        self.table.apply(palette)

    def start(self) -> None:
        """Shows the line with the keyboard in it."""
        self.show()
        self.line.setFocus(Qt.FocusReason.ShortcutFocusReason)
        self.line.selectAll()
        self._look()

    def leave(self) -> None:
        """Ends the search and hides."""
        self._search.look_for("")
        self._close()
        self._left()

    def _close(self) -> None:
        self.list.setChecked(False)
        self.hide()

    def open_table(self) -> None:
        self.list.setChecked(True)
        if len(self._search.hits):
            self.table.setFocus(Qt.FocusReason.OtherFocusReason)
            self._mark(max(0, self._search.at))

    def _look(self) -> None:
        self._search.look_for(self.line.text(), is_regex=self.regex.isChecked())

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """The list button is pressed as long as the list shows; Escape in the list goes back to the line."""
        if event.type() == QEvent.Type.HideToParent:
            self.list.setChecked(False)
        elif event.type() == QEvent.Type.KeyPress and isinstance(event, QKeyEvent) and event.key() == Qt.Key.Key_Escape:
            self.line.setFocus(Qt.FocusReason.OtherFocusReason)
            return True
        return False

    # What was found

    def _show(self) -> None:
        search = self._search
        if not search.text and self.line.text() and not self.line.hasFocus():
            self._close()  # cleared from the timelines
        self.found.show_text(self.words(), role="bad" if search.problem else "muted")
        self.found.setToolTip(plain_tip(search.problem))
        for button in (self.back, self.forth):
            button.setEnabled(len(search.hits) > 0)
        self.table.show_table(self._columns(), search.hits)
        if search.at >= 0:
            self._mark(search.at)

    def words(self) -> str:
        """How many hits there are, which is the current one, and what was not looked at."""
        search = self._search
        if not search.text:
            return ""
        if search.problem:
            return search.problem
        if search.is_waiting and not search.count:
            return "searching …"
        count = f"{format_count(search.count)} found" if search.count else "nothing found"
        if search.at >= 0:
            count = f"{format_count(search.at + 1)} of {format_count(search.count)}"
        if search.is_reading:
            return f"{count}, {format_count(search.unread)} still to read"
        if search.unread:
            return f"{count} in the first {format_count(MOST_READ)} that were read"
        listed = len(search.hits)
        return count if listed == search.count else f"{count}, the first {format_count(listed)} listed"

    def _mark(self, place: int) -> None:
        self.found.show_text(self.words())
        if self.table.isVisible() and not (self.table.hasFocus() and self.table.selected_places()):
            self.table.mark({place})

    def _columns(self) -> tuple[Column, ...]:
        hits, sides = self._search.hits, self._search.sides

        def slice_of(place: int) -> tuple[Side, int]:
            return sides[int(hits.side[place])], int(hits.slice[place])

        def name(place: int) -> str:
            side, index = slice_of(place)
            return side.trace.name_of(index)

        def dur_ns(place: int) -> int:
            side, index = slice_of(place)
            return int(side.trace.slices.dur_ns[index])

        def start_ns(place: int) -> int:
            side, index = slice_of(place)
            return int(side.trace.slices.start_ns[index])

        def lane(place: int) -> str:
            side, index = slice_of(place)
            return side.trace.lanes[int(side.trace.slices.lane[index])].title

        def kind(place: int) -> int:
            side, index = slice_of(place)
            return int(side.kinds[index])

        columns = (
            Column(
                "Name", lambda place: short_name(name(place)), stretch=True, mono=True, dot=kind, tip=name, copy=name
            ),
            Column("Duration", lambda place: format_exact_ns(dur_ns(place)), dur_ns, numeric=True, width=104),
            Column("Start", lambda place: format_exact_ns(start_ns(place)), start_ns, numeric=True, width=124),
            Column("Track", lane, width=152),
        )
        run = Column("Run", lambda place: slice_of(place)[0].title, width=96, keep_end=True)
        return (*columns, run) if len(sides) > 1 else columns


def _button(text: str, name: str, tip: str, *, checkable: bool = False) -> QPushButton:
    made = QPushButton(text)
    made.setAccessibleName(name)
    made.setToolTip(plain_tip(tip))
    made.setCheckable(checkable)
    return made
