"""Files that do not parse cleanly: what can be read is read, and what was wrong is said."""

from __future__ import annotations

import pytest
from defect_files import DEFECTS, load, load_text, named
from hypothesis import given, settings
from hypothesis import strategies as st

from profviz.formats import chrome
from profviz.formats.source import Source
from profviz.model.errors import UserError
from profviz.model.notes import Severity


@pytest.mark.parametrize("name", ["truncated_array.json", "truncated_in_args.json"])
def test_a_cut_file_keeps_every_whole_event(name: str) -> None:
    trace, notes = load(name)
    assert named(trace) == ["aten::add", "aten::mul"]
    assert set(notes) == {"truncated"}
    assert notes["truncated"].severity is Severity.WARNING
    (sample,) = notes["truncated"].samples
    assert sample.text == "last complete event: aten::mul"
    assert 200 < sample.offset <= (DEFECTS / name).stat().st_size


def test_a_final_empty_event_is_no_defect() -> None:
    trace, notes = load("final_empty_event.json")
    assert trace.event_count == 1
    assert not notes


@pytest.mark.parametrize("name", ["raw_quotes_in_name.json", "dict_as_file_name.json", "odd_raw_quote_in_name.json"])
def test_an_event_with_raw_quotes_costs_only_itself(name: str) -> None:
    trace, notes = load(name)
    assert named(trace) == ["aten::add", "aten::relu"]
    assert notes["bad_event"].count == 1
    offset = notes["bad_event"].samples[0].offset
    assert (DEFECTS / name).read_bytes()[offset:].startswith(b'{"ph": "X", "cat": "python_function"')


def test_control_bytes_and_broken_utf8_show_as_replacement_marks() -> None:
    trace, notes = load("control_and_invalid_bytes.json")
    assert named(trace) == ["run�now", "caf�"]
    assert notes["bad_text"].count == 2
    assert trace.args(1)["name"] == "caf�"


def test_infinite_and_nan_tokens_are_unknown() -> None:
    trace, notes = load("bare_inf_and_nan.json")
    assert notes["non_finite"].count == 2
    copy = named(trace).index("Memcpy HtoD")
    assert trace.args(int(trace.slices.event[copy]))["args"]["memory bandwidth (GB/s)"] is None
    (counter,) = trace.counters
    assert (counter.time_ns.tolist(), counter.value.tolist()) == ([26_000], [0.5])


@pytest.mark.parametrize("name", ["zero_bytes.json", "gzip_of_nothing.json.gz", "empty_object.json", "no_events.json"])
def test_an_empty_file_says_so(name: str) -> None:
    _, notes = load(name)
    assert set(notes) == {"empty"}
    with pytest.raises(UserError, match="is empty: the exporter wrote no data"):
        chrome.FORMAT.read(Source.open(DEFECTS / name), None)


def test_gzip_members_that_are_halves_make_one_trace() -> None:
    trace, notes = load("gzip_two_halves.json.gz")
    assert trace.event_count == 3
    assert not notes


def test_a_cut_gzip_gives_the_events_before_the_cut() -> None:
    trace, notes = load("gzip_cut.json.gz")
    assert named(trace) == [f"aten::op{i}" for i in range(trace.event_count)]
    assert trace.event_count > 40
    assert set(notes) == {"truncated_gzip", "truncated"}


def test_two_traces_in_one_file_show_the_first() -> None:
    trace, notes = load("gzip_two_traces.json.gz")
    assert named(trace) == ["aten::add", "aten::mul", "aten::relu"]
    assert set(notes) == {"second_document"}


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
