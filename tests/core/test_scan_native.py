"""The native scanner by its contract: statuses, rows, numbers, strictness, cuts, threads, and both of its paths."""

from __future__ import annotations

import json
import math
import threading
from types import ModuleType
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from native_scan import (
    CUT,
    END,
    KINETO,
    LANDED,
    ODD,
    Read,
    _scan,
    build_scalar,
    is_strict,
    new,
    one,
    slice_of,
    take,
)

from profviz.formats.chrome.tables import (
    ASYNC,
    BAD_TIME,
    BEGIN,
    KEPT,
    NO_DUR,
    OTHER_ID,
    OTHER_PHASE,
    TABLES,
)

FAR = 1 << 62


@pytest.fixture(scope="module")
def scalar(tmp_path_factory: pytest.TempPathFactory) -> ModuleType:
    return build_scalar(tmp_path_factory.mktemp("scalar"))


def test_a_real_trace_gives_its_rows() -> None:
    read = Read(KINETO)
    assert (read.position, read.status) == (len(KINETO) - 1, END)
    assert dict(zip(TABLES, read.counts, strict=True)) == {
        "events": 7, "slices": 3, "gpu": 2, "dims": 1, "marks": 3, "values": 0, "memory": 1,
    }  # fmt: skip
    assert read.row("slices", 1) == {
        "event": 2, "start": 5101765899999001, "dur": 1600, "name": read.strings.index(b"void at::k<float>(int)"),
        "category": read.categories.index(b"kernel"), "lane": 1, "correlation": 12, "external": 1539, "state": 0,
    }  # fmt: skip
    kernel = read.row("gpu")
    assert math.isnan(kernel.pop("bandwidth"))
    assert kernel == {
        "slice": 1, "device": 0, "stream": 7, "grid_x": 132, "grid_y": 1, "grid_z": 1, "block_x": 128, "block_y": 2,
        "block_z": 1, "registers": 16, "shared": 49152, "bytes": -1, "occupancy": 25.0, "graph": 0,
        "graph_node": 8589934592,
    }  # fmt: skip
    copy = read.row("gpu", 1)
    assert (copy["slice"], copy["bytes"], copy["bandwidth"]) == (2, 4294967296, 29.03703703703704)
    assert read.strings[read.row("dims")["text"]] == b"\0[[], [512, 50257]]"
    assert read.row("memory") == {
        "event": 4, "address": 139911234567890, "bytes": -512, "allocated": 512, "reserved": 20971520,
        "device_type": 1, "device": 0,
    }  # fmt: skip
    assert [chr(phase) for phase in read.columns["marks.phase"]] == ["f", "i", "i"]
    assert read.lanes == [(b"\x001452", b"\x001480"), (b"\x000", b"\x007"), (b"", b"")]
    assert [(number, json.loads(text)["ph"]) for number, text in read.kept] == [(5, "M")]
    for offset, length in zip(read.columns["events.offset"], read.columns["events.length"], strict=True):
        json.loads(KINETO[offset : offset + length])


@pytest.mark.parametrize(
    ("text", "position", "status", "events"),
    [
        ("", 0, LANDED, 0),
        (" ,,\t\r\n ", 7, LANDED, 0),
        ("]", 0, END, 0),
        (" {} , { \n } ]", 12, END, 0),
        ('{"a":1}{"b":2}', 14, LANDED, 2),
        ('{"a":1},,\n,{"b":2}]x', 18, END, 2),
        ("5", 0, ODD, 0),
        ('{"a":1}, "x"', 9, ODD, 1),
        ("[]", 0, ODD, 0),
        ("null", 0, ODD, 0),
        ("}", 0, ODD, 0),
        ('{"a":1}\v', 7, ODD, 1),
        ('{"a":1}\0', 7, ODD, 1),
        ('{"a":1,}', 0, ODD, 0),
        ('{"a":NaN}', 0, ODD, 0),
        ('{"a":01}', 0, ODD, 0),
        ('{"a":"\\x"}', 0, ODD, 0),
        ('{"a":"\\ud800"}', 0, ODD, 0),
        ('{"a":1}{"a":"\n"}', 7, ODD, 1),
        ('{"a":1', 0, CUT, 0),
        ('{"a":1}{"a":"\\ud83d\\', 7, CUT, 1),
        ('{"a":tru', 0, CUT, 0),
        ('{"a":1e+', 0, CUT, 0),
        ("{", 0, CUT, 0),
    ],
)
def test_where_a_scan_stops_and_why(text: str, position: int, status: int, events: int) -> None:
    read = Read(text)
    assert (read.position, read.status, read.counts[0]) == (position, status, events)


