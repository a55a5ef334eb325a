"""Moves the window of the timelines: zoom, pan, fit, reset; of one side alone where the sides are zoomed freely."""

from __future__ import annotations

from PySide6.QtCore import QElapsedTimer

from profviz.ui.view_state import TimeWindow
from profviz.ui.views.timeline.aligning import kept_near, zoomed
from profviz.ui.views.timeline.canvas import TimelineCanvas
from profviz.ui.views.timeline.marks import Mark
from profviz.ui.views.timeline.stage import Range

ZOOM_STEP, PAN_STEP = 0.75, 0.15
LEAST_SPAN_NS = 1
PAUSE_MS = 700
"""Moves that follow each other faster are one step of undo."""


class Moving:
    """Acts on the side under the pointer, which is every side where all show one window."""

    def __init__(self, canvas: TimelineCanvas) -> None:
        self._canvas = canvas
        self._moved = QElapsedTimer()
        self._moved_side = -1

    @property
    def side(self) -> int:
        """The side meant: the one under the pointer, else that of the selection, else the first."""
        canvas = self._canvas
        if canvas.pointer is not None:
            return canvas.stage.pane_near(*canvas.pointer).side
        return canvas.picked.side if canvas.picked is not None else 0

    def move_to(self, window: Range, *, side: int, apart: bool = False) -> None:
        """`apart` makes an undo step of its own; else moves in quick succession share one."""
        follows = self._moved.isValid() and self._moved.elapsed() <= PAUSE_MS and side == self._moved_side
        self._moved.start()
        self._moved_side = side
        kept = TimeWindow(*kept_near(window, self._canvas.whole))
        self._canvas.state.show_side_window(side, kept, remember=apart or not follows)

    def zoom(self, factor: float, *, point: tuple[float, float] | None = None) -> None:
        """Around a point, else the pointer, else the middle."""
        at = point or self._canvas.pointer
        side = self._canvas.stage.pane_near(*at).side if at is not None else self.side
        start, end = self._canvas.window_of(side)
        self.zoom_at(side, factor, (start + end) // 2 if at is None else self._canvas.shared_time(*at))

    def zoom_at(self, side: int, factor: float, at_ns: int) -> None:
        """Around a shared time, which stays where it is."""
        window = zoomed(self._canvas.window_of(side), at_ns=at_ns, factor=factor, least_ns=LEAST_SPAN_NS)
        self.move_to(window, side=side)

    def pan(self, share: float, *, side: int = -1) -> None:
        side = self.side if side < 0 else side
        start, end = self._canvas.window_of(side)
        by = round((end - start) * share) or (1 if share > 0 else -1)
        self.move_to((start + by, end + by), side=side)

    def fit(self) -> None:
        """First the selection, or the range where nothing is selected; then, as it fits already, the trace."""
        side = self._canvas.picked.side if self._canvas.picked is not None else self.side
        wanted = self._fit_window()
        whole = self._canvas.whole
        if wanted is None or kept_near(wanted, whole) == self._canvas.window_of(side):
            wanted = whole
        self.move_to(wanted, side=side, apart=True)

    def _fit_window(self) -> Range | None:
        if self._canvas.picked is not None:
            return self.around(self._canvas.picked)
        return self._canvas.range

    def around(self, mark: Mark) -> Range:
        """A slice with some room beside it, in shared time."""
        offset = self._canvas.stage.offset_ns(mark.side)
        spare = max(1, (mark.end_ns - mark.start_ns) // 4)
        return mark.start_ns - offset - spare, mark.end_ns - offset + spare

    def show(self, side: int, start_ns: int, end_ns: int) -> None:
        """Brings a stretch of a side's own time into view; the window becomes longer only where that is too short."""
        offset = self._canvas.stage.offset_ns(side)
        start, end = start_ns - offset, end_ns - offset
        window = self._canvas.window_of(side)
        if window[0] <= start and end <= window[1]:
            return
        span = max(window[1] - window[0], (end - start) * 3 // 2)
        begin = (start + end - span) // 2
        self.move_to((begin, begin + span), side=side, apart=True)

    def show_whole(self) -> None:
        """On every side, however they are zoomed."""
        self._canvas.state.show_window(TimeWindow(*self._canvas.whole), remember=True)

    def reset(self) -> None:
        self.move_to(self._canvas.first, side=self.side, apart=True)
