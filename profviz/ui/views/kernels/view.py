"""The kernel table: a chooser of sides, a filter and the table; numbers come from the results as they are."""

from __future__ import annotations

from typing import Any

from PySide6.QtWidgets import QHBoxLayout, QLineEdit

from profviz.model.results import KernelRow, Results
from profviz.ui.view_state import Pick, Selection, ViewState
from profviz.ui.views.kernels import layout
from profviz.ui.views.spec import Area, ViewSpec
from profviz.ui.widgets.palette import Palette
from profviz.ui.widgets.panel_text import Panel, TextLabel, ToggleRow
from profviz.ui.widgets.table_view import TableView


class KernelsView(Panel):
    """The last choice, Compare, puts the first two sides under the same names."""

    def __init__(self, state: ViewState, palette: Palette) -> None:
        super().__init__(name="Kernels")
        self._state = state
        self._results: Results | None = None
        self._choice = 0
        self.sides = ToggleRow(name="Side", chosen=self._choose_side)
        self.filter = QLineEdit()
        self.table = TableView(palette, name="Kernels")
        self.footer = TextLabel(role="muted", wrap=False)
        self._build()
        self.set_palette(palette)
        state.selection_changed.connect(self._show_selection)

    def show_results(self, results: Results) -> None:
        self._results = results
        self.show_message(layout.empty(results))
        titles = [side.title for side in results.sides]
        if len(titles) >= 2:
            titles.append("Compare")
        self._choice = min(self._choice, max(0, len(titles) - 1))
        self.sides.show_choices(titles, current=self._choice)
        self._fill()

    def set_palette(self, palette: Palette) -> None:
        self.apply(palette)
        self.table.apply(palette)

    def widget(self) -> KernelsView:
        return self

    @property
    def comparing(self) -> bool:
        return self._results is not None and self._choice == len(self._results.sides)

    def _build(self) -> None:
        self.filter.setPlaceholderText("Filter by name or kind")
        self.filter.setAccessibleName("Filter the table")
        self.filter.setClearButtonEnabled(True)
        self.filter.setFixedWidth(232)
        self.filter.textChanged.connect(self.table.set_filter)
        self.table.chosen.connect(self._pick)
        top = QHBoxLayout()
        top.addWidget(self.sides)
        top.addStretch(1)
        top.addWidget(self.filter)
        self.column.addLayout(top)
        self.column.addWidget(self.table, 1)
        self.column.addWidget(self.footer)

    def _choose_side(self, index: int) -> None:
        self._choice = index
        self._fill()

    def _follow(self, side: int) -> None:
        """A slice picked on a timeline brings that side's table forward."""
        if side != self._choice:
            self._choice = side
            self.sides.set_current(side)
            self._fill_table()

    def _fill(self) -> None:
        self._fill_table()
        if self._results is not None:
            self._mark(self._results, self._state.selection)

    def _fill_table(self) -> None:
        results = self._results
        if results is None or not results.sides:
            self.table.show_table((), ())
            return
        if self.comparing:
            first, second = results.sides[:2]
            self.table.show_table(layout.pair_columns(first.title, second.title), layout.pair_rows(first, second))
            self.footer.show_text(layout.pair_footer(first, second))
        else:
            side = results.sides[self._choice]
            self.table.show_table(layout.table_columns(side.table_of), side.table)
            self.footer.show_text(layout.footer(side))

    def _show_selection(self, selection: Selection) -> None:
        results = self._results
        if results is None or not results.sides:
            return
        if not self.comparing and 0 <= selection.pick.side < len(results.sides):
            self._follow(selection.pick.side)
        self._mark(results, selection)

    def _mark(self, results: Results, selection: Selection) -> None:
        if not results.sides:
            return
        if self.comparing:
            names = layout.selected_names(results, selection.slices)
            rows = range(self.table.rows.total)
            self.table.mark({index for index in rows if self.table.rows.source_row(index).name in names})
        else:
            self.table.mark(layout.selected_rows(results, self._choice, selection.slices))

    def _pick(self, row: Any) -> None:
        if isinstance(row, KernelRow):
            self._state.pick(Pick(side=self._choice, slice=row.first_slice))
        elif row.second is not None:
            self._state.pick(Pick(side=1, slice=row.second.first_slice))
        else:
            self._state.pick(Pick(side=0, slice=row.first.first_slice))


SPEC = ViewSpec(id="kernels", title="Kernels", area=Area.BOTTOM, factory=KernelsView, empty=layout.empty)
