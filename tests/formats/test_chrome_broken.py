"""Files that do not parse cleanly: what can be read is read, and what was wrong is said."""

from __future__ import annotations

import pytest
from defect_files import DEFECTS, load_text, named
from hypothesis import given, settings
from hypothesis import strategies as st

from profviz.formats import chrome

EVENT = '{"ph": "X", "name": "%s", "cat": "cpu_op", "pid": 1, "tid": 1, "ts": %s, "dur": 1}'
A, B = EVENT % ("a", 10), EVENT % ("b", 20)


@pytest.mark.parametrize(
    ("text", "names", "codes"),
    [
        (f"[{A}{B}]", ["a", "b"], set()),  # missing comma
        (f"[{A},,{B},]", ["a", "b"], set()),
        (f"[{A}, 7, {B}]", ["a", "b"], {"bad_event"}),
        (f"[{A}, {B}] and more", ["a", "b"], {"bad_event"}),
        (f'{{"traceEvents": [{A}], "traceName": "x"', ["a"], {"truncated"}),
        (f'{{"traceEvents": [{A}, {B}', ["a", "b"], {"truncated"}),
        (f'{{"a": NaN, "traceEvents": [{A}], "b": Infinity}}', ["a"], set()),
        ('{"schemaVersion": 1, "deviceProperties": [{"id": 0, "na', [], {"truncated"}),
        (f"[{A.replace('cpu_op', chr(92) + 'x41')}, {B}]", ["a", "b"], {"bad_text"}),
        (f"[{A.replace('1}', '1, }')}, {B}]", ["a", "b"], set()),
        (f"[{A.replace('cpu_op', chr(92) + 'ud800')}, {B}]", ["a", "b"], {"bad_text"}),
        ("not json at all", [], {"truncated"}),
        (b"\x00\xff\xfe{[", [], {"truncated"}),
    ],
)
def test_odd_texts_lose_only_what_is_odd(text: str | bytes, names: list[str], codes: set[str]) -> None:
    trace, notes = load_text(text)
    assert sorted(named(trace)) == names
    assert set(notes) == codes


def test_keys_around_the_events_are_kept_even_in_a_broken_file() -> None:
    trace, _ = load_text(f'{{"schemaVersion": 1, "traceEvents": [{A},, {B}], "baseTimeNanoseconds": 5000, "n": "x"}}')
    assert trace.meta == {"schemaVersion": 1, "baseTimeNanoseconds": 5000, "n": "x"}
    assert trace.origin_ns == 5000 + 10_000


def test_texts_that_resemble_events_are_not_taken_for_them() -> None:
    trick = A.replace(
        '"dur": 1', r'"args": {"s": ", {\"ph\": \"X\"}", "list": [{"name": "n"}, {"name": "m"}]}, "dur": 1'
    )
    for text in (f"[{trick}, {B}]", f"[{trick},, {B}]"):
        trace, notes = load_text(text)
        assert (named(trace), notes) == (["a", "b"], {})
        assert trace.args(0)["args"]["list"] == [{"name": "n"}, {"name": "m"}]


def test_events_under_another_key_are_not_the_traces() -> None:
    trace, _ = load_text(f'{{"note": "\\"traceEvents\\": [", "other": {{"traceEvents": [{B}]}}, "traceEvents": [{A}]}}')
    assert named(trace) == ["a"]
    assert trace.args(0)["name"] == "a"


def test_a_cancelling_progress_stops_the_reading() -> None:
    class Stop(Exception):
        pass

    def stop(done: int, total: int) -> None:
        raise Stop

    with pytest.raises(Stop):
        chrome.read_chrome_trace(f"[{A}]".encode(), title="x", progress=stop)


WHOLE = (DEFECTS / "equal_ids_rank0.json").read_bytes()
BITS = (
    b'"',
    b"{",
    b"}",
    b"[",
    b"]",
    b",",
    b":",
    b"\\",
    b"NaN",
    b"\xff",
    b"\x01",
    b"9" * 30,
    b"-",
    b"null",
    b"e9999",
    b"",
)


@settings(max_examples=300)
@given(st.lists(st.tuples(st.integers(0, len(WHOLE)), st.integers(0, 12), st.sampled_from(BITS)), max_size=6))
def test_no_damage_raises(damage: list[tuple[int, int, bytes]]) -> None:
    data = WHOLE
    for at, count, bit in damage:
        data = data[:at] + bit + data[at + count :]
    trace, _ = load_text(data)
    for index in range(trace.event_count):
        trace.args(index)


@pytest.mark.parametrize(
    "text", ["[" * 100_000, '{"a":' * 100_000, f"[{A}, " + "[" * 100_000, '[{"args": ' + "[" * 100_000]
)
def test_endless_nesting_does_no_harm(text: str) -> None:
    load_text(text)


@pytest.mark.parametrize(
    ("spelled", "shown"),
    [
        (r"\ud83d\ude00", "\U0001f600"),
        (r"x\ud83d", "x\ufffd"),
        (r"\ude00y", "\ufffdy"),
        (r"C:\work", r"C:\work"),
        (r"\\ud83d", r"\ud83d"),
    ],
)
def test_escapes_that_are_no_characters(spelled: str, shown: str) -> None:
    trace, _ = load_text(f"[{EVENT % (spelled, 1)}, {EVENT % ('b' + chr(1), 2)}]")
    assert shown in named(trace)
    assert all(name.encode() for name in trace.names)
