"""What flows along each drawn edge, in words, and where on it the words stand clear of everything else. Pure."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import pairwise

import numpy as np

from profviz.model.graph import Graph
from profviz.ui.views.graphs.hulls import HULL_TITLE
from profviz.ui.views.graphs.kinds import short_tensor
from profviz.ui.widgets.graph_picture import Picture, Rect, count_rects

LETTER = 5.8  # pixels a character
HEIGHT = 12.0
CLEAR = 3.0  # between words and what they must not touch
FROM = 90.0  # pixels; what a shorter edge carries is read in the box it comes from
CELL = 96.0  # of the grid that finds what stands near
TITLE = 22.0  # of a frame


def edge_words(graph: Graph, nodes: Sequence[int]) -> str:
    """`32×128×768 f16`, or how many tensors where they differ; `nodes` are those that an edge leads from."""
    distinct = list(dict.fromkeys(short_tensor(graph.nodes[node].tensor) for node in nodes))
    if len(nodes) == 1 or (len(distinct) == 1 and distinct[0]):
        many = f"{len(nodes)}× " if len(nodes) > 1 else ""
        return many + distinct[0] if distinct[0] else ""
    return f"{len(nodes)} tensors" if nodes else ""


def label_width(words: str) -> float:
    return len(words) * LETTER + 2


def labelled(picture: Picture) -> Picture:
    """The picture with words on the edges where they fit: beside one that runs down, above one that runs across."""
    ground = _Ground(picture)
    edges, rects, told = [], [], set()
    for index, words in enumerate(picture.words):
        what = int(picture.ends[index, 0]), words
        if not words or what in told or (rect := _place(picture, index, words, ground)) is None:
            continue
        told.add(what)  # once is enough for all edges that lead the same away
        ground.take(rect, -1)
        edges.append(index)
        rects.append(rect)
    return replace(picture, labels=np.array(edges, np.int64), label_rects=np.array(rects).reshape(-1, 4))


def _place(picture: Picture, index: int, words: str, ground: _Ground) -> Rect | None:
    points = picture.points[picture.offsets[index] : picture.offsets[index + 1]]
    axis = 1 if picture.downwards else 0
    shape = picture.shapes[int(picture.ends[index, 0])]
    if words in shape.detail and points[-1, axis] - points[0, axis] < FROM:
        return None
    spots = _beside(points, words) if picture.downwards else _above(points, words)
    return next((rect for rect in spots if ground.is_clear(rect, index)), None)


def _beside(points: np.ndarray, words: str) -> Iterator[Rect]:
    """At the right of each stretch, the longest first, then at its left."""
    wide = label_width(words)
    for (x0, y0), (x1, y1) in sorted(pairwise(points.tolist()), key=lambda pair: pair[0][1] - pair[1][1]):
        if y1 - y0 >= HEIGHT:
            low, high = sorted((x0, x1))
            yield high + CLEAR, (y0 + y1 - HEIGHT) / 2, wide, HEIGHT
            yield low - CLEAR - wide, (y0 + y1 - HEIGHT) / 2, wide, HEIGHT


def _above(points: np.ndarray, words: str) -> Iterator[Rect]:
    wide = label_width(words)
    for (x0, y0), (x1, y1) in sorted(pairwise(points.tolist()), key=lambda pair: pair[0][0] - pair[1][0]):
        if x1 - x0 >= wide + 2 * CLEAR:
            low, high = sorted((y0, y1))
            yield (x0 + x1 - wide) / 2, low - CLEAR - HEIGHT, wide, HEIGHT
            yield (x0 + x1 - wide) / 2, high + CLEAR, wide, HEIGHT


class _Ground:
    """Everything that words must not cover, in a grid: boxes, titles, stretches of edges, and words already there."""

    def __init__(self, picture: Picture) -> None:
        self._cells: dict[tuple[int, int], list[tuple[Rect, int]]] = defaultdict(list)
        for x, y, width, height in picture.rects.tolist():
            self.take((x, y, width, height), -1)
        for rows, high in ((picture.hull_rects, HULL_TITLE), (picture.frame_rects, TITLE)):
            for x, y, width, height in rows.tolist():
                self.take((x, y, width, high), -1)
                for border in ((x, y, 1, height), (x + width, y, 1, height), (x, y + height, width, 1)):
                    self.take(border, -1)
        for row in count_rects(picture, np.flatnonzero(picture.counts > 1)).tolist():
            self.take((row[0], row[1], row[2], row[3]), -1)
        for index in range(len(picture.ends)):
            points = picture.points[picture.offsets[index] : picture.offsets[index + 1]].tolist()
            for (x0, y0), (x1, y1) in pairwise(points):
                self.take((min(x0, x1), min(y0, y1), abs(x1 - x0), abs(y1 - y0)), index)

    def take(self, rect: Rect, edge: int) -> None:
        for cell in _cells(rect):
            self._cells[cell].append((rect, edge))

    def is_clear(self, rect: Rect, edge: int) -> bool:
        """Whether nothing is there, save the edge itself."""
        x, y, width, height = rect
        return not any(
            own != edge and a < x + width and x < a + w and b < y + height and y < b + h
            for cell in _cells(rect)
            for (a, b, w, h), own in self._cells.get(cell, ())
        )


def _cells(rect: Rect) -> Iterator[tuple[int, int]]:
    x, y, width, height = rect
    for column in range(int(x // CELL), int((x + width) // CELL) + 1):
        for row in range(int(y // CELL), int((y + height) // CELL) + 1):
            yield column, row
