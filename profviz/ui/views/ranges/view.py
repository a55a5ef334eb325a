"""Sums over the marked ranges as tables, by name and by lane; asks only while it is seen, one question at a time."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from PySide6.QtCore import Qt
from PySide6.QtGui import QShowEvent
from PySide6.QtWidgets import QFileDialog, QHBoxLayout, QPushButton, QSplitter

from profviz.model.questions import Question, Unanswered
from profviz.model.range_sums import RangeSums
from profviz.model.results import Results
from profviz.ui.view_state import Pick, ViewState
from profviz.ui.views.ranges import compared, layout
from profviz.ui.views.spec import Area, ViewSpec
from profviz.ui.widgets.palette import Palette
from profviz.ui.widgets.panel_text import Panel, TextLabel, ToggleRow
from profviz.ui.widgets.table_view import TableView


class RangesView(Panel):
    """The last choice of sides, Compare, puts the first two under the same names."""

    def __init__(self, state: ViewState, palette: Palette) -> None:
        super().__init__(name="Range")
        self._state = state
        self._results: Results | None = None
        self._what = 0
        self._choice = 0
        self._asked: Question | None = None
        self._found: dict[int, RangeSums] = {}
        self._wanted: dict[int, Question] = {}
        self._why: dict[int, str] = {}
        self.sides = ToggleRow(name="Side", chosen=self._choose_side)
        self.what = ToggleRow(name="What is summed up", chosen=self._choose_what)
        self.summary = TextLabel()
        self.names = TableView(palette, name="Sums by name")
        self.lanes = TableView(palette, name="Sums by lane")
        self.copy = _button("Copy table", tip="The table by name, tab-separated, in whole nanoseconds")
        self.save = _button("Save as CSV…", tip="Both tables of every side, in whole nanoseconds")
        self._build()
        self.set_palette(palette)
        state.ranges_changed.connect(lambda _: self._ask_anew())
        state.alignment_changed.connect(lambda _: self._ask_anew())

    def show_results(self, results: Results) -> None:
        self._results = results
        self._asked = None
        titles = [side.title for side in results.sides]
        if len(titles) >= 2:
            titles.append("Compare")
        self._choice = min(self._choice, max(0, len(titles) - 1))
        self.sides.show_choices(titles, current=self._choice)
        self.sides.setVisible(len(titles) > 1)
        usual = {layout.usual_what(side) for side in results.sides}
        self._what = 0 if "gpu" in usual else 1
        self.what.show_choices([title for _, title in layout.WHAT], current=self._what)
        self._ask_anew()

    def set_palette(self, palette: Palette) -> None:
        self.apply(palette)
        self.names.apply(palette)
        self.lanes.apply(palette)

    def widget(self) -> RangesView:
        return self

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self._ask_next()

    def save_to(self, path: Path) -> None:
        """Writes both tables of every side; what stands in the way is said in the panel."""
        assert self._results is not None
        text = layout.as_csv([side.title for side in self._results.sides], self._found)
        try:
            path.write_text(text, encoding="utf-8", newline="")
        except OSError as error:
            self.summary.show_text(f"{path.name} could not be written: {error.strerror or error}", role="bad")
        else:
            self.summary.show_text(f"Saved as {path.name}", role="good")

    def _build(self) -> None:
        top = QHBoxLayout()
        top.setSpacing(8)
        top.addWidget(self.sides)
        top.addWidget(self.what)
        top.addStretch(1)
        top.addWidget(self.copy)
        top.addWidget(self.save)
        self.column.setSpacing(4)
        self.column.addLayout(top)
        self.column.addWidget(self.summary)
        parts = QSplitter(Qt.Orientation.Horizontal)
        parts.addWidget(self.names)
        parts.addWidget(self.lanes)
        parts.setSizes([640, 400])
        parts.setStretchFactor(0, 2)
        parts.setStretchFactor(1, 1)
        parts.setChildrenCollapsible(False)
        self.column.addWidget(parts, 1)
        self.copy.clicked.connect(self.names.copy)
        self.save.clicked.connect(self._choose_file)
        self.names.chosen.connect(lambda row: self._pick(row, self._table("names")))
        self.lanes.chosen.connect(lambda row: self._pick(row, self._table("lanes")))

    # What is asked

    def _ask_anew(self) -> None:
        """Forgets the answers where the ranges, what they are on or the sides' places changed."""
        ranges, what = self._state.ranges, layout.WHAT[self._what][0]
        self._wanted, self._why, self._found = {}, {}, {}
        for side in range(len(self._results.sides) if self._results is not None and ranges else 0):
            question = layout.question(side, ranges, self._state.alignment, what)
            if isinstance(question, Unanswered):
                self._why[side] = question.why
            else:
                self._wanted[side] = question
        self._ask_next()
        self._show()

    def _ask_next(self) -> None:
        """One at a time: while a range is dragged there are more ranges than can be summed up."""
        if self._asked is not None or not self.isVisible():
            return
        waiting = (one for side, one in self._wanted.items() if side not in self._found and side not in self._why)
        self._asked = next(waiting, None)
        if self._asked is not None:
            self._state.ask(self._asked, self._answered)

    def _answered(self, question: Question, found: Any) -> None:
        if question == self._asked:
            self._asked = None
        if self._wanted.get(question.side) == question:
            if isinstance(found, RangeSums):
                self._found[question.side] = found
            else:
                self._why[question.side] = found.why
            self._show()
        self._ask_next()

    # What is shown

    def _choose_side(self, choice: int) -> None:
        self._choice = choice
        self._show()

    def _choose_what(self, choice: int) -> None:
        self._what = choice
        self._ask_anew()

    def _side(self) -> int:
        """The side whose table shows, or -1 for two of them compared."""
        count = len(self._results.sides) if self._results is not None else 0
        return -1 if count >= 2 and self._choice == count else self._choice

    def _table(self, which: str) -> Any:
        found = self._found.get(self._side())
        return getattr(found, which) if found is not None else None

    def _show(self) -> None:
        if self._results is None:
            return
        ranges = self._state.ranges
        self.show_message(layout.empty(self._results) or ("" if ranges else layout.HELP))
        self.what.setVisible(not layout.has_tracks(ranges))
        side = self._side()
        ready = side in self._found if side >= 0 else {0, 1} <= set(self._found)
        self.copy.setEnabled(ready)
        self.save.setEnabled(bool(self._found) and set(self._found) >= set(self._wanted))
        self.lanes.setVisible(side >= 0)
        if not ready:
            self._show_waiting(side)
        elif side >= 0:
            self._show_side(self._found[side])
        else:
            self._show_pairs()

    def _show_waiting(self, side: int) -> None:
        why = [self._why[at] for at in ([side] if side >= 0 else [0, 1]) if at in self._why]
        self.summary.show_text(why[0] if why else "Summing up…", role="muted")
        if why:
            self.names.show_table((), ())
            self.lanes.show_table((), ())

    def _show_side(self, found: RangeSums) -> None:
        self.summary.show_text(layout.summary(self._state.ranges, found), role="plain")
        self.names.show_table(layout.columns(found.names), range(len(found.names)))
        self.lanes.show_table(layout.columns(found.lanes), range(len(found.lanes)))

    def _show_pairs(self) -> None:
        assert self._results is not None
        first, second = (side.title for side in self._results.sides[:2])
        self.names.show_table(compared.columns(first, second), compared.pairs(self._found[0], self._found[1]))
        self.summary.show_text(compared.summary((first, second), (self._found[0], self._found[1])), role="plain")

    def _pick(self, row: Any, table: Any) -> None:
        if isinstance(row, compared.Pair):
            side = 0 if row.slices[0] >= 0 else 1
            self._state.pick(Pick(side=side, slice=row.slices[side]))
        elif table is not None:
            self._state.pick(Pick(side=self._side(), slice=int(table.slice[row])))

    def _choose_file(self) -> None:
        path, _ = QFileDialog.getSaveFileName(self, "Save the sums", "range.csv", "CSV files (*.csv)")
        if path:
            self.save_to(Path(path))


def _button(text: str, *, tip: str) -> QPushButton:
    made = QPushButton(text)
    made.setAccessibleName(text.rstrip("…"))
    made.setToolTip(tip)
    return made


SPEC = ViewSpec(id="ranges", title="Range", area=Area.BOTTOM, factory=RangesView, empty=layout.empty)
