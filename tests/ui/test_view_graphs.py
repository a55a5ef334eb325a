"""The graph view: choosing, selecting in both directions, searching, and its words when there is nothing."""

from __future__ import annotations

from dataclasses import replace

from graph_driving import on_screen, wait
from graph_samples import TWO_CUTS, OpenGraphs, chain, choose, report, results, visible
from PySide6.QtCore import Qt
from pytestqt.qtbot import QtBot
from side_view_contract import keeps_the_contract

from profviz.model.graph import Stage
from profviz.ui.view_state import Pick, Selection, ViewState
from profviz.ui.views.graphs import facts
from profviz.ui.views.graphs.choices import Direction, Level, choices
from profviz.ui.views.graphs.keys import ACTIONS
from profviz.ui.views.graphs.view import SPEC, GraphsView
from profviz.ui.views.spec import Area
from profviz.ui.widgets.palette import DARK, LIGHT


def titles(view: GraphsView, direction: Direction) -> list[str]:
    placement = view.panes[direction].placement
    return [shape.title for shape in placement.picture.shapes] if placement else []


def test_the_spec_keeps_the_contract() -> None:
    assert (SPEC.id, SPEC.area) == ("graphs", Area.CENTRE)
    assert "TORCH_TRACE" in SPEC.empty(results())
    assert "no graph" in SPEC.empty(results(report()))
    assert SPEC.empty(results(TWO_CUTS)) == ""


def test_nothing_to_show_is_said(open_graphs: OpenGraphs) -> None:
    view, _ = open_graphs(results())
    assert "compile log" in view.message
    assert view.widget() is view


def test_forward_and_backward_stand_side_by_side_at_the_deepest_level(open_graphs) -> None:
    view, _ = open_graphs(results(TWO_CUTS))
    assert view.level is Level.POST_GRAD
    assert "relu" in titles(view, Direction.FORWARD)
    assert "mul" in titles(view, Direction.BACKWARD)
    assert view.panes[Direction.FORWARD].title.text() == "Forward · Post-grad"


def test_a_graph_without_backward_has_one_pane(open_graphs, qtbot: QtBot) -> None:
    view, _ = open_graphs(results(TWO_CUTS))
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


def test_several_reports_are_named_and_parts_of_a_split_graph_counted(open_graphs, qtbot: QtBot) -> None:
    split = report(*(chain(Stage.AOT_FORWARD, "5/0", name) for name in ("relu", "tanh", "sin")))
    view, _ = open_graphs(results(TWO_CUTS, split))
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


def test_choosing_a_stage_shows_its_graph(open_graphs, qtbot: QtBot) -> None:
    view, _ = open_graphs(results(TWO_CUTS))
    view.levels.setCurrentText("Dynamo")
    view.levels.activated.emit(view.levels.currentIndex())
    wait(qtbot, view)
    assert view.panes[Direction.FORWARD].title.text() == "Forward · Dynamo"
    assert view.panes[Direction.BACKWARD].title.text() == "Backward · AOTAutograd"


def test_a_click_on_a_box_picks_its_node(open_graphs, qtbot: QtBot) -> None:
    view, state = open_graphs(results(TWO_CUTS))
    pane = view.panes[Direction.BACKWARD]
    picked: list[Pick] = []
    state.picked.connect(picked.append)
    x, y, width, height = pane.placement.picture.rects[pane.placement.shape_of[2]]
    point = on_screen(pane.canvas, x + width / 2, y + height / 2).toPoint()
    qtbot.mouseClick(pane.canvas.viewport(), Qt.MouseButton.LeftButton, pos=point)
    assert picked == [Pick(report=0, graph=4, node=2)]


def test_a_selection_made_elsewhere_is_marked_and_opened(open_graphs, qtbot: QtBot) -> None:
    view, state = open_graphs(results(TWO_CUTS))
    state.select(Selection(Pick(side=0, slice=3), nodes=((0, 3, 2),)))
    forward = view.panes[Direction.FORWARD]
    assert forward.canvas.marks.selected == {forward.placement.shape_of[2]}
    state.select(Selection(Pick(side=0, slice=4), nodes=((0, 6, 1),)))
    wait(qtbot, view)
    assert view.chooser.currentIndex() == 1
    assert forward.canvas.marks.selected == {forward.placement.shape_of[1]}


def test_a_selection_out_of_sight_is_scrolled_into_view(open_graphs) -> None:
    view, state = open_graphs(results(report(chain(Stage.DYNAMO, "0/0", "relu", count=60))))
    pane = view.panes[Direction.FORWARD]
    shape = pane.placement.shape_of[50]
    assert shape not in visible(view)
    state.select(Selection(Pick(side=0, slice=1), nodes=((0, 0, 50),)))
    assert shape in visible(view)


def test_search_marks_matches_and_enter_steps_around(open_graphs, qtbot: QtBot) -> None:
    view, _ = open_graphs(results(TWO_CUTS))
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
    search = facts.NodeSearch()
    assert search.find(graph, "8x16") == [0]
    assert search.find(graph, "TRITON relu") == [2]
    assert search.find(graph, "  ") == []
    assert search.find(chain(Stage.DYNAMO, "0/0", "tanh"), "tanh") == [1], "of the graph that is asked for"
    assert search.find(None, "tanh") == []


def test_the_legend_names_what_is_drawn(open_graphs) -> None:
    view, _ = open_graphs(results(report(chain(Stage.DYNAMO, "0/0", "mm", "relu"))))
    texts = [entry.text for entry in view.legend.entries]
    assert texts == ["GEMM", "pointwise", "input, result or view: no work of its own"]


def test_a_flat_view_lays_out_to_the_right_and_a_tall_one_down(open_graphs, qtbot: QtBot) -> None:
    view, _ = open_graphs(results(TWO_CUTS), width=1200, height=320)
    assert not view.panes[Direction.FORWARD].placement.picture.downwards
    view.resize(900, 900)
    wait(qtbot, view)
    assert view.panes[Direction.FORWARD].placement.picture.downwards
    qtbot.mouseClick(view.turn, Qt.MouseButton.LeftButton)
    wait(qtbot, view)
    assert not view.panes[Direction.FORWARD].placement.picture.downwards


def test_a_big_graph_says_that_it_is_laid_out_can_be_cancelled_and_taken_up_again(open_graphs, qtbot: QtBot) -> None:
    view, _ = open_graphs(results(TWO_CUTS))
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


def test_new_results_replace_the_old_and_both_palettes_paint(open_graphs, qtbot: QtBot) -> None:
    view, _ = open_graphs(results(TWO_CUTS))
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


def test_every_action_of_the_graphs_has_a_deed_and_some_move_the_view(open_graphs, qtbot: QtBot) -> None:
    view, _ = open_graphs(results(report(chain(Stage.POST_GRAD_FORWARD, "0/0", "a", "b", "c"))))
    wait(qtbot, view)
    assert set(view.deeds) == {action.id for action in ACTIONS if not action.mouse}
    canvas = view.panes[Direction.FORWARD].canvas
    before = canvas.scale
    view.deeds["zoom_in"].run()
    assert canvas.scale > before
    assert not view.deeds["next_hit"].usable()
    view.search.setText("b")
    assert view.deeds["next_hit"].usable()


def test_what_was_selected_in_a_large_graph_is_not_looked_for_in_a_small_one(
    open_graphs: OpenGraphs, qtbot: QtBot
) -> None:
    large, small = chain(Stage.DYNAMO, "0/0", "mm", count=9), chain(Stage.DYNAMO, "1/0", "relu")
    view, state = open_graphs(results(report(large, small)))
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
