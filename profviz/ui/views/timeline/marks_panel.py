"""The list of kept marks: jump, rename, delete; by key as well as by mouse."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import Qt
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QHBoxLayout, QPushButton, QVBoxLayout, QWidget

from profviz.model.units import format_exact_ns
from profviz.ui.view_state import KeptMark, ViewState
from profviz.ui.views.timeline.keeping import length_words, words
from profviz.ui.views.timeline.marking import Marking
from profviz.ui.widgets.palette import Palette
from profviz.ui.widgets.panel_style import plain_tip
from profviz.ui.widgets.panel_text import TextLabel
from profviz.ui.widgets.table_columns import Column
from profviz.ui.widgets.table_view import TableView


class MarkTable(TableView):
    """Enter or a click goes to a mark; `acted` is called with `rename`, `delete` or `leave`."""

    def __init__(self, palette: Palette, acted: Callable[[str], None]) -> None:
        super().__init__(palette, name="Marks")
        self._acted = acted

    def keyPressEvent(self, event: QKeyEvent) -> None:
        keys = {Qt.Key.Key_F2: "rename", Qt.Key.Key_Delete: "delete", Qt.Key.Key_Backspace: "delete"}
        keys[Qt.Key.Key_Escape] = "leave"
        action = keys.get(Qt.Key(event.key()))
        if action is None:
            super().keyPressEvent(event)
        else:
            self._acted(action)


class MarksPanel(QWidget):
    """Hidden until it is asked for; `left` is called when the keyboard should go back to the timelines."""

    def __init__(self, state: ViewState, marking: Marking, palette: Palette, left: Callable[[], None]) -> None:
        super().__init__()
        self._marking, self._left = marking, left
        self.setAccessibleName("Marks")
        self.table = MarkTable(palette, self.act)
        self.title = TextLabel(role="muted", wrap=False)
        self.rename = _button("Rename", "Change the note of the mark (F2)")
        self.delete = _button("Delete", "Delete the mark (Del)")
        self.close_button = _button("×", "Close the list (Esc)", name="Close the list of marks")
        self._build()
        self.table.chosen.connect(marking.go_to)
        state.kept_changed.connect(lambda kept: self.refresh())
        self.hide()

    def _build(self) -> None:
        for button, action in ((self.rename, "rename"), (self.delete, "delete"), (self.close_button, "leave")):
            button.clicked.connect(lambda *_, action=action: self.act(action))
        row = QHBoxLayout()
        row.setSpacing(4)
        row.setContentsMargins(8, 0, 0, 0)
        row.addWidget(self.title, 1)
        for button in (self.rename, self.delete, self.close_button):
            row.addWidget(button)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(4)
        column.addLayout(row)
        column.addWidget(self.table, 1)

    def apply(self, palette: Palette) -> None:
        self.table.apply(palette)

    def start(self) -> None:
        self.refresh()
        self.show()
        self.table.setFocus(Qt.FocusReason.ShortcutFocusReason)
        if self._marking.kept and not self.table.selected_places():
            self.table.mark({0})

    def refresh(self) -> None:
        kept, sides = self._marking.kept, self._marking.sides
        self.title.show_text(
            f"{len(kept)} mark{'' if len(kept) == 1 else 's'}" if kept else "No marks: Shift+M keeps one"
        )
        for button in (self.rename, self.delete):
            button.setEnabled(bool(kept))
        columns = [
            Column("Mark", lambda mark: words(mark, sides), stretch=True, tip=lambda mark: words(mark, sides)),
            Column(
                "At", lambda mark: format_exact_ns(mark.start_ns), lambda mark: mark.start_ns, numeric=True, width=124
            ),
            Column("Length", length_words, lambda mark: mark.end_ns - mark.start_ns, numeric=True, width=104),
        ]
        if len(sides) > 1:
            columns.append(Column("Run", lambda mark: sides[mark.side].title, width=96, keep_end=True))
        self.table.show_table(columns, kept)

    @property
    def chosen(self) -> KeptMark | None:
        places = self.table.selected_places()
        return self.table.rows.row_at(places[0]) if places else None

    def act(self, action: str) -> None:
        mark = self.chosen
        if action == "leave":
            self.hide()
            self._left()
        elif mark is not None and action == "rename":
            self._marking.go_to(mark)
            self._marking.edit(mark)
        elif mark is not None:
            place = self.table.selected_places()[0]
            self._marking.remove(mark)
            count = self.table.rows.rowCount()
            if count:
                self.table.mark({self.table.rows.identity_at(min(place, count - 1))})


def _button(text: str, tip: str, *, name: str = "") -> QPushButton:
    made = QPushButton(text)
    made.setAccessibleName(name or f"{text} the mark")
    made.setToolTip(plain_tip(tip))
    return made
