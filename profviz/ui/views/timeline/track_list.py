"""The tracks of one side as a value, with what placing needs of them as columns: to fill in some costs only those."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import overload

import numpy as np

from profviz.ui.views.timeline.tracks import Track


class TrackList(Sequence[Track]):
    """Tracks in their order. `few`, `rows` and `heights` have shape (tracks,): see `Track`."""

    def __init__(self, tracks: Sequence[Track] = ()) -> None:
        self._items = list(tracks)
        self.few = np.array([track.few for track in self._items], dtype=np.int64)
        self.rows = np.array([track.row_count for track in self._items], dtype=np.int64)
        self.heights = np.array([track.row_height for track in self._items], dtype=np.int64)
        self.places: Mapping[str, int] = {track.id: at for at, track in enumerate(self._items)}
        self._of_lane: dict[int, list[int]] = {}
        for at, track in enumerate(self._items):
            self._of_lane.setdefault(track.lane, []).append(at)

    def replaced(self, tracks: Sequence[Track]) -> TrackList:
        """The same with others of the same ids and lanes in place of some; what has no place here is left out."""
        made = TrackList.__new__(TrackList)
        made._items, made.places, made._of_lane = self._items.copy(), self.places, self._of_lane
        made.few, made.rows, made.heights = self.few.copy(), self.rows.copy(), self.heights.copy()
        for track in tracks:
            at = self.places.get(track.id)
            if at is not None:
                made._items[at] = track
                made.few[at], made.rows[at], made.heights[at] = track.few, track.row_count, track.row_height
        return made

    def with_added(self, tracks: Sequence[Track]) -> TrackList:
        """Also those that have no place here yet, in the order of the groups."""
        new = [track for track in tracks if track.id not in self.places]
        known = self.replaced(tracks)
        return TrackList(sorted([*known, *new], key=lambda track: track.group)) if new else known

    def of_id(self, id_: str) -> Track | None:
        at = self.places.get(id_)
        return None if at is None else self._items[at]

    def of_lane(self, lane: int) -> list[Track]:
        """Those that may show slices of a lane."""
        return [self._items[at] for at in (*self._of_lane.get(lane, ()), *self._of_lane.get(-1, ()))]

    def __len__(self) -> int:
        return len(self._items)

    @overload
    def __getitem__(self, at: int) -> Track: ...

    @overload
    def __getitem__(self, at: slice) -> list[Track]: ...

    def __getitem__(self, at: int | slice) -> Track | list[Track]:
        return self._items[at]

    def __iter__(self) -> Iterator[Track]:
        return iter(self._items)


NO_TRACKS = TrackList()
