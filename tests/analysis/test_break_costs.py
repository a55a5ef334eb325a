"""What breaks cost: figures of a real trace counted by hand, and generated traces against a count ns by ns."""

from __future__ import annotations

import json
from dataclasses import dataclass

import numpy as np
import pytest
from defect_files import SHARED, load_text
from hypothesis import given
from hypothesis import strategies as st

from profviz.analysis.break_costs import (
    NO_CALLS,
    NO_STEPS,
    NOT_CROSSED,
    NOT_MARKED,
    break_costs,
    find_gaps,
)
from profviz.analysis.crossings import Measure, idle_within
from profviz.analysis.intervals import unite
from profviz.analysis.linking import link_trace
from profviz.analysis.steps import find_steps
from profviz.analysis.way_back import NO_ARROWS, NO_GRAPH_BEHIND
from profviz.formats.registry import open_document
from profviz.model.compile_report import CompileReport, GraphBreak
from profviz.model.graph import Graph, SourceLine, Stage
from profviz.model.trace import MISSING, Trace


def report_of(*breaks: tuple[str, ...], graphs: tuple[str, ...] = ()) -> CompileReport:
    made = tuple(GraphBreak(SourceLine("m.py", line), "why", compile_ids=ids) for line, ids in enumerate(breaks, 1))
    dynamo = tuple(Graph(Stage.DYNAMO, one, (), ()) for one in graphs)
    return CompileReport("2.13", None, (), dynamo, made, (), (), (), len(dynamo), None)


@pytest.mark.skipif(not SHARED.is_dir(), reason="the shared captures are not beside this checkout")
def test_the_two_breaks_of_a_real_training_step() -> None:
    trace = open_document(SHARED / "broken_train.compiled-default.json.gz").trace
    report = open_document(SHARED / "broken_train.compile-log.txt.gz").report
    assert trace is not None
    assert report is not None
    steps = find_steps(trace, link_trace(trace))
    costs = break_costs(trace, report, steps)
    assert [report.breaks[cost.index].source.line for cost in costs] == [40, 43], "the most expensive first"
    item, output = costs
    # CompiledFunction of 0/0 ends 826 254 ns into the second step, that of 1/0 begins at 1 128 952
    assert [gap.dur_ns for gap in item.gaps] == [309_975, 302_698, 178_855]
    assert item.gaps[1].start_ns - steps[1].start_ns == 826_254
    assert (item.crossings, item.cpu_ns, item.gpu_idle_ns) == (1, 302_698, 302_698 - 1_440)
    assert (item.syncs, item.sync_ns) == (1, 8_155)
    assert (output.cpu_ns, output.gpu_idle_ns, output.syncs, output.sync_ns) == (224_064, 224_064, 0, 0)
    assert [trace.name_of(item.gaps[0].before), trace.name_of(item.gaps[0].after)] == [
        "Torch-Compiled Region: 0/0",
        "Torch-Compiled Region: 1/0",
    ]
    assert [gap.lookup_ns for gap in item.gaps] == [31_702, 30_798, 22_553]
    assert item.backward is not None
    assert output.backward is not None
    # CompiledFunctionBackward of 1/0 ends 4 586 059 ns into the second step, that of 0/0 begins at 4 654 887
    assert [gap.dur_ns for gap in item.backward.gaps] == [59_550, 68_828, 83_095]
    assert (item.backward.crossings, item.backward.cpu_ns, item.backward.gpu_idle_ns) == (1, 68_828, 68_828)
    assert (output.backward.cpu_ns, output.backward.syncs, output.backward.sync_ns) == (55_595, 0, 0)
    assert (item.both_ns, item.idle_ns, item.waits_ns) == (302_698 + 68_828, 301_258 + 68_828, 8_155)
    assert {trace.name_of(gap.before) for gap in item.all_gaps[1::2]} == {"CompiledFunctionBackward"}


def event(name: str, ts: int, dur: int, cat: str = "cpu_op", *, tid: int = 1, **args: object) -> dict[str, object]:
    text = f"{ts // 1000}.{ts % 1000:03d}", f"{dur // 1000}.{dur % 1000:03d}"
    return {"ph": "X", "name": name, "cat": cat, "pid": 1, "tid": tid, "ts": text[0], "dur": text[1], "args": args}


def trace_of(*events: dict[str, object]) -> Trace:
    return load_text(json.dumps({"traceEvents": list(events)}))[0]


def test_a_break_that_no_region_follows_ends_with_its_own_region() -> None:
    trace = trace_of(
        event("Torch-Compiled Region: 0/0", 0, 100), event("CompiledFunction", 10, 20), event("aten::add", 40, 10)
    )
    (gap,) = find_gaps(trace, report_of(("0/0",)), Measure(trace, ()))[0]
    assert (gap.start_ns, gap.end_ns, gap.after, gap.step, gap.gpu_idle_ns) == (30, 100, MISSING, MISSING, None)


