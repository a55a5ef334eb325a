"""The timelines with their legend and the choice of step and arrangement below."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QHBoxLayout, QPushButton

from profviz.core.detail import kinds_in
from profviz.model.results import Results, SliceKind
from profviz.ui.view_state import ViewState
from profviz.ui.views.spec import Area, ViewSpec
from profviz.ui.views.timeline import texts
from profviz.ui.views.timeline.compare_menu import CompareButton
from profviz.ui.views.timeline.drawer import Drawer
from profviz.ui.views.timeline.hands import Timelines
from profviz.ui.views.timeline.marks_panel import MarksPanel
from profviz.ui.views.timeline.minimap import Minimap
from profviz.ui.views.timeline.search_panel import SearchPanel
from profviz.ui.views.timeline.tool_bar import FilterLine, ToolBar
from profviz.ui.widgets.palette import Palette
from profviz.ui.widgets.panel_text import Panel, TextLabel, ToggleRow
from profviz.ui.widgets.timeline_legend import ColourLegend
from profviz.ui.widgets.view_actions import Deed

STACKED, BESIDE = 0, 1
NARROW = 760


class TimelineView(Panel):
    """Asks the state for the first window of newly shown results."""

    def __init__(self, state: ViewState, palette: Palette) -> None:
        super().__init__(name="Timelines")
        self._state = state
        self.canvas = Timelines(state, palette)
        self.minimap = Minimap(self.canvas, palette)
        self.bar = ToolBar(self.canvas)
        self.search = SearchPanel(self.canvas.search, palette, self._to_canvas)
        self.filter = FilterLine(self.canvas.tracks_hand, self._to_canvas)
        self.marks = MarksPanel(state, self.canvas.marking, palette, self._to_canvas)
        self.parts = Drawer(self.canvas, [self.search.table, self.marks])
        self.legend = ColourLegend(palette)
        self.back = _button("‹", name="Previous step", tip="Show the previous step of every side (Ctrl+Left)")
        self.forth = _button("›", name="Next step", tip="Show the next step of every side (Ctrl+Right)")
        self.whole = _button("Whole trace", name="Whole trace", tip="Show everything (Home)")
        self.which = TextLabel(role="muted", wrap=False)
        self.compare = CompareButton(self.canvas, self.canvas.comparing)
        comparing = self.canvas.comparing
        self.arrangement = ToggleRow(
            name="Arrangement of the timelines", chosen=lambda choice: comparing.arrange(beside=choice == BESIDE)
        )
        self.arrangement.show_choices(["Stacked", "Side by side"], current=STACKED)
        self._build()
        self.canvas.aligned.connect(self._tell_step)
        state.shown_changed.connect(lambda shown: self._tell_step())
        comparing.told.connect(self._tell)
        comparing.arranged.connect(lambda beside: self.arrangement.set_current(BESIDE if beside else STACKED))
        state.tracks_changed.connect(lambda tracks: self.filter.show_words(tracks[0].words if tracks else ""))
        self.canvas.search_asked = self.search.start
        self.canvas.marking.list_asked = self.marks.start
        self.canvas.tracks_hand.filter_asked = self.filter.start
        self.setFocusProxy(self.canvas)
        self.set_palette(palette)

    def show_results(self, results: Results) -> None:
        self.show_message(texts.empty(results))
        self.canvas.show_results(results)
        self.minimap.show_results()
        self.marks.refresh()
        kinds = sorted({int(kind) for side in results.sides for kind in kinds_in(side.kinds)})
        self.legend.show_entries([(kind, SliceKind(kind).title) for kind in _in_order(kinds)])
        self.compare.show_sides()
        self.arrangement.setVisible(len(results.sides) > 1)

    def set_palette(self, palette: Palette) -> None:
        self.apply(palette)
        self.canvas.set_palette(palette)
        self.minimap.set_palette(palette)
        self.search.apply(palette)
        self.marks.apply(palette)
        self.legend.set_palette(palette)

    def widget(self) -> TimelineView:
        return self

    @property
    def deeds(self) -> dict[str, Deed]:
        """What the actions of `keys` do, by id."""
        return self.canvas.deeds

    def resizeEvent(self, event: QResizeEvent) -> None:
        """In a narrow panel the legend needs the room more than a button of what Home and the palette do, too."""
        super().resizeEvent(event)
        self.whole.setVisible(self.width() >= NARROW)

    def _to_canvas(self) -> None:
        self.canvas.setFocus(Qt.FocusReason.OtherFocusReason)

    def _build(self) -> None:
        self.column.setContentsMargins(8, 4, 8, 4)
        self.column.setSpacing(4)
        top = QHBoxLayout()
        top.setSpacing(0)
        top.addWidget(self.bar)
        top.addWidget(self.minimap, 1)
        self.column.addLayout(top)
        self.column.addWidget(self.search)
        self.column.addWidget(self.filter)
        self.column.addWidget(self.parts, 1)
        self.back.clicked.connect(lambda: self.canvas.comparing.step(-1))
        self.forth.clicked.connect(lambda: self.canvas.comparing.step(1))
        self.whole.clicked.connect(self.canvas.moving.show_whole)
        bottom = QHBoxLayout()
        bottom.setSpacing(4)
        bottom.addWidget(self.legend, 1)
        for part in (self.back, self.which, self.forth, self.whole, self.compare, self.arrangement):
            bottom.addWidget(part, 0, Qt.AlignmentFlag.AlignVCenter)
        self.column.addLayout(bottom)

    def _tell_step(self) -> None:
        """The aligned step of how many, or what else stands under each other."""
        count, step = self.canvas.comparing.step_count, self.canvas.alignment.step
        for part in (self.back, self.forth):
            part.setVisible(count > 1)
        aligned = f"aligned: {self.canvas.alignment.text}" if len(self.canvas.sides) > 1 else ""
        self._tell(f"step {step + 1} of {count}" if count > 1 and step >= 0 else aligned)
        self.back.setEnabled(self.canvas.comparing.has_step(-1))
        self.forth.setEnabled(self.canvas.comparing.has_step(1))

    def _tell(self, text: str) -> None:
        self.which.show_text(text)
        self.which.setVisible(bool(text))


def _button(text: str, *, name: str, tip: str) -> QPushButton:
    made = QPushButton(text)
    made.setAccessibleName(name)
    made.setToolTip(tip)
    return made


def _in_order(kinds: list[int]) -> list[int]:
    """GPU work first, `other` last."""
    return [kind for kind in kinds if kind != SliceKind.OTHER] + [kind for kind in kinds if kind == SliceKind.OTHER]


SPEC = ViewSpec(id="timeline", title="Timelines", area=Area.CENTRE, factory=TimelineView, empty=texts.empty)
