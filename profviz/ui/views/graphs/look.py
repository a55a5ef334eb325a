"""How a laid out graph looks: coloured by kind or by time, and how far the boxes of its kernels are drawn together."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import replace

from profviz.model.graph import Graph, GraphTimes
from profviz.ui.views.graphs.facts import figures
from profviz.ui.views.graphs.fusing import blended
from profviz.ui.views.graphs.heat import TIMED, heated, timed_hulls, total_words
from profviz.ui.views.graphs.labels import Colouring
from profviz.ui.views.graphs.layout import Placement
from profviz.ui.views.graphs.whole_step import StepGraph, merged_times
from profviz.ui.widgets.graph_picture import Picture


class GraphLook:
    """`times` are the shown graph's, None while they are not known; `share` is 1 for fused groups, 0 for none."""

    def __init__(self) -> None:
        self.times: GraphTimes | None = None
        self.colouring = Colouring.KERNEL
        self.share = 1.0
        self._partial: dict[int, GraphTimes] = {}
        self._dressed: tuple[Placement, Picture] | None = None

    def forget_times(self) -> None:
        self.times = self._dressed = None
        self._partial.clear()

    def learn(self, graph: int, times: GraphTimes, step: StepGraph | None) -> None:
        """Of a whole step they are known when those of all its graphs are."""
        self._dressed = None
        if step is None:
            self.times = times
            return
        self._partial[graph] = times
        if set(step.starts) <= set(self._partial):
            self.times = merged_times(step, {number: self._partial[number] for number in step.starts})

    def colour(self, colouring: Colouring) -> None:
        self.colouring, self._dressed = colouring, None

    def words(self, graph: Graph) -> str:
        """The graph's figures, with its time where boxes are coloured by it."""
        words = [figures(graph)]
        if self.colouring in TIMED:
            known = self.times is not None
            words.append(total_words(graph, self.times, self.colouring) if known else "times are worked out …")
        return " · ".join(words)

    def picture(self, placement: Placement, graph: Graph) -> Picture:
        if self._dressed is None or self._dressed[0] is not placement:
            self._dressed = placement, self._dress(placement, graph)
        return blended(self._dressed[1], placement.fused, self.share)

    def _dress(self, placement: Placement, graph: Graph) -> Picture:
        """Boxes as their colours are wanted, hulls with times where they are known."""
        picture = placement.picture
        if self.times is None:
            return picture
        timed = self.colouring in TIMED
        shapes = heated(placement, graph, self.times, self.colouring).shapes if timed else picture.shapes
        return replace(picture, shapes=shapes, hulls=timed_hulls(picture, self.times))


def has_kernels(placement: Placement | None) -> bool:
    """Whether boxes are known to share a kernel, so that there is something to be fused."""
    picture = None if placement is None else placement.picture
    return picture is not None and (bool(picture.hulls) or any(shape.tag for shape in picture.shapes))


def counted(placement: Placement | None, nodes: Iterable[int]) -> dict[int, int]:
    """How many of the nodes are in each closed module, by its shape."""
    if placement is None:
        return {}
    held = Counter(placement.shape_of[node] for node in nodes)
    return {shape: count for shape, count in held.items() if placement.picture.shapes[shape].opens}
