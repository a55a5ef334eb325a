"""The one state that linked views share: time window, alignment, selection, ranges and hover, with undo as a stack."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Protocol

from PySide6.QtCore import QObject, Signal

from profviz.model.graph import SourceLine
from profviz.model.questions import Question

MOST_UNDONE = 500
"""So many steps can be undone; who works all day does not fill the memory with them."""


@dataclass(frozen=True, slots=True)
class TimeWindow:
    """Visible time in ns from each trace's start, the same for all timelines; end is after start."""

    start_ns: int
    end_ns: int

    @property
    def span_ns(self) -> int:
        return self.end_ns - self.start_ns


@dataclass(frozen=True, slots=True)
class Pick:
    """Something the user pointed at: a slice of a side, a node of a graph, a generated kernel, a source line or the
    texts of a compilation.

    `side` indexes `Results.sides`, `report` `Results.reports` and behind them the tapes, `graph` that report's graphs;
    -1 or empty: not this.
    """

    side: int = -1
    slice: int = -1
    report: int = -1
    graph: int = -1
    node: int = -1
    kernel: str = ""
    source: SourceLine | None = None
    compile_id: str = ""


@dataclass(frozen=True, slots=True)
class Selection:
    """A pick and everything that is the same thing elsewhere: slices as (side, slice), nodes as (report, graph, node).

    `kernels` are `compile_report.kernel_key`s.
    """

    pick: Pick = Pick()
    slices: tuple[tuple[int, int], ...] = ()
    nodes: tuple[tuple[int, int, int], ...] = ()
    kernels: tuple[str, ...] = ()
    sources: tuple[SourceLine, ...] = ()


@dataclass(frozen=True, slots=True)
class TimeRange:
    """A stretch of the shared time to sum up, on some tracks as (side, track id), or on all where there are none."""

    start_ns: int
    end_ns: int
    tracks: tuple[tuple[int, str], ...] = ()


@dataclass(frozen=True, slots=True)
class Alignment:
    """Which moments of the sides stand under each other.

    `offsets_ns[side]` is added to a time of the window to get one of that side's trace; `anchor_ns` is the axis' zero
    in shared time, `text` says in words what was aligned. `step` is the place of the aligned step, or -1.
    """

    offsets_ns: tuple[int, ...] = ()
    anchor_ns: int = 0
    step: int = -1
    text: str = ""


@dataclass(frozen=True, slots=True)
class TrackArrangement:
    """How the user wants one side's tracks, by track id; what it does not name stands as it came.

    `order` and `pinned` are in the order wanted, `rows` says how many rows of a track show, `heights` how many times as
    high as usual they are; only tracks with all of `words` in their titles show where it is not empty.
    """

    order: tuple[str, ...] = ()
    hidden: frozenset[str] = frozenset()
    pinned: tuple[str, ...] = ()
    rows: Mapping[str, int] = field(default_factory=dict)
    heights: Mapping[str, float] = field(default_factory=dict)
    words: str = ""


AS_IT_CAME = TrackArrangement()


@dataclass(frozen=True, slots=True)
class KeptMark:
    """A moment or a stretch of one side that someone wants to find again, in the side's own time.

    `slice` is the slice that was marked, or -1; `note` is what the user wrote.
    """

    side: int
    start_ns: int
    end_ns: int
    slice: int = -1
    note: str = ""


@dataclass(frozen=True, slots=True)
class Snapshot:
    """One entry of the undo stack.

    `own_windows` has a window for each side, in shared time, where they are zoomed freely, and is empty where all show
    `window`. `tracks` has one arrangement a side up to the last one that was changed. `shown` are the sides that show
    from the top down, all of them in their order where it is empty.
    """

    window: TimeWindow
    selection: Selection
    alignment: Alignment = Alignment()
    ranges: tuple[TimeRange, ...] = ()
    own_windows: tuple[TimeWindow, ...] = ()
    tracks: tuple[TrackArrangement, ...] = ()
    kept: tuple[KeptMark, ...] = ()
    shown: tuple[int, ...] = ()


class Answering(Protocol):
    """Who answers questions of the views; see `ui.answers`."""

    def ask(self, question: Question, then: Callable[[Question, Any], None]) -> None: ...


