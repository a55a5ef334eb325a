"""How the user's wishes change one side's tracks: pin, hide, move, fold, size, filter; pure, keyed by track id."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Generic, Protocol, TypeVar

from profviz.ui.view_state import TrackArrangement

LEAST_HEIGHT, MOST_HEIGHT, HEIGHT_STEP = 0.5, 6.0, 1.25


class Titled(Protocol):
    """What is known here of a track."""

    @property
    def id(self) -> str: ...

    @property
    def title(self) -> str: ...


T = TypeVar("T", bound=Titled)


@dataclass(frozen=True, slots=True)
class Arranged(Generic[T]):
    """The tracks that show: `pinned` stay on top whatever is scrolled, `rest` below them.

    `hidden` were put away one by one, `filtered` are those that the words leave out.
    """

    pinned: tuple[T, ...]
    rest: tuple[T, ...]
    hidden: tuple[T, ...] = ()
    filtered: tuple[T, ...] = ()

    @property
    def shown(self) -> tuple[T, ...]:
        return self.pinned + self.rest


def arranged(tracks: Sequence[T], wanted: TrackArrangement) -> Arranged[T]:
    """Pinned tracks show whatever the words leave out, but not once they are hidden."""
    ordered = _ordered(tracks, wanted.order)
    hidden = tuple(track for track in ordered if track.id in wanted.hidden)
    left = [track for track in ordered if track.id not in wanted.hidden]
    places = {id_: place for place, id_ in enumerate(wanted.pinned)}
    pinned = sorted((track for track in left if track.id in places), key=lambda track: places[track.id])
    others = [track for track in left if track.id not in places]
    words = wanted.words.casefold().split()
    rest = tuple(track for track in others if _has(track, words))
    return Arranged(tuple(pinned), rest, hidden, tuple(track for track in others if not _has(track, words)))


def _has(track: Titled, words: Sequence[str]) -> bool:
    return all(word in track.title.casefold() for word in words)


def _ordered(tracks: Sequence[T], order: Sequence[str]) -> list[T]:
    """Those that are named take, in the order named, the places that they have among them all."""
    named = {track.id: track for track in tracks if track.id in set(order)}
    following = iter([named[id_] for id_ in dict.fromkeys(order) if id_ in named])
    return [next(following) if track.id in named else track for track in tracks]


def toggle_pin(wanted: TrackArrangement, id_: str) -> TrackArrangement:
    """A track that is newly pinned stands below those that are, and shows again where it was hidden."""
    if id_ in wanted.pinned:
        return replace(wanted, pinned=tuple(one for one in wanted.pinned if one != id_))
    return replace(wanted, pinned=(*wanted.pinned, id_), hidden=wanted.hidden - {id_})


def hide(wanted: TrackArrangement, ids: Iterable[str]) -> TrackArrangement:
    return replace(wanted, hidden=wanted.hidden | set(ids))


def show(wanted: TrackArrangement, ids: Iterable[str]) -> TrackArrangement:
    return replace(wanted, hidden=wanted.hidden - set(ids))


def show_all(wanted: TrackArrangement) -> TrackArrangement:
    """Nothing hidden and nothing left out."""
    return replace(wanted, hidden=frozenset(), words="")


def only(tracks: Sequence[T], wanted: TrackArrangement, ids: Iterable[str]) -> TrackArrangement:
    """Hides every track but these."""
    kept = set(ids)
    return replace(wanted, hidden=frozenset(track.id for track in tracks if track.id not in kept), words="")


def filter_by(wanted: TrackArrangement, words: str) -> TrackArrangement:
    return replace(wanted, words=words.strip())


def move_by(tracks: Sequence[T], wanted: TrackArrangement, id_: str, by: int) -> TrackArrangement:
    """So many places down (up where negative), counted in what shows of its kind, pinned or not."""
    now = arranged(tracks, wanted)
    group = now.pinned if id_ in wanted.pinned else now.rest
    ids = [track.id for track in group]
    if id_ not in ids:
        return wanted
    place = max(0, min(len(ids) - 1, ids.index(id_) + by))
    return move_to(tracks, wanted, id_, place)


def move_to(tracks: Sequence[T], wanted: TrackArrangement, id_: str, place: int) -> TrackArrangement:
    """To a place among the tracks that show of its kind, 0 the topmost."""
    now = arranged(tracks, wanted)
    if id_ in wanted.pinned:
        ids = [one for one in wanted.pinned if one != id_]
        return replace(wanted, pinned=(*ids[:place], id_, *ids[place:]))
    shown = [track.id for track in now.rest if track.id != id_]
    shown.insert(place, id_)
    showing = set(shown)
    following = iter(shown)
    every = [track.id for track in _ordered(tracks, wanted.order)]
    return replace(wanted, order=tuple(next(following) if one in showing else one for one in every))


def set_rows(wanted: TrackArrangement, rows: Iterable[tuple[str, int]]) -> TrackArrangement:
    """How many rows of each of these tracks show from now on."""
    return replace(wanted, rows={**wanted.rows, **dict(rows)})


def set_height(wanted: TrackArrangement, id_: str, factor: float) -> TrackArrangement:
    """So many times as high as usual, within bounds; as usual is not kept."""
    bounded = max(LEAST_HEIGHT, min(MOST_HEIGHT, factor))
    heights = {**wanted.heights, id_: bounded}
    if abs(bounded - 1) < 0.02:
        del heights[id_]
    return replace(wanted, heights=heights)


def resize(wanted: TrackArrangement, id_: str, *, taller: bool) -> TrackArrangement:
    return set_height(wanted, id_, wanted.heights.get(id_, 1.0) * (HEIGHT_STEP if taller else 1 / HEIGHT_STEP))
