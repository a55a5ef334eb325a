"""A picture kept as tiles of pixels at one scale: panning copies them, and another scale is refined tile by tile.

It owns pixels only; what is painted on a tile is its owner's business.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from PySide6.QtCore import QPointF, QRectF
from PySide6.QtGui import QColor, QPainter, QPixmap

SIDE = 384  # device pixels of a tile
BUDGET_S = 0.006  # of a frame, for tiles that are not there yet
MOST = 96  # tiles; more are thrown away where they are not seen

Window = tuple[float, float, float, float]
Tile = tuple[int, int]


@dataclass(frozen=True, slots=True)
class Sight:
    """Where a view stands: `left` and `top` in scene units, its size in pixels, and `ratio` device pixels a pixel."""

    left: float
    top: float
    scale: float
    width: int
    height: int
    ratio: float

    @property
    def origin(self) -> tuple[int, int]:
        """The corner in device pixels of the scene: whole ones, so that tiles are copied and not resampled."""
        return round(self.left * self.scale * self.ratio), round(self.top * self.scale * self.ratio)

    @property
    def corner(self) -> tuple[float, float]:
        """The same in scene units: what is drawn over the tiles starts there."""
        x, y = self.origin
        return x / self.scale / self.ratio, y / self.scale / self.ratio

    def tiles(self) -> list[Tile]:
        """All that are seen, row by row."""
        x, y = self.origin
        columns = range(x // SIDE, (x + math.ceil(self.width * self.ratio) - 1) // SIDE + 1)
        rows = range(y // SIDE, (y + math.ceil(self.height * self.ratio) - 1) // SIDE + 1)
        return [(column, row) for row in rows for column in columns]

    def place(self, tile: Tile) -> QPointF:
        x, y = self.origin
        return QPointF((tile[0] * SIDE - x) / self.ratio, (tile[1] * SIDE - y) / self.ratio)


class GraphTiles:
    """`paint` is called with a painter in scene coordinates and the scene rectangle to be painted."""

    def __init__(self, paint: Callable[[QPainter, Window], None]) -> None:
        self._paint = paint
        self._tiles: dict[Tile, QPixmap] = {}
        self._unit = 0.0  # device pixels a scene unit
        self._old: dict[Tile, QPixmap] = {}  # those of the scale before, until all are there at the new one
        self._old_unit = 0.0

    def forget(self) -> None:
        """The picture is another: the next drawing paints all that is seen."""
        self._tiles.clear()
        self._old.clear()

    def draw(self, painter: QPainter, sight: Sight, ground: QColor) -> bool:
        """Draws what is seen and says whether it is all there; what is not is drawn as it was, until the next time."""
        unit = sight.scale * sight.ratio
        if unit != self._unit:
            self._rescale(unit)
        seen = sight.tiles()
        # without anything to show meanwhile there is no use in waiting
        until = time.perf_counter() + BUDGET_S if self._tiles or self._old else math.inf
        whole = all(self._made(tile, sight, ground, until) for tile in seen)
        if whole:
            self._old.clear()
        else:
            self._draw_old(painter, sight)
        for tile in seen:
            if tile in self._tiles:
                painter.drawPixmap(sight.place(tile), self._tiles[tile])
        if len(self._tiles) > MOST:
            self._tiles = {tile: self._tiles[tile] for tile in seen if tile in self._tiles}
        return whole

    def _rescale(self, unit: float) -> None:
        if self._tiles:
            self._old, self._old_unit = self._tiles, self._unit
        self._tiles, self._unit = {}, unit

    def _made(self, tile: Tile, sight: Sight, ground: QColor, until: float) -> bool:
        if tile in self._tiles:
            return True
        if time.perf_counter() > until:
            return False
        pixmap = QPixmap(SIDE, SIDE)
        pixmap.fill(ground)
        left, top, side = tile[0] * SIDE / self._unit, tile[1] * SIDE / self._unit, SIDE / self._unit
        painter = QPainter(pixmap)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.scale(self._unit, self._unit)
        painter.translate(-left, -top)
        self._paint(painter, (left, top, left + side, top + side))
        painter.end()
        pixmap.setDevicePixelRatio(sight.ratio)
        self._tiles[tile] = pixmap
        return True

    def _draw_old(self, painter: QPainter, sight: Sight) -> None:
        for pixmap, place in self._old_places(sight):
            painter.drawPixmap(place, pixmap, QRectF(pixmap.rect()))

    def _old_places(self, sight: Sight) -> Iterator[tuple[QPixmap, QRectF]]:
        x, y = sight.origin
        grown = self._unit / self._old_unit if self._old_unit else 1.0
        screen = QRectF(0, 0, sight.width, sight.height)
        for (column, row), pixmap in self._old.items():
            left, top = column * SIDE * grown - x, row * SIDE * grown - y
            side = SIDE * grown
            place = QRectF(left / sight.ratio, top / sight.ratio, side / sight.ratio, side / sight.ratio)
            if place.intersects(screen):
                yield pixmap, place
