"""The one state that linked views share: time window, selection and hover, with undo as a stack of values."""

from __future__ import annotations

from dataclasses import dataclass, replace

from PySide6.QtCore import QObject, Signal

from profviz.model.graph import SourceLine


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
    """Something the user pointed at: a slice of a side, a node of a graph, a generated kernel or a source line.

    `side` indexes `Results.sides`, `report` `Results.reports`, `graph` that report's graphs; -1 or empty: not this.
    """

    side: int = -1
    slice: int = -1
    report: int = -1
    graph: int = -1
    node: int = -1
    kernel: str = ""
    source: SourceLine | None = None


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
class Snapshot:
    """One entry of the undo stack."""

    window: TimeWindow
    selection: Selection


class ViewState(QObject):
    """Views subscribe to its signals and ask it to change; whole values only, so undo is a stack.

    `picked` is what a view asks to select; the results page resolves it and calls `select`.
    `offsets_ns[side]`, once timelines are aligned, is added to a time of the window to get one of that side's trace.
    """

    window_changed = Signal(object)
    selection_changed = Signal(object)
    hover_changed = Signal(object)
    picked = Signal(object)

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._now = Snapshot(TimeWindow(0, 1), Selection())
        self._past: list[Snapshot] = []
        self._future: list[Snapshot] = []
        self._hover = Pick()
        self.offsets_ns: tuple[int, ...] = ()

    @property
    def window(self) -> TimeWindow:
        return self._now.window

    @property
    def selection(self) -> Selection:
        return self._now.selection

    def reset(self, window: TimeWindow) -> None:
        """Forgets everything, for newly opened results."""
        self._past.clear()
        self._future.clear()
        self._move_to(Snapshot(window, Selection()))

    def show_window(self, window: TimeWindow, *, remember: bool = False) -> None:
        """`remember` makes an undo step; continuous zooming and panning does so once at its start."""
        if window.span_ns < 1:
            window = replace(window, end_ns=window.start_ns + 1)
        self._change(replace(self._now, window=window), remember=remember)

    def select(self, selection: Selection) -> None:
        self._change(replace(self._now, selection=selection), remember=True)

    def pick(self, pick: Pick) -> None:
        self.picked.emit(pick)

    def hover(self, pick: Pick) -> None:
        if pick != self._hover:
            self._hover = pick
            self.hover_changed.emit(pick)

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
        if before.window != snapshot.window:
            self.window_changed.emit(snapshot.window)
        if before.selection != snapshot.selection:
            self.selection_changed.emit(snapshot.selection)