def test_a_frame_without_a_graph_begins_with_its_region_and_goes_on_to_the_next() -> None:
    trace = trace_of(
        event("Torch-Compiled Region: 0/0", 0, 100),
        event("Torch-Compiled Region: 1/0", 40, 50),
        event("CompiledFunction", 60, 10),
    )
    (gap,) = find_gaps(trace, report_of(("0/0",)), Measure(trace, ()))[0]
    assert (gap.start_ns, gap.end_ns) == (0, 60)


def test_all_parts_of_a_split_graph_come_before_the_gap() -> None:
    trace = trace_of(
        event("Torch-Compiled Region: 0/0", 0, 100),
        event("CompiledFunction", 5, 10),
        event("CompiledFunction", 20, 10),
        event("Torch-Compiled Region: 1/0", 40, 50),
    )
    (gap,) = find_gaps(trace, report_of(("0/0 part 2",)), Measure(trace, ()))[0]
    assert (gap.start_ns, gap.end_ns) == (30, 40)


def test_what_is_unknown_says_why() -> None:
    region = event("Torch-Compiled Region: 0/0", 0, 100)
    call = event("CompiledFunction", 10, 20)
    (cost,) = break_costs(trace_of(event("aten::add", 0, 5)), report_of(("0/0",)), ())
    assert (cost.cpu_ns, cost.unknown) == (None, NOT_MARKED)
    (cost,) = break_costs(trace_of(region, call), report_of(("5/0",)), ())
    assert cost.unknown == NOT_CROSSED
    (cost,) = break_costs(trace_of(region), report_of(("0/0",), graphs=("0/0",)), ())
    assert cost.unknown == NO_CALLS
    (cost,) = break_costs(trace_of(region, call), report_of(("0/0",)), ())
    assert (cost.unknown, cost.cpu_ns, len(cost.gaps)) == (NO_STEPS, None, 1)


def test_a_step_is_charged_all_its_crossings_and_one_without_any_counts() -> None:
    events = [event(f"ProfilerStep#{at}", 1000 * at, 1000, "user_annotation") for at in range(3)]
    for start in (0, 200, 1000):  # two crossings in the first step, one in the second, none in the third
        events += [
            event("Torch-Compiled Region: 0/0", start, 100),
            event("CompiledFunction", start + 10, 20),
            event("cudaStreamSynchronize", start + 40, 7, "cuda_runtime"),
            event("cudaMemcpyAsync", start + 50, 7, "cuda_runtime"),
        ]
    trace = trace_of(*events)
    (cost,) = break_costs(trace, report_of(("0/0",)), find_steps(trace, link_trace(trace)))
    assert [gap.step for gap in cost.gaps] == [0, 0, 1]
    assert (cost.crossings, cost.cpu_ns, cost.syncs, cost.sync_ns, cost.gpu_idle_ns) == (1, 70, 1, 7, None)


def arrow(number: int, source: int, target: int) -> list[dict[str, object]]:
    ends = (("s", source, 1), ("f", target, 2))
    common = {"cat": "fwdbwd", "name": "fwdbwd", "id": number, "pid": 1, "bp": "e"}
    return [common | {"ph": phase, "ts": f"0.{ts:03d}", "tid": tid} for phase, ts, tid in ends]


def training(*, arrows: bool = True) -> list[dict[str, object]]:
    """0/0 breaks in a helper 1/0 that has no graph and breaks as well, 2/0 is the rest; then backward, last first."""
    forward = [
        event("Torch-Compiled Region: 0/0", 0, 200),
        event("CompiledFunction", 10, 20),
        event("Torch-Compiled Region: 1/0", 50, 140),
        event("Torch-Compiled Region: 2/0", 70, 90),
        event("CompiledFunction", 80, 30),
    ]
    backward = [
        event("CompiledFunctionBackward", 300, 40, tid=2),
        event("torch::autograd::AccumulateGrad", 345, 5, tid=2),
        event("cudaStreamSynchronize", 352, 4, "cuda_runtime", tid=2),
        event("CompiledFunctionBackward", 370, 40, tid=2),
    ]
    return forward + backward + (arrow(1, 80, 300) + arrow(2, 10, 370) if arrows else [])


def test_the_way_back_is_between_the_backwards_of_the_two_graphs() -> None:
    trace = trace_of(*training(), event("ProfilerStep#1", 0, 500, "user_annotation"))
    report = report_of(("0/0",), ("1/0",), graphs=("0/0", "2/0"))
    steps = find_steps(trace, link_trace(trace))
    costs = {cost.index: cost for cost in break_costs(trace, report, steps)}
    back = costs[0].backward
    assert back is not None
    assert [(gap.start_ns, gap.end_ns, gap.step) for gap in back.gaps] == [(340, 370, 0)]
    assert (back.crossings, back.cpu_ns, back.syncs, back.sync_ns, back.unknown) == (1, 30, 1, 4, "")
    assert costs[0].both_ns == 20 + 30
    assert costs[1].backward is not None
    assert costs[1].backward.unknown == NO_GRAPH_BEHIND, "what goes back there is counted once, for 0/0"