@pytest.mark.parametrize("opening", ["[", '{"a":'])
def test_nesting_ends_at_512(opening: str) -> None:
    closing = {"[": "]"}.get(opening, "}")
    for depth, status in ((511, LANDED), (512, ODD), (100_000, ODD)):
        assert Read('{"a":' + opening * depth + "1" + closing * depth + "}").status == status
    assert Read('{"a":' + opening * 511).status == CUT


def test_offsets_count_from_the_base_and_begin_at_the_start() -> None:
    scanner = new()
    assert scanner.scan(b'junk{"a":1}', 4, 1000) == (11, LANDED)
    assert scanner.scan(b'{"a":2}', 0, -7 + 2000) == (7, LANDED)
    assert take(scanner)["events.offset"] == [1004, 1993]
    with pytest.raises(ValueError, match="start"):
        scanner.scan(b"{}", 3, 0)


def test_scan_one_takes_exactly_one_event() -> None:
    scanner = new()
    assert scanner.scan_one(b'{"ph":"X","ts":1}', 500, 33)
    for text in (b"", b"{}", b"{ }", b"[]", b'{"a":1', b'{"a":1} ', b' {"a":1}', b'{"a":1}{"b":1}', b"5", b'{"a":\0}'):
        assert not scanner.scan_one(text, 0, 1)
    columns = take(scanner)
    assert (columns["events.offset"], columns["events.length"]) == ([500], [33])
    with pytest.raises(OverflowError):
        scanner.scan_one(b"{}", 0, 1 << 32)


@pytest.mark.parametrize(
    ("fields", "expected"),
    [
        ({"ph": '"X"'}, ("slices", 0)),
        ({"ph": '"B"'}, ("slices", NO_DUR | BEGIN)),
        ({"ph": '"b"'}, ("slices", NO_DUR | ASYNC)),
        ({"ph": '"S"'}, ("slices", NO_DUR | ASYNC)),
        ({"dur": "null"}, ("slices", NO_DUR)),
        ({"dur": '"soon"'}, ("slices", NO_DUR)),
        ({"ts": "true"}, ("slices", BAD_TIME)),
        ({"ts": "null"}, ("slices", BAD_TIME)),
        ({"ts": "4611686018427387.904"}, ("slices", BAD_TIME)),
        ({"ph": '"C"', "ts": "[1]"}, ("marks", BAD_TIME)),
        ({"ph": '"XX"'}, ("marks", KEPT)),
        ({"ph": "88"}, ("marks", KEPT)),
    ],
)
def test_what_an_event_lacks_is_said_in_its_state(fields: dict[str, str], expected: tuple[str, int]) -> None:
    table, state = expected
    assert one(table, slice_of(**fields))["state"] == state


def test_phases_other_than_slices_and_metadata_are_marks() -> None:
    read = Read(",".join(slice_of(ph=f'"{phase}"') for phase in "XBEbneSTFiIRstfCMNOD") + slice_of(ph='"é"'))
    assert read.columns["marks.phase"] == [*map(ord, "BEbneSTFiIRstfCNOD"), OTHER_PHASE]
    assert len(read.columns["slices.event"]) == 4
    assert [number for number, _ in read.kept] == [16, 20]


def test_an_escaped_spelling_means_the_same() -> None:
    text = r'{"\u0070h": "\u0058", "c\u0061t": "K\u0065rnel", "arg\u0073": {"str\u0065am": 5}, "ts": 1, "dur": 1}'
    read = Read(text)
    assert (read.row("slices")["state"], read.row("gpu")["stream"]) == (0, 5)
    assert read.categories == [b"", rb"K\u0065rnel"]
    assert Read(r'{"ph": "i", "name": "[mem\u006fry]", "ts": 1}').counts[-1] == 1


