"""The compiler's own spans: exact times, nesting, and what is wrong with them."""

from __future__ import annotations

import json

from log_records import record

from profviz.formats.compile_log import read_compile_log


def span(phase: str, name: str, time_us: str, *, compile_id: str = "0/0") -> bytes:
    args = json.dumps({"compile_id": compile_id})
    event = f'{{"name": "{name}", "ts": {time_us}, "ph": "{phase}", "tid": 0, "pid": 0, "args": {args}}}'
    return record({"chromium_event": {}}, event, frame="0/0")


def test_spans_nest_exactly_and_outermost_time_is_not_counted_twice() -> None:
    base = 1_795_958_014_064_321
    log = b"".join(
        (
            span("B", "dynamo", f"{base}.2"),
            span("B", "entire_frame_compile", f"{base + 1}.203"),
            span("E", "entire_frame_compile", f"{base + 3}.204"),
            span("E", "dynamo", f"{base + 5}.2"),
            span("E", "never_begun", f"{base + 5}.2"),
            span("B", "never_ended", f"{base + 6}"),
            span("i", "tick", f"{base + 8}"),
        )
    )
    report, notes = read_compile_log(log)
    assert [(e.name, e.depth, e.dur_ns) for e in report.events] == [
        ("dynamo", 0, 5000),
        ("entire_frame_compile", 1, 2001),
        ("never_ended", 0, 2000),
    ]
    assert report.events[0].start_ns == base * 1000 + 200
    assert report.compile_ns == 7000
    assert {note.code for note in notes} == {"unfinished", "cut_span"}


def test_times_beyond_any_clock_cost_their_span_alone() -> None:
    far = str(2**70)
    first_call = record({"profviz_first_call": {}}, json.dumps({"start_ns": 1, "end_ns": 2**70}))
    log = b"".join(
        (span("B", "far", far), span("B", "dynamo", "1000"), span("E", "dynamo", far), span("B", "early", "-5"))
    )
    report, notes = read_compile_log(log + first_call)
    assert [(event.name, event.start_ns) for event in report.events] == [("dynamo", 1_000_000)]
    assert {note.code: note.count for note in notes} == {"bad_record": 3, "unfinished": 1}
    assert report.first_call is None


def test_a_thread_without_a_compile_id_has_none() -> None:
    log = b"".join(span(phase, "compile_file", at, compile_id="None") for phase, at in (("B", "1"), ("E", "2")))
    report, _ = read_compile_log(log)
    assert [event.compile_id for event in report.events] == [""]


def test_helper_threads_may_end_out_of_order() -> None:
    order = ("B outer", "B file", "B wait", "E file", "E wait", "B lost", "E outer", "i tick")
    spans = (span(*text.split(), f"{1000 + at}") for at, text in enumerate(order))
    report, notes = read_compile_log(b"".join(spans))
    assert [(e.name, e.depth, e.dur_ns) for e in report.events] == [
        ("outer", 0, 6000),
        ("file", 1, 2000),
        ("wait", 2, 2000),
        ("lost", 1, 1000),
    ]
    assert [note.code for note in notes] == ["unfinished"]