def test_of_a_backward_that_cannot_be_told_it_says_why() -> None:
    report = report_of(("0/0",), graphs=("0/0", "2/0"))
    (cost,) = break_costs(trace_of(*training(arrows=False)), report, ())
    assert cost.backward is not None
    assert (cost.backward.unknown, cost.backward.cpu_ns) == (NO_ARROWS, None)
    (cost,) = break_costs(trace_of(*training()), report, ())
    assert cost.backward is not None
    assert (len(cost.backward.gaps), cost.backward.cpu_ns) == (1, None)
    (cost,) = break_costs(trace_of(*training()[:5]), report, ())
    assert cost.backward is None


@dataclass(frozen=True)
class Frame:
    """A region that begins `lead` after its surroundings, runs a graph or none, then goes on in another frame."""

    lead: int
    call: int | None
    wait: int
    rest: int
    then: Frame | None


def frames() -> st.SearchStrategy[Frame]:
    small = st.integers(1, 60)
    last = st.builds(Frame, small, st.one_of(st.none(), small), small, small, st.none())
    return st.recursive(
        last, lambda inner: st.builds(Frame, small, st.one_of(st.none(), small), small, small, inner), max_leaves=4
    )


def laid_out(frame: Frame, at: int, number: int) -> tuple[list[dict[str, object]], list[tuple[int, int]], int, int]:
    """(events, gap of each frame from the outermost inwards, when its graph or region begins, when the region ends)."""
    start = at + frame.lead
    events, entered, after = [], start, start
    if frame.call is not None:
        entered = start + 3
        after = entered + frame.call
        events.append(event("CompiledFunction", entered, frame.call))
        events.append(event("## Call CompiledFxGraph x ##", entered, frame.call, "user_annotation"))
    end = after + frame.wait
    gaps: list[tuple[int, int]] = []
    inner_begin = None
    if frame.then is not None:
        more, gaps, inner_begin, end = laid_out(frame.then, end, number + 1)
        events += more
    end += frame.rest
    events.append(event(f"Torch-Compiled Region: {number}/0", start, end - start))
    return events, [(after, end if inner_begin is None else inner_begin), *gaps], entered, end


@given(frames(), st.lists(st.tuples(st.integers(0, 900), st.integers(1, 90)), max_size=6))
def test_gaps_and_idle_time_equal_a_count_by_hand(frame: Frame, kernels: list[tuple[int, int]]) -> None:
    events, gaps, _, _ = laid_out(frame, 0, 0)
    work = [event("k", at, dur, "kernel", tid=7, device=0, stream=7) for at, dur in kernels]
    trace = trace_of(event("first", 0, 1, "python_function", tid=3), *events, *work)
    report = report_of(*((f"{number}/0",) for number in range(len(gaps))))
    found = find_gaps(trace, report, Measure(trace, ()))
    assert [(found[i][0].start_ns, found[i][0].end_ns) for i in range(len(gaps))] == gaps
    busy = {moment for at, dur in kernels for moment in range(at, at + dur)}
    idle = [sum(moment not in busy for moment in range(start, end)) for start, end in gaps]
    assert [found[i][0].gpu_idle_ns for i in range(len(gaps))] == (idle if kernels else [None] * len(gaps))


@given(st.lists(st.tuples(st.integers(0, 50), st.integers(0, 20)), max_size=8), st.integers(0, 60), st.integers(0, 30))
def test_idle_time_within_a_stretch(spans: list[tuple[int, int]], start: int, length: int) -> None:
    starts = np.array([begin for begin, _ in spans], dtype=np.int64)
    busy = unite(starts, starts + np.array([dur for _, dur in spans], dtype=np.int64))
    covered = {moment for begin, dur in spans for moment in range(begin, begin + dur)}
    expected = sum(moment not in covered for moment in range(start, start + length))
    assert idle_within(busy, start, start + length) == expected


def test_times_beyond_what_a_double_holds_stay_exact() -> None:
    base = 2**53 + 1
    busy = unite(np.array([base], dtype=np.int64), np.array([base + 3], dtype=np.int64))
    assert idle_within(busy, base - 2, base + 6) == 5


def test_regions_of_no_break_have_no_gap() -> None:
    trace = trace_of(event("Torch-Compiled Region: 0/0", 0, 100), event("CompiledFunction", 10, 20))
    assert find_gaps(trace, report_of(), Measure(trace, ())) == {}