def test_of_equal_keys_the_last_one_wins() -> None:
    text = (
        '{"ph":"B","ph":"X","args":{"correlation":1,"External id":2},"ts":1,"ts":2,"args":{"correlation":3,"stream":1}'
    )
    row = one("slices", text + ',"dur":"x","dur":3}')
    assert [row[name] for name in ("start", "dur", "correlation", "external")] == [2000, 3000, 3, -1]
    row = one("slices", slice_of(args='{"correlation": 1}').replace("}}", '}, "args": 5}'))
    assert (row["correlation"], row["state"]) == (-1, 0)


@pytest.mark.parametrize(
    ("token", "raw"),
    [
        ('"a b"', b"a b"),
        (r'"\u0061"', rb"\u0061"),
        ('"é"', "é".encode()),
        ("5", b"\x005"),
        ("-1.50", b"\0-1.50"),
        ("true", b"\0true"),
        ("[1, {}]", b"\0[1, {}]"),
        ("null", b""),
        ('""', b""),
    ],
)
def test_texts_keep_their_spelling(token: str, raw: bytes) -> None:
    read = Read(slice_of(name=token, cat=token, pid=token, tid=token, ph='"s"', id=f"[{token}]"))
    row = read.row("marks")
    assert read.strings[row["name"]] == read.categories[row["category"]] == raw
    assert read.lanes[row["lane"]] == (raw, raw)
    assert row["id"] == OTHER_ID
    assert read.ids == [b"\0[" + token.encode() + b"]"]


def test_equal_texts_share_a_number_and_others_do_not() -> None:
    names = [f"{number:x}" * (number % 40) for number in range(5000)]
    read = Read(",".join(slice_of(name=f'"{name}"', pid=f'"{name}"') for name in names * 2))
    assert read.strings == list(dict.fromkeys(name.encode() for name in ["", *names]))
    assert [read.strings[number].decode() for number in read.columns["slices.name"]] == names * 2
    assert [read.lanes[number][0].decode() for number in read.columns["slices.lane"]] == names * 2


def test_lanes_tell_numbers_from_strings() -> None:
    pairs = [("7", '"7"'), ('"7"', "7"), ("7", "77"), ('"123456789"', "-123456789")]
    read = Read(",".join(slice_of(pid=pid, tid=tid) for pid, tid in pairs * 2))
    assert read.lanes == [(b"\x007", b"7"), (b"7", b"\x007"), (b"\x007", b"\x0077"), (b"123456789", b"\0-123456789")]


EVENT = (
    r'{"ph":"X","name":"é\u00e9\ud83d\ude00\"😀","ts":-1.5e3,'
    r'"args":{"a":[1,{"b":[true,false,null,"x"]},0.5],"c":{}},"z":[]}'
)
PIECES = st.sampled_from(
    [
        b'"', b"\\", b"{", b"}", b"[", b"]", b",", b":", b"0", b"1", b"-", b".", b"e", b"n", b"\\u12", b"\\ud83d", b" ",
        b"\n", b"\0", b"\x1f", b"\x7f", b"\xc3", b"\xa9", b"\xed\xa0\x80", b"\xf4\x90\x80\x80", b"\xc0\x80", b"null",
        b"NaN", b"//",
    ]
)  # fmt: skip


def mutated(edits: list[tuple[int, int, bytes]]) -> bytes:
    text = EVENT.encode()
    for place, size, piece in edits:
        place %= len(text) + 1
        text = text[:place] + piece + text[place + size :]
    return text


EDITS = st.lists(st.tuples(st.integers(0, 500), st.integers(0, 3), PIECES), max_size=3)


@settings(max_examples=800)
@given(EDITS)
def test_as_strict_as_pythons_reader(edits: list[tuple[int, int, bytes]]) -> None:
    text = mutated(edits)
    scanner = new()
    assert scanner.scan_one(text, 0, len(text)) == is_strict(text)
    # the same in the midst of other text, where the quick way is taken
    around = Read(b'{"ph":"X"},' + text + b"," + b" " * 300)
    if is_strict(text):
        assert (around.status, around.counts[0]) == (LANDED, 2)
    elif around.counts[0] > 1:  # then what begins the text is an event by itself
        offset, length = around.columns["events.offset"][1], around.columns["events.length"][1]
        assert is_strict(text[offset - 11 : offset - 11 + length])


@settings(max_examples=300)
@given(EDITS)
def test_both_paths_agree(scalar: ModuleType, edits: list[tuple[int, int, bytes]]) -> None:
    text = KINETO.encode()[:2000].rstrip() + mutated(edits) + KINETO.encode()
    assert Read(text).everything() == Read(text, scalar).everything()


