"""All graphs of a step as one: order, breaks between, places of the nodes, and picking and selecting through them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest
from graph_driving import wait
from graph_samples import SOURCE, TWO_CUTS, OpenGraphs, chain, choose, report, results
from pytestqt.qtbot import QtBot
from test_view_graphs_layout import assert_sound
from test_view_graphs_modules import assert_whole, report_of

from profviz.model.compile_report import GraphBreak
from profviz.model.graph import GraphTimes, Stage
from profviz.model.questions import Question
from profviz.ui.view_state import Pick, Selection
from profviz.ui.views.graphs.calling import as_called
from profviz.ui.views.graphs.choices import Direction, Level, choices
from profviz.ui.views.graphs.layout import lay_out
from profviz.ui.views.graphs.whole_step import BREAK, merged_times, step_modules, whole_step
from profviz.ui.widgets.graph_picture import Role


def test_graphs_stand_in_order_with_the_break_as_a_node_between() -> None:
    step = whole_step(TWO_CUTS, (0, 5, 7), Direction.FORWARD)
    cuts = [index for index, origin in enumerate(step.origins) if origin is None]
    assert len(cuts) == 1
    cut = step.graph.nodes[cuts[0]]
    assert (cut.op, cut.source) == (BREAK, SOURCE)
    assert cut.target == "Tensor.item() with capture_scalar_outputs=False."
    assert list(step.starts) == [0, 5, 7]
    assert step.starts[0] < cuts[0] < step.starts[5] < step.starts[7]
    assert (cuts[0] - 1, cuts[0]) in step.graph.edges
    assert (cuts[0], step.starts[5]) in step.graph.edges


def test_backward_runs_the_graphs_in_reverse_and_has_no_breaks_of_its_own() -> None:
    two = report(chain(Stage.AOT_BACKWARD, "0/0", "mm"), chain(Stage.AOT_BACKWARD, "1/0", "mul"))
    step = whole_step(two, (0, 1), Direction.BACKWARD)
    assert list(step.starts) == [1, 0]
    assert None not in step.origins


def test_every_node_knows_its_place_in_the_report_and_back() -> None:
    step = whole_step(TWO_CUTS, (0, 5, 7), Direction.FORWARD)
    for index, origin in enumerate(step.origins):
        if origin is not None:
            assert step.index_of(*origin) == index
            assert step.graph.nodes[index].name == TWO_CUTS.graphs[origin[0]].nodes[origin[1]].name
    assert step.index_of(3, 0) == -1


@pytest.mark.parametrize("name", ["broken_train", "ddp.compiled.rank0"])
def test_nothing_is_lost_on_shared_logs_and_edges_are_those_of_the_graphs_and_the_ways_between(name: str) -> None:
    log = report_of(name)
    (choice,) = [each for each in choices(results(log)) if each.is_step]
    for (level, direction), numbers in choice.parts.items():
        if level is Level.JOINT:
            continue
        step = whole_step(log, numbers, direction)
        cuts = step.origins.count(None)
        assert len(step.graph.nodes) == sum(len(log.graphs[number].nodes) for number in numbers) + cuts
        own = sum(len(log.graphs[number].edges) for number in numbers)
        assert len(step.graph.edges) == own + len(numbers) - 1 + cuts  # a break lies on the way between two graphs
        modules = step_modules(step, log.graphs)
        placement = lay_out(step.graph, downwards=True, modules=modules)
        assert_sound(step.graph, placement)
        assert_whole(step.graph, placement)


def test_broken_train_shows_three_graphs_and_two_cuts() -> None:
    log = report_of("broken_train")
    (choice,) = [each for each in choices(results(log)) if each.is_step]
    assert choice.title == "Whole step: 3 graphs, 2 breaks"
    step = whole_step(log, choice.graphs(Level.POST_GRAD, Direction.FORWARD), Direction.FORWARD)
    placement = lay_out(step.graph, downwards=True, modules=step_modules(step, log.graphs))
    cuts = [shape.title for shape in placement.picture.shapes if shape.role is Role.CUT]
    assert cuts == ["if x.sum().item() > 0:", 'print("", end="")']
    frames = [frame.title for frame in placement.picture.frames if frame.title.startswith("Graph ")]
    assert frames == ["Graph 1 · 0/0", "Graph 2 · 1/0", "Graph 3 · 2/0"]


def test_times_of_several_graphs_are_kept_apart_though_handles_repeat() -> None:
    def with_kernel(compile_id: str):
        graph = chain(Stage.POST_GRAD_FORWARD, compile_id, "relu")
        node = replace(graph.nodes[1], kernels=("triton_poi_0:1",))
        return replace(graph, nodes=(graph.nodes[0], node, graph.nodes[2]))

    both = report(with_kernel("0/0"), with_kernel("1/0"))
    step = whole_step(both, (0, 1), Direction.FORWARD)
    times = {
        number: GraphTimes("e", "c", {1: (number,)}, {number: 10 + number}, 1, {"triton_poi_0:1": 20 + number})
        for number in (0, 1)
    }
    merged = merged_times(step, times)
    assert [merged.eager_ns([node]) for node in (1, step.starts[1] + 1)] == [10, 11]
    assert sorted(merged.kernel_ns.values()) == [20, 21]
    assert {kernel for node in step.graph.nodes for kernel in node.kernels} == set(merged.kernel_ns)


def test_a_step_of_several_graphs_opens_as_one_picture(open_graphs: OpenGraphs) -> None:
    view, _ = open_graphs(results(TWO_CUTS), choice=-1)
    assert view.choice.is_step
    assert len(view.panes[Direction.FORWARD].graphs) == 3
    assert len(view.panes[Direction.BACKWARD].graphs) == 1


def test_picking_in_the_whole_step_names_the_graph_and_a_break_its_line(open_graphs: OpenGraphs, qtbot: QtBot) -> None:
    view, state = open_graphs(results(TWO_CUTS), choice=-1)
    pane = view.panes[Direction.FORWARD]
    picked: list[Pick] = []
    state.picked.connect(picked.append)
    pane.canvas.activate(pane.placement.shape_of[pane.node_at(6, 1)])
    cut = pane.step.origins.index(None)
    pane.canvas.activate(pane.placement.shape_of[cut])
    assert picked == [Pick(report=0, graph=6, node=1), Pick(source=SOURCE)]


def test_a_selected_node_is_marked_in_the_whole_step(open_graphs: OpenGraphs) -> None:
    view, state = open_graphs(results(TWO_CUTS), choice=-1)
    pane = view.panes[Direction.FORWARD]
    state.select(Selection(Pick(side=0, slice=1), nodes=((0, 6, 1),)))
    assert view.choice.is_step
    assert pane.canvas.marks.selected == {pane.placement.shape_of[pane.node_at(6, 1)]}


def test_breaks_without_a_reason_say_so() -> None:
    silent = report(
        chain(Stage.DYNAMO, "0/0", "relu"),
        chain(Stage.DYNAMO, "1/0", "sin"),
        breaks=(GraphBreak(SOURCE, "", compile_ids=("0/0",)),),
    )
    step = whole_step(silent, (0, 1), Direction.FORWARD)
    assert step.graph.nodes[step.origins.index(None)].target == "reason not in the log"


def test_a_selection_at_another_stage_keeps_to_the_whole_step(open_graphs: OpenGraphs, qtbot: QtBot) -> None:
    view, state = open_graphs(results(TWO_CUTS), choice=-1)
    state.select(Selection(Pick(side=0, slice=1), nodes=((0, 0, 1),)))
    wait(qtbot, view)
    pane = view.panes[Direction.FORWARD]
    assert view.choice.is_step
    assert view.level is Level.DYNAMO
    assert pane.canvas.marks.selected == {pane.placement.shape_of[pane.node_at(0, 1)]}


def test_graphs_stand_as_they_were_called_and_others_where_the_log_has_them() -> None:
    graphs = [chain(Stage.AOT_FORWARD, compile_id, "mm") for compile_id in ("0/0", "1/0", "2/0 part 1", "3/0")]
    assert as_called((0, 1, 2, 3), graphs, ()) == (0, 1, 2, 3)
    assert as_called((0, 1, 2, 3), graphs, ("3/0", "2/0", "0/0")) == (3, 1, 2, 0)


class Trace:
    """Answers as a trace in which the last graph was called first."""

    def ask(self, question: Question, then: Callable[[Question, Any], None]) -> None:
        if question.id == "call order":
            then(question, ("2/0", "0/0"))


def test_the_whole_step_stands_in_the_order_of_its_trace(open_graphs: OpenGraphs) -> None:
    view, state = open_graphs(results(TWO_CUTS))
    state.answers = Trace()
    choose(view, view.chooser.count() - 1)
    ids = [TWO_CUTS.graphs[number].compile_id for number in view.panes[Direction.FORWARD].graphs]
    assert ids == ["2/0", "1/0", "0/0"]
