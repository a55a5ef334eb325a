"""Broken events longer than any window, and files of nothing but names: what follows is there, memory is bounded."""

from __future__ import annotations

import json
import tracemalloc
from collections.abc import Iterator

import pytest
from hypothesis import given
from hypothesis import strategies as st

from profviz.formats.chrome import gather as gathering
from profviz.formats.chrome.oversized import Follower
from profviz.formats.chrome.reader import HAS_NATIVE, read_chrome_trace, read_stream
from profviz.formats.chrome.recovery import WINDOW
from profviz.model.notes import Note
from profviz.model.trace import Trace

BEFORE = '{"ph":"X","name":"before","pid":1,"tid":1,"ts":1,"dur":1}'
AFTER = '{"ph":"X","name":"after","pid":1,"tid":1,"ts":5,"dur":1}'


@pytest.fixture(params=["native", "twin"])
def scanner(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    if request.param == "native" and not HAS_NATIVE:
        pytest.skip("the native scanner was not built here")
    if request.param == "twin":
        monkeypatch.setenv("PROFVIZ_PURE", "1")
    return str(request.param)


def read(*events: str, tail: str = ',"displayTimeUnit":"ns"') -> tuple[Trace, tuple[Note, ...]]:
    text = '{"traceEvents":[' + ",".join(events) + "]" + tail + "}"
    return read_chrome_trace(text.encode(), title="t")


def shown(trace: Trace) -> list[str]:
    return [trace.name_of(index) for index in range(len(trace.slices))]


def nested(count: int, *, opening: str = "[", closing: str = "]") -> str:
    return '{"ph":"X","name":"deep","ts":2,"dur":1,"args":{"x":' + opening * count + closing * count + "}}"


@pytest.mark.parametrize("count", [1000, WINDOW // 2 - 40, WINDOW - 45, WINDOW - 44, WINDOW, 2 * WINDOW + 3])
def test_what_follows_an_event_of_a_million_brackets_is_read(count: int, scanner: str) -> None:
    trace, notes = read(BEFORE, nested(count), AFTER)
    assert shown(trace) == ["before", "after"]
    assert [(note.code, note.count) for note in notes] == [("bad_event", 1)]
    assert trace.meta == {"displayTimeUnit": "ns"}


def test_an_event_of_a_million_objects_may_be_the_last(scanner: str) -> None:
    trace, notes = read(BEFORE, nested(WINDOW // 2, opening='{"a":', closing="}"))
    assert shown(trace) == ["before"]
    assert [(note.code, note.count) for note in notes] == [("bad_event", 1)]
    assert trace.meta == {"displayTimeUnit": "ns"}


def test_a_long_event_that_never_closes_ends_where_another_begins(scanner: str) -> None:
    broken = '{"ph":"X","name":"open","args":{"x":"' + "y" * (3 * WINDOW)
    trace, notes = read(BEFORE, broken, AFTER)
    assert shown(trace) == ["before", "after"]
    assert [(note.code, note.count) for note in notes] == [("bad_event", 1)]


def test_a_file_that_ends_within_a_long_broken_event_is_cut(scanner: str) -> None:
    text = '{"traceEvents":[' + BEFORE + "," + nested(2 * WINDOW)[: 3 * WINDOW]
    trace, notes = read_chrome_trace(text.encode(), title="t")
    assert shown(trace) == ["before"]
    assert {note.code for note in notes} == {"bad_event", "truncated"}


def test_an_event_too_long_to_be_kept_is_noted_once(monkeypatch: pytest.MonkeyPatch, scanner: str) -> None:
    monkeypatch.setattr(gathering, "LONGEST_EVENT", WINDOW)
    long = '{"ph":"X","name":"long","ts":2,"dur":1,"args":{"x":"' + 'y\\"{' * (5 * WINDOW // 8) + '"}}'
    text = ('{"traceEvents":[' + ",".join([BEFORE, long, AFTER]) + "]}").encode()
    found = read_stream(blocks_of(text, WINDOW // 3), Held(text), title="t")
    assert shown(found.trace) == ["before", "after"]
    assert [(note.code, note.count) for note in found.notes] == [("bad_event", 1)]


def test_an_element_of_a_million_brackets_is_no_event(scanner: str) -> None:
    trace, notes = read(BEFORE, "[" * WINDOW + "]" * WINDOW, AFTER)
    assert shown(trace) == ["before", "after"]
    assert sum(note.count for note in notes) < 5
    assert trace.meta == {"displayTimeUnit": "ns"}


class Held:
    """A text in memory as the place events are read from."""

    def __init__(self, text: bytes) -> None:
        self._text = text

    def read_at(self, offset: int, length: int) -> bytes:
        return self._text[offset : offset + length]


def blocks_of(text: bytes, size: int) -> Iterator[bytes]:
    for at in range(0, len(text), size):
        yield text[at : at + size]


_TEXT = st.text('a"\\[]{},:é', max_size=5)
_JSON = st.recursive(
    st.none() | _TEXT, lambda part: st.lists(part, max_size=3) | st.dictionaries(_TEXT, part, max_size=3), max_leaves=9
)


@given(st.dictionaries(_TEXT, _JSON, max_size=4), st.integers(1, 9))
def test_a_whole_object_ends_where_json_says(value: dict[str, object], size: int) -> None:
    text = json.dumps(value).encode()
    follower, at = Follower(), 0
    for block in blocks_of(text + b',{"ph":"X"}]', size):
        end = follower.end(block)
        if end >= 0:
            assert at + end == len(text)
            return
        at += len(block)
    raise AssertionError("no end was found")


def test_a_file_of_distinct_counters_takes_a_small_multiple_of_its_size() -> None:
    events = (f'{{"ph":"C","pid":1,"tid":1,"ts":{n},"name":"c{n}","args":{{"a":{n}}}}}' for n in range(20_000))
    text = ("[" + ",".join(events) + "]").encode()
    tracemalloc.start()
    try:
        trace, _ = read_chrome_trace(text, title="t")
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert len(trace.counters) == 20_000
    assert trace.counters[7].value.tolist() == [float(trace.counters[7].name[1:-2])]
    assert peak < 9 * len(text)
