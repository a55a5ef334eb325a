"""Sides made from short lists of calls and GPU work in whole microseconds, read as a trace file would be."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from defect_files import load_text

from profviz.analysis.sides import make_side
from profviz.model.results import Side

KERNEL_NAMES = {"kernel": "gemm", "communication": "ncclDevKernel_AllReduce", "copy": "Memcpy DtoD"}


@dataclass(frozen=True)
class Call:
    """A call of the host's; of several with one `id` the first is the launch."""

    at: int
    dur: int
    name: str = "cudaLaunchKernel"
    thread: int = 1
    id: int = -1


@dataclass(frozen=True)
class Work:
    """Something the GPU did: `what` is kernel, communication or copy; `id` that of the call that launched it."""

    at: int
    dur: int
    stream: int = 7
    id: int = -1
    what: str = "kernel"
    device: int = 0
    name: str = ""


def made_side(calls: Sequence[Call], work: Sequence[Work], *, steps: Sequence[tuple[int, int]] = ()) -> Side:
    """`steps` as (start, end); all in microseconds, the first event at 0 where one is there."""
    events = [_call(call) for call in calls] + [_work(one) for one in work]
    for number, (start, end) in enumerate(steps):
        name = f"ProfilerStep#{number}"
        events.append({"ph": "X", "cat": "user_annotation", "name": name, "ts": start, "dur": end - start, **_host(1)})
    trace, _ = load_text(
        json.dumps([{"ph": "X", "cat": "mark", "name": "begin", "ts": 0, "dur": 0, **_host(9)}, *events])
    )
    return make_side(id="side", title="side", trace=trace, notes=())


def _host(thread: int) -> dict[str, Any]:
    return {"pid": 1, "tid": thread}


def _call(call: Call) -> dict[str, Any]:
    args = {"correlation": call.id} if call.id > 0 else {}
    category = "cpu_op" if "::" in call.name else "cuda_runtime"
    head = {"ph": "X", "cat": category, "name": call.name, "ts": call.at, "dur": call.dur}
    return {**head, **_host(call.thread), "args": args}


def _work(one: Work) -> dict[str, Any]:
    args = {"device": one.device, "stream": one.stream} | ({"correlation": one.id} if one.id > 0 else {})
    category = "gpu_memcpy" if one.what == "copy" else "kernel"
    head = {"ph": "X", "cat": category, "name": one.name or KERNEL_NAMES[one.what], "ts": one.at, "dur": one.dur}
    return {**head, "pid": one.device, "tid": one.stream, "args": args}
