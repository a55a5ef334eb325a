"""One of several things to show: flat buttons where there is room for them, else a box that folds down."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QSize
from PySide6.QtWidgets import QComboBox, QHBoxLayout, QSizePolicy, QWidget

from profviz.ui.widgets.panel_text import ToggleRow
from profviz.ui.widgets.panel_values import cut

MOST_LETTERS = 24


class Chooser(QWidget):
    """`chosen(index)` is called when the user changes it; `set_compact` folds it."""

    def __init__(self, *, name: str, chosen: Callable[[int], None]) -> None:
        super().__init__()
        self._chosen = chosen
        self._current = 0
        self.row = ToggleRow(name=name, chosen=self.choose)
        self.box = QComboBox()
        self.box.setAccessibleName(name)
        self.box.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon)
        self.box.setMinimumContentsLength(10)
        self.box.activated.connect(self.choose)
        self.box.hide()
        line = QHBoxLayout(self)
        line.setContentsMargins(0, 0, 0, 0)
        line.addWidget(self.row)
        line.addWidget(self.box)
        self.setSizePolicy(QSizePolicy.Policy.Maximum, QSizePolicy.Policy.Fixed)

    @property
    def current(self) -> int:
        return self._current

    def show_choices(self, titles: list[str], *, current: int) -> None:
        self.row.show_choices([cut(title, MOST_LETTERS) for title in titles], current=current)
        self.box.clear()
        self.box.addItems(titles)
        self.set_current(current)

    def set_current(self, index: int) -> None:
        self._current = index
        self.row.set_current(index)
        self.box.setCurrentIndex(index)

    def set_compact(self, *, compact: bool) -> None:
        self.row.setVisible(not compact)
        self.box.setVisible(compact)

    def wide_hint(self) -> QSize:
        """What the buttons take, shown or not: to a layout, those that were just made take nothing."""
        sizes = []
        for number in range(self.box.count()):
            button = self.row.button(number)
            button.ensurePolished()
            sizes.append(button.sizeHint())
        spaces = self.row.layout().spacing() * max(0, len(sizes) - 1)
        return QSize(sum(size.width() for size in sizes) + spaces, max((size.height() for size in sizes), default=0))

    def choose(self, index: int) -> None:
        """As the user does."""
        if index != self._current:
            self.set_current(index)
            self._chosen(index)
