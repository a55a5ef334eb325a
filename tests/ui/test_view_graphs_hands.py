"""Keys, wheel and mouse on the graph view: moving, zooming, hovering, opening and closing modules."""

from __future__ import annotations

from dataclasses import replace

import pytest
from graph_driving import on_screen, wait
from graph_samples import chain, report, results, visible
from PySide6.QtCore import QPoint, QPointF, Qt
from PySide6.QtGui import QWheelEvent
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from profviz.model.graph import Graph, SourceLine, Stage
from profviz.ui.view_state import Pick, Selection
from profviz.ui.views.graphs.choices import Direction
from profviz.ui.views.graphs.clusters import every
from profviz.ui.views.graphs.pane import GraphPane
from profviz.ui.views.graphs.view import GraphsView
from profviz.ui.widgets.graph_frames import plus_rect
from profviz.ui.widgets.graph_picture import Role


def test_arrow_keys_move_along_edges_and_space_fits(open_graphs, qtbot: QtBot) -> None:
    view, _ = open_graphs(results(report(chain(Stage.DYNAMO, "0/0", "relu", count=40))))
    pane = view.panes[Direction.FORWARD]
    forward = Qt.Key.Key_Down if pane.placement.picture.downwards else Qt.Key.Key_Right
    back = Qt.Key.Key_Up if pane.placement.picture.downwards else Qt.Key.Key_Left
    for key, node in ((forward, 0), (forward, 1), (forward, 2), (back, 1)):
        qtbot.keyClick(pane.canvas, key)
        assert pane.canvas.marks.current == pane.placement.shape_of[node]
    qtbot.keyClick(pane.canvas, Qt.Key.Key_Space)
    assert len(visible(view)) == len(pane.placement.picture.shapes)


def test_f_fits_the_selection_and_then_everything(open_graphs, qtbot: QtBot) -> None:
    view, state = open_graphs(results(report(chain(Stage.DYNAMO, "0/0", "relu", count=60))))
    pane = view.panes[Direction.FORWARD]
    state.select(Selection(Pick(side=0, slice=1), nodes=((0, 0, 40),)))
    qtbot.keyClick(pane.canvas, Qt.Key.Key_F)
    assert pane.canvas.scale == 1.0
    assert pane.placement.shape_of[40] in visible(view)
    qtbot.keyClick(pane.canvas, Qt.Key.Key_F)
    assert len(visible(view)) == len(pane.placement.picture.shapes)


def wheel(view: GraphsView, delta: int, modifiers: Qt.KeyboardModifier) -> None:
    canvas = view.panes[Direction.FORWARD].canvas
    point = QPointF(120, 90)
    event = QWheelEvent(
        point,
        canvas.viewport().mapToGlobal(point),
        QPoint(),
        QPoint(0, delta),
        Qt.MouseButton.NoButton,
        modifiers,
        Qt.ScrollPhase.NoScrollPhase,
        False,
    )
    QApplication.sendEvent(canvas.viewport(), event)


def test_ctrl_wheel_zooms_at_the_mouse_and_the_plain_wheel_only_scrolls(open_graphs) -> None:
    view, _ = open_graphs(results(report(chain(Stage.DYNAMO, "0/0", "relu", count=60))))
    canvas = view.panes[Direction.FORWARD].canvas
    before, scale = canvas.to_scene(QPointF(120, 90)), canvas.scale
    wheel(view, 120, Qt.KeyboardModifier.ControlModifier)
    after = canvas.to_scene(QPointF(120, 90))
    assert canvas.scale > scale
    assert not canvas.picture.downwards  # so the picture is longer than the view in x, and kept in its middle in y
    assert after.x() == pytest.approx(before.x(), abs=0.5)
    scale, window = canvas.scale, canvas.visible_window()
    wheel(view, -120, Qt.KeyboardModifier.NoModifier)
    assert canvas.scale == scale
    assert canvas.visible_window() != window


def test_dragging_pans_and_does_not_pick(open_graphs, qtbot: QtBot) -> None:
    view, state = open_graphs(results(report(chain(Stage.DYNAMO, "0/0", "relu", count=60))))
    canvas = view.panes[Direction.FORWARD].canvas
    picked: list[Pick] = []
    state.picked.connect(picked.append)
    before = canvas.visible_window()
    qtbot.mousePress(canvas.viewport(), Qt.MouseButton.LeftButton, pos=QPoint(300, 300))
    qtbot.mouseMove(canvas.viewport(), QPoint(250, 200))
    qtbot.mouseRelease(canvas.viewport(), Qt.MouseButton.LeftButton, pos=QPoint(250, 200))
    assert canvas.visible_window() != before
    assert picked == []


