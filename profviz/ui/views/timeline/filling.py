"""Works out the tracks of large traces on a thread of its own, so that the window stays free; small ones at once."""

from __future__ import annotations

import threading
import time
from collections.abc import Sequence
from itertools import zip_longest

from PySide6.QtCore import QObject, Qt, Signal

from profviz.model.results import Side
from profviz.ui.views.timeline.kinds.parting import Parts
from profviz.ui.views.timeline.kinds.registry import fill, plan, tracks_of
from profviz.ui.views.timeline.track_list import NO_TRACKS, TrackList
from profviz.ui.views.timeline.tracks import Track

AT_ONCE = 50_000
"""So many slices are parted into tracks in a few ms."""

FIRST_PAUSE_S, LONGEST_PAUSE_S = 0.03, 0.5
"""Tracks are told of in batches, ever larger ones: each costs a repaint."""


class Cancelled(Exception):
    """Newer results are shown."""


def is_small(sides: Sequence[Side]) -> bool:
    """Whether a thread would cost more than it saves."""
    return sum(len(side.trace.slices) + 10 * len(side.trace.lanes) for side in sides) <= AT_ONCE


class TrackFiller(QObject):
    """`planned` carries (ticket, side, all its tracks), `filled` (ticket, side, some of them with their content).

    `failed` carries (ticket, exception). All are delivered on the thread that made it.
    """

    planned = Signal(int, int, object)
    filled = Signal(int, int, object)
    failed = Signal(int, object)

    def __init__(self) -> None:
        super().__init__()
        self.ticket = 0
        self._stop = threading.Event()
        self._thread: threading.Thread | None = None

    def start(self, sides: Sequence[Side]) -> None:
        self.cancel()
        self._stop = threading.Event()
        arguments = (self.ticket, self._stop, tuple(sides))
        self._thread = threading.Thread(target=self._run, args=arguments, name="profviz tracks", daemon=True)
        self._thread.start()

    def cancel(self) -> None:
        """What is still being worked out is not delivered any more."""
        self.ticket += 1
        self._stop.set()

    def close(self) -> None:
        """Cancels and waits for the track being worked out."""
        self.cancel()
        if self._thread is not None:
            self._thread.join()
            self._thread = None

    def _run(self, ticket: int, stop: threading.Event, sides: Sequence[Side]) -> None:
        try:
            parts = [Parts(side) for side in sides]
            planned = []
            for number, own in enumerate(parts):
                planned.append(plan(own))
                self._tell(stop, self.planned, ticket, number, TrackList(planned[-1]))
            self._fill(ticket, stop, parts, planned)
        except Cancelled:
            return
        except Exception as error:  # a bug here must not end the thread in silence
            if not stop.is_set():
                self.failed.emit(ticket, error)

    def _fill(
        self, ticket: int, stop: threading.Event, parts: Sequence[Parts], planned: Sequence[Sequence[Track]]
    ) -> None:
        """From the top of every side downwards: what shows comes first."""
        batches: list[list[Track]] = [[] for _ in parts]
        told, pause = time.monotonic(), FIRST_PAUSE_S
        for tracks in zip_longest(*planned):
            for number, track in enumerate(tracks):
                if track is not None and track.is_pending:
                    batches[number].append(with_detail(fill(parts[number], track)))
                if stop.is_set():
                    raise Cancelled
            if time.monotonic() - told > pause:
                self._tell_batches(stop, ticket, batches)
                told, pause = time.monotonic(), min(2 * pause, LONGEST_PAUSE_S)
        self._tell_batches(stop, ticket, batches)

    def _tell_batches(self, stop: threading.Event, ticket: int, batches: list[list[Track]]) -> None:
        for number, batch in enumerate(batches):
            if batch:
                self._tell(stop, self.filled, ticket, number, tuple(batch))
                batch.clear()

    @staticmethod
    def _tell(stop: threading.Event, signal: Signal, ticket: int, number: int, tracks: Sequence[Track]) -> None:
        if stop.is_set():
            raise Cancelled
        signal.emit(ticket, number, tracks)


def with_detail(track: Track) -> Track:
    """The same, with the sums made that its rows are painted from."""
    for row in track.rows:
        row.detail  # noqa: B018 - made when it is first asked for
    return track


class TrackStore(QObject):
    """The tracks of all sides as far as they are known; `changed` says which side has others now."""

    changed = Signal(int)
    failed = Signal(object)

    def __init__(self) -> None:
        super().__init__()
        self.tracks: tuple[TrackList, ...] = ()
        self._added: dict[int, dict[str, Track]] = {}
        self._filler = TrackFiller()
        queued = Qt.ConnectionType.QueuedConnection
        self._filler.planned.connect(self._planned, queued)
        self._filler.filled.connect(self._filled, queued)
        self._filler.failed.connect(self._fail, queued)

    def show(self, sides: Sequence[Side]) -> None:
        self._filler.cancel()
        self._added.clear()
        self.tracks = (NO_TRACKS,) * len(sides)
        if is_small(sides):
            self.tracks = tuple(TrackList(tracks_of(side)) for side in sides)
        else:
            self._filler.start(sides)

    def close(self) -> None:
        self._filler.close()

    def of_lane(self, side: int, lane: int) -> Sequence[Track]:
        """Those that may show slices of a lane."""
        return self.tracks[side].of_lane(lane)

    def of_id(self, side: int, id_: str) -> Track | None:
        return self.tracks[side].of_id(id_)

    def add(self, side: int, more: Sequence[Track]) -> None:
        """Tracks that someone else worked out, in place of those of the same ids, in the order of the groups."""
        self._added.setdefault(side, {}).update((track.id, track) for track in more)
        self._change(side, self.tracks[side].with_added(more))

    def _planned(self, ticket: int, side: int, tracks: TrackList) -> None:
        if ticket == self._filler.ticket:
            self._change(side, tracks.with_added(tuple(self._added.get(side, {}).values())))

    def _filled(self, ticket: int, side: int, filled: Sequence[Track]) -> None:
        if ticket == self._filler.ticket:
            self._change(side, self.tracks[side].replaced(filled))

    def _fail(self, ticket: int, error: Exception) -> None:
        if ticket == self._filler.ticket:
            raise error

    def _change(self, side: int, tracks: TrackList) -> None:
        self.tracks = (*self.tracks[:side], tracks, *self.tracks[side + 1 :])
        self.changed.emit(side)
