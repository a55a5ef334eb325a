"""A tape's nodes in the trace: by sequence number, checked by name, and back from any slice; nothing by name alone."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
import tape_samples
from tape_samples import ACCUMULATE, FIRST_LINE, LAST_LINE, hand_made, results, side

from profviz.analysis.questions import answer
from profviz.analysis.selecting import from_slice, from_source
from profviz.analysis.tape_graph import graph_of
from profviz.analysis.tape_links import link_tape
from profviz.analysis.tape_selecting import from_tape, with_tape
from profviz.engine.results import results_of_documents
from profviz.formats.registry import open_document
from profviz.model.graph import Stage
from profviz.model.questions import Question, Unanswered
from profviz.model.results import Results
from profviz.model.tape import EagerTape, Tape, TapeLinks, TapeNode

SHARED = Path(__file__).parents[2].parent / "shared" / "traces"
SUM, RELU, TANH, MM, LEAF = range(5)


def names(shown: Results, slices: tuple[int, ...]) -> list[str]:
    return [shown.sides[0].trace.name_of(index).rpartition(": ")[2] for index in slices]


def test_every_node_has_its_operator_and_its_call_in_each_step() -> None:
    shown = results()
    links = shown.tapes[0].links
    assert {node: names(shown, found) for node, found in links.backward.items()} == {
        node: [name] * 2 for node, (name, _) in enumerate(tape_samples.BACKWARD)
    }
    assert {node: names(shown, found) for node, found in links.forward.items()} == {
        SUM: ["aten::sum"] * 2,
        RELU: ["aten::relu"] * 2,
        TANH: ["aten::tanh"] * 2,
        MM: ["aten::mm"] * 2,
    }
    assert links.notes == ()
    assert not links.forward_work


def test_a_forward_operator_has_the_sequence_number_of_its_node_and_step() -> None:
    shown = results()
    trace = shown.sides[0].trace
    for node, slices in shown.tapes[0].links.forward.items():
        own = shown.tapes[0].tape.nodes[node].sequence
        assert own is not None
        told = [trace.args(int(trace.slices.event[index]))["args"]["Sequence number"] for index in slices]
        assert told == [own + offset for offset in tape_samples.OFFSETS]


def test_kernels_follow_by_their_launches() -> None:
    shown = results(gpu=True)
    links = shown.tapes[0].links
    assert names(shown, links.forward_work[TANH]) == ["kernel_1", "kernel_1001"]
    assert names(shown, links.backward_work[TANH]) == ["kernel_502", "kernel_1502"]
    assert names(shown, links.backward_work[LEAF]) == ["kernel_504", "kernel_1504"]


def test_a_number_that_says_another_node_is_no_link() -> None:
    made = tape_samples.events()
    for event in made:
        if event["name"].endswith("TanhBackward0"):
            event["name"] = event["name"].replace("TanhBackward0", "SigmoidBackward0")
    links = link_tape(hand_made(), side(made=made))
    assert TANH not in links.backward
    assert MM in links.backward
    assert any(note.startswith("1 of 5 nodes") for note in links.notes)
    assert any(note.startswith("1 calls") for note in links.notes)


def test_gradients_that_do_not_come_in_the_tapes_order_are_left_open() -> None:
    other = TapeNode(ACCUMULATE, parameter="b", order=5)
    tape = hand_made()
    tape = replace(tape, nodes=(*tape.nodes, other))
    links = link_tape(tape, side())
    assert {LEAF, 5}.isdisjoint(links.backward), "two against one: nobody knows which"
    assert any("2 of 6" in note for note in links.notes)


def test_numbers_that_stand_twice_link_nothing() -> None:
    """Forward passes in several threads count each on their own."""
    tape = hand_made()
    twin = replace(tape.nodes[RELU], order=5)
    links = link_tape(replace(tape, nodes=(*tape.nodes, twin)), side())
    assert RELU not in links.backward
    assert TANH in links.backward


def test_a_trace_without_a_backward_pass_links_nothing_and_says_so() -> None:
    forward = [
        event for event in tape_samples.events() if event.get("cat") == "cpu_op" and "Backward" not in event["name"]
    ]
    links = link_tape(hand_made(), side(made=[event for event in forward if "evaluate" not in event["name"]]))
    assert links.backward == {}
    assert links.notes == ("5 of 5 nodes have no call of autograd's engine in the trace.",)


def test_the_graph_has_every_node_and_edge_of_the_tape() -> None:
    graph = graph_of(hand_made())
    assert graph.stage is Stage.TAPE
    assert [node.name for node in graph.nodes] == [
        "SumBackward0 1",
        "ReluBackward0 2",
        "TanhBackward0 3",
        "MmBackward0 4",
        "inner.w",
    ]
    assert graph.edges == ((0, 1), (1, 2), (2, 3), (3, 4))
    assert [node.saved_bytes for node in graph.nodes] == [0, 192, 96, 0, 0]


@pytest.mark.parametrize("gpu", [False, True])
def test_a_node_leads_to_its_slices_and_each_of_them_back(gpu: bool) -> None:  # noqa: FBT001
    shown = results(gpu=gpu)
    for node in range(5):
        linked = from_tape(shown, 0, node)
        assert linked.nodes[0] == (0, 0, node)
        assert len(linked.slices) == (2 if node == LEAF else 4) * (2 if gpu else 1)
        for at, index in linked.slices:
            assert (0, 0, node) in with_tape(shown, from_slice(shown, at, index)).nodes
    assert from_tape(shown, 0, TANH).sources == (FIRST_LINE,)


def test_what_lies_within_a_call_leads_to_its_node_and_an_annotation_to_none() -> None:
    shown = results()
    trace = shown.sides[0].trace
    inner = next(i for i in range(len(trace.slices)) if trace.name_of(i) == "TanhBackward0")
    found = with_tape(shown, from_slice(shown, 0, inner))
    assert found.nodes == ((0, 0, TANH),)
    assert found.sources == (FIRST_LINE,)
    assert found.slices[0] == (0, inner)
    step = next(i for i in range(len(trace.slices)) if trace.name_of(i).startswith("ProfilerStep"))
    assert with_tape(shown, from_slice(shown, 0, step)).nodes == ()


def test_an_operator_that_made_several_nodes_leads_to_all_of_them() -> None:
    around = tape_samples._slice("aten::linear", "cpu_op", 5, 80)
    made = [around, *tape_samples.events()]
    eager = side(made=made)
    shown = replace(results(), sides=(eager,), tapes=(tape_samples.eager_tape(hand_made(), eager),))
    outer = next(i for i in range(len(eager.trace.slices)) if eager.trace.name_of(i) == "aten::linear")
    assert set(with_tape(shown, from_slice(shown, 0, outer)).nodes) == {(0, 0, MM), (0, 0, TANH)}


def test_a_line_leads_to_its_nodes_and_their_slices() -> None:
    shown = results()
    found = with_tape(shown, from_source(shown, LAST_LINE), line=LAST_LINE)
    assert set(found.nodes) == {(0, 0, SUM), (0, 0, RELU)}
    assert len(found.slices) == 8


def test_a_tape_without_a_trace_still_selects() -> None:
    tape = hand_made()
    shown = Results("", "", (), (), (), (), tapes=(EagerTape("eager", tape, graph_of(tape), TapeLinks()),))
    assert from_tape(shown, 0, RELU).sources == (LAST_LINE,)
    assert isinstance(answer(shown, Question("tape", -1, (0,))), Unanswered)
    assert answer(shown, Question("graph times", -1, (0, 0))).eager_slices == {}
    assert answer(shown, Question("step runs", -1, (0,))) == ()


def test_times_are_means_of_the_profiled_steps() -> None:
    shown = results(gpu=True)
    times = answer(shown, Question("tape", -1, (0,)))
    tanh, leaf = times.nodes[TANH], times.nodes[LEAF]
    assert (tanh.operator, tanh.forward_ns, tanh.backward_ns) == ("aten::tanh", 30_000, 50_000)
    assert (tanh.forward_gpu_ns, tanh.backward_gpu_ns) == (7_000, 7_000)
    assert (leaf.operator, leaf.forward_ns, leaf.backward_ns) == ("", None, 50_000)
    assert times.has_gpu


def test_heat_is_the_backward_pass_and_the_play_head_runs_through_both() -> None:
    shown = results()
    times = answer(shown, Question("graph times", -1, (0, 0)))
    assert times.eager_ns([TANH]) == 50_000
    assert times.eager_ns(range(5)) == 5 * 50_000
    (runs,) = answer(shown, Question("step runs", -1, (0,)))
    assert [run.nodes[0][1] for run in runs.runs] == [MM, TANH, RELU, SUM, SUM, RELU, TANH, MM, LEAF]


@pytest.mark.skipif(not SHARED.is_dir(), reason="the shared captures are not beside this checkout")
def test_on_an_h200_every_node_has_the_kernels_that_its_call_launched() -> None:
    """The tape is made from the trace's own first step, with other numbers: what its calls are is known then."""
    shown = results_of_documents([open_document(SHARED / "broken_train.eager.json.gz")])
    eager = shown.sides[0]
    step, trace = eager.steps[0], eager.trace
    prefix = "autograd::engine::evaluate_function: "
    calls = [i for i in range(len(trace.slices)) if trace.name_of(i).startswith(prefix)]
    calls.sort(key=lambda i: int(trace.slices.start_ns[i]))
    calls = [i for i in calls if step.start_ns <= trace.slices.start_ns[i] < step.end_ns]
    numbers = [trace.args(int(trace.slices.event[i]))["args"].get("Sequence number") for i in calls]
    nodes = tuple(
        TapeNode(trace.name_of(i).removeprefix(prefix), None if n is None else n - 400, order=order)
        for order, (i, n) in enumerate(zip(calls, numbers, strict=True))
    )
    links = link_tape(Tape(nodes), eager)
    assert links.notes == ()
    assert {len(found) for found in links.backward.values()} == {len(eager.steps)}
    assert set(links.forward) == {node for node, n in enumerate(numbers) if n is not None}
    for node, call in enumerate(calls):
        assert call in links.backward[node]
        end = int(trace.slices.end_ns[call])
        launched = {
            int(index)
            for index in trace.gpu.slice
            if (launch := int(eager.links.launch[index])) >= 0
            and trace.slices.lane[launch] == trace.slices.lane[call]
            and trace.slices.start_ns[call] <= trace.slices.start_ns[launch] <= end
        }
        own = {i for i in links.backward_work.get(node, ()) if i in launched}
        assert own == launched