def test_both_paths_agree_on_every_alignment(scalar: ModuleType) -> None:
    for size in range(70):
        text = KINETO.replace("aten::add", "n" * size).replace("1539", "9" * size or "0").replace("\n    ", " " * size)
        assert Read(text).everything() == Read(text, scalar).everything()
        assert Read(text).status == END


def test_a_cut_at_every_byte_keeps_the_whole_events() -> None:
    data = KINETO.encode()
    read = Read(data)
    spans = list(zip(read.columns["events.offset"], read.columns["events.length"], strict=True))
    for end in range(len(data)):
        part = Read(data[:end])
        whole = [offset + length for offset, length in spans if offset + length <= end]
        broken = next((offset for offset, length in spans if offset < end < offset + length), None)
        assert part.counts[0] == len(whole)
        assert (part.position, part.status) == ((end, LANDED) if broken is None else (broken, CUT))


def test_pieces_give_what_the_whole_gives() -> None:
    data = KINETO.encode()
    for size in (1, 7, 100, 1000):
        scanner, begin, end, status = new(), 0, 0, CUT
        while status != END:
            end = min(end + size, len(data))
            position, status = scanner.scan(memoryview(data)[begin:end], 0, begin)
            begin += position
        assert scanner.kept() == Read(data).kept
        assert repr(take(scanner)) == repr(Read(data).columns)


def test_columns_hand_their_memory_over() -> None:
    scanner = new()
    scanner.scan(KINETO.encode(), 0, 0)
    taken = scanner.columns()
    assert scanner.counts() == (0,) * 7
    assert scanner.kept() == []
    assert b"aten::add" in scanner.strings()
    assert all(len(buffer) == 0 for buffer in scanner.columns().values())
    view = memoryview(taken["slices.start"])
    assert not view.readonly
    scanner.scan(KINETO.encode(), 0, 0)
    del scanner, taken
    assert view.cast("q").tolist()[0] == 5101765899441481


def test_scanners_work_side_by_side() -> None:
    data = KINETO.encode()[:-1] * 500
    results: list[Any] = []

    def work() -> None:
        scanner = new()
        results.append((scanner.scan(data, 0, 0), scanner.counts(), repr(take(scanner))))

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(set(results)) == 1
    assert results[0][1][0] == 3500


def test_one_scanner_is_not_for_two_threads() -> None:
    data = KINETO.encode()[:-1] * 5000
    scanner = new()
    refused = 0
    for _ in range(20):
        thread = threading.Thread(target=scanner.scan, args=(data, 0, 0))
        thread.start()
        while thread.is_alive():
            try:
                scanner.counts()
            except RuntimeError:
                refused += 1
        scanner.columns()
        if refused:
            break
    assert refused


@pytest.mark.parametrize(
    "text",
    [
        '{"a":1}' * 20000,
        '{"ph":"X","cat":"kernel"}' * 20000,
        '{"ph":"C","args":{' + ",".join(f'"{number}":1' for number in range(50000)) + "}}",
        ",".join(f'{{"name":"{number}","cat":"{number}","pid":{number},"id":[{number}]}}' for number in range(20000)),
        '{"a":[' + "[]," * 100000 + "1]}",
        '{"ph":"X","name":"' + "\\\\u0061" * 50000 + '"}',
    ],
)
def test_what_is_held_is_a_small_multiple_of_the_text(text: str) -> None:
    scanner = new()
    assert scanner.scan(text.encode(), 0, 0) == (len(text), LANDED)
    texts = [*scanner.strings(), *scanner.categories(), *scanner.ids(), *(a + b for a, b in scanner.lanes())]
    kept = sum(len(raw) for _, raw in scanner.kept())
    assert sum(map(len, scanner.columns().values())) + sum(map(len, texts)) + kept < 10 * len(text)


def test_wrong_arguments_are_refused() -> None:
    for arguments in ((), ([b"a"],), (("a",),), (b"a",)):
        with pytest.raises(TypeError):
            _scan.Scanner(*arguments)
    with pytest.raises(TypeError):
        new().scan("{}", 0, 0)
    with pytest.raises(TypeError):
        type(new().columns()["events.offset"])()
