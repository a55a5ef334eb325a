"""Tiles of a graph: what they show is what is painted directly, panning paints nothing anew, zooming is refined."""

from __future__ import annotations

import pytest
from PySide6.QtGui import QColor, QImage, QPainter
from pytestqt.qtbot import QtBot

from profviz.ui.widgets import graph_tiles
from profviz.ui.widgets.graph_tiles import SIDE, GraphTiles, Sight

GROUND = QColor("#102030")


class Painted:
    """A scene of two rectangles, and how often it was asked for."""

    def __init__(self) -> None:
        self.windows: list[graph_tiles.Window] = []

    def paint(self, painter: QPainter, window: graph_tiles.Window) -> None:
        self.windows.append(window)
        painter.fillRect(300, 300, 200, 200, QColor("#ff0000"))
        painter.fillRect(700, 40, 64, 1000, QColor("#00ff00"))


def drawn(tiles: GraphTiles, sight: Sight) -> tuple[QImage, bool]:
    image = QImage(sight.width, sight.height, QImage.Format.Format_RGB32)
    painter = QPainter(image)
    whole = tiles.draw(painter, sight, GROUND)
    painter.end()
    return image, whole


def direct(scene: Painted, sight: Sight) -> QImage:
    image = QImage(sight.width, sight.height, QImage.Format.Format_RGB32)
    image.fill(GROUND)
    painter = QPainter(image)
    painter.scale(sight.scale, sight.scale)
    painter.translate(-sight.left, -sight.top)
    scene.paint(painter, (0, 0, 0, 0))
    painter.end()
    return image


@pytest.mark.parametrize("left", [0.0, 113.0, 384.0, -50.0])
def test_tiles_show_what_is_painted_directly(qtbot: QtBot, left: float) -> None:
    scene = Painted()
    sight = Sight(left, 20.0, 1.0, 800, 500, 1.0)
    image, whole = drawn(GraphTiles(scene.paint), sight)
    assert whole
    assert image == direct(scene, sight)


def test_panning_paints_only_tiles_that_come_into_sight(qtbot: QtBot) -> None:
    scene = Painted()
    tiles = GraphTiles(scene.paint)
    drawn(tiles, Sight(0.0, 0.0, 1.0, 2 * SIDE, SIDE, 1.0))
    assert len(scene.windows) == 2
    drawn(tiles, Sight(0.4, 0.2, 1.0, 2 * SIDE, SIDE, 1.0))
    assert len(scene.windows) == 2
    drawn(tiles, Sight(10.0, 0.0, 1.0, 2 * SIDE, SIDE, 1.0))
    assert scene.windows[2:] == [(2.0 * SIDE, 0.0, 3.0 * SIDE, 1.0 * SIDE)]


def test_another_scale_shows_the_old_tiles_until_its_own_are_there(
    qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    scene = Painted()
    tiles = GraphTiles(scene.paint)
    drawn(tiles, Sight(0.0, 0.0, 1.0, 800, 800, 1.0))
    monkeypatch.setattr(graph_tiles, "BUDGET_S", -1.0)
    nearer = Sight(0.0, 0.0, 2.0, 1600, 1600, 1.0)
    image, whole = drawn(tiles, nearer)
    assert not whole
    assert image.pixelColor(800, 800) == QColor("#ff0000")
    monkeypatch.setattr(graph_tiles, "BUDGET_S", 1.0)
    image, whole = drawn(tiles, nearer)
    assert whole
    assert image == direct(scene, nearer)


def test_what_is_forgotten_is_painted_anew_at_once(qtbot: QtBot, monkeypatch: pytest.MonkeyPatch) -> None:
    scene = Painted()
    tiles = GraphTiles(scene.paint)
    sight = Sight(0.0, 0.0, 1.0, SIDE, SIDE, 1.0)
    drawn(tiles, sight)
    monkeypatch.setattr(graph_tiles, "BUDGET_S", -1.0)
    tiles.forget()
    assert drawn(tiles, sight)[1]
    assert len(scene.windows) == 2
