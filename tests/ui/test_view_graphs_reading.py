"""Reading a graph: ways to inputs and outputs, the overview in the corner, and files of it."""

from __future__ import annotations

import xml.etree.ElementTree as ET
from dataclasses import replace
from pathlib import Path

import pytest
from graph_samples import OpenGraphs, chain, report, results
from hypothesis import given, settings
from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QImage
from PySide6.QtWidgets import QFileDialog
from pytestqt.qtbot import QtBot
from test_view_graphs_layout import graphs

from profviz.model.graph import Graph, SourceLine, Stage
from profviz.ui.views.graphs.choices import Direction
from profviz.ui.views.graphs.exporting import write
from profviz.ui.views.graphs.paths import reached

LONG = results(report(chain(Stage.DYNAMO, "0/0", "relu", count=60)))


@settings(max_examples=60, deadline=None)
@given(graph=graphs())
def test_a_way_is_what_following_edges_one_by_one_finds(graph: Graph) -> None:
    for start in range(len(graph.nodes)):
        for upwards in (True, False):
            seen = {start}
            for _ in graph.nodes:
                pairs = [(b, a) if upwards else (a, b) for a, b in graph.edges]
                seen |= {there for here, there in pairs if here in seen}
            assert reached(graph, [start], upwards=upwards) == seen


def test_i_and_o_show_what_a_node_comes_from_or_leads_to_and_end_it(open_graphs: OpenGraphs, qtbot: QtBot) -> None:
    view, _ = open_graphs(LONG)
    pane = view.panes[Direction.FORWARD]
    pane.canvas.activate(pane.placement.shape_of[10])
    qtbot.keyClick(pane.canvas, Qt.Key.Key_I)
    assert pane.canvas.marks.path == {pane.placement.shape_of[node] for node in range(11)}
    qtbot.keyClick(pane.canvas, Qt.Key.Key_O)
    assert pane.canvas.marks.path == {pane.placement.shape_of[node] for node in range(10, 63)}
    qtbot.keyClick(pane.canvas, Qt.Key.Key_O)
    assert pane.canvas.marks.path == frozenset()


def test_the_overview_shows_where_the_view_is_and_a_click_moves_it(open_graphs: OpenGraphs, qtbot: QtBot) -> None:
    view, _ = open_graphs(LONG)
    pane = view.panes[Direction.FORWARD]
    minimap = pane.minimap
    assert minimap.isVisible()
    before = minimap.window_rect()
    far = QPoint(minimap.width() - 2, minimap.height() // 2)
    qtbot.mouseClick(minimap, Qt.MouseButton.LeftButton, pos=far)
    after = minimap.window_rect()
    assert after.center().x() > before.center().x() + 10
    pane.canvas.fit()
    assert not minimap.isVisible()


def test_svg_holds_every_box_and_its_words(open_graphs: OpenGraphs, tmp_path: Path) -> None:
    view, _ = open_graphs(LONG)
    pane = view.panes[Direction.FORWARD]
    write(pane, tmp_path / "graph.svg")
    root = ET.fromstring((tmp_path / "graph.svg").read_text(encoding="utf-8"))
    words = [element.text for element in root.iter("{http://www.w3.org/2000/svg}text")]
    assert words.count("relu") == 61
    assert float(root.get("viewBox").split()[2]) == pytest.approx(pane.placement.picture.bounds[2], abs=1)
    write(pane, tmp_path / "seen.svg", only_seen=True)
    seen = ET.fromstring((tmp_path / "seen.svg").read_text(encoding="utf-8"))
    part = [element.text for element in seen.iter("{http://www.w3.org/2000/svg}text")]
    assert 0 < part.count("relu") < 61


def test_png_is_twice_the_size_of_the_graph_and_not_blank(open_graphs: OpenGraphs, tmp_path: Path) -> None:
    view, _ = open_graphs(LONG)
    pane = view.panes[Direction.FORWARD]
    write(pane, tmp_path / "graph.png")
    image = QImage(str(tmp_path / "graph.png"))
    assert image.width() == pytest.approx(2 * pane.placement.picture.bounds[2], abs=2)
    assert len({image.pixel(x, image.height() // 2) for x in range(0, image.width(), 7)}) > 2


def test_exporting_asks_where_to_and_says_what_was_done_or_went_wrong(
    open_graphs: OpenGraphs,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    view, _ = open_graphs(LONG)
    answers = iter([str(tmp_path / "a.svg"), str(tmp_path / "absent" / "a.svg"), ""])
    monkeypatch.setattr(QFileDialog, "getSaveFileName", lambda *_: (next(answers), ""))
    view.deeds["export"].run()
    assert view.found.text() == "Exported to a.svg"
    assert (tmp_path / "a.svg").is_file()
    view.deeds["export_seen"].run()
    assert view.found.text().startswith("Not exported: ")
    view.deeds["export"].run()
    assert view.found.text().startswith("Not exported: ")


def test_hovering_a_forward_node_marks_its_counterparts_in_backward(open_graphs: OpenGraphs) -> None:
    other = SourceLine("/home/me/model.py", 13, "forward")
    forward = chain(Stage.AOT_FORWARD, "0/0", "mm", "relu")
    backward = chain(Stage.AOT_BACKWARD, "0/0", "mul", "mm")
    nodes = list(backward.nodes)
    nodes[1] = replace(nodes[1], source=other)
    view, _ = open_graphs(results(report(forward, replace(backward, nodes=tuple(nodes)))))
    ahead, back = view.panes[Direction.FORWARD], view.panes[Direction.BACKWARD]
    ahead.node_hovered.emit(1)
    assert back.canvas.marks.kin == {back.placement.shape_of[2]}
    ahead.node_hovered.emit(-1)
    assert back.canvas.marks.kin == frozenset()
