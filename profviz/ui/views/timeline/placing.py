"""Which tracks of one side stand where, below each other: found by height and by id without looking at all; pure."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import overload

import numpy as np

from profviz.ui.view_state import AS_IT_CAME, TrackArrangement
from profviz.ui.views.timeline.arranging import Arranged, arranged
from profviz.ui.views.timeline.tracks import Track

TRACK_GAP = 6


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

    def __init__(self, tracks: Arranged[Track], wanted: TrackArrangement) -> None:
        self.tracks = tracks.shown
        self._pinned = len(tracks.pinned)
        self._shown, self._row_height = _sizes(self.tracks, wanted)
        steps = np.maximum(self._shown, 1) * self._row_height + TRACK_GAP
        self._ends = np.cumsum(steps)
        self._at = {track.id: at for at, track in enumerate(self.tracks)}

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
        at = self._at.get(id_)
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


def _sizes(tracks: Sequence[Track], wanted: TrackArrangement) -> tuple[np.ndarray, np.ndarray]:
    """How many rows of each track show, and how high each of them is, in px."""
    rows = np.array([track.row_count for track in tracks], dtype=np.int64)
    shown = np.minimum(np.array([track.few for track in tracks], dtype=np.int64), rows)
    height = np.array([track.row_height for track in tracks], dtype=np.int64)
    if wanted.rows or wanted.heights:
        for at, track in enumerate(tracks):
            shown[at] = min(wanted.rows.get(track.id, track.few), rows[at])
            height[at] = max(8, round(track.row_height * wanted.heights.get(track.id, 1.0)))
    return shown, height


def place(tracks: Sequence[Track], wanted: TrackArrangement = AS_IT_CAME) -> Placing:
    if not (wanted.order or wanted.hidden or wanted.pinned or wanted.words):
        return Placing(Arranged((), tuple(tracks)), wanted)
    return Placing(arranged(tracks, wanted), wanted)
