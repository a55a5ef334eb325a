"""Exported traces are strictly valid, exact, and mean what was shown."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from defect_files import DEFECTS, SHARED, load, load_path, load_text
from exported_traces import Event, event, exported, told, trace_of, without_text, worst
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from profviz.formats.export import export_trace
from profviz.formats.export.json_text import encode, us_text
from profviz.formats.export.made_fields import foremost_time

WHOLE = [path for path in sorted(DEFECTS.iterdir()) if path.suffix in (".json", ".gz")]
CAPTURES = ["gpt2.eager", "gpt2.compiled-reduce-overhead", "mlp2.compiled-default", "broken_train.eager"]


@pytest.mark.parametrize("path", WHOLE, ids=[path.name for path in WHOLE])
def test_every_broken_file_comes_back_as_it_was_shown_and_sound(path: Path, tmp_path: Path) -> None:
    before, _ = load_path(path)
    after, notes, _ = exported(before, tmp_path)
    assert told(after) == told(before)
    assert worst(notes) <= {"overlap", "empty", "absurd_duration"}


@pytest.mark.parametrize("name", CAPTURES)
@pytest.mark.parametrize("source", ["text", "columns"])
def test_a_real_capture_comes_back_as_it_was(name: str, source: str, tmp_path: Path) -> None:
    path = SHARED / f"{name}.json.gz"
    if not path.exists():
        pytest.skip("the shared captures are not beside this checkout")
    before, _ = load_path(path)
    after, notes, _ = exported(before if source == "text" else without_text(before), tmp_path)
    assert told(after) == told(before)
    assert worst(notes) <= {"overlap"}
    if source == "text":
        assert [after.args(event) for event in range(after.event_count)] == [
            before.args(event) for event in range(before.event_count)
        ]


def test_nanoseconds_are_exact_for_whoever_reads_doubles(tmp_path: Path) -> None:
    """Epoch-scale microseconds have no room for three decimals in a double: the seconds go to the base."""
    first, second = "1712195495406752.797", "1712195495406752.798"
    text = f"""{{"baseTimeNanoseconds": 5, "traceEvents": [
        {{"ph": "X", "name": "a", "pid": 1, "tid": 1, "ts": {first}, "dur": 0.001}},
        {{"ph": "s", "name": "f", "cat": "f", "id": 1, "pid": 1, "tid": 1, "ts": {first}}},
        {{"ph": "f", "name": "f", "cat": "f", "id": 1, "pid": 1, "tid": 1, "ts": {second}}},
        {{"ph": "X", "name": "b", "pid": 1, "tid": 1, "ts": {second}, "dur": 2}}]}}"""
    before, _ = load_text(text)
    after, _, events = exported(before, tmp_path)
    assert [event["ts"] for event in events] == [406752.797, 406752.797, 406752.798, 406752.798]
    assert after.meta == {"baseTimeNanoseconds": 1712195495_000_000_005}
    assert after.origin_ns == before.origin_ns == 1712195495406752802
    assert told(after) == told(before)
    part, _, _ = exported(before, tmp_path, window=(1, 2))
    assert part.origin_ns == before.origin_ns + 1


@pytest.mark.parametrize(
    ("ts", "text"),
    [
        ("1712195495406752797", "406752.797"),
        ("9007199254740.992", "9007199254740.992"),
        ('"5.5"', "5.500"),
        ("-1.5e-1", "-0.150"),
        ("7", "7.000"),
    ],
)
def test_times_however_spelled_are_written_alike(ts: str, text: str, tmp_path: Path) -> None:
    export_trace(load_text(f'[{{"ph": "X", "name": "a", "ts": {ts}, "dur": 1}}]')[0], tmp_path / "out.json")
    assert f'"ts":{text}' in (tmp_path / "out.json").read_text()


def test_the_clock_of_the_file_is_kept(tmp_path: Path) -> None:
    before = trace_of(event("a", 5, 1), baseTimeNanoseconds=1_000_000_007, deviceProperties=[{"id": 0}])
    after, _, events = exported(before, tmp_path)
    assert events[0]["ts"] == 5
    assert after.origin_ns == before.origin_ns == 1_000_005_007
    assert after.meta == before.meta
    later, _, _ = exported(trace_of(event("a", 5, 1), event("b", 9, 1), baseTimeNanoseconds=7), tmp_path, name="b")
    assert later.origin_ns == 9_007


def test_long_top_level_keys_stand_behind_the_events(tmp_path: Path) -> None:
    before = trace_of(event("a", 5, 1), stackFrames={str(n): {"name": "x" * 50} for n in range(2_000)})
    after, _, _ = exported(before, tmp_path)
    assert (tmp_path / "out.json").read_bytes().startswith(b'{\n"traceEvents":[\n')
    assert after.meta == before.meta


def test_begin_and_end_become_one_complete_event(tmp_path: Path) -> None:
    begin = {"ph": "B", "name": "a", "pid": 1, "tid": 1, "ts": 1, "args": {"k": [1, None]}}
    end = {"ph": "E", "pid": 1, "tid": 1, "ts": 4.5}
    open_one = {**begin, "name": "open", "ts": 6}
    before = trace_of(begin, end, end, open_one, event("x", 8, 1))
    _, notes, events = exported(before, tmp_path)
    assert events[0] == {**begin, "ph": "X", "dur": 3.5}
    assert events[1] == open_one
    assert "unmatched_end" not in notes
    done = export_trace(before, tmp_path / "out.json")
    assert sum(done.left_out.values()) == 2


@pytest.mark.parametrize("source", ["text", "columns"])
def test_a_slice_of_absurd_length_stays_one(source: str, tmp_path: Path) -> None:
    long = event("ages", 5, 10**18)
    before = trace_of(long, {**long, "name": "open", "ph": "B"}, event("x", 8, 1))
    after, notes, events = exported(before if source == "text" else without_text(before), tmp_path)
    assert told(after) == told(before)
    assert {one["name"]: one["ph"] for one in events if one["ph"] in "XB"} == {"ages": "X", "open": "B", "x": "X"}
    assert worst(notes) - {"overlap"} == {"absurd_duration"}


def test_durations_that_cannot_be_are_repaired(tmp_path: Path) -> None:
    before, noted = load("odd_durations.json")
    assert {"negative_duration", "absurd_duration", "unfinished"} <= set(noted)
    after, notes, events = exported(before, tmp_path)
    assert worst(notes) == {"absurd_duration"}
    assert all(event.get("dur", 0) >= 0 for event in events)
    assert [event["ph"] for event in events].count("B") == 1
    assert after.span_ns == before.span_ns
    usable = after.slices.flags == 0
    assert after.slices.dur_ns[usable].tolist() == before.slices.dur_ns[before.slices.flags == 0].tolist()


def test_asynchronous_spans_stay_asynchronous(tmp_path: Path) -> None:
    spans = [
        {"ph": phase, "name": "a", "cat": "io", "id": id, "pid": 1, "tid": 1, "ts": ts}
        for phase, id, ts in (("b", 7, 1), ("b", "0x8", 2), ("e", 7, 3), ("n", 7, 2.5), ("e", "0x8", 9), ("b", 9, 4))
    ]
    before = trace_of(*spans, event("x", 0, 10))
    after, notes, events = exported(before, tmp_path)
    assert told(after) == told(before)
    assert sorted(event["ph"] for event in events) == ["X", "b", "b", "b", "e", "e", "n"]
    assert worst(notes) == set()


def test_overlap_is_kept(tmp_path: Path) -> None:
    before = trace_of(event("a", 100, 40), event("b", 120, 50))
    after, notes, _ = exported(before, tmp_path)
    assert told(after) == told(before)
    assert worst(notes) == {"overlap"}


def test_values_that_are_no_numbers_are_none(tmp_path: Path) -> None:
    text = """[{"ph": "X", "name": "a", "ts": 1, "dur": 1, "args": {"bandwidth": inf, "deep": [NaN, {"x": -Infinity}]}},
        {"ph": "C", "name": "c", "pid": 1, "ts": 1, "args": {"usr": nan, "text": "many", "twelve": "12", "n": 3}}]"""
    before, _ = load_text(text)
    _, notes, events = exported(before, tmp_path)
    assert events[0]["args"] == {"bandwidth": None, "deep": [None, {"x": None}]}
    assert events[1]["args"] == {"twelve": 12, "n": 3}
    assert notes == {}


def test_args_keep_every_digit_and_character(tmp_path: Path) -> None:
    args = '{"big":123456789012345678901234567890,"f":1.10,"e":1e-7,"t":"\\u00e9\\n\\"µ","k\\u00e9y":{"a":[ 1 ]}}'
    export_trace(load_text(f'[{{"ph":"X","name":"a","ts":1,"dur":1,"args":{args}}}]')[0], tmp_path / "out.json")
    assert f'"args":{args}'.replace("k\\u00e9y", "kéy") in (tmp_path / "out.json").read_text(encoding="utf-8").replace(
        '"k\\u00e9y"', '"kéy"'
    )


def test_events_that_are_not_drawn_are_kept_and_bad_ones_counted(tmp_path: Path) -> None:
    other = {"ph": "N", "name": "object", "id": "0x1", "pid": 1, "tid": 1, "ts": 3}
    bad = [event("no time", None, 1), {"name": "no phase", "ts": 4}]
    meta = {"ph": "M", "name": "process_name", "pid": 1, "args": {"name": "python"}}
    before = trace_of(event("a", 1, 1), other, *bad, meta)
    _, notes, events = exported(before, tmp_path)
    assert [event["name"] for event in events] == ["a", "object", "process_name"]
    assert worst(notes) == set()
    assert sum(export_trace(before, tmp_path / "out.json").left_out.values()) == 2


def flow(phase: str, id: Any, ts: float, tid: int = 1) -> Event:
    return {"ph": phase, "name": "ac2g", "cat": "ac2g", "id": id, "pid": 1, "tid": tid, "ts": ts}


REUSED = (
    event("launch 1", 0, 10),
    event("child", 0, 4),
    event("launch 2", 20, 5),
    event("k1", 30, 5, tid=2),
    event("k2", 40, 5, tid=2),
    flow("s", 1, 5),
    flow("f", 1, 30, 2),
    flow("s", 1, 31),
    flow("s", 2, 20),
    flow("f", 2, 40, 2),
)


def test_arrows_of_a_selection_join_only_what_was_joined(tmp_path: Path) -> None:
    before = trace_of(*REUSED)
    whole, _, _ = exported(before, tmp_path)
    assert told(whole)["flows"] == told(before)["flows"]
    after, _, events = exported(before, tmp_path, window=(5_000, 35_001))
    joined = [(after.name_of(a), after.name_of(b)) for a, b in zip(after.flows.source, after.flows.target, strict=True)]
    assert joined == [("launch 1", "k1")]
    assert [event["ph"] for event in events if event["cat"] == "ac2g"] == ["s", "f"]


def test_a_slice_is_found_where_none_of_its_children_hides_it() -> None:
    before = trace_of(event("p", 0, 10), event("a", 0, 4), event("aa", 0, 2), event("b", 4, 6), event("q", 20, 0))
    at = {before.name_of(row): foremost_time(before, row) for row in range(len(before.slices))}
    assert at == {"p": 0, "a": 2_000, "aa": 0, "b": 4_000, "q": 20_000}
    before = trace_of(event("p", 0, 10), event("a", 0, 4), event("b", 5, 1))
    assert foremost_time(before, 0) == 4_000


@given(st.integers(-(1 << 70), 1 << 70))
def test_microseconds_have_three_exact_decimals(time_ns: int) -> None:
    text = us_text(time_ns).decode()
    assert int(text.replace(".", "")) == time_ns
    assert text[-4] == "."


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (float("nan"), b"null"),
        ([float("inf"), {"a": -float("inf")}], b'[null,{"a":null}]'),
        ("a\ud800b", '"a\ufffdb"'.encode()),
        ({"\udc00": 1 << 200}, b'{"\xef\xbf\xbd":%d}' % (1 << 200)),
        (["\ud83d", float("nan")], '["\ufffd",null]'.encode()),
    ],
)
def test_whatever_the_value_its_json_is_valid(value: Any, text: bytes) -> None:
    assert encode(value) == text


TEXTS = st.text(st.characters(exclude_categories=("Cs",)), max_size=8)
LABELS = st.one_of(st.none(), st.integers(-3, 3), st.sampled_from(["7", "Spans", ""]))
VALUES = st.recursive(
    st.one_of(st.none(), st.booleans(), st.integers(-(1 << 63), 1 << 63), st.floats(allow_nan=False), TEXTS),
    lambda inner: st.one_of(st.lists(inner, max_size=2), st.dictionaries(TEXTS, inner, max_size=2)),
    max_leaves=4,
)


@st.composite
def events(draw: Callable[[Any], Any]) -> Event:
    made = {
        "ph": draw(st.sampled_from(["X", "X", "X", "B", "E", "i", "C", "s", "f", "t", "b", "e", "N", "M"])),
        "name": draw(TEXTS),
        "cat": draw(st.sampled_from(["kernel", "cpu_op", "", "é"])),
        "pid": draw(LABELS),
        "tid": draw(LABELS),
        "ts": draw(st.integers(-50, 50_000)) / 1_000,
        "dur": draw(st.integers(0, 20_000)) / 1_000,
        "id": draw(st.integers(0, 2)),
        "args": draw(st.dictionaries(TEXTS, VALUES, max_size=2)),
    }
    return {key: value for key, value in made.items() if draw(st.integers(0, 15)) or key == "ph"}


@given(st.lists(events(), max_size=12))
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
def test_any_trace_comes_back_as_it_was_shown(tmp_path: Path, made: list[Event]) -> None:
    before = trace_of(*made)
    after, notes, _ = exported(before, tmp_path)
    assert told(after) == told(before)
    assert worst(notes) <= {"overlap", "empty"}


def test_text_is_written_as_it_comes(tmp_path: Path) -> None:
    """The whole is never held in memory: each chunk reaches the file before the next one is made."""
    sizes: list[int] = []
    many = trace_of(*(event(f"slice {number}", number, 1) for number in range(20_000)))

    def look(done: int, total: int) -> None:
        (part,) = tmp_path.iterdir()
        sizes.append(part.stat().st_size)

    export_trace(many, tmp_path / "out.json", progress=look)
    assert len(sizes) >= 4
    assert sizes[-2] > sizes[0]
    assert sizes[-1] > 100_000
