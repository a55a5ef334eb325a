from __future__ import annotations

import csv
import dataclasses
import gzip
import importlib
import json
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from defect_files import DEFECTS, SHARED, load, load_path, load_text
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from profviz.formats.document import Cancelled
from profviz.formats.export import EXPORTERS, NothingSelected, export_trace, exporter_of
from profviz.formats.export.json_text import encode, us_text
from profviz.formats.export.made_fields import foremost_time
from profviz.model.errors import UserError
from profviz.model.notes import Note, Severity
from profviz.model.trace import Trace

Event = dict[str, Any]
HAS_ARROW = importlib.util.find_spec("pyarrow") is not None


def event(name: str, ts: Any, dur: Any = None, **more: Any) -> Event:
    timed = {} if dur is None else {"dur": dur}
    return {"ph": "X", "cat": "cpu_op", "name": name, "pid": 1, "tid": 1, "ts": ts, **timed, **more}


def trace_of(*events: Event, **meta: Any) -> Trace:
    return load_text(json.dumps({**meta, "traceEvents": events}))[0]


def strict(path: Path) -> Any:
    """The JSON of a file by the letter: UTF-8, no NaN, no half surrogate."""
    data = path.read_bytes()
    text = (gzip.decompress(data) if path.suffix == ".gz" else data).decode()
    value = json.loads(text, parse_constant=lambda token: pytest.fail(token))
    json.dumps(value, ensure_ascii=False).encode()
    return value


def exported(trace: Trace, folder: Path, **options: Any) -> tuple[Trace, dict[str, Note], list[Event]]:
    """The trace after it was written and opened again, its notes, and the events as they stand in the file."""
    path = folder / "out.json"
    export_trace(trace, path, **options)
    again, notes = load_text(path.read_bytes())
    return again, notes, strict(path)["traceEvents"]


def without_text(trace: Trace) -> Trace:
    return dataclasses.replace(trace, args=lambda event: {})


def told(trace: Trace) -> dict[str, Any]:
    """All that a trace's columns say, in words instead of numbers, whatever order its texts are in."""
    s, g, i, f = trace.slices, trace.gpu, trace.instants, trace.flows
    lanes = trace.lanes
    columns = ("start_ns", "dur_ns", "row", "parent", "correlation", "external", "flags", "lane")
    gpu = [getattr(g, field.name) for field in dataclasses.fields(g)]
    return {
        "origin": trace.origin_ns,
        "meta": {key: value for key, value in trace.meta.items() if key != "baseTimeNanoseconds"},  # see origin
        "lanes": lanes,
        "slices": [getattr(s, name).tolist() for name in columns],
        "names": [trace.names[name] for name in s.name.tolist()],
        "categories": [trace.categories[number] for number in s.category.tolist()],
        "gpu": [np.nan_to_num(column, nan=-7).tolist() for column in gpu],
        "instants": sorted(
            zip(i.time_ns.tolist(), (trace.names[name] for name in i.name.tolist()), i.lane.tolist(), strict=True)
        ),
        "flows": sorted(
            zip(f.source.tolist(), f.target.tolist(), (trace.categories[c] for c in f.category.tolist()), strict=True)
        ),
        "counters": sorted((c.lane, c.name, c.time_ns.tolist(), c.value.tolist()) for c in trace.counters),
        "shapes": [trace.shapes.of(row) for row in trace.shapes.slice.tolist()],
        "memory": [
            getattr(trace.memory, field.name).tolist()
            for field in dataclasses.fields(trace.memory)
            if field.name != "event"
        ],
    }


def worst(notes: dict[str, Note]) -> set[str]:
    return {code for code, note in notes.items() if note.severity >= Severity.WARNING}


WHOLE = [path for path in sorted(DEFECTS.iterdir()) if path.suffix in (".json", ".gz")]
CAPTURES = ["gpt2.eager", "gpt2.compiled-reduce-overhead", "mlp2.compiled-default", "broken_train.eager"]


@pytest.mark.parametrize("path", WHOLE, ids=[path.name for path in WHOLE])
def test_every_broken_file_comes_back_as_it_was_shown_and_sound(path: Path, tmp_path: Path) -> None:
    before, _ = load_path(path)
    after, notes, _ = exported(before, tmp_path)
    if path.name != "odd_durations.json":  # has one that is absurd, see below
        assert told(after) == told(before)
    assert worst(notes) <= {"overlap", "empty"}


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


