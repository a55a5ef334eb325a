"""Everything that one pane's picture depends on, as a value that painters read."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from PySide6.QtCore import QRectF

from profviz.model.results import Side
from profviz.ui.views.timeline.layout import Pane, Scale, Tick
from profviz.ui.views.timeline.placing import Placed, Placing


@dataclass(frozen=True, slots=True)
class Scene:
    """All that one pane's picture depends on: `scroll` is how far its tracks are moved up, in px."""

    pane: Pane
    side: Side
    placed: Placing
    scale: Scale
    scroll: int
    header: str
    marks: tuple[Tick, ...]

    def body_y(self, y: int) -> int:
        return self.pane.body_top + y - self.scroll

    def row_top(self, one: Placed, row: int) -> int:
        """Where a row begins, from the widget's top."""
        return self.pane.body_top + one.row_y(row) if one.is_pinned else self.body_y(one.row_y(row))

    @property
    def scrolled_top(self) -> int:
        """Below this nothing is pinned."""
        return min(self.pane.bottom, self.pane.body_top + self.placed.pinned_height)

    def room(self, one: Placed) -> tuple[int, int]:
        """From where to where a track may be seen."""
        return (self.pane.body_top, self.scrolled_top) if one.is_pinned else (self.scrolled_top, self.pane.bottom)

    def shows_row(self, one: Placed, row: int) -> bool:
        top, (first, last) = self.row_top(one, row), self.room(one)
        return self.pane.shows and top < last and top + one.row_height > first

    def parts(self) -> Sequence[tuple[QRectF, Sequence[Placed]]]:
        """What is pinned and what is scrolled, each with its place."""
        pane, cut = self.pane, self.scrolled_top
        width = pane.right - pane.left
        top = self.placed.pinned_height + self.scroll
        below = self.placed.scrolled(top, top + pane.bottom - cut)
        made = [(QRectF(pane.left, cut, width, pane.bottom - cut), below)]
        if cut > pane.body_top:
            made.append((QRectF(pane.left, pane.body_top, width, cut - pane.body_top), self.placed.pinned()))
        return made
