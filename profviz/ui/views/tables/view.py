"""Kernels, operators, launches, memory, categories, fusions and steps as tables, of one side or two compared.

Asks only while it is seen, one question at a time.
"""

from __future__ import annotations

from typing import Any

from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QKeySequence, QResizeEvent, QShortcut, QShowEvent
from PySide6.QtWidgets import QHBoxLayout, QLineEdit, QMenu, QPushButton, QSizePolicy, QStackedWidget

from profviz.model.questions import Question, Unanswered
from profviz.model.results import Results
from profviz.ui.view_state import Pick, Selection, TimeWindow, ViewState
from profviz.ui.views.spec import Area, ViewSpec
from profviz.ui.views.tables import layout
from profviz.ui.views.tables.keys import TABLES
from profviz.ui.views.tables.rows import Shown
from profviz.ui.widgets.palette import Palette
from profviz.ui.widgets.panel_chooser import Chooser
from profviz.ui.widgets.panel_text import Panel, TextLabel, ToggleButton
from profviz.ui.widgets.shell_labels import ElidedLabel
from profviz.ui.widgets.table_view import TableView
from profviz.ui.widgets.view_actions import Deed

FILTER_WIDTH = 240


class TablesView(Panel):
    """The last choice of sides, Compare, joins the first side with the one that was shown last."""

    def __init__(self, state: ViewState, palette: Palette) -> None:
        super().__init__(name="Tables")
        self._state = state
        self._results: Results | None = None
        self._other = 1
        self._is_chosen = False
        self._asked: Question | None = None
        self._wanted: layout.Wanted | None = None
        self.shown: Shown | None = None
        self.kinds = Chooser(name="Table", chosen=self._choose_table)
        self.sides = Chooser(name="Side", chosen=self._choose_side)
        self.in_range = ToggleButton("In range")
        self.filter = QLineEdit()
        self.more = QPushButton("⋯")
        self.table = TableView(palette, name="Table", steps=True)
        self.sentence = TextLabel(role="muted")
        self.body = QStackedWidget()
        self.place = TextLabel(role="accent", wrap=False)
        self.footer = ElidedLabel(role="muted")
        self._build()
        self._connect()
        self.set_palette(palette)

    def show_results(self, results: Results) -> None:
        self._results, self._wanted, self._asked, self.shown = results, None, None, None
        self.show_message(layout.empty(results))
        titles = layout.short_titles([side.title for side in results.sides])
        choices = [*titles, "Compare"] if len(titles) >= 2 else titles
        self._other = min(max(1, self._other), max(1, len(titles) - 1))
        table = self.kinds.current if self._is_chosen else layout.first_table(results)
        self.kinds.show_choices([title for _, title in TABLES], current=table)
        self.sides.show_choices(choices, current=min(self.sides.current, max(0, len(choices) - 1)))
        self.sides.setVisible(len(choices) > 1)
        self._fit()
        self._ask()

    def set_palette(self, palette: Palette) -> None:
        self.apply(palette)
        self.table.apply(palette)

    def widget(self) -> TablesView:
        return self

    @property
    def deeds(self) -> dict[str, Deed]:
        """What the actions of `keys` do, by id."""
        tables = {id_: Deed(lambda at=at: self.kinds.choose(at)) for at, (id_, _) in enumerate(TABLES)}
        return {
            **tables,
            "next_slice": Deed(lambda: self._step(self.table.current_row(), 1), self._has_row),
            "previous_slice": Deed(lambda: self._step(self.table.current_row(), -1), self._has_row),
            "copy": Deed(self.table.copy, lambda: self.shown is not None),
            "filter": Deed(self._start_filter),
            "export": Deed(self.export, lambda: self.shown is not None),
            "in_range": Deed(self.in_range.toggle, lambda: bool(self._state.ranges)),
        }

    @property
    def comparing(self) -> bool:
        return self._results is not None and self.sides.current == len(self._results.sides) >= 2

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self._catch_up()

    def _catch_up(self) -> None:
        self._ask()
        self._mark(self._state.selection)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._fit()

    def build_menu(self) -> QMenu:
        """What can be done with the table as it is."""
        menu = self.table.build_menu()
        export = menu.addAction("Export these rows…")
        export.setEnabled(self.shown is not None)
        export.triggered.connect(self.export)
        return menu

    def export(self) -> None:
        """Asks to write the rows as they are filtered and sorted."""
        if self.shown is not None:
            self._state.export_wanted.emit(self.shown.table, self.table.rows.order)

    # What is shown

    def _build(self) -> None:
        self.filter.setPlaceholderText("Filter: words, total>1ms")
        self.filter.setAccessibleName("Filter the table")
        self.filter.setToolTip(layout.FILTER_HELP)
        self.filter.setClearButtonEnabled(True)
        self.filter.setMaximumWidth(FILTER_WIDTH)
        self.filter.setMinimumWidth(96)
        self.filter.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.in_range.setCheckable(True)
        self.in_range.setToolTip("Only what lies in the marked range, whichever tracks it was marked on")
        self.more.setAccessibleName("More: copy, export, sort, columns")
        self.more.setToolTip("Copy, export, sort, choose columns")
        top = QHBoxLayout()
        top.setSpacing(8)
        top.addWidget(self.kinds)
        top.addSpacing(16)
        top.addWidget(self.sides)
        top.addWidget(self.in_range)
        top.addStretch(1)
        top.addWidget(self.filter, 2)
        top.addWidget(self.more)
        self.sentence.setContentsMargins(8, 8, 8, 8)
        self.sentence.setAlignment(Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignTop)
        self.body.addWidget(self.table)
        self.body.addWidget(self.sentence)
        below = QHBoxLayout()
        below.setSpacing(8)
        below.addWidget(self.place)
        below.addWidget(self.footer, 1)
        self.column.setSpacing(4)
        self.column.addLayout(top)
        self.column.addWidget(self.body, 1)
        self.column.addLayout(below)

    def _connect(self) -> None:
        state = self._state
        self.seen.connect(self._catch_up)
        self.filter.textChanged.connect(self._filter)
        self.in_range.toggled.connect(lambda _: self._ask())
        self.more.clicked.connect(self._show_menu)
        self.table.chosen.connect(lambda row: self._pick(row, 0))
        self.table.stepped.connect(self._step)
        self.table.copied.connect(lambda copied, total: self.footer.setText(layout.copied_text(copied, total)))
        start = QShortcut(QKeySequence.StandardKey.Find, self, self._start_filter)
        start.setContext(Qt.ShortcutContext.WidgetWithChildrenShortcut)
        state.ranges_changed.connect(lambda _: self._ask())
        state.alignment_changed.connect(lambda _: self._ask())
        state.selection_changed.connect(self._follow)

    def _fit(self) -> None:
        """Folds the choosers where their buttons would push the filter out."""
        self.in_range.setVisible(bool(self._state.ranges))
        kinds, sides = self.kinds.wide_hint().width(), self.sides.wide_hint().width()
        needed = kinds + sides + self.in_range.sizeHint().width() + self.filter.minimumWidth() + 120
        self.kinds.set_compact(compact=needed > self.width())
        self.sides.set_compact(compact=needed - kinds + 120 > self.width())

    def _filter(self, text: str) -> None:
        self.table.set_filter(text)
        self._say()

    def _say(self) -> None:
        if self.shown is not None:
            self.footer.setText(layout.footer(self.shown, filtered=self.table.rows.rowCount()))

    def _start_filter(self) -> None:
        self.filter.setFocus()
        self.filter.selectAll()

    def _has_row(self) -> bool:
        return self.shown is not None and self.table.current_row() >= 0

    def _show_menu(self) -> None:
        menu = self.build_menu()
        menu.popup(self.more.mapToGlobal(QPoint(0, self.more.height())))

    # What is asked

    def _want(self) -> layout.Wanted | None:
        results = self._results
        if results is None or not results.sides:
            return None
        sides = (0, self._other) if self.comparing else (self.sides.current,)
        ranges, offsets_ns = self._state.ranges, self._state.offsets_ns
        asked = ranges if self.in_range.isChecked() else ()
        own = tuple(layout.ranges_of(asked, offsets_ns, side) for side in sides) if asked else ()
        return layout.Wanted(TABLES[self.kinds.current][0], sides, own)

    def _ask(self) -> None:
        """One at a time: while a range is dragged there are more ranges than can be worked out."""
        self._fit()
        wanted = self._want()
        if wanted is None:
            self._show_unanswered("")
        if wanted is None or wanted == self._wanted or self._asked is not None or not self.is_seen:
            return
        self._wanted, self._asked = wanted, wanted.question
        self.footer.setText("Working it out…")
        self._state.ask(wanted.question, self._answered)

    def _answered(self, question: Question, found: Any) -> None:
        if question != self._asked or self._results is None or self._wanted is None:
            return
        self._asked = None
        if self._want() != self._wanted:
            self._ask()
        elif isinstance(found, Unanswered):
            self._show_unanswered(found.why)
        else:
            self._show(layout.shown(self._results, self._wanted, found))

    def _show(self, shown: Shown) -> None:
        self.shown = shown
        self.table.setAccessibleName(shown.table.title)
        self.table.show_table(layout.columns(shown), range(len(shown.table)))
        self.body.setCurrentWidget(self.table)
        self._say()
        self._mark(self._state.selection)

    def _show_unanswered(self, why: str) -> None:
        self.shown = None
        self.table.show_table((), ())
        self.sentence.show_text(why[:1].upper() + why[1:])
        self.body.setCurrentWidget(self.sentence)
        self.footer.setText("")
        self.place.hide()

    # What is selected

    def _choose_table(self, index: int) -> None:
        self._is_chosen = True
        self._ask()

    def _choose_side(self, index: int) -> None:
        if 0 < index < len(self._results.sides if self._results else ()):
            self._other = index
        self._ask()

    def _follow(self, selection: Selection) -> None:
        """A slice picked on a timeline brings that side's table forward and marks its row."""
        side = selection.pick.side
        if self._results is None or not self._results.sides:
            return
        if not self.comparing and 0 <= side < len(self._results.sides) and side != self.sides.current:
            self.sides.set_current(side)
            self._choose_side(side)
        self._mark(selection)

    def _mark(self, selection: Selection) -> None:
        if self.shown is None or not self.is_seen:
            return
        pick = (selection.pick.side, selection.pick.slice)
        rows = self.shown.rows_of([pick]) if pick[1] >= 0 else set()
        rows = rows or self.shown.rows_of(selection.slices)
        current = self.table.current_row()
        if rows != {current} or not self.table.selected_places():
            self.table.mark(rows)
        self._show_place(next(iter(rows)) if len(rows) == 1 else -1, pick[1])

    def _show_place(self, row: int, index: int) -> None:
        at, count = self.shown.place_of(row, index) if self.shown is not None and row >= 0 else (-1, 0)
        text = layout.place_text(at, count) if at >= 0 else ""
        self.place.show_text(text)
        self.place.setVisible(bool(text))

    def _pick(self, row: int, at: int) -> None:
        if self.shown is None:
            return
        side, slices = self.shown.side_of(row), self.shown.slices_of(row)
        if len(slices):
            self._state.pick(Pick(side=side, slice=int(slices[at % len(slices)])))
        step, offsets_ns = layout.step_window(self.shown, row), self._state.offsets_ns
        if step is not None:
            offset_ns = offsets_ns[side] if side < len(offsets_ns) else 0
            self._state.show_window(TimeWindow(step[0] - offset_ns, step[1] - offset_ns), remember=True)

    def _step(self, row: int, way: int) -> None:
        """To the next slice of a row, or to its first one where none of them is selected."""
        if self.shown is None:
            return
        pick = self._state.selection.pick
        at, _ = self.shown.place_of(row, pick.slice) if pick.side == self.shown.side_of(row) else (-1, 0)
        self._pick(row, at + way if at >= 0 else 0)


SPEC = ViewSpec(id="tables", title="Tables", area=Area.BOTTOM, factory=TablesView, empty=layout.empty)
