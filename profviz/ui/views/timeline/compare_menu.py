"""The button under the timelines from which sides are compared: align, swap, choose, zoom freely, difference."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtGui import QAction
from PySide6.QtWidgets import QMenu, QPushButton

from profviz.ui.views.timeline.alignments import WAYS
from profviz.ui.views.timeline.canvas import TimelineCanvas
from profviz.ui.views.timeline.comparing import Comparing


class CompareButton(QPushButton):
    """Its menu is made when it is asked for: it says what is on."""

    def __init__(self, canvas: TimelineCanvas, comparing: Comparing) -> None:
        super().__init__("Compare")
        self._canvas, self._comparing = canvas, comparing
        self.setAccessibleName("Compare the sides")
        self.setToolTip("Align, swap, choose and zoom the sides")
        self.choices = QMenu(self)
        self.choices.aboutToShow.connect(self.fill)
        self.setMenu(self.choices)
        canvas.state.shown_changed.connect(lambda shown: self.setText(comparing.title))

    def show_sides(self) -> None:
        """Is there for two sides and more, and says how many of them show; a menu that is open is of the last ones."""
        self.choices.close()
        self.setText(self._comparing.title)
        self.setVisible(self._comparing.has_two())

    def fill(self) -> None:
        self.choices.clear()
        aligning = self.choices.addMenu("Align at")
        for way in WAYS:
            _add(aligning, way.title, lambda way=way: self._comparing.align(way))
        _add(aligning, "Selected slice", self._comparing.align_slices)
        steps = self._comparing.step_count
        _add(aligning, "Middle step", lambda: self._canvas.align_step(steps // 2), on=steps > 0)
        self.choices.addSeparator()
        _add(self.choices, "Swap the sides", self._comparing.swap)
        if self._comparing.count > 2:
            self._add_sides(self.choices.addMenu("Show"))
        free, strip = not self._canvas.state.is_linked, self._canvas.stage.strip > 0
        _check(self.choices, "Zoom freely", self._comparing.toggle_linked, checked=free)
        _check(self.choices, "Difference", self._comparing.toggle_strip, checked=strip)

    def _add_sides(self, menu: QMenu) -> None:
        for number, side in enumerate(self._canvas.sides):
            on = number in self._comparing.shown
            _check(menu, side.title, lambda at=number, on=on: self._comparing.show_side(at, on=not on), checked=on)


def _add(menu: QMenu, title: str, run: Callable[[], None], *, on: bool = True) -> QAction:
    action = menu.addAction(title.replace("&", "&&"))
    action.setEnabled(on)
    action.triggered.connect(lambda: run())
    return action


def _check(menu: QMenu, title: str, run: Callable[[], None], *, checked: bool) -> None:
    action = _add(menu, title, run)
    action.setCheckable(True)
    action.setChecked(checked)
