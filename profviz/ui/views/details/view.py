"""The selection's panel: its name on top and a tree of facts; links pick what they name."""

from __future__ import annotations

from typing import Any

from profviz.model.results import Results
from profviz.ui.view_state import Pick, Selection, ViewState
from profviz.ui.views.details import layout
from profviz.ui.views.spec import Area, ViewSpec
from profviz.ui.widgets.palette import Palette
from profviz.ui.widgets.panel_facts import FactTree
from profviz.ui.widgets.panel_name import NameLabel
from profviz.ui.widgets.panel_text import Panel


class DetailsView(Panel):
    def __init__(self, state: ViewState, palette: Palette) -> None:
        super().__init__(name="Selection")
        self._state = state
        self._results: Results | None = None
        self.name = NameLabel(palette)
        self.tree = FactTree(palette, name="Facts of the selection", key_width=104)
        self.column.addWidget(self.name)
        self.column.addWidget(self.tree, 1)
        self.tree.followed.connect(self._follow)
        self.set_palette(palette)
        state.selection_changed.connect(self._show_selection)

    def show_results(self, results: Results) -> None:
        self._results = results
        self._show_selection(self._state.selection)

    def set_palette(self, palette: Palette) -> None:
        self.apply(palette)
        self.name.apply(palette)
        self.tree.apply(palette)

    def widget(self) -> DetailsView:
        return self

    def _show_selection(self, selection: Selection) -> None:
        if self._results is None:
            return
        title = layout.title(self._results, selection)
        self.show_message(layout.empty(self._results) or ("" if title else layout.HELP))
        self.name.show_name(title)
        self.tree.show_facts(layout.facts(self._results, selection))

    def _follow(self, target: Any) -> None:
        self._state.pick(Pick(**target))


SPEC = ViewSpec(id="details", title="Selection", area=Area.RIGHT, factory=DetailsView, empty=layout.empty)