def test_durations_that_cannot_be_are_repaired(tmp_path: Path) -> None:
    before, noted = load("odd_durations.json")
    assert {"negative_duration", "absurd_duration", "unfinished"} <= set(noted)
    after, notes, events = exported(before, tmp_path)
    assert worst(notes) == set()
    assert all(event.get("dur", 0) >= 0 for event in events)
    assert [event["ph"] for event in events].count("B") == 2
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


PARTS = (
    event("before", 0, 10),
    event("into", 5, 10),
    event("Inside", 12, 2, tid=2),
    event("point", 10, 0, tid=3),
    event("at the end", 20, 5),
    {"ph": "i", "s": "t", "name": "instant", "pid": 1, "tid": 2, "ts": 13},
    {"ph": "i", "s": "t", "name": "late", "pid": 1, "tid": 2, "ts": 20},
    {"ph": "i", "s": "t", "name": "[memory]", "pid": 1, "tid": 2, "ts": 15, "args": {"Addr": 1, "Bytes": -8}},
    {"ph": "C", "name": "count", "pid": 1, "tid": 2, "ts": 14, "args": {"n": 1}},
    {"ph": "C", "name": "count", "pid": 1, "tid": 2, "ts": 20, "args": {"n": 2}},
    {"ph": "M", "name": "thread_name", "pid": 1, "tid": 2, "args": {"name": "worker"}},
)


@pytest.mark.parametrize(
    ("options", "names"),
    [
        ({"window": (10_000, 20_000)}, ["into", "Inside", "point", "instant", "[memory]", "count", "thread_name"]),
        ({"lanes": [1]}, ["Inside", "instant", "late", "[memory]", "count", "count", "thread_name"]),
        ({"name": "in"}, ["into", "Inside", "point", "instant", "thread_name"]),
        ({"name": "INS", "lanes": [1], "window": (0, 13_000)}, ["Inside", "thread_name"]),
        ({"name": "count", "window": (12_000, 13_000)}, None),
        ({"lanes": []}, None),
    ],
)
@pytest.mark.parametrize("source", ["text", "columns"])
def test_a_selection_holds_what_reaches_into_it(
    options: dict[str, Any], names: list[str] | None, source: str, tmp_path: Path
) -> None:
    trace = trace_of(*PARTS) if source == "text" else without_text(trace_of(*PARTS))
    if names is None:
        with pytest.raises(NothingSelected):
            export_trace(trace, tmp_path / "out.json", **options)
        assert list(tmp_path.iterdir()) == []
        return
    _, _, events = exported(trace, tmp_path, **options)
    found = [event["name"] for event in events if event["ph"] != "M"]
    wanted = [name for name in names if name != "thread_name"]
    assert sorted(name.replace("count n", "count") for name in found) == sorted(wanted)


def test_what_is_selected_is_not_cut(tmp_path: Path) -> None:
    before = trace_of(*PARTS)
    after, _, _ = exported(before, tmp_path, window=(14_000, 15_000))
    assert after.slices.dur_ns.tolist() == [10_000]
    assert after.origin_ns == before.origin_ns + 5_000


GPU = event("k", 3, 2, cat="kernel", pid=0, tid=7, args={"device": 0, "stream": 7, "grid": [1, 2, 3], "correlation": 5})


def rows_of(trace: Trace, folder: Path, **options: Any) -> list[dict[str, str]]:
    export_trace(trace, folder / "out.csv", **options)
    with (folder / "out.csv").open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def test_a_row_a_slice_in_order_of_time(tmp_path: Path) -> None:
    odd = event('a "quoted",\nname', 1, 1, args={"External id": 1 << 40})
    rows = rows_of(trace_of(GPU, odd, event("open", 4, -1)), tmp_path)
    assert [row["name"] for row in rows] == ['a "quoted",\nname', "k", "open"]
    kernel = rows[1]
    assert (kernel["start_ns"], kernel["dur_ns"], kernel["category"]) == ("2000", "2000", "kernel")
    assert [kernel[key] for key in ("device", "stream", "grid_x", "grid_z", "correlation")] == ["0", "7", "1", "3", "5"]
    assert (kernel["lane_kind"], kernel["process"], kernel["pid"], kernel["tid"]) == ("gpu", "GPU 0", "0", "7")
    assert kernel["block_x"] == kernel["registers"] == kernel["occupancy_pct"] == kernel["external_id"] == ""
    assert (rows[0]["external_id"], rows[0]["grid_x"], rows[0]["depth"]) == (str(1 << 40), "", "0")
    assert [row["state"] for row in rows] == ["", "", "unfinished"]


