"""What the graph canvas draws: boxes, edges and hulls as flat numpy arrays with what is hit and what is on the screen.

It owns geometry only and must not know a compiler, nor Qt.
"""

from __future__ import annotations

import enum
from dataclasses import dataclass, field
from functools import cached_property
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

F8: TypeAlias = NDArray[np.float64]
I8: TypeAlias = NDArray[np.int64]
CURVE_STEPS = 9  # places between two points of an edge

Rect: TypeAlias = tuple[float, float, float, float]  # x, y, width, height


class Role(enum.IntEnum):
    """How a shape is drawn: a full box, a pale one (does no work), a small chip, a chip that points far away,

    a closed group of shapes, or a cut across the graph.
    """

    BOX = 0
    PALE = 1
    CHIP = 2
    FAR = 3
    GROUP = 4
    CUT = 5


@dataclass(frozen=True, slots=True)
class Shape:
    """Text and colour of one rectangle. `colour` indexes `Palette.kinds`, -1 is neutral; `tag` sits at the corner.

    `host` is the box a chip belongs to and `jump` the shape a far chip points to, -1 for none. `opens` is the id of the
    group that a closed group's shape stands for; `heat` from 0 to 1 colours in place of `colour`, below 0 not. `plain`
    is the colour that it has while no hull draws it in.
    """

    role: Role
    title: str
    detail: str = ""
    tag: str = ""
    colour: int = -1
    host: int = -1
    jump: int = -1
    opens: str = ""
    heat: float = -1.0
    plain: int = -1


@dataclass(frozen=True, slots=True)
class Hull:
    """A dashed group around shapes, or the frame of an open group (with its `id`), with its name."""

    title: str
    detail: str
    colour: int
    members: tuple[int, ...]
    id: str = ""


@dataclass(frozen=True, eq=False)
class Picture:
    """`rects` has shape (shapes, 4), `hull_rects` (hulls, 4) and `frame_rects` (frames, 4), outer frames first:
    x, y, width, height in scene units.

    A scene unit is a pixel at 100 %.
    Edge i runs through `points[offsets[i]:offsets[i + 1]]` (points, 2) between shapes `ends[i]` (edges, 2).
    It stands for `counts[i]` edges (edges,). `downwards` says that edges run top to bottom, else left to right.
    `fused` from 0 to 1 is how much hulls and tags are there. `words[i]` say what edge i carries; those of the edges
    `labels` have room in `label_rects`.
    """

    shapes: tuple[Shape, ...]
    rects: F8
    points: F8
    offsets: I8
    ends: I8
    hulls: tuple[Hull, ...] = ()
    hull_rects: F8 = field(default_factory=lambda: np.zeros((0, 4)))
    downwards: bool = True
    frames: tuple[Hull, ...] = ()
    frame_rects: F8 = field(default_factory=lambda: np.zeros((0, 4)))
    counts: I8 = field(default_factory=lambda: np.zeros(0, np.int64))
    fused: float = 1.0
    words: tuple[str, ...] = ()
    labels: I8 = field(default_factory=lambda: np.zeros(0, np.int64))
    label_rects: F8 = field(default_factory=lambda: np.zeros((0, 4)))

    @cached_property
    def bounds(self) -> tuple[float, float, float, float]:
        """x, y, width, height around everything, with a margin."""
        boxes = np.vstack([self.rects, self.hull_rects, self.frame_rects])
        if not len(boxes):
            return (0.0, 0.0, 1.0, 1.0)
        low = boxes[:, :2].min(axis=0) - 16
        high = (boxes[:, :2] + boxes[:, 2:]).max(axis=0) + 16
        return (float(low[0]), float(low[1]), float(high[0] - low[0]), float(high[1] - low[1]))

    @cached_property
    def edge_boxes(self) -> F8:
        """Bounding box of each edge as left, top, right, bottom, shape (edges, 4)."""
        if not len(self.ends):
            return np.zeros((0, 4))
        starts = self.offsets[:-1]
        low = np.minimum.reduceat(self.points, starts, axis=0)
        return np.hstack([low, np.maximum.reduceat(self.points, starts, axis=0)])

    @cached_property
    def corners(self) -> tuple[F8, F8, F8]:
        """Left, top, right, bottom of the shapes, the hulls and the frames."""
        return _corners(self.rects), _corners(self.hull_rects), _corners(self.frame_rects)

    def shapes_within(self, left: float, top: float, right: float, bottom: float) -> I8:
        """Indices of the shapes that touch the scene rectangle."""
        return np.flatnonzero(_touches(self.corners[0], left, top, right, bottom))

    def edges_within(self, left: float, top: float, right: float, bottom: float) -> I8:
        return np.flatnonzero(_touches(self.edge_boxes, left, top, right, bottom))

    def hulls_within(self, left: float, top: float, right: float, bottom: float) -> I8:
        return np.flatnonzero(_touches(self.corners[1], left, top, right, bottom))

    def frames_within(self, left: float, top: float, right: float, bottom: float) -> I8:
        return np.flatnonzero(_touches(self.corners[2], left, top, right, bottom))

    def shape_at(self, x: float, y: float) -> int:
        found = self.shapes_within(x, y, x, y)
        return int(found[-1]) if len(found) else -1

    def edge_at(self, x: float, y: float, reach: float) -> int:
        """The edge that runs nearest to a point, within `reach`; -1 for none."""
        found, best = -1, reach
        for index in self.edges_within(x - reach, y - reach, x + reach, y + reach).tolist():
            places = curve(self.points[self.offsets[index] : self.offsets[index + 1]], downwards=self.downwards)
            distance = _distance(places, np.array([x, y]))
            if distance <= best:
                found, best = index, distance
        return found

    def labels_within(self, left: float, top: float, right: float, bottom: float) -> I8:
        """Positions in `labels`."""
        return np.flatnonzero(_touches(_corners(self.label_rects), left, top, right, bottom))

    def hull_at(self, x: float, y: float) -> int:
        found = self.hulls_within(x, y, x, y)
        return int(found[-1]) if len(found) else -1

    def frame_at(self, x: float, y: float) -> int:
        """The innermost frame around a point, -1 for none."""
        found = self.frames_within(x, y, x, y)
        return int(found[-1]) if len(found) else -1

    def neighbour(self, shape: int, dx: int, dy: int) -> int:
        """Where an arrow key leads: along an edge in the graph's direction, else to the nearest beside; -1 for none."""
        along, across = (dy, dx) if self.downwards else (dx, dy)
        if along:
            return self._along_edge(shape, along)
        return self._beside(shape, across)

    def middle(self, start: float, end: float) -> float:
        """The median centre, across the graph's direction, of the shapes between two places along it."""
        axis = 1 if self.downwards else 0
        inside = np.flatnonzero((self.rects[:, axis] < end) & (self.rects[:, axis] + self.rects[:, axis + 2] > start))
        return float(np.median(self._across(inside))) if len(inside) else 0.0

    def _along_edge(self, shape: int, step: int) -> int:
        here = self.shapes[shape]
        if here.role is Role.FAR and here.jump >= 0:
            return here.jump
        if here.host >= 0:
            return here.host
        near, far = (0, 1) if step > 0 else (1, 0)
        others = self.ends[self.ends[:, near] == shape][:, far] if len(self.ends) else np.zeros(0, np.int64)
        if not len(others):
            return -1
        return int(others[np.argmin(np.abs(self._across(others) - self._across(np.array([shape]))))])

    def _across(self, shapes: I8) -> F8:
        axis = 0 if self.downwards else 1
        centres: F8 = self.rects[shapes, axis] + self.rects[shapes, axis + 2] / 2
        return centres

    def _beside(self, shape: int, step: int) -> int:
        axis = 1 if self.downwards else 0
        low, high = self.rects[:, axis], self.rects[:, axis] + self.rects[:, axis + 2]
        level = (low < high[shape]) & (high > low[shape])
        distance = (self._across(np.arange(len(self.rects))) - self._across(np.array([shape]))) * step
        candidates = np.flatnonzero(level & (distance > 0.5))
        return int(candidates[np.argmin(distance[candidates])]) if len(candidates) else -1