class ViewState(QObject):
    """Views subscribe to its signals and ask it to change; whole values only, so undo is a stack.

    `picked` is what a view asks to select; the results page resolves it and calls `select`. `export_wanted` carries a
    `ColumnTable` and which of its rows, in order, a view asks to write to a file.
    """

    window_changed = Signal(object)
    selection_changed = Signal(object)
    play_changed = Signal(object)
    alignment_changed = Signal(object)
    ranges_changed = Signal(object)
    tracks_changed = Signal(object)
    shown_changed = Signal(object)
    kept_changed = Signal(object)
    hover_changed = Signal(object)
    picked = Signal(object)
    export_wanted = Signal(object, object)

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._now = Snapshot(TimeWindow(0, 1), Selection())
        self._past: deque[Snapshot] = deque(maxlen=MOST_UNDONE)
        self._future: list[Snapshot] = []
        self._hover = Pick()
        self.answers: Answering | None = None
        self._play: Mapping[int, int] = {}

    @property
    def window(self) -> TimeWindow:
        return self._now.window

    @property
    def selection(self) -> Selection:
        return self._now.selection

    @property
    def alignment(self) -> Alignment:
        return self._now.alignment

    @property
    def offsets_ns(self) -> tuple[int, ...]:
        return self._now.alignment.offsets_ns

    @property
    def ranges(self) -> tuple[TimeRange, ...]:
        return self._now.ranges

    @property
    def kept(self) -> tuple[KeptMark, ...]:
        """The marks that stay with what is shown."""
        return self._now.kept

    def tracks_of(self, side: int) -> TrackArrangement:
        return self._now.tracks[side] if side < len(self._now.tracks) else AS_IT_CAME

    def shown_of(self, sides: int) -> tuple[int, ...]:
        """Which of so many sides show, from the top down."""
        return tuple(side for side in self._now.shown if side < sides) or tuple(range(sides))

    @property
    def is_linked(self) -> bool:
        """Whether all sides show the same window."""
        return not self._now.own_windows

    def window_of(self, side: int) -> TimeWindow:
        """What a side shows, in shared time."""
        own = self._now.own_windows
        return own[side] if side < len(own) else self._now.window

    def reset(self, window: TimeWindow, alignment: Alignment = Alignment(), *, shown: tuple[int, ...] = ()) -> None:
        """Forgets everything, for newly opened results."""
        self._past.clear()
        self._future.clear()
        self._move_to(Snapshot(window, Selection(), alignment, shown=shown))

    def ask(self, question: Question, then: Callable[[Question, Any], None]) -> None:
        """Has something worked out elsewhere; `then` is called with question and answer on the GUI thread."""
        if self.answers is not None:
            self.answers.ask(question, then)

    def show_window(self, window: TimeWindow, *, remember: bool = False) -> None:
        """`remember` makes an undo step; continuous zooming and panning does so once at its start."""
        if window.span_ns < 1:
            window = replace(window, end_ns=window.start_ns + 1)
        own = (window,) * len(self._now.own_windows)
        self._change(replace(self._now, window=window, own_windows=own), remember=remember)

    def show_side_window(self, side: int, window: TimeWindow, *, remember: bool = False) -> None:
        """Moves one side alone where the sides are zoomed freely, else all."""
        own = self._now.own_windows
        if side >= len(own):
            self.show_window(window, remember=remember)
            return
        changed = (*own[:side], window, *own[side + 1 :])
        self._change(replace(self._now, own_windows=changed, window=changed[0]), remember=remember)

    def link_windows(self) -> None:
        """All sides show what the first one does."""
        self._change(replace(self._now, own_windows=()), remember=True)

    def free_windows(self, sides: int) -> None:
        """From now on each of so many sides has a window of its own, which begins as the shared one."""
        self._change(replace(self._now, own_windows=(self._now.window,) * sides), remember=True)

    def align(self, alignment: Alignment, window: TimeWindow | None = None, *, remember: bool = True) -> None:
        """Puts other moments under each other, and shows `window` where one is given."""
        shown = replace(self._now, alignment=alignment, window=window or self._now.window)
        own = (shown.window,) * len(self._now.own_windows) if window is not None else self._now.own_windows
        self._change(replace(shown, own_windows=own), remember=remember)

    def show_ranges(self, ranges: tuple[TimeRange, ...], *, remember: bool = True) -> None:
        """While a range is being drawn only the first change is remembered."""
        self._change(replace(self._now, ranges=ranges), remember=remember)

    def arrange_tracks(self, side: int, arrangement: TrackArrangement, *, remember: bool = True) -> None:
        """While a height is being dragged or a filter typed only the first change is remembered."""
        count = max(side + 1, len(self._now.tracks))
        tracks = tuple(arrangement if at == side else self.tracks_of(at) for at in range(count))
        self._change(replace(self._now, tracks=tracks), remember=remember)

    def show_sides(self, shown: tuple[int, ...]) -> None:
        """Shows these sides in this order, all where there are none."""
        self._change(replace(self._now, shown=shown), remember=True)

    def keep_marks(self, kept: tuple[KeptMark, ...], *, remember: bool = True) -> None:
        """Replaces the marks that stay; those that were saved come without a step of undo."""
        self._change(replace(self._now, kept=kept), remember=remember)

    def select(self, selection: Selection) -> None:
        self._change(replace(self._now, selection=selection), remember=True)

    def pick(self, pick: Pick) -> None:
        self.picked.emit(pick)

    def hover(self, pick: Pick) -> None:
        if pick != self._hover:
            self._hover = pick
            self.hover_changed.emit(pick)

    @property
    def play(self) -> Mapping[int, int]:
        """Where a play-head stands, by side in ns of that side's trace; empty while nothing is played."""
        return self._play

    def show_play(self, moments: Mapping[int, int]) -> None:
        """Moves the play-head; it is no part of what undo goes back to."""
        if moments != self._play:
            self._play = dict(moments)
            self.play_changed.emit(self._play)

    def undo(self) -> None:
        if self._past:
            self._future.append(self._now)
            self._move_to(self._past.pop())

    def redo(self) -> None:
        if self._future:
            self._past.append(self._now)
            self._move_to(self._future.pop())

    def _change(self, snapshot: Snapshot, *, remember: bool) -> None:
        if snapshot == self._now:
            return
        if remember:
            self._past.append(self._now)
            self._future.clear()
        self._move_to(snapshot)

    def _move_to(self, snapshot: Snapshot) -> None:
        before, self._now = self._now, snapshot
        if before.alignment != snapshot.alignment:
            self.alignment_changed.emit(snapshot.alignment)
        if before.window != snapshot.window or before.own_windows != snapshot.own_windows:
            self.window_changed.emit(snapshot.window)
        if before.tracks != snapshot.tracks:
            self.tracks_changed.emit(snapshot.tracks)
        if before.kept != snapshot.kept:
            self.kept_changed.emit(snapshot.kept)
        if before.ranges != snapshot.ranges:
            self.ranges_changed.emit(snapshot.ranges)
        if before.shown != snapshot.shown:
            self.shown_changed.emit(snapshot.shown)
        if before.selection != snapshot.selection:
            self.selection_changed.emit(snapshot.selection)
