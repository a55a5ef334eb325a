"""The row of choosers and buttons above the graphs."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import Qt
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QHBoxLayout, QLineEdit, QPushButton, QSizePolicy, QWidget

from profviz.ui.views.graphs.labels import Colouring
from profviz.ui.widgets.graph_chooser import Chooser
from profviz.ui.widgets.panel_text import TextLabel


class SearchLine(QLineEdit):
    """Enter steps forward, Shift+Enter back, Escape leaves."""

    def __init__(self, step: Callable[[int], None], leave: Callable[[], None]) -> None:
        super().__init__()
        self._step, self._leave = step, leave

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            self._step(-1 if event.modifiers() & Qt.KeyboardModifier.ShiftModifier else 1)
        elif event.key() == Qt.Key.Key_Escape:
            self._leave()
        else:
            super().keyPressEvent(event)


class GraphBar(QHBoxLayout):
    """Holds the parts; what they do is the view's business."""

    def __init__(self, search: SearchLine) -> None:
        super().__init__()
        self.chooser, self.levels, self.colouring = Chooser(), Chooser(), Chooser()
        self.search = search
        self.found = TextLabel(role="muted", wrap=False)
        self.turn = QPushButton("Turn")
        self.whole = QPushButton("Fit")
        self.export = QPushButton("Export")
        self.player = QPushButton("Player")
        self.player.setCheckable(True)
        self.setContentsMargins(4, 0, 4, 0)
        self.setSpacing(6)

    def fill(self, *times: QWidget) -> None:
        """Names the parts and puts them in a row, those for times behind the colour."""
        self._name()
        self.addWidget(self.chooser, 5)
        for part in (self.levels, self.colouring, *times, self.turn, self.whole, self.player, self.export):
            self.addWidget(part)
        self.addWidget(self.search, 2)
        self.addWidget(self.found)

    def show_keyed(self, *, shown: bool) -> None:
        """The buttons that are done without where there is little room."""
        self.turn.setVisible(shown)
        self.whole.setVisible(shown)

    def _name(self) -> None:
        self.chooser.setAccessibleName("Compiled graph")
        self.levels.setAccessibleName("Compiler stage")
        self.colouring.setAccessibleName("Colour of the boxes")
        self.colouring.addItems([f"Colour: {way.value}" for way in Colouring])
        self.search.setPlaceholderText("Search   /")
        self.search.setAccessibleName("Search in the graph")
        self.search.setToolTip("Name, operation, module, shape or kernel; Enter steps on, Shift+Enter back")
        self.search.setClearButtonEnabled(True)
        self.search.setMaximumWidth(220)
        self.turn.setAccessibleName("Direction of the graph")
        self.whole.setToolTip("Show the whole graph (Space)")
        self.player.setToolTip(
            "A play-head over both timelines lights up the nodes that run (P, and , and . by kernel)"
        )
        self.export.setToolTip("Write the graph to an SVG or PNG file")
        self.chooser.setSizeAdjustPolicy(Chooser.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon)
        self.chooser.setMinimumContentsLength(14)
        self.levels.setMinimumContentsLength(12)
        self.levels.setSizeAdjustPolicy(Chooser.SizeAdjustPolicy.AdjustToContents)
        self.chooser.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
