"""Graph breaks as cuts: a thin line wherever a compiled region ended at a break, named where there is room."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import partial
from typing import Any

import numpy as np
from PySide6.QtCore import QObject, QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QFontMetricsF, QPainter, QPen
from PySide6.QtWidgets import QWidget

from profviz.model.break_cost import BreakAccount
from profviz.model.questions import Question, Unanswered
from profviz.model.results import Results
from profviz.model.trace import I64
from profviz.ui.view_state import ViewState
from profviz.ui.views.timeline.layout import Scale
from profviz.ui.views.timeline.painting import LEFT_MIDDLE
from profviz.ui.views.timeline.scene import Scene
from profviz.ui.widgets.panel_style import with_alpha
from profviz.ui.widgets.timeline_look import Look

BREAKS = "breaks"
LEAST_APART_PX, LABEL_HEIGHT, MOST_NAMED = 3, 15, 40
SIGN = "✕"


def _none() -> I64:
    return np.zeros(0, dtype=np.int64)


@dataclass(frozen=True, slots=True, eq=False)
class CutList:
    """All crossings of one side's breaks in time order, in the side's own time; `name` indexes `names`."""

    start_ns: I64 = field(default_factory=_none)
    end_ns: I64 = field(default_factory=_none)
    name: I64 = field(default_factory=_none)
    names: tuple[str, ...] = ()

    def visible(self, scale: Scale) -> I64:
        """Which of them to paint: of those that stand closer than LEAST_APART_PX the first."""
        end_ns = scale.start_ns + scale.span_ns
        low, high = self.start_ns.searchsorted(scale.start_ns), self.start_ns.searchsorted(end_ns)
        step = max(1, scale.span_ns * LEAST_APART_PX // max(1, round(scale.width)))
        slots = (self.start_ns[low:high] - scale.start_ns) // step
        return np.asarray(low + np.unique(slots, return_index=True)[1], dtype=np.int64)


def cuts_of(results: Results, report: int, account: BreakAccount) -> CutList:
    """The crossings of a report's breaks, each named by its line."""
    breaks = results.reports[report][1].breaks
    found = sorted(
        (gap.start_ns, gap.end_ns, at) for at, cost in enumerate(account.costs) if cost for gap in cost.all_gaps
    )
    columns = np.array(found, dtype=np.int64).reshape(-1, 3)
    names = tuple(f"{SIGN} {one.source.place}" for one in breaks)
    return CutList(columns[:, 0], columns[:, 1], columns[:, 2], names)


class Cuts(QObject):
    """Asks for the breaks of each report and has the canvas painted again when they are known."""

    def __init__(self, state: ViewState, canvas: QWidget) -> None:
        super().__init__(canvas)
        self._state, self._canvas = state, canvas
        self._results: Results | None = None
        self._by_side: dict[int, CutList] = {}

    def show(self, results: Results) -> None:
        self._results, self._by_side = results, {}
        for report, (_, shown) in enumerate(results.reports):
            if shown.breaks and results.sides:
                self._state.ask(Question(BREAKS, -1, (report,)), partial(self._answered, results))

    def of(self, side: int) -> CutList:
        return self._by_side.get(side, _NOTHING)

    def _answered(self, results: Results, question: Question, found: Any) -> None:
        if results is not self._results or isinstance(found, Unanswered) or found.side < 0:
            return
        (report,) = question.args
        assert isinstance(report, int)
        self._by_side[found.side] = cuts_of(results, report, found)
        self._canvas.update()


_NOTHING = CutList()


def paint_cuts(painter: QPainter, scene: Scene, cuts: CutList, look: Look) -> None:
    """A dashed line from top to bottom, the time until the next region washed, and at the bottom the broken line."""
    shown = cuts.visible(scene.scale)
    if not len(shown):
        return
    pane, scale = scene.pane, scene.scale
    painter.save()
    painter.setClipRect(QRectF(pane.time_left, pane.body_top, pane.time_width, pane.body_height))
    painter.setFont(look.small)
    colour = with_alpha(look.palette.bad, 0.8 if len(shown) <= MOST_NAMED else 0.4)
    taken = float(pane.time_left)
    for at in shown.tolist():
        left, right = scale.x(int(cuts.start_ns[at])), scale.x(int(cuts.end_ns[at]))
        if right - left > 1:
            wash = QRectF(left, pane.body_top, right - left, pane.body_height)
            painter.fillRect(wash, with_alpha(look.palette.bad, 0.12))
        painter.setPen(QPen(colour, 1, Qt.PenStyle.DashLine))
        painter.drawLine(QPointF(round(left) + 0.5, pane.body_top), QPointF(round(left) + 0.5, pane.bottom))
        if len(shown) <= MOST_NAMED and left >= taken:
            taken = _paint_name(painter, left, pane.bottom, cuts.names[int(cuts.name[at])], look)
    painter.restore()


def _paint_name(painter: QPainter, left: float, bottom: int, name: str, look: Look) -> float:
    """Returns from where on there is room for the next name."""
    width = QFontMetricsF(look.small).horizontalAdvance(name) + 8
    box = QRectF(left + 1, bottom - LABEL_HEIGHT - 1, width, LABEL_HEIGHT)
    painter.fillRect(box, with_alpha(look.palette.panel, 0.88))
    painter.setPen(QColor(look.palette.bad))
    painter.drawText(box.adjusted(4, 0, 0, 0), LEFT_MIDDLE, name)
    return box.right() + 4
