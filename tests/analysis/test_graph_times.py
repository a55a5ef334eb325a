"""What nodes took: sums over steps that add up to what the trace holds, and the order in which a step ran them."""

from __future__ import annotations

from pathlib import Path

import pytest

from profviz.analysis.graph_times import compiled_side, eager_side, mean_a_step_ns
from profviz.analysis.questions import answer
from profviz.engine.results import results_of_documents
from profviz.formats.registry import open_document
from profviz.model.graph import Stage
from profviz.model.questions import Question
from profviz.model.results import Results

SHARED = Path(__file__).parents[2].parent / "shared" / "traces"
pytestmark = pytest.mark.skipif(not SHARED.is_dir(), reason="the shared captures are not beside this checkout")


def opened(name: str, *, eager: bool = True) -> Results:
    files = [f"{name}.compiled-default.json.gz", f"{name}.compile-log.txt.gz"]
    files = [f"{name}.eager.json.gz", *files] if eager else files
    return results_of_documents([open_document(SHARED / file) for file in files])


def number_of(results: Results, stage: Stage) -> int:
    return next(at for at, graph in enumerate(results.reports[0][1].graphs) if graph.stage is stage)


def test_eager_times_of_all_nodes_are_the_work_of_a_step() -> None:
    results = opened("gpt2")
    times = answer(results, Question("graph times", -1, (0, number_of(results, Stage.DYNAMO))))
    busy = [step.gpu_busy_ns for step in results.sides[0].steps]
    assert times.eager_ns(times.eager_slices) == pytest.approx(sum(busy) / len(busy), rel=0.01)
    assert (times.eager, times.compiled) == (results.sides[0].title, results.sides[1].title)


def test_every_kernel_handle_of_the_post_grad_graph_has_its_mean_time() -> None:
    results = opened("gpt2")
    number = number_of(results, Stage.POST_GRAD_INFERENCE)
    times = answer(results, Question("graph times", -1, (0, number)))
    handles = {kernel for node in results.reports[0][1].graphs[number].nodes for kernel in node.kernels}
    assert set(times.kernel_ns) == handles
    side = results.sides[1]
    for key, slices in side.slices_of_kernel.items():
        handle = key.rsplit(" ", 1)[1]
        assert times.kernel_ns[handle] == mean_a_step_ns(side, slices)
    total = sum(times.kernel_ns.values())
    assert total <= max(step.gpu_busy_ns for step in side.steps) * 1.01


def test_without_an_eager_run_eager_times_are_unknown_and_not_zero() -> None:
    results = opened("broken_train", eager=False)
    assert eager_side(results) is None
    assert compiled_side(results, 0) is results.sides[0]
    times = answer(results, Question("graph times", -1, (0, 0)))
    assert times.eager == ""
    assert times.eager_slices == {}
    assert times.eager_ns([0, 1, 2]) is None
    assert times.kernel_ns


def test_a_step_runs_forward_before_backward_in_time_and_every_run_has_its_nodes() -> None:
    results = opened("broken_train")
    eager, compiled = answer(results, Question("step runs", -1, (0,)))
    assert (eager.side, compiled.side) == (0, 1)
    graphs = results.reports[0][1].graphs
    for runs in (eager, compiled):
        starts = [run.start_ns for run in runs.runs]
        assert starts == sorted(starts)
        assert all(run.nodes for run in runs.runs)
    backward = [run.start_ns for run in eager.runs if graphs[run.nodes[0][0]].stage is Stage.AOT_BACKWARD]
    forward = [run.start_ns for run in eager.runs if graphs[run.nodes[0][0]].stage is Stage.DYNAMO]
    assert max(forward) < min(backward)


def test_eager_times_of_all_graphs_together_are_no_more_than_the_step_was_busy() -> None:
    results = opened("broken_train")
    slices: dict[int, int] = {}
    for number in range(len(results.reports[0][1].graphs)):
        slices |= answer(results, Question("graph times", -1, (0, number))).slice_ns
    busy = sum(step.gpu_busy_ns for step in results.sides[0].steps)
    assert 0 < sum(slices.values()) <= busy
