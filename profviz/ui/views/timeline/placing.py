"""Which tracks of one side stand where, below each other: found by height and by id without looking at all; pure."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import overload

import numpy as np

from profviz.ui.view_state import AS_IT_CAME, TrackArrangement
from profviz.ui.views.timeline.arranging import arranged
from profviz.ui.views.timeline.track_list import TrackList
from profviz.ui.views.timeline.tracks import Track

TRACK_GAP = 6
LEAST_ROW = 8


@dataclass(frozen=True, slots=True)
class Placed:
    """A track at `y` below the top of the tracks, with its first `shown` rows of `row_height` px.

    A pinned one stays there, the others move up as they are scrolled.
    """

    track: Track
    y: int
    shown: int
    row_height: int
    is_pinned: bool = False

    @property
    def height(self) -> int:
        return max(1, self.shown) * self.row_height

    def row_y(self, row: int) -> int:
        return self.y + row * self.row_height


class Placing(Sequence[Placed]):
    """All that show, pinned ones first. `pinned_height` is the room that those take and that nothing scrolls into."""

    def __init__(self, tracks: TrackList, wanted: TrackArrangement, *, pinned: int = 0) -> None:
        self.tracks = tracks
        self._pinned = pinned
        self._shown, self._row_height = _sizes(tracks, wanted)
        self._ends = np.cumsum(np.maximum(self._shown, 1) * self._row_height + TRACK_GAP)

    @property
    def height(self) -> int:
        return int(self._ends[-1]) if len(self.tracks) else 0

    @property
    def pinned_height(self) -> int:
        return int(self._ends[self._pinned - 1]) if self._pinned else 0

    def __len__(self) -> int:
        return len(self.tracks)

    @overload
    def __getitem__(self, at: int) -> Placed: ...

    @overload
    def __getitem__(self, at: slice) -> Sequence[Placed]: ...

    def __getitem__(self, at: int | slice) -> Placed | Sequence[Placed]:
        if isinstance(at, slice):
            return [self[one] for one in range(*at.indices(len(self)))]
        place = range(len(self))[at]
        y = int(self._ends[place - 1]) if place else 0
        return Placed(
            self.tracks[place], y, int(self._shown[place]), int(self._row_height[place]), place < self._pinned
        )

    def __iter__(self) -> Iterator[Placed]:
        return (self[at] for at in range(len(self)))

    def of(self, id_: str) -> Placed | None:
        """Where a track stands; None for one that does not show."""
        at = self.tracks.places.get(id_)
        return None if at is None else self[at]

    def at(self, y: float) -> Placed | None:
        """What stands at a height below the top of the tracks; None between tracks."""
        place = int(self._ends.searchsorted(y, "right"))
        found = self[place] if y >= 0 and place < len(self) else None
        return found if found is not None and found.y <= y < found.y + found.height else None

    def pinned(self) -> Sequence[Placed]:
        return self[: self._pinned]

    def scrolled(self, top: float, bottom: float) -> Sequence[Placed]:
        """Those not pinned that show between two heights below the top of the tracks."""
        first = max(self._pinned, int(self._ends.searchsorted(top, "right")))
        last = int(self._ends.searchsorted(bottom, "left")) + 1
        return self[first:last]


def _sizes(tracks: TrackList, wanted: TrackArrangement) -> tuple[np.ndarray, np.ndarray]:
    """How many rows of each track show, and how high each of them is, in px."""
    shown, height = np.minimum(tracks.few, tracks.rows), tracks.heights
    for id_, count in wanted.rows.items():
        at = tracks.places.get(id_)
        if at is not None:
            shown[at] = min(count, tracks.rows[at])
    if wanted.heights:
        height = height.copy()
    for id_, factor in wanted.heights.items():
        at = tracks.places.get(id_)
        if at is not None:
            height[at] = max(LEAST_ROW, round(int(tracks.heights[at]) * factor))
    return shown, height


def place(tracks: Sequence[Track], wanted: TrackArrangement = AS_IT_CAME) -> Placing:
    if not (wanted.order or wanted.hidden or wanted.pinned or wanted.words):
        return Placing(tracks if isinstance(tracks, TrackList) else TrackList(tracks), wanted)
    found = arranged(tracks, wanted)
    return Placing(TrackList(found.shown), wanted, pinned=len(found.pinned))
