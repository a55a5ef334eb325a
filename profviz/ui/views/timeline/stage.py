"""What the timelines show and where: sides, tracks, arrangement, scroll, slices under points; it paints nothing."""

from __future__ import annotations

from dataclasses import replace

from profviz.model.results import Side
from profviz.ui.view_state import Alignment, TimeWindow, ViewState
from profviz.ui.views.timeline import layout
from profviz.ui.views.timeline.aligning import align, first_window
from profviz.ui.views.timeline.filling import TrackStore
from profviz.ui.views.timeline.layout import Arrangement, Hit, Pane, Scale
from profviz.ui.views.timeline.marks import Mark
from profviz.ui.views.timeline.placing import Placing, place
from profviz.ui.views.timeline.track_list import TrackList
from profviz.ui.views.timeline.tracks import Track

Range = tuple[int, int]
MOST_AT_ONCE = 2


class Stage:
    """The geometry of one size of the widget; what was worked out is kept until something changes."""

    def __init__(self, state: ViewState) -> None:
        self.state = state
        self.store = TrackStore()
        self.sides: tuple[Side, ...] = ()
        self.beside = False
        self.strip = 0
        """How high what compares two sides is, 0 for nothing."""
        self.size = (0, 0)
        self._scroll: list[int] = []
        self._placed: dict[int, tuple[object, object, Placing]] = {}
        self._arrangement: tuple[object, Arrangement] | None = None

    def show(self, sides: tuple[Side, ...]) -> None:
        self.sides = sides
        self._scroll = [0] * len(sides)
        self._placed.clear()
        self.store.show(sides)

    @property
    def shown_at_first(self) -> tuple[int, ...]:
        """Two sides: more of them would leave none enough room."""
        return tuple(range(MOST_AT_ONCE)) if len(self.sides) > MOST_AT_ONCE else ()

    def shown_sides(self) -> list[Side]:
        return [self.sides[side] for side in self.state.shown_of(len(self.sides))]

    def aligned(self, step: int) -> Alignment:
        return align(self.sides, step=step, shown=self.state.shown_of(len(self.sides)))

    def first_window(self, alignment: Alignment) -> Range:
        """What the sides that show show at first."""
        shown = self.state.shown_of(len(self.sides))
        offsets = tuple(alignment.offsets_ns[side] for side in shown)
        return first_window(self.shown_sides(), replace(alignment, offsets_ns=offsets))

    @property
    def tracks(self) -> tuple[TrackList, ...]:
        return self.store.tracks

    def offset_ns(self, side: int) -> int:
        return self.state.alignment.offsets_ns[side]

    def window_of(self, side: int) -> TimeWindow:
        return self.state.window_of(side)

    # Where tracks stand

    def placed(self, side: int) -> Placing:
        tracks, wanted = self.tracks[side], self.state.tracks_of(side)
        known = self._placed.get(side)
        if known is None or known[0] is not tracks or known[1] is not wanted:
            known = self._placed[side] = (tracks, wanted, place(tracks, wanted))
        return known[2]

    def arrangement(self) -> Arrangement:
        heights = tuple(self.placed(side).height for side in range(len(self.sides)))
        shown = self.state.shown_of(len(self.sides))
        apart = not self.state.is_linked
        key = (self.size, heights, self.beside, shown, self.strip, apart)
        if self._arrangement is None or self._arrangement[0] != key:
            made = layout.arrange(*self.size, heights, beside=self.beside, shown=shown, strip=self.strip, apart=apart)
            self._arrangement = (key, made)
        return self._arrangement[1]

    def pane_at(self, x: float, y: float) -> Pane | None:
        inside = (p for p in self.arrangement().panes if p.left <= x < p.right and p.top <= y < p.bottom)
        return next(inside, None)

    # Scrolling

    def scroll(self, side: int) -> int:
        pane = self.arrangement().panes[side]
        spare = max(0, self.placed(side).height - pane.body_height)
        return max(0, min(self._scroll[side], spare))

    def scroll_to(self, side: int, pixels: int) -> None:
        self._scroll[side] = pixels
        self._scroll[side] = self.scroll(side)

    def scroll_to_row(self, side: int, track: str, row: int) -> None:
        """So far that a row shows below what is pinned."""
        placed = self.placed(side)
        one = placed.of(track)
        if one is None or one.is_pinned:
            return
        body, top = self.arrangement().panes[side].body_height, one.row_y(row)
        self.scroll_to(side, max(min(self.scroll(side), top - placed.pinned_height), top + one.row_height - body))

    # Points and times

    def scale(self, pane: Pane) -> Scale:
        window = self.window_of(pane.side)
        return pane.scale(window.start_ns + self.offset_ns(pane.side), window.span_ns)

    def hit_at(self, x: float, y: float) -> Hit | None:
        pane = self.pane_at(x, y)
        if pane is None or y < pane.body_top:
            return None
        placed, inner = self.placed(pane.side), y - pane.body_top
        if inner >= placed.pinned_height:
            inner += self.scroll(pane.side)
        return layout.hit(pane.side, placed, self.scale(pane), x, inner)

    def pane_near(self, x: float, y: float | None) -> Pane:
        """The pane under a point, the nearest one between two, the first with x in it where there is no y.

        Where there is no room for any pane it is one of those that would show.
        """
        shown = [pane for pane in self.arrangement().panes if pane.shows] or self.arrangement().panes
        panes = [p for p in shown if p.left <= x < p.right] or shown
        if y is None:
            return panes[0]
        return min(panes, key=lambda pane: max(pane.top - y, y - pane.bottom, 0))

    def shared_time(self, x: float, y: float | None = None) -> int:
        """The time under a point, in shared time; what is left or right of a pane counts as its edge."""
        pane = self.pane_near(x, y)
        inside = min(max(x, float(pane.time_left)), float(pane.time_left + pane.time_width))
        return self.scale(pane).time_ns(inside) - self.offset_ns(pane.side)

    # Slices

    def mark_of(self, side: int, index: int) -> Mark | None:
        """Where a slice stands; None for one that no side has, or whose track is not worked out yet."""
        if not (0 <= side < len(self.sides) and 0 <= index < len(self.sides[side].trace.slices)):
            return None
        slices = self.sides[side].trace.slices
        for track in self.store.of_lane(side, int(slices.lane[index])):
            row = row_of(track, index, int(slices.row[index])) if track.of_slices else -1
            if row >= 0:
                start = int(slices.start_ns[index])
                return Mark(side, index, track.id, row, start, start + int(slices.dur_ns[index]))
        return None


def row_of(track: Track, index: int, depth: int) -> int:
    """On which row of a track a slice is, most likely on that of its depth; -1 for none."""
    if depth < len(track.rows) and track.rows[depth].place_of(index) >= 0:
        return depth
    return next((number for number, row in enumerate(track.rows) if row.place_of(index) >= 0), -1)
