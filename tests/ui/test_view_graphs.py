"""The graph view: choosing, selecting in both directions, searching, keys, and its words when there is nothing."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace

import pytest
from graph_driving import on_screen, wait
from PySide6.QtCore import QPoint, QPointF, Qt
from PySide6.QtGui import QWheelEvent
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot
from shiboken6 import delete
from side_view_contract import keeps_the_contract

from profviz.model.compile_report import CompileReport, GraphBreak
from profviz.model.graph import Graph, Node, SourceLine, Stage, TensorSpec
from profviz.model.results import Results
from profviz.ui.view_state import Pick, Selection, ViewState
from profviz.ui.views.graphs import facts
from profviz.ui.views.graphs.choices import Direction, Level, choices
from profviz.ui.views.graphs.clusters import every
from profviz.ui.views.graphs.keys import ACTIONS
from profviz.ui.views.graphs.pane import GraphPane
from profviz.ui.views.graphs.view import SPEC, GraphsView
from profviz.ui.views.spec import Area
from profviz.ui.widgets.graph_frames import plus_rect
from profviz.ui.widgets.graph_picture import Role
from profviz.ui.widgets.palette import DARK, LIGHT

SOURCE = SourceLine("/home/me/model.py", 12, "forward", "return torch.relu(self.fc(x))")


def chain(stage: Stage, compile_id: str, *names: str, count: int = 0) -> Graph:
    """An input, then one operation after another; `count` repeats the last."""
    calls = [*names, *(f"{names[-1]}_{number}" for number in range(count))]
    nodes = [Node("x", "placeholder", "x", TensorSpec((8, 16), "float32"))]
    nodes += [
        Node(
            name, "call_function", f"torch.ops.aten.{name.split('_')[0]}.default", TensorSpec((8, 4), "float32"), SOURCE
        )
        for name in calls
    ]
    nodes.append(Node("output", "output", "output"))
    return Graph(stage, compile_id, tuple(nodes), tuple((i, i + 1) for i in range(len(nodes) - 1)))


def report(*graphs: Graph, breaks: tuple[GraphBreak, ...] = ()) -> CompileReport:
    return CompileReport("2.11.0", None, (), graphs, breaks, (), (), (), len(graphs), None)


def results(*reports: CompileReport) -> Results:
    titled = tuple((f"log {number}", each) for number, each in enumerate(reports))
    return Results("t", "", (), titled, (), ())


TWO_CUTS = report(
    chain(Stage.DYNAMO, "0/0", "relu"),
    chain(Stage.AOT_FORWARD, "0/0", "mm", "relu"),
    chain(Stage.AOT_BACKWARD, "0/0", "mm", "mul"),
    chain(Stage.POST_GRAD_FORWARD, "0/0", "mm", "relu"),
    chain(Stage.POST_GRAD_BACKWARD, "0/0", "mm", "mul"),
    chain(Stage.DYNAMO, "1/0", "tanh"),
    chain(Stage.AOT_INFERENCE, "1/0", "tanh"),
    chain(Stage.DYNAMO, "2/0", "sin"),
    breaks=(GraphBreak(SOURCE, "Tensor.item() with capture_scalar_outputs=False.", compile_ids=("0/0",)),),
)


@pytest.fixture
def opened(qtbot: QtBot) -> Iterator[Callable[..., tuple[GraphsView, ViewState]]]:
    made: list[GraphsView] = []

    def open_view(
        shown: Results, *, width: int = 1700, height: int = 700, choice: int = 0
    ) -> tuple[GraphsView, ViewState]:
        state = ViewState()
        view = GraphsView(state, DARK)
        made.append(view)
        view.resize(width, height)
        view.show()
        view.show_results(shown)
        choose(view, choice)
        wait(qtbot, view)
        return view, state

    yield open_view
    for view in made:
        delete(view)


def choose(view: GraphsView, choice: int) -> None:
    if 0 <= choice < view.chooser.count():
        view.chooser.setCurrentIndex(choice)
        view.chooser.activated.emit(choice)


def titles(view: GraphsView, direction: Direction) -> list[str]:
    placement = view.panes[direction].placement
    return [shape.title for shape in placement.picture.shapes] if placement else []


def test_the_spec_keeps_the_contract() -> None:
    assert (SPEC.id, SPEC.area) == ("graphs", Area.CENTRE)
    assert "TORCH_TRACE" in SPEC.empty(results())
    assert "no graph" in SPEC.empty(results(report()))
    assert SPEC.empty(results(TWO_CUTS)) == ""


def test_nothing_to_show_is_said(opened: Callable[..., tuple[GraphsView, ViewState]]) -> None:
    view, _ = opened(results())
    assert "compile log" in view.message
    assert view.widget() is view


def test_forward_and_backward_stand_side_by_side_at_the_deepest_level(opened) -> None:
    view, _ = opened(results(TWO_CUTS))
    assert view.level is Level.POST_GRAD
    assert "relu" in titles(view, Direction.FORWARD)
    assert "mul" in titles(view, Direction.BACKWARD)
    assert view.panes[Direction.FORWARD].title.text() == "Forward · Post-grad"


def test_a_graph_without_backward_has_one_pane(opened, qtbot: QtBot) -> None:
    view, _ = opened(results(TWO_CUTS))
    view.chooser.setCurrentIndex(1)
    view.chooser.activated.emit(1)
    wait(qtbot, view)
    assert view.level is Level.AOT
    assert view.panes[Direction.BACKWARD].isHidden()
    assert view.panes[Direction.FORWARD].title.text() == "Inference · AOTAutograd"


def test_the_chooser_says_where_the_graph_broke() -> None:
    found = [choice.title for choice in choices(results(TWO_CUTS))]
    assert found[0] == ("Graph 1 of 3 · 0/0 — broke at model.py:12: Tensor.item() with capture_scalar_outputs=False")
    assert found[1] == "Graph 2 of 3 · 1/0"


def test_several_reports_are_named_and_parts_of_a_split_graph_counted(opened, qtbot: QtBot) -> None:
    split = report(*(chain(Stage.AOT_FORWARD, "5/0", name) for name in ("relu", "tanh", "sin")))
    view, _ = opened(results(TWO_CUTS, split))
    assert view.chooser.itemText(4) == "log 1 · Graph 1 of 1 · 5/0"
    view.chooser.setCurrentIndex(4)
    view.chooser.activated.emit(4)
    wait(qtbot, view)
    pane = view.panes[Direction.FORWARD]
    assert pane.parts.count() == 3
    pane.parts.activated.emit(2)
    wait(qtbot, view)
    assert "sin" in titles(view, Direction.FORWARD)


def test_pieces_of_one_compile_id_are_one_choice_and_pair_by_their_number() -> None:
    stages = (Stage.POST_GRAD_FORWARD, Stage.POST_GRAD_BACKWARD)
    pieces = [chain(stages[0], f"5/0 part {number}", "mm") for number in (1, 2, 10)]
    pieces += [chain(stages[1], f"5/0 part {number}", "mm") for number in (10, 2, 1)]
    (choice,) = choices(results(report(chain(Stage.DYNAMO, "5/0", "mm"), *pieces)))
    assert choice.compile_id == "5/0"
    assert choice.graphs(Level.POST_GRAD, Direction.FORWARD) == (1, 2, 3)
    assert choice.graphs(Level.POST_GRAD, Direction.BACKWARD) == (6, 5, 4)


def test_choosing_a_stage_shows_its_graph(opened, qtbot: QtBot) -> None:
    view, _ = opened(results(TWO_CUTS))
    view.levels.setCurrentText("Dynamo")
    view.levels.activated.emit(view.levels.currentIndex())
    wait(qtbot, view)
    assert view.panes[Direction.FORWARD].title.text() == "Forward · Dynamo"
    assert view.panes[Direction.BACKWARD].title.text() == "Backward · AOTAutograd"


def test_a_click_on_a_box_picks_its_node(opened, qtbot: QtBot) -> None:
    view, state = opened(results(TWO_CUTS))
    pane = view.panes[Direction.BACKWARD]
    picked: list[Pick] = []
    state.picked.connect(picked.append)
    x, y, width, height = pane.placement.picture.rects[pane.placement.shape_of[2]]
    point = on_screen(pane.canvas, x + width / 2, y + height / 2).toPoint()
    qtbot.mouseClick(pane.canvas.viewport(), Qt.MouseButton.LeftButton, pos=point)
    assert picked == [Pick(report=0, graph=4, node=2)]


def test_a_selection_made_elsewhere_is_marked_and_opened(opened, qtbot: QtBot) -> None:
    view, state = opened(results(TWO_CUTS))
    state.select(Selection(Pick(side=0, slice=3), nodes=((0, 3, 2),)))
    forward = view.panes[Direction.FORWARD]
    assert forward.canvas.marks.selected == {forward.placement.shape_of[2]}
    state.select(Selection(Pick(side=0, slice=4), nodes=((0, 6, 1),)))
    wait(qtbot, view)
    assert view.chooser.currentIndex() == 1
    assert forward.canvas.marks.selected == {forward.placement.shape_of[1]}


def test_a_selection_out_of_sight_is_scrolled_into_view(opened) -> None:
    view, state = opened(results(report(chain(Stage.DYNAMO, "0/0", "relu", count=60))))
    pane = view.panes[Direction.FORWARD]
    shape = pane.placement.shape_of[50]
    assert shape not in visible(view)
    state.select(Selection(Pick(side=0, slice=1), nodes=((0, 0, 50),)))
    assert shape in visible(view)


def visible(view: GraphsView) -> set[int]:
    canvas = view.panes[Direction.FORWARD].canvas
    return set(canvas.picture.shapes_within(*canvas.visible_window()).tolist())


def test_search_marks_matches_and_enter_steps_around(opened, qtbot: QtBot) -> None:
    view, _ = opened(results(TWO_CUTS))
    qtbot.keyClicks(view.search, "mm")
    assert view.found.text() == "1 of 2"
    qtbot.keyClick(view.search, Qt.Key.Key_Return)
    assert view.found.text() == "2 of 2"
    backward = view.panes[Direction.BACKWARD]
    assert backward.canvas.marks.current == backward.placement.shape_of[1]
    qtbot.keyClick(view.search, Qt.Key.Key_Return)
    assert view.found.text() == "1 of 2"
    qtbot.keyClick(view.search, Qt.Key.Key_Return, Qt.KeyboardModifier.ShiftModifier)
    assert view.found.text() == "2 of 2"
    qtbot.keyClicks(view.search, "zzz")
    assert view.found.text() == "none"


def test_search_finds_shapes_and_kernels() -> None:
    graph = chain(Stage.DYNAMO, "0/0", "mm", "relu")
    graph = replace(
        graph, nodes=(*graph.nodes[:2], replace(graph.nodes[2], kernels=("triton_poi_0:3",)), graph.nodes[3])
    )
    assert facts.matches(graph, "8x16") == [0]
    assert facts.matches(graph, "TRITON relu") == [2]
    assert facts.matches(graph, "  ") == []


def test_arrow_keys_move_along_edges_and_space_fits(opened, qtbot: QtBot) -> None:
    view, _ = opened(results(report(chain(Stage.DYNAMO, "0/0", "relu", count=40))))
    pane = view.panes[Direction.FORWARD]
    forward = Qt.Key.Key_Down if pane.placement.picture.downwards else Qt.Key.Key_Right
    back = Qt.Key.Key_Up if pane.placement.picture.downwards else Qt.Key.Key_Left
    for key, node in ((forward, 0), (forward, 1), (forward, 2), (back, 1)):
        qtbot.keyClick(pane.canvas, key)
        assert pane.canvas.marks.current == pane.placement.shape_of[node]
    qtbot.keyClick(pane.canvas, Qt.Key.Key_Space)
    assert len(visible(view)) == len(pane.placement.picture.shapes)


def test_f_fits_the_selection_and_then_everything(opened, qtbot: QtBot) -> None:
    view, state = opened(results(report(chain(Stage.DYNAMO, "0/0", "relu", count=60))))
    pane = view.panes[Direction.FORWARD]
    state.select(Selection(Pick(side=0, slice=1), nodes=((0, 0, 40),)))
    qtbot.keyClick(pane.canvas, Qt.Key.Key_F)
    assert pane.canvas.scale == 1.0
    assert pane.placement.shape_of[40] in visible(view)
    qtbot.keyClick(pane.canvas, Qt.Key.Key_F)
    assert len(visible(view)) == len(pane.placement.picture.shapes)


def test_the_legend_names_what_is_drawn(opened) -> None:
    view, _ = opened(results(report(chain(Stage.DYNAMO, "0/0", "mm", "relu"))))
    texts = [entry.text for entry in view.legend.entries]
    assert texts == ["GEMM", "pointwise", "input, result or view: no work of its own"]


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


def test_ctrl_wheel_zooms_at_the_mouse_and_the_plain_wheel_only_scrolls(opened) -> None:
    view, _ = opened(results(report(chain(Stage.DYNAMO, "0/0", "relu", count=60))))
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


def test_dragging_pans_and_does_not_pick(opened, qtbot: QtBot) -> None:
    view, state = opened(results(report(chain(Stage.DYNAMO, "0/0", "relu", count=60))))
    canvas = view.panes[Direction.FORWARD].canvas
    picked: list[Pick] = []
    state.picked.connect(picked.append)
    before = canvas.visible_window()
    qtbot.mousePress(canvas.viewport(), Qt.MouseButton.LeftButton, pos=QPoint(300, 300))
    qtbot.mouseMove(canvas.viewport(), QPoint(250, 200))
    qtbot.mouseRelease(canvas.viewport(), Qt.MouseButton.LeftButton, pos=QPoint(250, 200))
    assert canvas.visible_window() != before
    assert picked == []


def test_hover_tells_name_target_shape_line_and_kernels_as_plain_text(opened, qtbot: QtBot) -> None:
    graph = chain(Stage.POST_GRAD_INFERENCE, "0/0", "relu")
    odd = SourceLine("/home/me/model.py", 12, "<module>", "<b>y</b> = f(x)")
    nodes = (
        graph.nodes[0],
        replace(graph.nodes[1], source=odd, kernels=("triton_poi_fused_relu_0:1",)),
        graph.nodes[2],
    )
    view, _ = opened(results(report(replace(graph, nodes=nodes))))
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


def test_a_flat_view_lays_out_to_the_right_and_a_tall_one_down(opened, qtbot: QtBot) -> None:
    view, _ = opened(results(TWO_CUTS), width=1200, height=320)
    assert not view.panes[Direction.FORWARD].placement.picture.downwards
    view.resize(900, 900)
    wait(qtbot, view)
    assert view.panes[Direction.FORWARD].placement.picture.downwards
    qtbot.mouseClick(view.turn, Qt.MouseButton.LeftButton)
    wait(qtbot, view)
    assert not view.panes[Direction.FORWARD].placement.picture.downwards


def test_a_big_graph_says_that_it_is_laid_out_and_can_be_cancelled_and_taken_up_again(opened, qtbot: QtBot) -> None:
    view, _ = opened(results(TWO_CUTS))
    view.show_results(results(report(chain(Stage.DYNAMO, "0/0", "relu", count=1500))))
    pane = view.panes[Direction.FORWARD]
    assert not pane.stop.isHidden()
    pane.stop.click()  # before an event is handled, so before any answer can arrive
    qtbot.wait(50)
    assert pane.placement is None
    assert pane.stop.text() == "Lay out"
    qtbot.mouseClick(pane.stop, Qt.MouseButton.LeftButton)
    wait(qtbot, view)
    assert pane.placement.node_count == 1503
    assert pane.stop.isHidden()


def test_new_results_replace_the_old_and_both_palettes_paint(opened, qtbot: QtBot) -> None:
    view, _ = opened(results(TWO_CUTS))
    dark = view.grab().toImage()
    view.set_palette(LIGHT)
    assert view.grab().toImage() != dark
    view.show_results(results())
    assert view.message
    view.show_results(results(report(chain(Stage.DYNAMO, "0/0", "cos"))))
    wait(qtbot, view)
    assert view.message == ""
    assert titles(view, Direction.FORWARD) == ["x", "cos", "output"]


def test_closing_a_view_while_it_lays_out_leaves_no_thread(qtbot: QtBot) -> None:
    view = GraphsView(ViewState(), DARK)
    qtbot.addWidget(view)
    view.show()
    view.show_results(results(report(chain(Stage.DYNAMO, "0/0", "relu", count=3000))))
    view.close()


def test_any_results_in_any_order_keep_the_contract(qtbot: QtBot) -> None:
    keeps_the_contract(qtbot, SPEC)


def test_every_action_of_the_graphs_has_a_deed_and_some_move_the_view(opened, qtbot: QtBot) -> None:
    view, _ = opened(results(report(chain(Stage.POST_GRAD_FORWARD, "0/0", "a", "b", "c"))))
    wait(qtbot, view)
    assert set(view.deeds) == {action.id for action in ACTIONS if not action.mouse}
    canvas = view.panes[Direction.FORWARD].canvas
    before = canvas.scale
    view.deeds["zoom_in"].run()
    assert canvas.scale > before
    assert not view.deeds["next_hit"].usable()
    view.search.setText("b")
    assert view.deeds["next_hit"].usable()


def modular(count: int) -> Graph:
    """Equal modules one after another, large enough to be closed at first."""
    graph = chain(Stage.DYNAMO, "0/0", "relu", count=count)
    nodes = tuple(
        replace(node, module=f"h.{index // 8}") if node.op == "call_function" else node
        for index, node in enumerate(graph.nodes)
    )
    return replace(graph, nodes=nodes)


def test_modules_open_and_close_from_the_keyboard_and_stay_in_place(opened, qtbot: QtBot) -> None:
    view, _ = opened(results(report(modular(800))))
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


def test_a_click_on_the_plus_opens_a_module_and_does_not_pick(opened, qtbot: QtBot) -> None:
    view, state = opened(results(report(modular(800))))
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


def test_what_was_selected_in_a_large_graph_is_not_looked_for_in_a_small_one(
    opened: Callable[..., tuple[GraphsView, ViewState]], qtbot: QtBot
) -> None:
    large, small = chain(Stage.DYNAMO, "0/0", "mm", count=9), chain(Stage.DYNAMO, "1/0", "relu")
    view, state = opened(results(report(large, small)))
    titles = [choice.title for choice in view._choices]
    of_large, of_small = (next(at for at, title in enumerate(titles) if name in title) for name in ("0/0", "1/0"))
    for choice in (of_small, of_large):  # both layouts are known from here on
        choose(view, choice)
        wait(qtbot, view)
    state.select(Selection(Pick(side=0, slice=1), nodes=((0, 0, len(large.nodes) - 1),)))
    choose(view, of_small)
    (pane,) = view.shown_panes
    assert pane.graph is small
    assert pane.canvas.marks.selected == frozenset()
