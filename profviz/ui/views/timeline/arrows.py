"""The arrows of the picked slice: asks which slices they join, one hop away or along the whole chain."""

from __future__ import annotations

from typing import Any

from PySide6.QtCore import QObject, Signal

from profviz.model.questions import Question, Unanswered
from profviz.model.results import Side
from profviz.ui.view_state import ViewState

Pair = tuple[int, int]


class Arrows(QObject):
    """`pairs` are slices of `side`, from cause to effect; they come a moment after the slice was picked."""

    changed = Signal()

    def __init__(self, state: ViewState, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._state = state
        self._picked: Pair | None = None
        self._asked: Question | None = None
        self.is_whole = False
        """Whether the whole chain shows, or what is one hop away."""
        self.side = -1
        self.pairs: tuple[Pair, ...] = ()

    def show(self, picked: Pair | None) -> None:
        """Those of the slice (side, slice), or none."""
        if picked != self._picked:
            self._picked = picked
            self._ask()

    def forget(self) -> None:
        """For newly opened results, whose slices have the same numbers."""
        self._picked = None
        self._ask()

    def toggle(self) -> None:
        self.is_whole = not self.is_whole
        self._ask()

    def _ask(self) -> None:
        self._asked, self.pairs = None, ()
        if self._picked is not None:
            self.side, index = self._picked
            self._asked = Question("chain", self.side, (index, self.is_whole))
            self._state.ask(self._asked, self._answered)
        self.changed.emit()

    def _answered(self, question: Question, found: Any) -> None:
        if question == self._asked and not isinstance(found, Unanswered):
            self.pairs = found
            self.changed.emit()


def is_autograd(side: Side, pair: Pair) -> bool:
    """Whether an arrow leads from a forward operator to its backward, not from a call to what it asked for."""
    cause, effect = pair
    links = side.links
    asked = cause in (int(links.launch[effect]), int(links.op[effect]))
    return not asked and int(links.gpu_count[effect]) == 0
