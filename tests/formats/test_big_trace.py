"""The benchmarks' trace maker: repetitions are whole, shifted exactly, linked only within themselves, and valid."""

from __future__ import annotations

import importlib.util
import json
import lzma
import sys
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest

SCRIPT = Path(__file__).parents[1] / "benchmarks" / "big_trace.py"
spec = importlib.util.spec_from_file_location("big_trace", SCRIPT)
assert spec is not None
assert spec.loader is not None
big_trace = sys.modules["big_trace"] = importlib.util.module_from_spec(spec)
spec.loader.exec_module(big_trace)

TAIL = b'\n  }\n  ],\n  "traceName": "short"\n}'
IDS = {"correlation", "External id", "Ev Idx", "Sequence number", "Python id", "Python parent id"}


@pytest.fixture(scope="module")
def short() -> bytes:
    """The beginning of the real capture, closed like a whole one."""
    if not big_trace.BASE.exists():
        pytest.skip(f"the shared traces are not there: {big_trace.BASE}")
    with lzma.open(big_trace.BASE) as file:
        text = file.read(1 << 19)
    return text[: text.rindex(big_trace.BETWEEN)] + TAIL


def repeated(text: bytes, times: float) -> tuple[Any, dict[str, Any]]:
    base = big_trace.Base.parse(text)
    pieces = list(big_trace.pieces(base, int(len(text) * times)))
    return base, json.loads(b"".join(pieces), parse_float=Decimal)


def moved(event: dict[str, Any], base: Any) -> dict[str, Any]:
    """What an event of the capture must be one repetition later."""
    event = {**event, "ts": event["ts"] + base.period}
    if "id" in event:
        event["id"] += base.stride
    if "args" in event:
        event["args"] = {k: v + base.stride if k in IDS else v for k, v in event["args"].items()}
    return event


def test_the_second_repetition_is_the_first_one_shifted(short: bytes) -> None:
    original = json.loads(short, parse_float=Decimal)
    events = original["traceEvents"]
    base, made = repeated(short, 2.5)
    got = made["traceEvents"]
    assert got[: len(events)] == events
    assert got[len(events) : 2 * len(events)] == [moved(event, base) for event in events]
    assert {**made, "traceEvents": None} == {**original, "traceEvents": None}


def test_repetitions_overlap_neither_in_time_nor_in_ids(short: bytes) -> None:
    base, made = repeated(short, 2)
    half = len(base.events)
    first, second = made["traceEvents"][:half], made["traceEvents"][half:]
    assert max(e["ts"] + e.get("dur", 0) for e in first) < min(e["ts"] for e in second)
    flows = [{e["id"] for e in part if "id" in e} for part in (first, second)]
    assert flows[0]
    assert not flows[0] & flows[1]


@pytest.mark.parametrize("times", [0.3, 1.4])
def test_the_last_repetition_stops_early_in_time_and_near_the_size(short: bytes, times: float) -> None:
    base, made = repeated(short, times)
    last = made["traceEvents"][len(base.events) * int(times) :]
    every = [moved(e, base) if times > 1 else e for e in json.loads(short, parse_float=Decimal)["traceEvents"]]
    assert 0 < len(last) < len(every)
    missing = [e for e in every if e not in last]
    assert max(int(e["ts"]) for e in last) <= min(int(e["ts"]) for e in missing)
    size = sum(map(len, big_trace.pieces(base, int(len(short) * times))))
    assert size == pytest.approx(len(short) * times, rel=0.02)


def test_a_text_that_kineto_did_not_write_is_refused() -> None:
    with pytest.raises(SystemExit, match="layout"):
        big_trace.Base.parse(b'{"traceEvents":[{"ph":"X"}]}')
