"""A tape made by hand, relu(tanh(x @ w)).sum(), and traces of the same program as the profiler writes them."""

from __future__ import annotations

import json
from typing import Any

from profviz.analysis.sides import make_side
from profviz.analysis.tape_graph import graph_of
from profviz.analysis.tape_links import link_tape
from profviz.formats.chrome import read_chrome_trace
from profviz.model.graph import SourceLine, TensorSpec
from profviz.model.results import Results, Side
from profviz.model.tape import EagerTape, Owner, SavedTensor, Storage, Tape, TapeNode

SPEC = TensorSpec((4, 6), "float32", device="cpu")
FIRST_LINE = SourceLine("/home/me/net.py", 7, "forward", "y = torch.tanh(x @ self.w)")
LAST_LINE = SourceLine("/home/me/net.py", 8, "forward", "return torch.relu(y).sum()")
ACCUMULATE = "torch::autograd::AccumulateGrad"
"""What torch calls the nodes at the tape's end, which add a gradient to a parameter's."""
STEP_US, OFFSETS = 1000, (100, 140)
"""How long a step takes, and how far each step's sequence numbers are ahead of the tape's."""
FORWARD = (("aten::mm", 1), ("aten::tanh", 2), ("aten::relu", 3), ("aten::sum", 4))
BACKWARD = (("SumBackward0", 4), ("ReluBackward0", 3), ("TanhBackward0", 2), ("MmBackward0", 1), (ACCUMULATE, None))


def hand_made() -> Tape:
    """Relu's result and tanh's are the tape's; tanh's is kept by relu's node as well."""
    saved = {
        "ReluBackward0": (
            SavedTensor("result", (4, 6), "float32", 96, 0),
            SavedTensor("self", (4, 6), "float32", 96, 1),
        ),
        "TanhBackward0": (SavedTensor("result", (4, 6), "float32", 96, 1),),
        "MmBackward0": (SavedTensor("self", (4, 5), "float32", 80, 2), SavedTensor("mat2", unknown="hooks took it")),
    }
    lines = {
        "SumBackward0": LAST_LINE,
        "ReluBackward0": LAST_LINE,
        "TanhBackward0": FIRST_LINE,
        "MmBackward0": FIRST_LINE,
    }
    nodes = tuple(
        TapeNode(
            name,
            sequence,
            (SPEC,),
            saved.get(name, ()),
            parameter="inner.w" if name == ACCUMULATE else "",
            module="" if name == "SumBackward0" else "inner",
            source=lines.get(name),
            order=order,
        )
        for order, (name, sequence) in enumerate(BACKWARD)
    )
    storages = (Storage(96, Owner.TAPE, "", 1), Storage(96, Owner.TAPE, "", 2), Storage(80, Owner.INPUT, "0"))
    edges = tuple((at, at + 1, 0) for at in range(len(nodes) - 1))
    return Tape(nodes, edges, storages, "cpu", notes=("1 node: what is saved is not counted: hooks took it.",))


def events(*, gpu: bool = False, offsets: tuple[int, ...] = OFFSETS) -> list[dict[str, Any]]:
    """Two steps: 4 operators forward, 5 nodes backward, each with a kernel where there is a GPU."""
    made: list[dict[str, Any]] = []
    for step, offset in enumerate(offsets):
        base = step * STEP_US
        made.append(_slice(f"ProfilerStep#{step}", "user_annotation", base, STEP_US - 10))
        for at, (name, sequence) in enumerate(FORWARD):
            args = {"Sequence number": sequence + offset, "Fwd thread id": 0}
            made.append(_slice(name, "cpu_op", base + 10 + 40 * at, 30, **args))
            made.append(_arrow("s", offset + sequence, base + 10 + 40 * at))
            made += _kernel(1000 * step + at, base + 12 + 40 * at) if gpu else []
        for at, (name, number) in enumerate(BACKWARD):
            start = base + 300 + 60 * at
            args = {} if number is None else {"Sequence number": number + offset, "Fwd thread id": 1}
            made.append(_slice(f"autograd::engine::evaluate_function: {name}", "cpu_op", start, 50, **args))
            made.append(_slice(name, "cpu_op", start + 5, 40, **args))
            made += [] if number is None else [_arrow("f", offset + number, start + 5)]
            made += _kernel(1000 * step + 500 + at, start + 10) if gpu else []
    return made


def _slice(name: str, category: str, start: int, dur: int, *, tid: int = 1, **args: Any) -> dict[str, Any]:
    return {"ph": "X", "cat": category, "name": name, "pid": 1, "tid": tid, "ts": start, "dur": dur, "args": args}


def _arrow(phase: str, number: int, time: int) -> dict[str, Any]:
    made = {"ph": phase, "id": number, "pid": 1, "tid": 1, "ts": time, "cat": "fwdbwd", "name": "fwdbwd"}
    return made | ({"bp": "e"} if phase == "f" else {})


def _kernel(correlation: int, time: int) -> list[dict[str, Any]]:
    launch = _slice("cudaLaunchKernel", "cuda_runtime", time, 2, correlation=correlation + 1)
    where = {"device": 0, "stream": 7, "correlation": correlation + 1}
    work = _slice(f"kernel_{correlation}", "kernel", time + 5, 7, tid=7, **where)
    return [launch, work | {"pid": 0}]


def side(*, gpu: bool = False, made: list[dict[str, Any]] | None = None) -> Side:
    data = json.dumps({"traceEvents": events(gpu=gpu) if made is None else made}).encode()
    trace, notes = read_chrome_trace(data, title="eager")
    assert notes == ()
    return make_side(id="eager", title="Eager", trace=trace, notes=())


def eager_tape(tape: Tape, at: Side, *, place: int = 0) -> EagerTape:
    return EagerTape(at.id, tape, graph_of(tape), link_tape(tape, at), place)


def results(*, gpu: bool = False) -> Results:
    eager = side(gpu=gpu)
    return Results("net.py", "", (eager,), (), (), (), tapes=(eager_tape(hand_made(), eager),))