def count_rects(picture: Picture, edges: I8) -> F8:
    """Where it stands how many edges each of these lines bundles: near its end, shape (edges, 4)."""
    ends = picture.points[picture.offsets[edges + 1] - 1]
    wide = np.array([7.0 * len(str(count)) + 4 for count in picture.counts[edges].tolist()])
    left = ends[:, 0] + 5 if picture.downwards else ends[:, 0] - 10 - wide
    return np.column_stack([left, ends[:, 1] - 15, wide, np.full(len(edges), 12.0)])


def curve(points: F8, *, downwards: bool) -> F8:
    """Places along an edge as it is drawn: between points a cubic curve that leaves and arrives along the graph."""
    along = 1 if downwards else 0
    share = np.linspace(0.0, 1.0, CURVE_STEPS)[None, :]
    start, end = points[:-1], points[1:]
    middle = (start[:, along] + end[:, along]) / 2
    places = np.empty((len(start), CURVE_STEPS, 2))
    bends = 3 * share**2 - 2 * share**3
    across = 1 - along
    places[:, :, across] = start[:, across, None] + (end - start)[:, across, None] * bends
    first, last = (1 - share) ** 3, share**3
    both = 3 * share * (1 - share) * middle[:, None]
    places[:, :, along] = first * start[:, along, None] + both + last * end[:, along, None]
    return places.reshape(-1, 2)


def _distance(places: F8, point: F8) -> float:
    """Of a point from a line through places."""
    start, way = places[:-1], np.diff(places, axis=0)
    length = np.maximum((way**2).sum(axis=1), 1e-9)
    share = np.clip(((point - start) * way).sum(axis=1) / length, 0.0, 1.0)
    return float(np.sqrt(((start + way * share[:, None] - point) ** 2).sum(axis=1)).min())


def empty_picture() -> Picture:
    return Picture((), np.zeros((0, 4)), np.zeros((0, 2)), np.zeros(1, np.int64), np.zeros((0, 2), np.int64))


def _corners(rects: F8) -> F8:
    return np.hstack([rects[:, :2], rects[:, :2] + rects[:, 2:]])


def _touches(corners: F8, left: float, top: float, right: float, bottom: float) -> NDArray[np.bool_]:
    return (corners[:, 0] <= right) & (corners[:, 2] >= left) & (corners[:, 1] <= bottom) & (corners[:, 3] >= top)
