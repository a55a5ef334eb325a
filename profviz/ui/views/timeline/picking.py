"""Selects slices from where the selection is: neighbours on its row, along launch arrows, the first that shows."""

from __future__ import annotations

import numpy as np

from profviz.model.results import Side
from profviz.ui.view_state import Pick
from profviz.ui.views.timeline.canvas import TimelineCanvas


class Picking:
    """Every selection goes through the state's `pick`."""

    def __init__(self, canvas: TimelineCanvas) -> None:
        self._canvas = canvas

    @property
    def has_pick(self) -> bool:
        return self._canvas.picked is not None

    def mark(self) -> None:
        """Makes the picked slice's time the range, to sum up what ran meanwhile."""
        picked = self._canvas.picked
        if picked is not None:
            offset = self._canvas.stage.offset_ns(picked.side)
            self._canvas.show_range((picked.start_ns - offset, max(picked.end_ns, picked.start_ns + 1) - offset))

    def step(self, by: int) -> None:
        """To a neighbour on the picked slice's row; where nothing is picked, to the first visible slice."""
        picked = self._canvas.picked
        if picked is None:
            self._pick_first()
            return
        track = self._canvas.stage.store.of_id(picked.side, picked.track)
        if track is None:
            return
        row = track.rows[picked.row]
        at = row.place_of(picked.slice) + by
        if 0 <= at < len(row):
            self.pick(picked.side, int(row.slice[at]))

    def _pick_first(self) -> None:
        for side in range(len(self._canvas.sides)):
            offset = self._canvas.stage.offset_ns(side)
            start, end = (time + offset for time in self._canvas.window_of(side))
            for row in (row for one in self._canvas.placed(side) if one.track.of_slices for row in one.track.rows):
                shown = row.visible(start, end)
                if len(shown):
                    self.pick(side, int(row.slice[shown.start]))
                    return

    def follow(self) -> None:
        """From a launch, or from anything in which one is made, to the first GPU slice that it asked for."""
        picked = self._canvas.picked
        target = launched_in(self._canvas.sides[picked.side], picked.slice) if picked is not None else -1
        if picked is not None and target >= 0:
            self.pick(picked.side, target)

    def follow_back(self) -> None:
        """From a GPU slice to its launch, from there to the operator, from there to what called it."""
        picked = self._canvas.picked
        target = asker_of(self._canvas.sides[picked.side], picked.slice) if picked is not None else -1
        if picked is not None and target >= 0:
            self.pick(picked.side, target)

    def pick(self, side: int, index: int) -> None:
        self._canvas.state.pick(Pick(side=side, slice=index))


def launched_in(side: Side, index: int) -> int:
    """The first GPU slice that a slice, or one within its time on its lane, asked for; -1 for none."""
    slices, links = side.trace.slices, side.links
    lane, end = int(slices.lane[index]), int(slices.start_ns[index]) + int(slices.dur_ns[index])
    bounds = side.trace.lane_bounds()
    starts = slices.start_ns[index : int(bounds[lane + 1])]
    last = index + max(1, int(starts.searchsorted(np.int64(end), "left")))
    asking = np.flatnonzero(links.gpu_count[index:last] > 0)
    return int(links.launched[int(links.first_gpu[index + int(asking[0])])]) if len(asking) else -1


def asker_of(side: Side, index: int) -> int:
    """What launched a slice, or the operator around it, or what encloses it; -1 for none."""
    steps = (side.links.launch[index], side.links.op[index], side.trace.slices.parent[index])
    return next((int(step) for step in steps if step >= 0 and step != index), -1)
