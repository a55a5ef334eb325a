"""Arrows against what the files say: correlation ids, external ids and autograd's flow events, read anew."""

from __future__ import annotations

import gzip
import json
from collections import defaultdict
from typing import Any

import pytest
from defect_files import SHARED, load, load_path, load_text, named

from profviz.analysis.arrows import MOST_PAIRS, answer_chain, autograd_of, callers, one_hop, whole_chain, within
from profviz.analysis.sides import make_side
from profviz.model.questions import Question
from profviz.model.results import Results, Side

RUNTIME = ("cuda_runtime", "cuda_driver")
GPU = ("kernel", "gpu_memcpy", "gpu_memset")


def shared_side(name: str) -> tuple[Side, list[dict[str, Any]]]:
    path = SHARED / name
    if not path.exists():
        pytest.skip("the shared captures are not beside this checkout")
    trace, _ = load_path(path)
    events = json.loads(gzip.decompress(path.read_bytes()))["traceEvents"]
    return make_side(id="a", title="a", trace=trace, notes=()), events


def by_file(events: list[dict[str, Any]]) -> tuple[set[tuple[int, int]], set[tuple[int, int]]]:
    """(call, GPU work) of one correlation id and (forward, backward) of one flow, as pairs of numbers of events."""
    calls: dict[int, int] = {}
    work: dict[int, list[int]] = defaultdict(list)
    starts: dict[tuple[Any, Any, Any], list[int]] = defaultdict(list)
    ends: dict[int, dict[str, tuple[Any, Any, Any]]] = defaultdict(dict)
    for number, event in enumerate(events):
        category, correlation = event.get("cat"), event.get("args", {}).get("correlation")
        if event["ph"] == "X" and category in RUNTIME:
            calls.setdefault(correlation, number)
        if event["ph"] == "X" and category in GPU:
            work[correlation].append(number)
        if event["ph"] == "X" and category == "cpu_op":
            starts[event["pid"], event["tid"], event["ts"]].append(number)
        if category == "fwdbwd":
            ends[event["id"]][event["ph"]] = (event["pid"], event["tid"], event["ts"])
    asked = {(calls[id_], one) for id_, own in work.items() if id_ in calls for one in own}
    crossed = {(starts[one["s"]][0], starts[one["f"]][0]) for one in ends.values()}
    return asked, crossed


@pytest.mark.parametrize(
    "name", ["gpt2.eager.json.gz", "broken_train.eager.json.gz", "broken_train.compiled-default.json.gz"]
)
def test_one_hop_is_what_the_file_says(name: str) -> None:
    side, events = shared_side(name)
    asked, crossed = by_file(events)
    event = side.trace.slices.event
    found = {pair for index in range(len(side.trace.slices)) for pair in one_hop(side, index)}
    numbered = {(int(event[a]), int(event[b])) for a, b in found}
    categories = {(events[a]["cat"] in RUNTIME, events[b]["cat"] in GPU): set() for a, b in numbered}
    for a, b in numbered:
        categories[events[a]["cat"] in RUNTIME, events[b]["cat"] in GPU].add((a, b))
    assert categories[True, True] == asked
    others = categories[False, False]
    assert {pair for pair in others if events[pair[1]]["cat"] not in RUNTIME} == crossed
    for op, call in others - crossed:
        assert events[op]["cat"] == "cpu_op"
        start, end = events[op]["ts"], events[op]["ts"] + events[op]["dur"]
        same_id = events[op]["args"].get("External id") == events[call]["args"].get("External id")
        assert same_id or start <= events[call]["ts"] <= end


def test_the_chain_of_a_backward_kernel_reaches_the_forward_one() -> None:
    side, _ = shared_side("broken_train.eager.json.gz")
    trace = side.trace
    kernel = next(
        index
        for index in trace.gpu.slice.tolist()
        if any("AddmmBackward0" in trace.name_of(one) for one in callers(trace.slices, int(side.links.op[index])))
    )
    pairs = whole_chain(side, kernel)
    launch = int(side.links.launch[kernel])
    assert pairs[:2] == ((launch, kernel), (int(side.links.op[kernel]), launch))
    (forward, backward), *rest = pairs[2:]
    assert (trace.name_of(forward), trace.name_of(backward)) == ("aten::addmm", "AddmmBackward0")
    assert backward in callers(trace.slices, int(side.links.op[kernel]))
    work = [b for a, b in rest if side.links.gpu_count[a] > 0]
    assert work
    assert {int(side.links.op[index]) for index in work} <= {forward, *within(trace.slices, forward).tolist()}
    assert set(whole_chain(side, work[0])) >= {(forward, backward), (launch, kernel)}, "and back"


def test_what_the_engine_does_beside_a_node_belongs_to_it() -> None:
    event = '{"ph": "X", "name": "%s", "cat": "cpu_op", "pid": 1, "tid": %d, "ts": %d, "dur": %d}'
    flow = '{"ph": "%s", "name": "f", "cat": "fwdbwd", "id": 1, "pid": 1, "tid": %d, "ts": %d, "bp": "e"}'
    text = [
        event % ("forward", 1, 0, 10),
        event % ("around", 2, 100, 50),
        event % ("node", 2, 105, 10),
        event % ("add up", 2, 120, 10),
        event % ("alone", 2, 200, 10),
        flow % ("s", 1, 0),
        flow % ("f", 2, 105),
    ]
    trace, _ = load_text(f"[{', '.join(text)}]")
    at = {name: index for index, name in enumerate(named(trace))}
    crossing = ((at["forward"], at["node"]),)
    assert [autograd_of(trace, at[name]) for name in ("node", "add up", "around", "forward")] == [crossing] * 4
    assert autograd_of(trace, at["alone"]) == ()


def test_a_graph_replay_leads_to_all_its_kernels() -> None:
    trace, _ = load("graph_replay.json")
    side = make_side(id="a", title="a", trace=trace, notes=())
    at = {name: index for index, name in enumerate(named(trace))}
    replay = at["cudaGraphLaunch"]
    assert {b for a, b in one_hop(side, replay) if a == replay} == {at["k1"], at["k2"], at["k3"]}
    assert one_hop(side, at["k1"]) == ((replay, at["k1"]),)


def test_an_outer_operator_leads_to_the_calls_of_those_within() -> None:
    event = '{"ph": "X", "name": "%s", "cat": "%s", "pid": 1, "tid": %d, "ts": %d, "dur": %d, "args": %s}'
    text = [event % ("outer", "cpu_op", 1, 0, 9_000, "{}"), event % ("inner", "cpu_op", 1, 1, 8_000, "{}")]
    for number in range(MOST_PAIRS + 4):
        args = json.dumps({"correlation": number + 1})
        text += [event % ("launch", "cuda_runtime", 1, 2 + 3 * number, 1, args)]
        text += [event % ("k", "kernel", 7, 4 + 3 * number, 1, args)]
    trace, _ = load_text(f"[{', '.join(text)}]")
    side = make_side(id="a", title="a", trace=trace, notes=())
    outer = named(trace).index("outer")
    assert within(trace.slices, outer).tolist() == [
        i for i in range(len(trace.slices)) if i != outer and i not in set(trace.gpu.slice.tolist())
    ]
    pairs = one_hop(side, outer)
    assert len(pairs) == len(whole_chain(side, outer)) == MOST_PAIRS, "as many as can be looked at"
    assert all(trace.name_of(b) == "launch" for a, b in pairs if a == outer)
    results = Results("", "", (side,), (), (), ())
    assert answer_chain(results, Question("chain", 0, (outer, False))) == pairs
