"""The FX graph of a stage as the text that torch prints: selected nodes are marked, a line leads to its node."""

from __future__ import annotations

from PySide6.QtCore import QSignalBlocker, Signal
from PySide6.QtGui import QShowEvent
from PySide6.QtWidgets import QComboBox, QVBoxLayout, QWidget

from profviz.model.results import Results
from profviz.ui.view_state import Selection
from profviz.ui.views.source import graph_text
from profviz.ui.widgets.code_lexing import Segment
from profviz.ui.widgets.code_view import CodeView
from profviz.ui.widgets.palette import Palette
from profviz.ui.widgets.panel_text import TextLabel


class GraphPage(QWidget):
    """Shows nothing before it is seen: such a text can be long. `node_chosen` carries report, graph and node."""

    node_chosen = Signal(int, int, int)

    def __init__(self, palette: Palette) -> None:
        super().__init__()
        self._results: Results | None = None
        self._entries: tuple[graph_text.Entry, ...] = ()
        self._selection = Selection()
        self._lines: dict[str, int] = {}
        self.graphs = QComboBox()
        self.graphs.setAccessibleName("Graph of")
        self.none = TextLabel("No graph's text: the compile log holds none, or none is open", role="muted")
        self.code = CodeView(palette, name="Text of the graph")
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(6)
        for part in (self.graphs, self.none):
            column.addWidget(part)
        column.addWidget(self.code, 1)
        self.graphs.activated.connect(lambda _: self._show_text())
        self.code.line_chosen.connect(self._choose)

    def show_results(self, results: Results) -> None:
        self._results = results
        self._entries = graph_text.entries(results)
        self._selection = Selection()
        with QSignalBlocker(self.graphs):
            self.graphs.clear()
            self.graphs.addItems([entry.title for entry in self._entries])
        for part in (self.graphs, self.code):
            part.setVisible(bool(self._entries))
        self.none.setVisible(not self._entries)

    def show_selection(self, selection: Selection) -> None:
        """Goes to the graph of the picked node, or else stays where one of the selected nodes is."""
        self._selection = selection
        at = graph_text.place_for(self._entries, selection, self.graphs.currentIndex())
        if at >= 0:
            self.graphs.setCurrentIndex(at)
        if self.isVisible():
            self._show_text()

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self._show_text()

    def apply(self, palette: Palette) -> None:
        self.code.apply(palette)

    def _show_text(self) -> None:
        at = self.graphs.currentIndex()
        if self._results is None or not 0 <= at < len(self._entries):
            return
        entry = self._entries[at]
        graph = self._results.reports[entry.report][1].graphs[entry.graph]
        self._lines = graph_text.node_lines(graph.text)
        self.code.show_code(graph.text, segments=(Segment(0, len(graph.text), "python"),))
        marks = graph_text.marks(entry, graph, self._lines, self._selection)
        first = graph_text.first_line(entry, graph, self._lines, self._selection)
        self.code.show_marks(marks, scroll_to=first)

    def _choose(self, line: int) -> None:
        at = self.graphs.currentIndex()
        if self._results is None or not 0 <= at < len(self._entries):
            return
        entry = self._entries[at]
        graph = self._results.reports[entry.report][1].graphs[entry.graph]
        node = graph_text.node_on(graph, self._lines, line)
        if node >= 0:
            self.node_chosen.emit(entry.report, entry.graph, node)
