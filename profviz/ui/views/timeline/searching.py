"""One search at a time over all sides: asks, gathers hits in order of time, steps through them; it shows nothing."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from PySide6.QtCore import QObject, QTimer, Signal

from profviz.model.questions import Question, Unanswered
from profviz.model.results import Side
from profviz.model.searches import Found
from profviz.model.trace import I64
from profviz.ui.view_state import Pick, ViewState

PAUSE_MS = 120
"""Letters typed faster than this are one search."""
READ_AT_ONCE, MOST_READ = 400, 20_000
"""So many events are read for their arguments in one go, and in all."""


@dataclass(frozen=True, slots=True, eq=False)
class Hits:
    """k hits in order of shared time: `side` and `slice` (k,), `start_ns` (k,) in shared time."""

    side: I64
    slice: I64
    start_ns: I64

    def __len__(self) -> int:
        return len(self.slice)

    def __getitem__(self, place: int) -> int:
        """Its own place: tables show hits by place."""
        if not -len(self) <= place < len(self):
            raise IndexError(place)
        return range(len(self))[place]


@dataclass(frozen=True, slots=True, eq=False)
class SideHits:
    """The hits of one side in order of time, in its own time; all of shape (k,)."""

    slice: I64
    start_ns: I64
    end_ns: I64

    def begun(self, edges_ns: I64) -> I64:
        """The places between neighbouring edges in which hits begin."""
        return np.flatnonzero(np.diff(self.start_ns.searchsorted(edges_ns)))

    def shown(self, start_ns: int, end_ns: int, *, most: int) -> I64:
        """The slices that show within [start, end), none where more than `most` of them begin there."""
        first, last = (int(self.start_ns.searchsorted(np.int64(time))) for time in (start_ns, end_ns))
        if last - first > most:
            return self.slice[:0]
        before = np.flatnonzero(self.end_ns[:first] > start_ns)
        return self.slice[np.concatenate([before[-most:], np.arange(first, last)])]


def no_hits() -> Hits:
    none = np.zeros(0, dtype=np.int64)
    return Hits(none, none, none)


class Search(QObject):
    """`changed` tells that hits, counts or the problem are others, `stepped` that another hit is the current one."""

    changed = Signal()
    stepped = Signal(int)

    def __init__(self, state: ViewState, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._state = state
        self.sides: tuple[Side, ...] = ()
        """What is searched, and what the hits are of."""
        self._asked = self._wanted = ("", False)
        self._found: dict[int, Found] = {}
        self._read: dict[int, tuple[list[int], int]] = {}
        self.problem = ""
        self.hits = no_hits()
        self._of_side: dict[int, SideHits] = {}
        self.at = -1
        self._pause = QTimer(self)
        self._pause.setSingleShot(True)
        self._pause.setInterval(PAUSE_MS)
        self._pause.timeout.connect(self._ask)
        state.alignment_changed.connect(lambda alignment: self._gather())

    # Asking

    def show_sides(self, sides: tuple[Side, ...]) -> None:
        """Other results: what was searched for is searched for again."""
        self.sides = sides
        text, is_regex = self._wanted
        self._forget()
        self.changed.emit()
        self.look_for(text, is_regex=is_regex)

    def look_for(self, text: str, *, is_regex: bool = False) -> None:
        self._wanted = (text.strip(), is_regex)
        if not text.strip():
            self._pause.stop()
            self._forget()
            self.changed.emit()
        else:
            self._pause.start()

    def _forget(self) -> None:
        self._asked = ("", False)
        self._found, self._read, self.problem = {}, {}, ""
        self.hits, self.at, self._of_side = no_hits(), -1, {}

    def _ask(self) -> None:
        if self._wanted == self._asked or not self.sides:
            return
        self._forget()
        self._asked = self._wanted
        for side in range(len(self.sides)):
            self._state.ask(Question("search", side, self._asked), self._take)

    @property
    def text(self) -> str:
        return self._wanted[0]

    @property
    def is_waiting(self) -> bool:
        """Whether an answer to what was last typed is still to come."""
        return (
            bool(self._wanted[0])
            and not self.problem
            and (self._wanted != self._asked or len(self._found) < len(self.sides))
        )

    def _take(self, question: Question, answer: Any) -> None:
        if question.args != self._asked or question.side >= len(self.sides):
            return
        if isinstance(answer, Unanswered):
            self.problem = answer.why
        else:
            self._found[question.side] = answer
            if answer.reads_args:
                self._read[question.side] = ([], 0)
                self._read_on(question.side)
        self._gather()

    def _read_on(self, side: int) -> None:
        """Asks for the next candidates' arguments; another search is answered first, as each go is short."""
        found, (_, done) = self._found[side], self._read[side]
        chunk = found.slices[done : min(done + READ_AT_ONCE, MOST_READ)]
        if len(chunk):
            args = (*self._asked, tuple(chunk.tolist()))
            self._state.ask(Question("search args", side, args), self._take_read)

    def _take_read(self, question: Question, answer: Any) -> None:
        if question.args[:2] != self._asked or question.side not in self._read:
            return
        if isinstance(answer, Unanswered):
            self.problem = answer.why
            self._gather()
            return
        met, done = self._read[question.side]
        self._read[question.side] = ([*met, *answer], done + len(question.args[2]))  # type: ignore[arg-type]
        self._gather()
        self._read_on(question.side)

    # What was found

    def _gather(self) -> None:
        """All sides' hits in order of shared time; the current one stays where it is still there."""
        before = self.current
        offsets = self._state.offsets_ns
        slices = [self._hits_of(side) for side in sorted(self._found)]
        sides = [np.full(len(own), side, dtype=np.int64) for side, own in zip(sorted(self._found), slices, strict=True)]
        starts = [
            self.sides[side].trace.slices.start_ns[own] - (offsets[side] if side < len(offsets) else 0)
            for side, own in zip(sorted(self._found), slices, strict=True)
        ]
        none = np.zeros(0, dtype=np.int64)
        slice_, side, start = (np.concatenate([none, *parts]) for parts in (slices, sides, starts))
        order = np.lexsort((side, start))
        self.hits, self._of_side = Hits(side[order], slice_[order], start[order]), {}
        self.at = self._place_of(before) if before is not None else -1
        self.changed.emit()

    def of_side(self, side: int) -> SideHits:
        known = self._of_side.get(side)
        if known is None:
            slices = self.sides[side].trace.slices
            own = self.hits.slice[self.hits.side == side]
            start = slices.start_ns[own]
            known = self._of_side[side] = SideHits(own, start, start + slices.dur_ns[own])
        return known

    def _hits_of(self, side: int) -> I64:
        if side in self._read:
            return np.array(self._read[side][0], dtype=np.int64)
        return self._found[side].slices

    def _place_of(self, hit: tuple[int, int]) -> int:
        places = np.flatnonzero((self.hits.side == hit[0]) & (self.hits.slice == hit[1]))
        return int(places[0]) if len(places) else -1

    @property
    def count(self) -> int:
        """How many slices match, listed or not."""
        return sum(
            len(self._read[side][0]) if side in self._read else found.count for side, found in self._found.items()
        )

    @property
    def unread(self) -> int:
        """How many may match but were not looked at: the first some thousands are."""
        return sum(found.count - self._read[side][1] for side, found in self._found.items() if side in self._read)

    @property
    def is_reading(self) -> bool:
        return any(done < min(len(self._found[side].slices), MOST_READ) for side, (_, done) in self._read.items())

    def density(self, side: int) -> Found | None:
        """Where in the whole of a side hits are; None while that is not known, or what is found has to be read."""
        found = self._found.get(side)
        return None if found is None or found.reads_args else found

    # Stepping

    @property
    def current(self) -> tuple[int, int] | None:
        """(side, slice) of the hit stepped to."""
        return (int(self.hits.side[self.at]), int(self.hits.slice[self.at])) if 0 <= self.at < len(self.hits) else None

    def step(self, by: int) -> None:
        """To the next hit or the one before, round the end; at first to the one that the window begins with."""
        if not len(self.hits):
            return
        if self.at < 0:
            first = int(self.hits.start_ns.searchsorted(np.int64(self._state.window.start_ns)))
            self.go_to((first if by > 0 else first - 1) % len(self.hits))
        else:
            self.go_to((self.at + by) % len(self.hits))

    def go_to(self, place: int) -> None:
        self.at = place
        side, index = int(self.hits.side[place]), int(self.hits.slice[place])
        self._state.pick(Pick(side=side, slice=index))
        self.stepped.emit(place)