def test_a_table_of_a_selection(tmp_path: Path) -> None:
    assert [row["name"] for row in rows_of(trace_of(*PARTS), tmp_path, name="in", lanes=[0])] == ["into"]


@pytest.mark.skipif(not HAS_ARROW, reason="pyarrow is not installed")
def test_parquet_holds_the_same_as_csv(tmp_path: Path) -> None:
    parquet = importlib.import_module("pyarrow.parquet")
    trace = trace_of(GPU, *PARTS)
    done = export_trace(trace, tmp_path / "out.parquet")
    table = parquet.read_table(tmp_path / "out.parquet")
    assert (done.written, table.num_rows) == (6, 6)
    plain = [{key: "" if value is None else str(value) for key, value in row.items()} for row in table.to_pylist()]
    assert plain == rows_of(trace, tmp_path)
    assert table.schema.metadata[b"origin_ns"] == str(trace.origin_ns).encode()
    assert {str(kind) for kind in table.schema.types} == {
        "int64",
        "double",
        "dictionary<values=string, indices=int32, ordered=0>",
    }


def test_without_pyarrow_it_says_what_to_install(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    with pytest.raises(UserError, match="Parquet") as caught:
        export_trace(trace_of(GPU), tmp_path / "out.parquet")
    assert "profviz[export]" in caught.value.hint
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("suffix", [".json", ".csv"])
def test_packed_when_the_name_says_so(suffix: str, tmp_path: Path) -> None:
    plain, packed = tmp_path / f"a{suffix}", tmp_path / f"a{suffix}.gz"
    for path in (plain, packed):
        export_trace(trace_of(GPU, *PARTS), path)
    assert gzip.decompress(packed.read_bytes()) == plain.read_bytes()
    before = packed.read_bytes()
    export_trace(trace_of(GPU, *PARTS), packed)
    assert packed.read_bytes() == before


@pytest.mark.parametrize("suffix", [".json", ".json.gz", ".csv", ".csv.gz", ".parquet"])
def test_cancelling_leaves_what_was_there(suffix: str, tmp_path: Path) -> None:
    if suffix == ".parquet" and not HAS_ARROW:
        pytest.skip("pyarrow is not installed")
    path = tmp_path / f"out{suffix}"
    path.write_text("precious")
    calls: list[tuple[int, int]] = []

    def stop(done: int, total: int) -> None:
        calls.append((done, total))
        raise Cancelled

    with pytest.raises(Cancelled):
        export_trace(trace_of(GPU), path, progress=stop)
    assert calls == [(1, 1)]
    assert [(found.name, found.read_text()) for found in tmp_path.iterdir()] == [(path.name, "precious")]
    export_trace(trace_of(GPU), path)
    assert len(list(tmp_path.iterdir())) == 1


def test_progress_ends_at_the_whole(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("profviz.formats.export.event_fields.CHUNK", 3)
    calls: list[tuple[int, int]] = []
    export_trace(trace_of(*PARTS), tmp_path / "out.json", progress=lambda done, total: calls.append((done, total)))
    assert calls == [(3, 11), (6, 11), (9, 11), (11, 11)]


def test_a_place_that_cannot_be_written_says_so(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="can't be written"):
        export_trace(trace_of(GPU), tmp_path / "none" / "out.json")
    (tmp_path / "out.json").mkdir()
    with pytest.raises(UserError, match="can't be written"):
        export_trace(trace_of(GPU), tmp_path / "out.json")
    assert [path.name for path in tmp_path.iterdir()] == ["out.json"]


def test_the_registry_has_an_entry_a_suffix() -> None:
    suffixes = [suffix for exporter in EXPORTERS for suffix in exporter.suffixes]
    assert len(set(suffixes)) == len(suffixes)
    assert len({exporter.id for exporter in EXPORTERS}) == len(EXPORTERS)
    for exporter in EXPORTERS:
        assert exporter_of(Path(f"A{exporter.suffixes[0].upper()}")) is exporter
        assert exporter_of(Path("x.bin"), kind=exporter.id) is exporter
    for path, kind in ((Path("x.bin"), ""), (Path("x.json"), "xml")):
        with pytest.raises(UserError) as caught:
            exporter_of(path, kind=kind)
        assert ".parquet" in caught.value.hint


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
