"""The native scanner and its twin, however the text is cut and whoever reads it: one trace, the same notes."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from damage_strategies import WILD
from defect_files import DEFECTS, SHARED, check_trace
from hypothesis import given, settings
from hypothesis import strategies as st
from trace_strategies import LAYOUTS, Document, assemble, documents

from profviz.formats.chrome.reader import GPU_CATEGORIES, HAS_NATIVE, Held, ReadTrace, make_scanner, read_stream
from profviz.formats.chrome.tables import Scanner
from profviz.formats.chrome.twin import TwinScanner
from profviz.formats.source import Source
from profviz.model.trace import Trace

EXAMPLES = int(os.environ.get("PROFVIZ_EXAMPLES", "15"))
CAPTURES = sorted(path for path in SHARED.glob("*.json.*") if path.suffix in (".gz", ".xz"))
SMALL = 300_000
"""A packed capture up to this size is read with the twin in a second or two."""

pytestmark = pytest.mark.skipif(not HAS_NATIVE, reason="the native scanner was not built here")


def native() -> Scanner:
    return make_scanner()


def twin() -> Scanner:
    return TwinScanner(GPU_CATEGORIES)


def cut(text: bytes, size: int) -> Iterator[bytes]:
    yield from (text[at : at + size] for at in range(0, len(text), size))


def read(text: bytes, make: Callable[[], Scanner], *, size: int = 0, workers: int = 1) -> ReadTrace:
    reading = read_stream(cut(text, size or len(text) or 1), Held(text), title="t", make=make, workers=workers)
    check_trace(reading.trace)
    return reading


def columns_of(part: Any) -> dict[str, Any]:
    return {name: getattr(part, name) for name in part.__slots__}


def assert_equal(one: Any, other: Any, where: str) -> None:
    if isinstance(one, np.ndarray):
        assert one.dtype.kind == other.dtype.kind, where  # how narrow may differ: rows read ahead in vain count
        np.testing.assert_array_equal(one, other, err_msg=where)
    elif isinstance(one, tuple) and one and hasattr(one[0], "__slots__"):
        assert len(one) == len(other), where
        for number, (first, second) in enumerate(zip(one, other, strict=True)):
            assert_equal(columns_of(first), columns_of(second), f"{where}[{number}]")
    elif isinstance(one, dict):
        assert one.keys() == other.keys(), where
        for name, value in one.items():
            assert_equal(value, other[name], f"{where}.{name}")
    else:
        assert one == other, where


def everything(trace: Trace) -> dict[str, Any]:
    """Every column, text and number of a trace, and the whole JSON of up to a hundred events."""
    found: dict[str, Any] = {
        name: columns_of(getattr(trace, name)) for name in ("slices", "gpu", "instants", "flows", "shapes", "memory")
    }
    found |= {name: getattr(trace, name) for name in ("origin_ns", "names", "categories", "lanes", "counters")}
    step = max(1, trace.event_count // 100)
    args = [(at, trace.args.offset(at), trace.args(at)) for at in range(0, trace.event_count, step)]
    return found | {"event_count": trace.event_count, "meta": repr(dict(trace.meta)), "args": repr(args)}


def assert_same(one: ReadTrace, other: ReadTrace, where: str = "trace") -> None:
    assert one.notes == other.notes, where
    assert one.has_events == other.has_events, where
    assert_equal(everything(one.trace), everything(other.trace), where)


def assert_all_agree(text: bytes, *, sizes: tuple[int, ...] = (1, 7, 64)) -> None:
    first = read(text, native)
    assert_same(first, read(text, twin), "twin")
    for size in sizes:
        assert_same(first, read(text, native, size=size), f"native, blocks of {size}")
        assert_same(first, read(text, twin, size=size), f"twin, blocks of {size}")
    for workers in (2, 3):
        assert_same(first, read(text, native, size=max(1, len(text) // 5), workers=workers), f"{workers} workers")


@pytest.mark.parametrize(
    "path", sorted(path for path in DEFECTS.iterdir() if ".json" in path.name), ids=lambda path: path.name
)
def test_they_agree_on_every_defect(path: Path) -> None:
    assert_all_agree(Source.open(path).read()[0])


@pytest.mark.skipif(not CAPTURES, reason="the shared captures are not beside this checkout")
@pytest.mark.parametrize("path", [p for p in CAPTURES if p.stat().st_size <= SMALL], ids=lambda path: path.name)
def test_they_agree_on_real_captures(path: Path) -> None:
    text = Source.open(path).read()[0]
    first = read(text, native)
    assert_same(first, read(text, twin, size=1 << 16), "twin")
    assert_same(first, read(text, native, size=100_003, workers=3), "three workers")
    assert_same(first, read(text, native, size=4093, workers=2), "small blocks")


@pytest.mark.slow
@pytest.mark.skipif(not CAPTURES, reason="the shared captures are not beside this checkout")
@pytest.mark.parametrize("path", [p for p in CAPTURES if p.stat().st_size > SMALL], ids=lambda path: path.name)
def test_they_agree_on_big_captures(path: Path) -> None:
    text = Source.open(path).read()[0]
    first = read(text, native, size=2 << 20, workers=2)
    assert_same(first, read(text, twin, size=2 << 20), "twin")
    assert_same(first, read(text, native, size=(1 << 20) - 7), "one thread")


some = settings(max_examples=EXAMPLES, deadline=None)


@some
@given(documents(), st.integers(1, 40))
def test_they_agree_on_valid_traces(doc: Document, size: int) -> None:
    assert_all_agree(doc.text, sizes=(1, size))


BITS = st.sampled_from(
    [b'"', b"{", b"}", b"[", b"]", b",", b":", b"\\", b"\\u", b"NaN", b"\xff", b"\x01", b"\n", b"null"]
)


@some
@given(st.data(), documents(), st.integers(1, 40))
def test_they_agree_on_damaged_traces(data: st.DataObject, doc: Document, size: int) -> None:
    if data.draw(st.booleans()):
        text = WILD(data.draw, doc).text
    else:
        text = doc.text
        for _ in range(data.draw(st.integers(1, 4))):
            at, gone = data.draw(st.integers(0, len(text))), data.draw(st.integers(0, 6))
            text = text[:at] + data.draw(st.one_of(BITS, st.binary(max_size=3))) + text[at + gone :]
    assert_all_agree(text, sizes=(1, size))


EVENT = {"ph": "X", "name": "caf\u00e9 \U0001f600", "cat": "kernel", "pid": 1, "tid": "s", "ts": 1.5, "dur": 2}
TINY = [
    EVENT | {"args": {"device": 0, "grid": [1, 2, 3], "x": None}},
    {"ph": "C", "name": "c", "pid": 1, "ts": 3, "args": {"a": -1.5e-3}},
    EVENT | {"args": {"list": [{"name": "n"}, True]}, "ts": -0.25},
]


@pytest.mark.parametrize("shape", ["object", "bare", "lines"])
@pytest.mark.parametrize("make", [native, twin])
def test_a_cut_at_every_byte_loads_what_stands_before_it(make: Callable[[], Scanner], shape: str) -> None:
    head = {"schemaVersion": 1} if shape == "object" else {}
    doc = assemble(TINY, LAYOUTS[0], shape=shape, head=head, tail={})
    for at in range(len(doc.text)):
        reading = read(doc.text[:at], make)
        assert reading.trace.event_count == sum(doc.end(number) <= at for number in range(len(doc.events))), at
        assert {note.code for note in reading.notes} <= {"truncated", "empty"}, at
        assert reading.notes or (shape != "object" and at >= doc.end(0)), at


def test_blocks_cut_anywhere_change_nothing() -> None:
    doc = assemble(TINY * 50, LAYOUTS[0], shape="object", head={}, tail={"baseTimeNanoseconds": 10**18})
    first = read(doc.text, native)
    for size in range(1, 400, 13):
        assert_same(first, read(doc.text, native, size=size, workers=2), f"blocks of {size}")
