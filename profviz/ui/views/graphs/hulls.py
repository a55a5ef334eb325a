"""Which boxes a kernel computes, and the dashed hulls around those that stand together. Pure geometry and identity."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from profviz.model.graph import Node
from profviz.ui.views.graphs.cells import Cells
from profviz.ui.views.graphs.kinds import call_number, is_generated, own_kernel
from profviz.ui.widgets.graph_picture import F8, Picture, Rect

HULL_TITLE = 18.0
HULL_PAD = 8.0
REACH = 1000.0  # pixels; a box with its chips is a few hundred wide
TRIES = 6  # earlier runs that a box is tried with

Run = tuple[list[int], Rect]


def kernel_groups(nodes: tuple[Node, ...], cells: Cells) -> dict[str, list[int]]:
    """Generated kernels that compute several boxes: the boxes of each, in order, each box with one kernel."""
    members: dict[str, list[int]] = defaultdict(list)
    for index, cell in enumerate(cells.cells):
        kernels = [kernel for kernel in (own_kernel(nodes[node]) for node in cell.nodes) if is_generated(kernel)]
        if kernels and cell.host < 0:
            members[min(kernels, key=call_number)].append(index)
    return {kernel: found for kernel, found in members.items() if len(found) > 1}


class Ground:
    """Where everything stands, read once for all kernels of a picture. `free` boxes may stand in any kernel's hull."""

    def __init__(self, picture: Picture, *, free: frozenset[int]) -> None:
        self.rects = picture.rects
        self.company = np.array([i if s.host < 0 else s.host for i, s in enumerate(picture.shapes)], np.int64)
        self.boxes: dict[int, Rect] = {}  # a box with its chips
        for box, row in zip(self.company.tolist(), picture.rects.tolist(), strict=True):
            rect: Rect = (row[0], row[1], row[2], row[3])
            self.boxes[box] = _union(self.boxes[box], rect) if box in self.boxes else rect
        self.fixed = ~np.isin(self.company, sorted(free))
        self.loose = np.array([self.boxes[box] for box in sorted(free)]).reshape(-1, 4)

    def enclose(self, members: list[int], *, taken: Sequence[Rect]) -> list[Run]:
        """Runs of a kernel's boxes (given in layer order) with the hull of each; a run of one has none to draw.

        A hull meets no box that is not the kernel's, save free ones, and none of the hulls already `taken`.
        """
        around = _around([self.boxes[member] for member in members])
        near = _meeting(self.rects, around)
        others = self.rects[near & self.fixed & ~np.isin(self.company, members)]
        strangers = np.vstack([others, np.array([hull for hull in taken if _overlap(hull, around)]).reshape(-1, 4)])
        loose: list[Rect] = [(x, y, w, h) for x, y, w, h in self.loose[_meeting(self.loose, around)].tolist()]
        runs = _clean_runs(members, self.boxes, strangers)
        hulls = [_padded(rect) for _, rect in runs]
        for place, (run, _) in enumerate(runs):
            others = [hull for other, hull in enumerate(hulls) if other != place]
            avoid = np.vstack([strangers, np.array(others).reshape(-1, 4)])
            if len(run) > 1:
                hulls[place] = _rounded_off(hulls[place], loose, avoid)
        return [(sorted(run), hull) for (run, _), hull in zip(runs, hulls, strict=True)]


def _clean_runs(members: list[int], boxes: dict[int, Rect], strangers: F8) -> list[Run]:
    """Joins members, in layer order, as long as their bounding box meets no stranger and no other run."""
    order = {member: place for place, member in enumerate(members)}
    runs: list[Run] = [([member], boxes[member]) for member in members]
    for member in members:
        own = next(place for place, run in enumerate(runs) if member in run[0])
        for other in reversed(runs[max(own - TRIES, 0) : own]):
            joined = _joined(runs[own], other, runs)
            if not _meets(strangers, _padded(joined[1])):
                left = [run for run in runs if run[0][0] not in joined[0]]
                place = sum(order[run[0][0]] < order[member] for run in left)
                runs = [*left[:place], joined, *left[place:]]
                break
    return runs


def _rounded_off(hull: Rect, indifferent: list[Rect], strangers: F8) -> Rect:
    """Grows a hull around the indifferent shapes that stick out of it, unless it would then meet a stranger."""
    grown = hull
    for rect in indifferent:
        if _overlap(rect, hull):
            grown = _union(grown, (rect[0] - HULL_PAD, rect[1], rect[2] + 2 * HULL_PAD, rect[3]))
    return hull if _meets(strangers, grown) else grown


def _joined(first: Run, second: Run, runs: list[Run]) -> Run:
    """Two runs as one, with every run that their common bounding box meets, until it meets no more."""
    joined, box = first[0] + second[0], _union(first[1], second[1])
    while True:
        wide = _padded(box)
        met = [run for run in runs if run[0][0] not in joined and _overlap(_padded(run[1]), wide)]
        if not met:
            return joined, box
        for members, rect in met:
            joined, box = joined + members, _union(box, rect)


def _union(a: Rect, b: Rect) -> Rect:
    x, y = min(a[0], b[0]), min(a[1], b[1])
    return x, y, max(a[0] + a[2], b[0] + b[2]) - x, max(a[1] + a[3], b[1] + b[3]) - y


def _overlap(a: Rect, b: Rect) -> bool:
    return a[0] < b[0] + b[2] and b[0] < a[0] + a[2] and a[1] < b[1] + b[3] and b[1] < a[1] + a[3]


def _padded(rect: Rect) -> Rect:
    x, y, width, height = rect
    return x - HULL_PAD, y - HULL_TITLE, width + 2 * HULL_PAD, height + HULL_PAD + HULL_TITLE


def _around(rects: list[Rect]) -> Rect:
    """All rectangles with so much room that no hull of theirs reaches beyond it."""
    whole = rects[0]
    for rect in rects[1:]:
        whole = _union(whole, rect)
    x, y, width, height = whole
    return x - REACH, y - REACH, width + 2 * REACH, height + 2 * REACH


def _meeting(rects: F8, rect: Rect) -> NDArray[np.bool_]:
    x, y, width, height = rect
    right, bottom = rects[:, 0] + rects[:, 2], rects[:, 1] + rects[:, 3]
    met: NDArray[np.bool_] = (rects[:, 0] < x + width) & (right > x) & (rects[:, 1] < y + height) & (bottom > y)
    return met


def _meets(strangers: F8, rect: Rect) -> bool:
    return bool(_meeting(strangers, rect).any())
