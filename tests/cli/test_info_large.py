"""`profviz info` on the largest real capture, against an independent count with every digit."""

from __future__ import annotations

import json
import lzma
from collections.abc import Callable
from decimal import Decimal
from pathlib import Path
from typing import Any


def test_the_large_capture_agrees_with_a_plain_count(profviz: Callable[..., Any], traces: Path) -> None:
    """All of `info --json` that can be had from the plain JSON with every digit of its numbers."""
    path = traces / "gpt2_train_stacks.eager.json.xz"
    text = json.loads(lzma.decompress(path.read_bytes()), parse_float=Decimal)
    events = text["traceEvents"]
    slices = [event for event in events if event["ph"] == "X"]
    work = [event for event in slices if event.get("cat") in ("kernel", "gpu_memcpy", "gpu_memset")]
    spans = sorted((nanoseconds(event["ts"]), nanoseconds(event["dur"])) for event in work)
    told = profviz("info", path, "--json").json
    assert told["events"] == len(events)
    assert told["slices"] == len(slices)
    assert told["span_ns"] == last_end(slices) - min(nanoseconds(event["ts"]) for event in drawn(events))
    assert told["gpu"]["kernels"] == sum(event["cat"] == "kernel" for event in work)
    assert told["gpu"]["copies"] == sum(event["cat"] != "kernel" for event in work)
    assert told["gpu"]["kernel_sum_ns"] == sum(nanoseconds(e["dur"]) for e in work if e["cat"] == "kernel")
    assert told["gpu"]["busy_ns"] == union(spans)
    assert told["gpu"]["span_ns"] == last_end(work) - spans[0][0]
    assert told["gpu"]["lanes"] == len({(event["args"]["device"], event["args"]["stream"]) for event in work})


def drawn(events: list[dict[str, Any]]) -> list[dict[str, Any]]:
    return [event for event in events if event["ph"] in ("X", "i", "C")]


def nanoseconds(microseconds: Decimal) -> int:
    return int(Decimal(microseconds) * 1000)


def last_end(events: list[dict[str, Any]]) -> int:
    return max(nanoseconds(event["ts"]) + nanoseconds(event["dur"]) for event in events)


def union(spans: list[tuple[int, int]]) -> int:
    busy, reached = 0, spans[0][0]
    for start, dur in spans:
        busy += max(0, start + dur - max(start, reached))
        reached = max(reached, start + dur)
    return busy
