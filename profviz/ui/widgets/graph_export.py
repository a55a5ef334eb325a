"""Writes a graph picture, whole or a part of it, as SVG or as an image, by the same painter as the screen's."""

from __future__ import annotations

from PySide6.QtCore import QBuffer, QIODevice, QRect, QSize
from PySide6.QtGui import QColor, QFont, QImage, QPainter
from PySide6.QtSvg import QSvgGenerator

from profviz.ui.widgets.graph_brush import Brush, graph_fonts
from profviz.ui.widgets.graph_paint import Marks, paint_picture
from profviz.ui.widgets.graph_picture import Picture
from profviz.ui.widgets.palette import Palette

Window = tuple[float, float, float, float]  # left, top, right, bottom in scene units
MOST_PIXELS = 60_000_000
SHARPNESS = 2.0  # pixels a scene unit where there is room for them


def whole(picture: Picture) -> Window:
    x, y, width, height = picture.bounds
    return x, y, x + width, y + height


def svg_bytes(picture: Picture, palette: Palette, font: QFont, window: Window, *, title: str) -> bytes:
    """An SVG document at 100 %."""
    buffer = QBuffer()
    buffer.open(QIODevice.OpenModeFlag.WriteOnly)
    size = QSize(round(window[2] - window[0]), round(window[3] - window[1]))
    generator = QSvgGenerator()
    generator.setOutputDevice(buffer)
    generator.setSize(size)
    generator.setViewBox(QRect(0, 0, size.width(), size.height()))
    generator.setTitle(title)
    painter = QPainter(generator)
    _paint(painter, picture, palette, font, window, scale=1.0)
    painter.end()
    return bytes(buffer.data().data())


def image_of(picture: Picture, palette: Palette, font: QFont, window: Window) -> QImage:
    """Twice as large as at 100 %, less where that would be more than some sixty million pixels."""
    wide, high = window[2] - window[0], window[3] - window[1]
    scale = min(SHARPNESS, (MOST_PIXELS / max(wide * high, 1.0)) ** 0.5)
    image = QImage(max(round(wide * scale), 1), max(round(high * scale), 1), QImage.Format.Format_RGB32)
    image.fill(QColor(palette.panel))
    painter = QPainter(image)
    _paint(painter, picture, palette, font, window, scale=scale)
    painter.end()
    return image


def _paint(painter: QPainter, picture: Picture, palette: Palette, font: QFont, window: Window, *, scale: float) -> None:
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    painter.scale(scale, scale)
    painter.translate(-window[0], -window[1])
    left, top, right, bottom = (round(at) for at in window)
    painter.fillRect(QRect(left, top, right - left + 1, bottom - top + 1), QColor(palette.panel))
    paint_picture(Brush(painter, palette, graph_fonts(font), max(scale, 1.0)), picture, Marks(), window)
