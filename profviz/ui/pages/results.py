"""The results page: the headline, a panel a registered view, and the one selection that links them."""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence

from PySide6.QtCore import QByteArray, QSize, Qt
from PySide6.QtGui import QResizeEvent, QShowEvent
from PySide6.QtWidgets import QApplication, QLineEdit, QStackedWidget, QVBoxLayout, QWidget

from profviz.model.results import Results
from profviz.ui.answers import Answers
from profviz.ui.exporting import export_table_from
from profviz.ui.mark_store import MarkStore
from profviz.ui.pages.panels import Panels
from profviz.ui.pages.selecting import resolve
from profviz.ui.settings import Settings
from profviz.ui.view_state import Pick, Selection, TimeRange, TimeWindow, ViewState
from profviz.ui.views.spec import Area, View, ViewSpec
from profviz.ui.widgets.palette import Palette
from profviz.ui.widgets.shell_figures import Figure, FigureStrip
from profviz.ui.widgets.shell_labels import label
from profviz.ui.widgets.view_actions import Deed

LOW = 640
"""Below so many px the page leaves the details of the headline to tool tips."""


class ViewHolder(QStackedWidget):
    """A view, or in its place the sentence that says why it has nothing to show."""

    def __init__(self, spec: ViewSpec, view: View) -> None:
        super().__init__()
        self.spec = spec
        self.view = view
        self.sentence = label(role="muted", wrap=True)
        self.sentence.setAlignment(Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignTop)
        self.sentence.setContentsMargins(12, 8, 12, 8)
        self.addWidget(view.widget())
        self.addWidget(self.sentence)

    def show_results(self, results: Results) -> None:
        """A view that fails is reported as a bug and says so in its place; the other views go on."""
        try:
            reason = self.spec.empty(results)
            self.view.show_results(results)
        except Exception as error:
            reason = "This panel could not be shown: that is a bug, see the message above."
            sys.excepthook(type(error), error, error.__traceback__)
        self.sentence.setText(reason)
        self.setCurrentIndex(1 if reason else 0)

    def minimumSizeHint(self) -> QSize:
        return QSize(96, 48)


class ResultsPage(QWidget):
    def __init__(self, specs: tuple[ViewSpec, ...], palette: Palette, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.state = ViewState(self)
        self.answers = Answers(self)
        self.state.answers = self.answers
        self.marks: MarkStore | None = None
        self.results: Results | None = None
        self.paths: tuple[str, ...] = ()
        self.headline = FigureStrip()
        self.panels = Panels()
        self.panels.set_panel_palette(palette)
        self.holders = {spec.id: ViewHolder(spec, spec.factory(self.state, palette)) for spec in specs}
        for holder in self.holders.values():
            self.panels.add_view(holder.spec, holder)
        self._restored = False
        column = QVBoxLayout(self)
        column.setContentsMargins(8, 8, 8, 8)
        column.setSpacing(8)
        column.addWidget(self.headline)
        column.addWidget(self.panels, 1)
        self.state.picked.connect(self._select)
        self._has_ranges = False
        self.state.ranges_changed.connect(self._show_sums)
        self.state.export_wanted.connect(lambda table, rows: export_table_from(self.window(), table, rows))

    def show_results(self, results: Results, *, paths: Sequence[str] = ()) -> None:
        """`paths` are the files that marks on the results are kept for."""
        if self.marks is not None:
            self.marks.forget()
        self.results, self.paths = results, tuple(paths)
        self.answers.show_results(results)
        self.headline.show_head(results.title, results.subtitle)
        items = results.headline
        self.headline.show_figures([Figure(item.title, item.value, item.detail, item.tone) for item in items])
        longest = max((side.trace.span_ns for side in results.sides), default=0)
        self.state.reset(TimeWindow(0, max(1, longest)))
        for holder in self.holders.values():
            holder.show_results(results)
        self.panels.set_empty(id_ for id_, holder in self.holders.items() if holder.currentIndex())
        self._fit()
        if self.marks is not None and paths:
            self.marks.show_results(results, paths)

    def is_only_watched(self, results: Results) -> bool:
        """Whether these are in sight and nothing in them is selected or typed, so that newer ones disturb nobody."""
        typed = self.isAncestorOf(focus) if isinstance(focus := QApplication.focusWidget(), QLineEdit) else False
        return self.results is results and self.isVisible() and self.state.selection == Selection() and not typed

    def deeds_of(self, view: str) -> Mapping[str, Deed]:
        """What a view can do now by its actions' ids; nothing while it has nothing to show."""
        holder = self.holders.get(view)
        if holder is None or self.results is None or holder.currentIndex():
            return {}
        return getattr(holder.view, "deeds", {})

    def focus_main(self) -> None:
        """The keyboard goes to the first view of the centre, so that its keys work at once."""
        for holder in self.holders.values():
            if holder.spec.area is Area.CENTRE:
                holder.view.widget().setFocus()
                return

    def set_palette(self, palette: Palette) -> None:
        self.panels.set_panel_palette(palette)
        for holder in self.holders.values():
            holder.view.set_palette(palette)

    def restore_layout(self, state: QByteArray) -> None:
        """Call before the page is first shown; without a state the default is made for the room there is."""
        self._restored = self.panels.restore(state)

    def close_down(self, settings: Settings) -> None:
        """Ends what still works out answers or saves marks, and remembers the panels where the user moved them."""
        self.answers.close()
        if self.marks is not None:
            self.marks.close()
        if self.panels.own:
            settings.keep_blob("panels", self.panels.state())

    def reset_layout(self) -> None:
        self._restored = False
        self.panels.arrange()

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self._fit()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._fit()

    def _fit(self) -> None:
        self.headline.set_low(low=self.height() < LOW)
        if self.isVisible() and not self._restored:
            self.layout().activate()
            self.panels.arrange_if_untouched()

    def _show_sums(self, ranges: tuple[TimeRange, ...]) -> None:
        """A first range brings the panel of its sums to the front of its tabs; further ones leave it where it is."""
        if ranges and not self._has_ranges:
            self.panels.reveal("ranges")
        self._has_ranges = bool(ranges)

    def _select(self, pick: Pick) -> None:
        if self.results is not None:
            self.state.select(resolve(self.results, pick))
            if pick.source is not None and pick.slice < 0 and pick.node < 0:
                self.panels.reveal("source")  # a line was asked for: it must be seen
            if pick.compile_id:
                self.panels.reveal("artifacts")
