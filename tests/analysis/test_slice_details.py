"""What is told of one slice: launch, queue, operators, frames, step, neighbours and those that bear its name."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import pytest
from defect_files import SHARED, load_path, load_text, named

from profviz.analysis.sides import make_side
from profviz.analysis.slice_details import answer_slice
from profviz.model.errors import UserError
from profviz.model.questions import Question
from profviz.model.results import Results
from profviz.model.run import VariantResult
from profviz.model.slice_details import InStep, Launched, Neighbour, SliceDetails
from profviz.model.triton_binary import TritonBinary

TUNED = "gpt2.compiled-default.json.gz"


def x(name: str, category: str, tid: int, ts: int, dur: int, **args: Any) -> dict[str, Any]:
    event = {"ph": "X", "name": name, "cat": category, "pid": 1, "tid": tid, "ts": ts, "dur": dur}
    return event | {"args": {key.replace("_", " "): value for key, value in args.items()}}


def results_of(*sides: list[dict[str, Any]]) -> Results:
    made = []
    for number, events in enumerate(sides):
        trace, _ = load_text(json.dumps(events))
        made.append(make_side(id=str(number), title=f"side {number}", trace=trace, notes=()))
    return Results("", "", tuple(made), (), (), ())


def of(results: Results, name: str, *, nth: int = 0, side: int = 0) -> SliceDetails:
    at = [i for i, one in enumerate(named(results.sides[side].trace)) if one == name][nth]
    return answer_slice(results, Question("slice", side, (at,)))


def step(number: int, at: int, kernels: list[int]) -> list[dict[str, Any]]:
    """Launched every 10 µs, begun one after another from 60 µs on."""
    events = [x(f"ProfilerStep#{number}", "user_annotation", 1, at, 100)]
    begin = at + 60
    for place, dur in enumerate(kernels):
        id_ = 100 * number + place + 1
        events.append(x("launch", "cuda_runtime", 1, at + 10 * place, 4, correlation=id_))
        events.append(x("k", "kernel", 7, begin, dur, correlation=id_, stream=7, device=0))
        begin += dur + 2
    return events


def test_launch_delay_queue_step_and_neighbours_of_a_kernel() -> None:
    results = results_of(step(4, 0, [20, 30, 40]) + step(5, 1_000, [25]))
    found = of(results, "k", nth=2)
    slices = results.sides[0].trace.slices
    first, second, third, fourth = (i for i, one in enumerate(named(results.sides[0].trace)) if one == "k")
    call = int(results.sides[0].links.launch[third])
    assert found.launched == Launched(call, begin_ns=94_000, end_ns=90_000, queued=2)
    assert found.step == InStep(0, after_ns=20_000, place=2, count=3)
    assert found.before == Neighbour(second, 2_000)
    assert found.after == Neighbour(fourth, int(slices.start_ns[fourth] - slices.end_ns[third]))
    assert of(results, "k").before is None
    assert of(results, "k").launched == Launched(int(results.sides[0].links.launch[first]), 60_000, 56_000, 0)
    assert of(results, "launch", nth=1).step == InStep(0, after_ns=10_000), "calls have no place among the GPU's work"


def test_those_of_its_name_and_the_counterpart_in_the_same_place() -> None:
    results = results_of(
        step(4, 0, [20, 30, 40]) + step(5, 1_000, [25, 26]), step(8, 500, [50]) + step(9, 700, [60, 70])
    )
    found = of(results, "k", nth=4)
    assert found.alike is not None
    assert [one.spread.count for one in found.alike.series] == [5, 3]
    assert found.rank == 2, "20 and 25 are shorter"
    (other,) = found.counterparts
    trace = results.sides[1].trace
    assert (other.side, int(trace.slices.dur_ns[other.slice])) == (1, 70_000)
    assert other.how == "number 2 of 2 with this name in step 2"
    assert of(results, "k", nth=2).counterparts == (), "the other side's first step has one only"


def test_python_frames_are_those_around_and_a_stack_in_the_args_stands_in_for_them() -> None:
    op = x(
        "aten::mm",
        "cpu_op",
        1,
        12,
        20,
        Input_Dims=[[2, 3]],
        Call_stack="b.py(2): g;a.py(1): f",
        Module_Hierarchy="top.mm",
    )
    rest = [x("launch", "cuda_runtime", 1, 14, 2, correlation=1), x("k", "kernel", 7, 30, 5, correlation=1)]
    bare = of(results_of([op, *rest]), "k")
    assert (bare.frames, bare.stack, bare.module) == ((), ("b.py(2): g", "a.py(1): f"), "top.mm")
    assert bare.shapes == "[[2, 3]]"
    framed = results_of(
        [x("a.py(1): f", "python_function", 1, 0, 90), x("b.py(2): g", "python_function", 1, 10, 60), op, *rest]
    )
    found = of(framed, "k")
    trace = framed.sides[0].trace
    assert [trace.name_of(i) for i in found.frames] == ["b.py(2): g", "a.py(1): f"]
    assert trace.name_of(found.frames_of) == "launch"
    assert found.stack == ()
    assert [trace.name_of(i) for i in found.operators] == ["aten::mm"]


def test_a_file_that_is_gone_is_said_and_the_rest_is_told() -> None:
    results = results_of(step(4, 0, [20]))

    def gone(event: int) -> dict[str, Any]:
        raise UserError("the file is gone")

    side = results.sides[0]
    results = replace(results, sides=(replace(side, trace=replace(side.trace, args=gone)),))
    found = of(results, "k")
    assert (found.args, found.args_missing) == ({}, "the file is gone")
    assert found.launched is not None


def test_an_unfinished_slice_has_no_rank() -> None:
    begun = {"ph": "B", "name": "open", "cat": "cpu_op", "pid": 1, "tid": 1, "ts": 0}
    found = of(results_of([begun, x("done", "cpu_op", 1, 1, 2)]), "open")
    assert (found.rank, found.alike) == (-1, None)


def test_a_backward_kernel_of_a_real_run_has_the_frames_of_its_forward_operator() -> None:
    path = SHARED / "broken_train.eager.json.gz"
    if not path.exists():
        pytest.skip("the shared captures are not beside this checkout")
    trace, _ = load_path(path)
    results = Results("", "", (make_side(id="a", title="a", trace=trace, notes=()),), (), (), ())
    seen = 0
    for index in trace.gpu.slice.tolist():
        found = answer_slice(results, Question("slice", 0, (index,)))
        assert found.launched is not None
        assert found.step is not None
        assert found.args["name"] == trace.name_of(index)
        if found.forward:
            seen += 1
            assert found.frames_of in found.forward
            assert any("capture_one.py" in trace.name_of(frame) for frame in found.frames)
    assert seen > 20


@pytest.mark.skipif(not SHARED.is_dir(), reason="the shared captures are not beside this checkout")
def test_what_tuning_chose_is_read_off_the_launch() -> None:
    trace = load_path(SHARED / TUNED)[0]
    results = Results("", "", (make_side(id="a", title="a", trace=trace, notes=()),), (), (), ())
    kernel = next(
        at for at in trace.gpu.slice.tolist() if trace.name_of(at).startswith("triton_per_fused_add_arange_cat")
    )
    found = answer_slice(results, Question("slice", 0, (kernel,)))
    assert found.settings == "XBLOCK 1, num_warps 2, num_stages 1"
    assert of(results_of([x("aten::mm", "cpu_op", 1, 0, 9)]), "aten::mm").settings == ""


def test_what_a_kernel_needs_is_found_by_the_file_that_its_launch_names() -> None:
    events = [
        x("triton_poi_0", "cpu_op", 1, 10, 20) | {"args": {"kernel_hash": "cab", "kernel_kwargs": "XBLOCK=64"}},
        x("launch", "cuda_runtime", 1, 14, 2, correlation=1),
        x("triton_poi_0", "kernel", 7, 30, 5, correlation=1),
        x("launch", "cuda_runtime", 1, 40, 2, correlation=2),
        x("triton_red_1", "kernel", 7, 50, 5, correlation=2),
    ]
    results = results_of(events)
    own, other = TritonBinary("triton_poi_0", "cab", spills=3), TritonBinary("triton_poi_0", "cxy", spills=0)
    alone = TritonBinary("triton_red_1", "cre", spills=0)

    def known(*binaries: TritonBinary) -> Results:
        result = VariantResult("default", "Compiled", triton_kernels=binaries)
        return replace(results, sides=(replace(results.sides[0], result=result),))

    both = known(other, own, alone)
    assert [of(both, "triton_poi_0", nth=nth).binary for nth in (0, 1)] == [own, own], "the operator's and the work's"
    assert of(both, "triton_red_1").binary == alone, "nothing names its file, but one alone bears its name"
    assert of(both, "launch").binary is None
    assert of(known(other), "triton_poi_0").binary is None
    assert of(results, "triton_poi_0").binary is None
