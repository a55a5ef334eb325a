"""Sums over the marked ranges as tables, by name and by lane; asks only while it is seen, one question at a time."""

from __future__ import annotations

from typing import Any

from PySide6.QtCore import Qt
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QHBoxLayout, QPushButton, QSplitter

from profviz.model.questions import ColumnTable, PairedTable, Question, Unanswered
from profviz.model.range_sums import RangeSums
from profviz.model.results import Results
from profviz.ui.view_state import Pick, ViewState
from profviz.ui.views.ranges import layout
from profviz.ui.views.spec import Area, ViewSpec
from profviz.ui.widgets.palette import Palette
from profviz.ui.widgets.panel_chooser import Chooser
from profviz.ui.widgets.panel_text import Panel, TextLabel
from profviz.ui.widgets.table_view import TableView


class RangesView(Panel):
    """The last choice of sides, Compare, puts the first two under the same names."""

    def __init__(self, state: ViewState, palette: Palette) -> None:
        super().__init__(name="Range")
        self._state = state
        self._results: Results | None = None
        self._asked: Question | None = None
        self._wanted: Question | Unanswered | None = None
        self.found: RangeSums | PairedTable | None = None
        self.sides = Chooser(name="Side", chosen=lambda _: self._ask_anew())
        self.what = Chooser(name="What is summed up", chosen=lambda _: self._ask_anew())
        self.summary = TextLabel()
        self.names = TableView(palette, name="Sums by name")
        self.lanes = TableView(palette, name="Sums by lane")
        self.copy = _button("Copy table", tip="The table by name, tab-separated, in whole nanoseconds")
        self.export = _button("Export…", tip="The table by name as CSV or Parquet, in the order shown")
        self._had = False
        self._build()
        self.set_palette(palette)
        self.seen.connect(self._ask_next)
        state.ranges_changed.connect(lambda _: self._ranged())
        state.alignment_changed.connect(lambda _: self._ask_anew())

    def show_results(self, results: Results) -> None:
        self._results, self._asked = results, None
        titles = [side.title for side in results.sides]
        choices = [*titles, "Compare"] if len(titles) >= 2 else titles
        self.sides.show_choices(choices, current=min(self.sides.current, max(0, len(choices) - 1)))
        self.sides.setVisible(len(choices) > 1)
        usual = {layout.usual_what(side) for side in results.sides}
        self.what.show_choices([title for _, title in layout.WHAT], current=0 if "gpu" in usual else 1)
        self._fit()
        self._ask_anew()

    def set_palette(self, palette: Palette) -> None:
        self.apply(palette)
        self.names.apply(palette)
        self.lanes.apply(palette)

    def widget(self) -> RangesView:
        return self

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._fit()

    def _build(self) -> None:
        top = QHBoxLayout()
        top.setSpacing(8)
        top.addWidget(self.sides)
        top.addWidget(self.what)
        top.addStretch(1)
        top.addWidget(self.copy)
        top.addWidget(self.export)
        parts = QSplitter(Qt.Orientation.Horizontal)
        parts.addWidget(self.names)
        parts.addWidget(self.lanes)
        parts.setSizes([640, 400])
        parts.setStretchFactor(0, 2)
        parts.setStretchFactor(1, 1)
        parts.setChildrenCollapsible(False)
        self.column.setSpacing(4)
        self.column.addLayout(top)
        self.column.addWidget(self.summary)
        self.column.addWidget(parts, 1)
        self.copy.clicked.connect(self.names.copy)
        self.export.clicked.connect(self._export)
        self.names.chosen.connect(self._pick_name)
        self.lanes.chosen.connect(self._pick_lane)

    def _fit(self) -> None:
        """Folds the choosers where their buttons do not fit."""
        buttons = self.copy.sizeHint().width() + self.export.sizeHint().width() + 48
        sides, what = self.sides.wide_hint().width(), self.what.wide_hint().width()
        self.sides.set_compact(compact=sides + what + buttons > self.width())
        self.what.set_compact(compact=what + buttons + 160 > self.width())

    # What is asked

    def _ranged(self) -> None:
        """The first range is summed on the side of its tracks, or else of what is selected, if not of both."""
        ranges, had = self._state.ranges, self._had
        self._had = bool(ranges)
        sides = {side for one in ranges for side, _ in one.tracks} or {self._state.selection.pick.side}
        if ranges and not had and self._side >= 0 and len(sides) == 1 and (side := sides.pop()) >= 0:
            self.sides.set_current(side)
        self._ask_anew()

    def _ask_anew(self) -> None:
        """Forgets the answer where the ranges, what they are on or the sides' places changed."""
        ranges, what = self._state.ranges, layout.WHAT[self.what.current][0]
        self.found, self._wanted = None, None
        if self._results is not None and self._results.sides and ranges:
            alignment = self._state.alignment
            is_pair = self._side < 0
            ask = layout.pair_question(ranges, alignment, what) if is_pair else None
            self._wanted = ask or layout.question(self._side, ranges, alignment, what)
        self._ask_next()
        self._show()

    def _ask_next(self) -> None:
        """One at a time: while a range is dragged there are more ranges than can be summed up."""
        waits = isinstance(self._wanted, Question) and self.found is None
        if self._asked is None and waits and self.is_seen:
            self._asked = self._wanted
            self._state.ask(self._asked, self._answered)

    def _answered(self, question: Question, found: Any) -> None:
        if question == self._asked:
            self._asked = None
        if question == self._wanted:
            if isinstance(found, Unanswered):
                self._wanted = found
            else:
                self.found = found
            self._show()
        self._ask_next()

    # What is shown

    @property
    def _side(self) -> int:
        """The side whose table shows, or -1 for two of them compared."""
        count = len(self._results.sides) if self._results is not None else 0
        return -1 if count >= 2 and self.sides.current == count else self.sides.current

    @property
    def _names_table(self) -> ColumnTable | None:
        if isinstance(self.found, PairedTable):
            return self.found.table
        return self.found.names if self.found is not None else None

    def _show(self) -> None:
        if self._results is None:
            return
        ranges = self._state.ranges
        self.show_message(layout.empty(self._results) or ("" if ranges else layout.HELP))
        self.what.setVisible(not layout.has_tracks(ranges))
        self.copy.setEnabled(self.found is not None)
        self.export.setEnabled(self.found is not None)
        self.lanes.setVisible(self._side >= 0)
        if isinstance(self.found, PairedTable):
            first, second = (side.title for side in self._results.sides[:2])
            self.names.show_table(layout.pair_columns(self.found, (first, second)), range(len(self.found.table)))
            self.summary.show_text(f"{self.found.table.footer} · difference: {second} less {first}", role="plain")
        elif self.found is not None:
            self.summary.show_text(layout.summary(ranges, self.found), role="plain")
            self._show_table(self.names, self.found.names)
            self._show_table(self.lanes, self.found.lanes)
        elif isinstance(self._wanted, Unanswered):
            self.summary.show_text(self._wanted.why, role="muted")
            self.names.show_table((), ())
            self.lanes.show_table((), ())
        else:
            self.summary.show_text("Summing up…", role="muted")

    @staticmethod
    def _show_table(view: TableView, table: ColumnTable) -> None:
        view.show_table(layout.columns(table), range(len(table)))

    def _pick_name(self, row: int) -> None:
        if isinstance(self.found, PairedTable):
            side = 0 if self.found.rows[0][row] >= 0 else 1
            own = self.found.sides[side].slice[self.found.rows[side][row]]
            self._state.pick(Pick(side=side, slice=int(own)))
        elif self.found is not None:
            self._state.pick(Pick(side=self._side, slice=int(self.found.names.slice[row])))

    def _pick_lane(self, row: int) -> None:
        if isinstance(self.found, RangeSums):
            self._state.pick(Pick(side=self._side, slice=int(self.found.lanes.slice[row])))

    def _export(self) -> None:
        if self._names_table is not None:
            self._state.export_wanted.emit(self._names_table, self.names.rows.order)


def _button(text: str, *, tip: str) -> QPushButton:
    made = QPushButton(text)
    made.setAccessibleName(text.rstrip("…"))
    made.setToolTip(tip)
    return made


SPEC = ViewSpec(id="ranges", title="Range", area=Area.BOTTOM, factory=RangesView, empty=layout.empty)