def test_hover_tells_name_target_shape_line_and_kernels_as_plain_text(open_graphs, qtbot: QtBot) -> None:
    graph = chain(Stage.POST_GRAD_INFERENCE, "0/0", "relu")
    odd = SourceLine("/home/me/model.py", 12, "<module>", "<b>y</b> = f(x)")
    nodes = (
        graph.nodes[0],
        replace(graph.nodes[1], source=odd, kernels=("triton_poi_fused_relu_0:1",)),
        graph.nodes[2],
    )
    view, _ = open_graphs(results(report(replace(graph, nodes=nodes))))
    pane = view.panes[Direction.FORWARD]
    text = pane.canvas.tip(pane.placement.shape_of[1])
    for part in (
        "relu",
        "torch.ops.aten.relu.default",
        "8×4 f32",
        "model.py:12",
        "<b>y</b>",
        "triton_poi_fused_relu_0:1",
    ):
        assert part in text
    x, y, width, height = pane.placement.picture.rects[pane.placement.shape_of[1]]
    qtbot.mouseMove(pane.canvas.viewport(), on_screen(pane.canvas, x + width / 2, y + height / 2).toPoint())
    assert pane.canvas._note.textFormat() is Qt.TextFormat.PlainText
    assert pane.canvas._note.text() == text


def modular(count: int) -> Graph:
    """Equal modules one after another, large enough to be closed at first."""
    graph = chain(Stage.DYNAMO, "0/0", "relu", count=count)
    nodes = tuple(
        replace(node, module=f"h.{index // 8}") if node.op == "call_function" else node
        for index, node in enumerate(graph.nodes)
    )
    return replace(graph, nodes=nodes)


def test_modules_open_and_close_from_the_keyboard_and_stay_in_place(open_graphs, qtbot: QtBot) -> None:
    view, _ = open_graphs(results(report(modular(800))))
    pane = view.panes[Direction.FORWARD]
    closed = next(i for i, shape in enumerate(pane.placement.picture.shapes) if shape.role is Role.GROUP)
    id_ = pane.placement.picture.shapes[closed].opens
    pane.canvas.activate(closed)
    pane.canvas.reveal([closed])
    place = on_screen(pane.canvas, *pane.placement.picture.rects[closed][:2])
    qtbot.keyClick(pane.canvas, Qt.Key.Key_Return)
    wait(qtbot, view)
    frame = next(i for i, frame in enumerate(pane.placement.picture.frames) if frame.id == id_)
    after = on_screen(pane.canvas, *pane.placement.picture.frame_rects[frame][:2])
    assert abs(after.x() - place.x()) < 1  # all of the height is in view, so the picture is kept in its middle
    inside = next(i for i, nodes in enumerate(pane.placement.nodes_of) if frame and set(nodes) <= members(pane, id_))
    pane.canvas.activate(inside)
    qtbot.keyClick(pane.canvas, Qt.Key.Key_Backspace)
    wait(qtbot, view)
    assert id_ not in pane.placement.opened
    qtbot.keyClick(pane.canvas, Qt.Key.Key_E)
    wait(qtbot, view)
    assert len(pane.placement.picture.shapes) == len(pane.placement.shape_of)
    qtbot.keyClick(pane.canvas, Qt.Key.Key_E, Qt.KeyboardModifier.ShiftModifier)
    wait(qtbot, view)
    assert len(pane.placement.picture.shapes) < 60


def members(pane: GraphPane, cluster: str) -> set[int]:
    return next(set(one.nodes) for one in every(pane.placement.root) if one.id == cluster)


def test_a_click_on_the_plus_opens_a_module_and_does_not_pick(open_graphs, qtbot: QtBot) -> None:
    view, state = open_graphs(results(report(modular(800))))
    pane = view.panes[Direction.FORWARD]
    picked: list[Pick] = []
    state.picked.connect(picked.append)
    closed = next(i for i, shape in enumerate(pane.placement.picture.shapes) if shape.role is Role.GROUP)
    pane.canvas.reveal([closed])
    spot = plus_rect(pane.placement.picture.rects[closed]).center()
    qtbot.mouseClick(
        pane.canvas.viewport(), Qt.MouseButton.LeftButton, pos=on_screen(pane.canvas, spot.x(), spot.y()).toPoint()
    )
    wait(qtbot, view)
    assert picked == []
    assert len(pane.placement.opened) > 1
