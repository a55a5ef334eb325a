"""The selection's panel: its name, a tree of facts, and how long others of its name take; links pick what they name."""

from __future__ import annotations

from typing import Any

from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QBoxLayout

from profviz.model.questions import Question
from profviz.model.results import Results
from profviz.model.slice_details import SliceDetails
from profviz.ui.view_state import Pick, Selection, ViewState
from profviz.ui.views.details import deeper, layout
from profviz.ui.views.spec import Area, ViewSpec
from profviz.ui.widgets.histogram import Histogram
from profviz.ui.widgets.palette import Palette
from profviz.ui.widgets.panel_facts import FactTree
from profviz.ui.widgets.panel_name import NameLabel
from profviz.ui.widgets.panel_text import Panel

HISTOGRAM_HEIGHT, HISTOGRAM_WIDTH, MOST = 156, 300, 10_000
LEAST_TREE = 260
"""Where less is left for the facts, there is no room for the histogram."""


class DetailsView(Panel):
    def __init__(self, state: ViewState, palette: Palette) -> None:
        super().__init__(name="Selection")
        self._state = state
        self._results: Results | None = None
        self._asked: Question | None = None
        self.name = NameLabel(palette)
        self.tree = FactTree(palette, name="Facts of the selection", key_width=104)
        self.histogram = Histogram(palette, name="Durations of slices of this name")
        self._parts = QBoxLayout(QBoxLayout.Direction.TopToBottom)
        self._parts.setSpacing(8)
        self._parts.addWidget(self.tree, 1)
        self._parts.addWidget(self.histogram)
        self.column.addWidget(self.name)
        self.column.addLayout(self._parts, 1)
        self._has_histogram = False
        self.tree.followed.connect(self._follow)
        self.set_palette(palette)
        self.seen.connect(self._ask)
        state.selection_changed.connect(self._show_selection)

    def show_results(self, results: Results) -> None:
        self._results = results
        self._show_selection(self._state.selection)

    def set_palette(self, palette: Palette) -> None:
        self.apply(palette)
        self.name.apply(palette)
        self.tree.apply(palette)
        self.histogram.apply(palette)

    def widget(self) -> DetailsView:
        return self

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._arrange()

    def _show_selection(self, selection: Selection) -> None:
        if self._results is None:
            return
        title = layout.title(self._results, selection)
        self.show_message(layout.empty(self._results) or ("" if title else layout.HELP))
        self.name.show_name(title)
        self._show(None)
        self._asked = None
        slice_ = layout.primary_slice(self._results, selection)
        if slice_ is not None and layout.picked_node(self._results, selection) is None:
            self._asked = Question("slice", slice_[0], (slice_[1],))
            self._ask()

    def _ask(self) -> None:
        """Only while someone sees the panel."""
        if self._asked is not None and self.is_seen:
            self._state.ask(self._asked, self._answered)

    def _answered(self, question: Question, found: Any) -> None:
        """Answers to what is no longer selected come late and are let go."""
        if question == self._asked and isinstance(found, SliceDetails):
            self._show(found)

    def _show(self, found: SliceDetails | None) -> None:
        assert self._results is not None
        selection = self._state.selection
        self.tree.show_facts(layout.facts(self._results, selection, found))
        slice_ = layout.primary_slice(self._results, selection)
        data = None
        if found is not None and slice_ is not None:
            dur_ns = int(self._results.sides[slice_[0]].trace.slices.dur_ns[slice_[1]])
            data = deeper.histogram(found, duration_ns=dur_ns)
        self._has_histogram = data is not None
        if data is not None:
            self.histogram.show_data(data)
        self._arrange()

    def _arrange(self) -> None:
        """The histogram stands below the facts, or beside them in a wide panel, where there is room for both."""
        beside = self.width() > 2 * self.height()
        direction = QBoxLayout.Direction.LeftToRight if beside else QBoxLayout.Direction.TopToBottom
        self._parts.setDirection(direction)
        room = self.width() - HISTOGRAM_WIDTH if beside else self.height() - HISTOGRAM_HEIGHT
        self.histogram.setVisible(self._has_histogram and room >= LEAST_TREE)
        width = max(HISTOGRAM_WIDTH, self.width() * 2 // 5) if beside else MOST
        self.histogram.setMinimumWidth(width if beside else 0)
        self.histogram.setMaximumSize(width, MOST if beside else HISTOGRAM_HEIGHT)

    def _follow(self, target: Any) -> None:
        self._state.pick(Pick(**target))


SPEC = ViewSpec(id="details", title="Selection", area=Area.RIGHT, factory=DetailsView, empty=layout.empty)
