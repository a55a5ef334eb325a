"""Times are exact to the nanosecond whatever way a number is written, and odd durations are told apart."""

from __future__ import annotations

from decimal import Decimal

import pytest
from defect_files import DEFECTS, load, load_text
from hypothesis import given
from hypothesis import strategies as st

from profviz.formats.chrome.exact_time import parse_us
from profviz.model.trace import MISSING, Flag


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (b"0", 0),
        (b"12", 12_000),
        (b"12.3", 12_300),
        (b"12.345", 12_345),
        (b"12.3454", 12_345),
        (b"12.3455", 12_346),
        (b"-12.3455", -12_346),
        (b"8.4240001", 8_424),
        (b"1778655624745710.980", 1_778_655_624_745_710_980),
        (b"1712195495406752.797", 1_712_195_495_406_752_797),
        (b"9.2e15", 9_200_000_000_000_000_000),
        (b"1.5E-3", 2),
        (b"1.4e-3", 1),
        (b".5", 500),
        (b"5.", 5_000),
        (b"+3", 3_000),
        (b"1778655624745710980", 1_778_655_624_745_710_980),
        (b"-1", -1_000),
        (b"", None),
        (b"null", None),
        (b"NaN", None),
        (b"inf", None),
        (b"true", None),
        (b'""', None),
        (b".", None),
        (b"1.2.3", None),
        (b"0x10", None),
        (b"1e", None),
        (b"9" * 5000, None),
        (b"1." + b"3" * 5000, None),
        ("١٢".encode(), None),
    ],
)
def test_number_texts(text: bytes, expected: int | None) -> None:
    assert parse_us(text) == expected


@given(st.integers(-(10**17), 10**17), st.integers(0, 6))
def test_any_decimal_is_as_exact_as_decimal_arithmetic(digits: int, places: int) -> None:
    number = Decimal(digits).scaleb(-places)
    exact = number * 1000
    rounded = int(exact.quantize(Decimal(1), rounding="ROUND_HALF_UP"))
    assert parse_us(f"{number:f}".encode()) == rounded


def test_integers_of_nanoseconds_are_taken_as_such() -> None:
    event = '{"ph": "X", "name": "a", "pid": 1, "tid": 1, "ts": 17786556247457109%02d, "dur": 15}'
    trace, _ = load_text(f"[{event % 80}, {event % 95}]")
    assert trace.slices.start_ns.tolist() == [0, 15]
    assert trace.slices.dur_ns.tolist() == [15, 15]
    assert trace.slices.row.tolist() == [0, 0]


def test_partly_overlapping_kernels_are_both_there() -> None:
    trace, notes = load("partial_overlap.json")
    assert trace.slices.row.tolist() == [0, 1]
    assert trace.slices.parent.tolist() == [MISSING, MISSING]
    assert notes["overlap"].count == 1
    (sample,) = notes["overlap"].samples
    assert sample.text == "A and B from 20000 ns to 40000 ns"
    assert trace.args(1)["name"] == "B"
    assert (
        (DEFECTS / "partial_overlap.json")
        .read_bytes()[sample.offset :]
        .startswith(b'{"ph": "X", "cat": "kernel", "name": "B"')
    )


def test_begins_and_ends_are_matched_per_thread() -> None:
    trace, notes = load("begin_and_end.json")
    found = {
        trace.name_of(i): (int(trace.slices.dur_ns[i]), int(trace.slices.flags[i])) for i in range(len(trace.slices))
    }
    assert found == {"outer": (20_500, 0), "inner": (3_000, 0), "other thread": (17_500, Flag.UNFINISHED)}
    assert {code: note.count for code, note in notes.items()} == {"unmatched_end": 1, "unfinished": 1}


@pytest.mark.parametrize(
    ("head", "origin"),
    [
        ("", 100_000),
        ('"baseTimeNanoseconds": 1790857026000000000, ', 1_790_857_026_000_100_000),
        ('"baseTimeNanoseconds": "1790857026000000000", ', 1_790_857_026_000_100_000),
        ('"baseTimeNanoseconds": null, ', 100_000),
    ],
)
def test_the_origin_is_kept_apart_and_metadata_does_not_move_it(head: str, origin: int) -> None:
    meta = '{"ph": "M", "name": "process_name", "pid": 1, "tid": 0, "ts": 3, "args": {"name": "python"}}'
    event = '{"ph": "X", "name": "a", "cat": "cpu_op", "pid": 1, "tid": 1, "ts": 100, "dur": 1}'
    trace, _ = load_text(f'{{{head}"traceEvents": [{meta}, {event}]}}')
    assert trace.origin_ns == origin
    assert trace.slices.start_ns.tolist() == [0]


def test_an_event_without_a_time_is_said_and_skipped() -> None:
    trace, notes = load_text('[{"ph": "X", "name": "a", "pid": 1, "tid": 1, "ts": null, "dur": 1}]')
    assert len(trace.slices) == 0
    assert notes["bad_time"].count == 1


def test_times_at_both_ends_of_what_can_be_written_do_not_overflow() -> None:
    event = '{"ph": "%s", "name": "a", "pid": 1, "tid": 1, "ts": %s, "dur": %s}'
    texts = [event % ("X", "-4.6e15", "9.2e15"), event % ("X", "4.6e15", "9.2e15"), event % ("X", "9.2e15", "1")]
    texts += [event % ("B", "-4.6e15", "0"), event % ("E", "4.6e15", "0"), event % ("i", "-9.3e15", "0")]
    trace, notes = load_text(f"[{', '.join(texts)}]")
    assert len(trace.slices) == 3
    assert (trace.slices.end_ns >= trace.slices.start_ns).all()
    assert {code: note.count for code, note in notes.items() if code != "overlap"} == {
        "absurd_duration": 3,
        "bad_time": 2,
    }
