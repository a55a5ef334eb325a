"""Numbers of the native scanner: args, counters, memory, ids, and times that are exact to the last digit."""

from __future__ import annotations

import math
from fractions import Fraction

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from native_scan import Read, one, slice_of

from profviz.formats.chrome.tables import BAD_TIME, KEPT, NO_ID, OTHER_ID

FAR = 1 << 62


@pytest.mark.parametrize(
    ("args", "expected", "is_kept"),
    [
        ('{"correlation": 2147483647, "external id": 5}', (2147483647, 5), False),
        ('{"correlation": -2147483648, "External id": null, "external id": 5}', (-2147483648, 5), False),
        ('{"correlation": 2147483648, "External id": 4, "external id": 5}', (-1, 4), True),
        ('{"correlation": "7"}', (-1, -1), True),
        ('{"correlation": 7.0}', (-1, -1), True),
        ('{"External id": 1e3}', (-1, -1), True),
        ('{"device": "x", "grid": 5}', (-1, -1), False),
        ('[{"correlation": 1}]', (-1, -1), False),
        ('"correlation"', (-1, -1), False),
    ],
)
def test_args_of_any_slice(args: str, expected: tuple[int, int], *, is_kept: bool) -> None:
    read = Read(slice_of(args=args))
    row = read.row("slices")
    assert (row["correlation"], row["external"]) == expected
    assert bool(row["state"] & KEPT) == bool(read.kept) == is_kept


@pytest.mark.parametrize(
    ("arg", "column", "value"),
    [
        ('"bytes": 9223372036854775807', "bytes", (1 << 63) - 1),
        ('"bytes": -9223372036854775808', "bytes", -(1 << 63)),
        ('"bytes": 9223372036854775808', "bytes", None),
        ('"bytes": 99999999999999999999', "bytes", None),
        ('"shared memory": -0', "shared", 0),
        ('"device": 2147483648', "device", None),
        ('"device": true', "device", None),
        ('"grid": [ 1 ,2,\\n3 ]'.replace("\\n", "\n"), "grid_z", 3),
        ('"grid": [1, 2]', "grid_x", None),
        ('"grid": [1, 2, 3, 4]', "grid_x", None),
        ('"block": [1, 2.0, 3]', "block_x", None),
        ('"block": [1, 2, 2147483648]', "block_y", None),
        ('"block": []', "block_y", None),
        ('"est. achieved occupancy %": 33.25e-1', "occupancy", 3.325),
        ('"est. achieved occupancy %": "5"', "occupancy", None),
        ('"memory bandwidth (GB/s)": 0.00032216494845360824', "bandwidth", 0.00032216494845360824),
    ],
)
def test_args_of_gpu_work(arg: str, column: str, value: float | None) -> None:
    read = Read(slice_of(cat='"Kernel"', args="{" + arg + "}"))
    found = read.row("gpu")[column]
    if value is None:
        assert found == -1 or math.isnan(found)
    else:
        assert found == value
    assert bool(read.kept) == bool(read.row("slices")["state"] & KEPT) == (value is None)


def test_counters_give_their_numbers_or_are_kept() -> None:
    read = Read(
        '{"args":{"a":1,"b\\n":-2.5,"c":null,"a":1e2},"ph":"C","ts":1},{"ph":"C","args":{"a":1,"b":true}},'
        '{"ph":"C","args":{}},{"ph":"C"},{"ph":"C","args":[1]}, {"ph":"C","args":{"x":123456789012345678901}}'
    )
    keys = [read.strings[key] for key in read.columns["values.key"]]
    assert list(zip(keys, read.columns["values.value"], strict=True)) == [(b"a", 1.0), (b"b\\n", -2.5), (b"a", 100.0)]
    assert [number for number, _ in read.kept] == [1, 5]


def test_memory_rows_with_what_is_odd_missing() -> None:
    read = Read('{"ph":"i","name":"[memory]","args":{"Addr":18446744073709551615,"Bytes":5,"Device Id":null}}')
    assert read.row("memory") == {
        "event": 0, "address": -1, "bytes": 5, "allocated": -1, "reserved": -1, "device_type": -1, "device": -1,
    }  # fmt: skip
    assert read.row("marks")["state"] == KEPT | BAD_TIME
    assert len(read.kept) == 1


