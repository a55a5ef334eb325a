"""Asks where to and writes a pane's graph there, whole or what is seen, as SVG or PNG."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from PySide6.QtWidgets import QFileDialog, QMenu, QWidget

from profviz.ui.views.graphs.pane import GraphPane
from profviz.ui.widgets.graph_export import image_of, svg_bytes, whole

FILTERS = "SVG image (*.svg);;PNG image (*.png)"


def write(pane: GraphPane, path: Path, *, only_seen: bool = False) -> None:
    """By the ending of the path, SVG where it has none that is known; raises OSError."""
    canvas = pane.canvas
    window = canvas.visible_window() if only_seen else whole(canvas.picture)
    if path.suffix.lower() == ".png":
        if not image_of(canvas.picture, canvas.colours, canvas.font(), window).save(str(path), "PNG"):
            raise OSError(f"{path.name} could not be written")
        return
    text = svg_bytes(canvas.picture, canvas.colours, canvas.font(), window, title=pane.title.text())
    path.write_bytes(text)


def ask_and_write(parent: QWidget, pane: GraphPane, *, only_seen: bool = False) -> str:
    """What was done or went wrong, in words; empty where the user thought better of it."""
    chosen, _ = QFileDialog.getSaveFileName(parent, "Export the graph", "graph.svg", FILTERS)
    if not chosen:
        return ""
    try:
        write(pane, Path(chosen), only_seen=only_seen)
    except OSError as error:
        return f"Not exported: {error.strerror or error}"
    return f"Exported to {Path(chosen).name}"


def menu(parent: QWidget, export: Callable[[bool], None]) -> QMenu:
    """The two ways to export; `export` is called with whether only what is seen is wanted."""
    made = QMenu(parent)
    made.addAction("Export the whole graph…").triggered.connect(lambda: export(False))
    made.addAction("Export what is seen…").triggered.connect(lambda: export(True))
    return made
