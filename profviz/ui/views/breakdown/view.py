"""Bars that sum to wall time beside their figures; a part leads to its longest stretch on the timelines."""

from __future__ import annotations

from functools import partial
from typing import Any

from PySide6.QtCore import Qt, QTimer
from PySide6.QtGui import QShowEvent
from PySide6.QtWidgets import QFrame, QScrollArea, QSplitter, QVBoxLayout, QWidget

from profviz.model.breakdown import Part, TimeBreakdown
from profviz.model.questions import Question, Unanswered
from profviz.model.results import Results
from profviz.ui.view_state import Pick, ViewState
from profviz.ui.views.breakdown import layout
from profviz.ui.views.spec import Area, ViewSpec
from profviz.ui.widgets.palette import Palette
from profviz.ui.widgets.panel_text import Panel, TextLabel
from profviz.ui.widgets.stack_bars import StackedBars
from profviz.ui.widgets.stack_figures import FigureTable

SETTLED_MS = 150
"""A range that is being dragged is broken down once it rests: each time takes a look at the whole trace."""
WAITING = "Working out where the time went …"
ID = "breakdown"


class BreakdownView(Panel):
    """Asks for the breakdown of each side when it is first seen, and shows what is known so far."""

    def __init__(self, state: ViewState, palette: Palette) -> None:
        super().__init__(name="Breakdown")
        self._state = state
        self._results: Results | None = None
        self._asked = False
        self._found: dict[int, TimeBreakdown] = {}
        self._ranged: dict[int, TimeBreakdown] = {}
        self._failed: list[str] = []
        self._groups: tuple[layout.Group, ...] = ()
        self._bar = 0
        self.status = TextLabel(WAITING, role="muted")
        self.bars = StackedBars(palette, name="Wall time by part")
        self.caption = TextLabel(bold=True)
        self.figures = FigureTable(palette, name="Parts of the wall time")
        self.exposed_caption = TextLabel("Copies and communication", bold=True)
        self.exposed = FigureTable(palette, name="Copies and communication")
        self.notes = TextLabel(role="muted")
        self._build()
        self.bars.row_chosen.connect(self._show_bar)
        self.bars.piece_chosen.connect(self._show_stretch)
        self.figures.chosen.connect(self._show_largest)
        self._settling = QTimer(self, singleShot=True, interval=SETTLED_MS)
        self._settling.timeout.connect(self._ask_range)
        state.ranges_changed.connect(self._range_moved)
        self.seen.connect(self._catch_up)
        self.set_palette(palette)

    def show_results(self, results: Results) -> None:
        self._results = results
        self._asked = False
        self._found, self._ranged, self._failed, self._bar = {}, {}, [], 0
        self.show_message(layout.empty(results))
        self._refresh()
        self._catch_up()

    def set_palette(self, palette: Palette) -> None:
        self.apply(palette)
        for painted in (self.bars, self.figures, self.exposed):
            painted.apply(palette)

    def widget(self) -> BreakdownView:
        return self

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self._catch_up()

    def _catch_up(self) -> None:
        if not self.is_seen:
            return
        if self._asked:
            self._ask_range()
        self._ask()

    def _build(self) -> None:
        body = QWidget()
        body.setObjectName("panel_body")
        column = QVBoxLayout(body)
        column.setContentsMargins(8, 0, 8, 8)
        column.setSpacing(4)
        for part in (self.caption, self.figures, self.exposed_caption, self.exposed, self.notes):
            column.addWidget(part)
        column.addStretch(1)
        area = QScrollArea()
        area.setWidgetResizable(True)
        area.setFrameShape(QFrame.Shape.NoFrame)
        area.setWidget(body)
        area.setAccessibleName("Parts of the wall time")
        parts = QSplitter(Qt.Orientation.Horizontal)
        parts.addWidget(self.bars)
        parts.addWidget(area)
        parts.setSizes([520, 560])
        parts.setChildrenCollapsible(False)
        self.column.addWidget(self.status)
        self.column.addWidget(parts, 1)
        self._parts = parts

    def _ask(self) -> None:
        if self._asked or self._results is None or layout.empty(self._results):
            return
        self._asked = True
        for side in range(len(self._results.sides)):
            self._state.ask(Question(ID, side), partial(self._take, self._results))
        self._ask_range()

    def _range_moved(self, _: object) -> None:
        if self._ranged:
            self._ranged = {}
            self._refresh()
        if self._asked and self.is_seen:
            self._settling.start()

    def _ask_range(self) -> None:
        """Of several ranges the first is broken down; an answer that comes late is about another one."""
        if self._results is None or not self._state.ranges:
            return
        for side in range(len(self._results.sides)):
            self._state.ask(self._range_question(side), partial(self._take_range, self._results))

    def _range_question(self, side: int) -> Question:
        shown, offset = self._state.ranges[0], self._offset(side)
        return Question(ID, side, (shown.start_ns + offset, shown.end_ns + offset))

    def _take(self, results: Results, question: Question, found: Any) -> None:
        if results is not self._results:
            return
        if isinstance(found, Unanswered):
            self._failed.append(found.why)
        else:
            self._found[question.side] = found
        self._refresh()

    def _take_range(self, results: Results, question: Question, found: Any) -> None:
        stale = results is not self._results or not self._state.ranges
        if stale or question != self._range_question(question.side) or isinstance(found, Unanswered):
            return
        self._ranged[question.side] = found
        self._refresh()

    def _refresh(self) -> None:
        sides = len(self._results.sides) if self._results else 0
        waiting = len(self._found) + len(self._failed) < sides
        self.status.show_text("\n".join([*self._failed, *([WAITING] if waiting else [])]))
        self.status.setVisible(bool(self.status.text()))
        whole_range = self._ranged if len(self._ranged) == sides else {}
        self._groups = () if waiting else layout.groups(self._found, whole_range)
        self._parts.setVisible(bool(self._groups))
        self.bars.show_rows(layout.rows(self._groups))
        self.notes.show_text("\n".join(layout.sentences(self._found)))
        self._show_bar(0)

    def _show_bar(self, bar: int) -> None:
        shown = layout.bars(self._groups)
        if not 0 <= bar < len(shown):
            return
        self._bar = bar
        self.bars.mark_row(bar)
        pair = self._pair()
        self.caption.show_text(layout.caption(self._group(), pair))
        self.figures.show_figures(*layout.figures(pair))
        heads, rows = layout.exposure_figures(pair)
        self.exposed.show_figures(heads, rows)
        self.exposed.setVisible(bool(rows))
        self.exposed_caption.setVisible(bool(rows))

    def _group(self) -> layout.Group:
        bar = layout.bars(self._groups)[self._bar]
        return next(group for group in self._groups if any(one is bar for one in group.bars))

    def _pair(self) -> tuple[layout.Bar, ...]:
        return layout.compared(self._group(), layout.bars(self._groups)[self._bar].side)

    def _show_stretch(self, bar: int, part: int) -> None:
        shown = layout.bars(self._groups)[bar]
        stretch = shown.wall.longest[part]
        if stretch is None:
            return
        window = layout.window_of(stretch, offset_ns=self._offset(shown.side))
        self._state.show_side_window(shown.side, window, remember=True)
        if stretch.slice >= 0:
            self._state.pick(Pick(side=shown.side, slice=stretch.slice))

    def _show_largest(self, part: int) -> None:
        """Of the two bars in the table the one that has more of the part."""
        if part not in list(Part):
            return
        bar = max(self._pair(), key=lambda one: one.wall.parts_ns[part])
        self._show_stretch(next(at for at, one in enumerate(layout.bars(self._groups)) if one is bar), part)

    def _offset(self, side: int) -> int:
        offsets = self._state.offsets_ns
        return offsets[side] if side < len(offsets) else 0


SPEC = ViewSpec(id=ID, title="Breakdown", area=Area.BOTTOM, factory=BreakdownView, empty=layout.empty)