@pytest.mark.parametrize(
    ("fields", "expected"),
    [
        ('"id": 0', 0),
        ('"id": "12"', 12),
        ('"id": 9223372036854775807', (1 << 63) - 1),
        ('"id": 9223372036854775808', b"\x009223372036854775808"),
        ('"id": "007"', b"007"),
        ('"id": "0x1f"', b"0x1f"),
        ('"id": -1', b"\0-1"),
        ('"id": 1.0', b"\x001.0"),
        ('"id": ""', b""),
        ('"id": null', NO_ID),
        ('"x": 1', NO_ID),
        ('"id": null, "id2": {"local": 1}', b'\0{"local": 1}'),
        ('"id2": 5', b"\x005"),
        ('"id2": 5, "id": 6', 6),
    ],
)
def test_ids_of_marks(fields: str, expected: int | bytes) -> None:
    read = Read('{"ph": "b", ' + fields + "}")
    found = read.row("marks")["id"]
    assert (read.ids[found - OTHER_ID] if OTHER_ID <= found < NO_ID else found) == expected


def exact_ns(text: str) -> int:
    """Microseconds as nanoseconds in fractions, halves away from zero."""
    value = abs(Fraction(text.strip()) * 1000)
    whole = (2 * value.numerator + value.denominator) // (2 * value.denominator)
    return -whole if text.strip().startswith("-") else whole


JSON_NUMBERS = st.from_regex(r"-?(0|[1-9][0-9]{0,20})(\.[0-9]{1,30})?([eE][+-]?[0-9]{1,2})?", fullmatch=True)


@settings(max_examples=400)
@given(JSON_NUMBERS, JSON_NUMBERS)
def test_times_are_exact(ts: str, dur: str) -> None:
    def is_ns(text: str) -> bool:
        return text.removeprefix("-").isdigit() and len(text.removeprefix("-")) >= 19

    start = int(ts) if is_ns(ts) else exact_ns(ts)
    is_pair = ts.isdigit() and len(ts) >= 19 and dur.removeprefix("-").isdigit()
    length = int(dur) if is_pair or is_ns(dur) else exact_ns(dur)
    for quote in ("", '"'):
        row = one("slices", slice_of(ts=quote + ts + quote, dur=quote + dur + quote))
        assert row["state"] == (0 if abs(start) < FAR else BAD_TIME)
        assert row["start"] == (start if abs(start) < FAR else 0)
        assert row["dur"] == max(-FAR, min(length, FAR))


@pytest.mark.parametrize(
    ("token", "ns"),
    [
        ('" 5 "', 5000), ('"+5"', 5000), ('".5"', 500), ('"5."', 5000), ('"5.e1"', 50000),
        ('"00000000000000000000005"', 5000),
        ('"1234567890123456789"', 1234567890123456789), ('"1234567890123456789."', 1234567890123456789),
        ('"--5"', None), ('""', None),
        ('"."', None), ('"e5"', None), ('"5e"', None), ('"5e1234"', None), ("1e999", None), ("0e999", 0), ("1e-999", 0),
        ('"' + "0" * 40 + '"', 0), ('"' + "0" * 41 + '"', None), ("0." + "0" * 399 + "1", 0), ("0." + "1" * 401, None),
        (r'"5\n"', None), ('"٥"', None), ('"0x10"', None), ('"1_000"', None), ('"nan"', None),
        ("0.0005", 1), ("-0.0005", -1),
        ("0.00049999999999999999999999999999999", 0), ("[5]", None), ("{}", None), ("false", None),
    ],
)  # fmt: skip
def test_odd_spellings_of_times(token: str, ns: int | None) -> None:
    row = one("slices", slice_of(ts=token))
    assert (row["start"], row["state"]) == ((0, BAD_TIME) if ns is None else (ns, 0))


@settings(max_examples=300)
@given(st.from_regex(r"-?(0|[1-9][0-9]{0,18})(\.[0-9]{1,22})?([eE][+-]?[0-9]{1,2})?", fullmatch=True))
def test_doubles_are_the_nearest_or_left_alone(token: str) -> None:
    read = Read('{"ph":"C","args":{"v":' + token + "}}")
    if read.kept:
        assert len(token) > 16 or "e" in token.lower()
    else:
        assert repr(read.row("values")["value"]) == repr(float(token))
