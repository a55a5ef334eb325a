"""What a user does to compare sides: align, swap, choose, zoom freely, show the difference; it paints nothing."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from PySide6.QtCore import QObject, Signal

from profviz.model.overview import Busy
from profviz.model.questions import Question
from profviz.ui.view_state import Alignment
from profviz.ui.views.timeline.aligning import step_count
from profviz.ui.views.timeline.alignments import WAYS, Way, align_at, align_by, counterpart, dragged
from profviz.ui.views.timeline.canvas import TimelineCanvas
from profviz.ui.views.timeline.marks import Mark
from profviz.ui.views.timeline.strip import HEIGHT
from profviz.ui.widgets.view_actions import Deed

BUSY = "busy"
"""The question whose answer is when a side is busy."""


class Comparing(QObject):
    """`told` carries a sentence for the user; `arranged` whether the sides stand beside each other now."""

    told = Signal(str)
    arranged = Signal(bool)

    def __init__(self, canvas: TimelineCanvas) -> None:
        super().__init__(canvas)
        self._canvas = canvas
        self._state = canvas.state
        self._anchor: Mark | None = None
        self._state.shown_changed.connect(lambda shown: self.refresh())

    @property
    def count(self) -> int:
        return len(self._canvas.sides)

    @property
    def shown(self) -> tuple[int, ...]:
        return self._state.shown_of(self.count)

    @property
    def deeds(self) -> Mapping[str, Deed]:
        """By the ids of `keys.ACTIONS`."""
        ways = {f"align_{way.id}": Deed(lambda way=way: self.align(way), self.has_two) for way in WAYS}
        return {
            **ways,
            "previous_step": Deed(lambda: self.step(-1), lambda: self.has_step(-1)),
            "next_step": Deed(lambda: self.step(1), lambda: self.has_step(1)),
            "align_slices": Deed(self.align_slices, self.has_two),
            "zoom_freely": Deed(self.toggle_linked, self.has_two),
            "arrange_sides": Deed(lambda: self.arrange(beside=not self._canvas.beside), self.has_two),
            "swap_sides": Deed(self.swap, self.has_two),
            "show_difference": Deed(self.toggle_strip, self.has_two),
        }

    @property
    def title(self) -> str:
        """What the button says: how many sides show where some do not."""
        return "Compare" if len(self.shown) == self.count else f"Compare · {len(self.shown)} of {self.count}"

    def has_two(self) -> bool:
        return self.count > 1

    # Aligning

    def has_step(self, by: int) -> bool:
        """Whether every side that shows has a step so many after the aligned one, of which there may be none."""
        return 0 <= self._state.alignment.step + by < self.step_count

    @property
    def step_count(self) -> int:
        """How many steps every side that shows has."""
        return step_count(self._canvas.stage.shown_sides())

    def step(self, by: int) -> None:
        self._canvas.align_step(self._state.alignment.step + by)

    def align(self, way: Way) -> None:
        found = align_by(way, self._canvas.sides)
        if isinstance(found, str):
            self.told.emit(found)
            return
        self._align(found)

    def align_slices(self) -> None:
        """The selected slice and what is the same on other sides; where nothing is, the one selected before."""
        picked = self._canvas.picked
        if picked is None:
            self.told.emit("Select a slice first: it and its counterpart are put under each other.")
            return
        moments = self._counterparts(picked)
        if len(moments) < 2 and self._anchor is not None and self._anchor.side != picked.side:
            moments = {self._anchor.side: self._anchor.start_ns, picked.side: picked.start_ns}
        if len(moments) < 2:
            self._anchor = picked
            self.told.emit("Now select a slice of another side and do the same again.")
            return
        self._align(align_at(self._state.alignment, moments, text="selected slice"))

    def _counterparts(self, picked: Mark) -> dict[int, int]:
        """When the picked slice begins, and on each side the selected slice nearest to it."""
        found = {picked.side: picked.start_ns}
        near = picked.start_ns - self._canvas.stage.offset_ns(picked.side)
        for side in range(self.count):
            own = [index for at, index in self._state.selection.slices if at == side and side != picked.side]
            index = counterpart(self._canvas.sides[side], own, near + self._canvas.stage.offset_ns(side))
            if index >= 0:
                found[side] = int(self._canvas.sides[side].trace.slices.start_ns[index])
        return found

    def _align(self, alignment: Alignment) -> None:
        self._anchor = None
        self._state.align(alignment)

    def drag(self, before: Alignment, side: int, by_ns: int, *, remember: bool) -> None:
        """Moves one side by so much from where it was when the mouse went down."""
        self._state.align(dragged(before, side, by_ns), remember=remember)

    # Which sides, and how

    def arrange(self, *, beside: bool) -> None:
        self._canvas.set_beside(beside=beside)
        self.arranged.emit(beside)

    def toggle_linked(self) -> None:
        if self._state.is_linked:
            self._state.free_windows(self.count)
        else:
            self._state.link_windows()

    def swap(self) -> None:
        first, second, *rest = self.shown if len(self.shown) > 1 else range(self.count)
        self._state.show_sides((second, first, *rest))

    def show_side(self, side: int, *, on: bool) -> None:
        """One side at least stays."""
        left = tuple(one for one in range(self.count) if (one in self.shown or one == side) and (one != side or on))
        if left:
            self._state.show_sides(left if len(left) < self.count else ())
            self._keep_step()

    def _keep_step(self) -> None:
        """A side that shows now may have fewer steps than those that showed before; a part of the same undo step."""
        alignment, count = self._state.alignment, self.step_count
        if alignment.step >= count:
            kept = self._canvas.stage.aligned(count - 1) if count else replace(alignment, step=-1)
            self._state.align(kept, remember=False)

    def toggle_strip(self) -> None:
        self._canvas.stage.strip = 0 if self._canvas.stage.strip else HEIGHT
        self.refresh()

    def refresh(self) -> None:
        """Asks for what the difference of the first two sides needs."""
        self._canvas.compared = {}
        if self._canvas.stage.strip and len(self.shown) > 1:
            for side in self.shown[:2]:
                self._state.ask(Question(BUSY, side), self._take)
        self._canvas.update()

    def _take(self, question: Question, answer: Any) -> None:
        if isinstance(answer, Busy) and question.side in self.shown[:2]:
            self._canvas.compared = {**self._canvas.compared, question.side: answer}
            self._canvas.update()
