from __future__ import annotations

import dataclasses
import json
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from profviz.formats import column_file
from profviz.formats.column_file import BadColumns, Stored, read_columns, write_columns
from profviz.formats.column_tree import put_together, shape_of, take_apart, texts_of
from profviz.model.notes import Note, Sample
from profviz.model.trace import Counter, Flows, GpuColumns, Instants, Lane, LaneKind, Slices, Trace

Replace = Callable[..., Trace]


def column(*values: int, kind: str = "i8") -> Any:
    return np.array(values, dtype=kind)


def filled(cls: Any, count: int, **columns: Any) -> Any:
    """Columns of `cls`; those that are not named here are zeros."""
    others = {field.name for field in dataclasses.fields(cls) if field.default is dataclasses.MISSING} - set(columns)
    return cls(**columns, **{name: np.zeros(count) for name in others})


def small_trace(**changed: Any) -> Trace:
    """Two slices, one of them a kernel, with columns of unlike widths."""
    slices = filled(
        Slices,
        2,
        start_ns=column(0, 5),
        dur_ns=column(1 << 62, 2),
        name=column(0, 1, kind="u4"),
        category=column(1, 0, kind="u1"),
        lane=column(0, 1, kind="u2"),
        row=column(0, 0, kind="i4"),
        parent=column(-1, -1, kind="i4"),
        correlation=column(-1, 7, kind="i4"),
        external=column(-1, 1 << 40),
        event=column(1, 0),
        flags=column(2, 0, kind="u1"),
    )
    gpu = filled(
        GpuColumns,
        1,
        slice=column(1),
        device=column(0, kind="i4"),
        stream=column(7, kind="i4"),
        grid=np.array([[1, 2, 3]], dtype="i4"),
        block=np.array([[-1, -1, -1]], dtype="i4"),
        registers=column(32, kind="i4"),
        shared_bytes=column(-1),
        bytes=column(-1),
        occupancy_pct=np.array([np.nan]),
        bandwidth_gbps=np.array([np.nan]),
        graph=column(-1),
        graph_node=column(-1),
    )
    lanes = (Lane(LaneKind.CPU, "1", "x\x00", "python", "日本"), Lane(LaneKind.GPU, "0", "7", "GPU 0", "s", 0, 7))
    made: dict[str, Any] = {
        "title": "a \ud800 title",
        "origin_ns": (1 << 70) + 1,
        "names": ("", "k\x00\n\udcff→"),
        "categories": ("kernel", ""),
        "lanes": lanes,
        "slices": slices,
        "gpu": gpu,
        "instants": filled(
            Instants,
            1,
            time_ns=column(3),
            name=column(1, kind="i4"),
            category=column(0, kind="u2"),
            lane=column(1, kind="i4"),
            event=column(2),
        ),
        "counters": (Counter("mem", 1, column(1, 2), np.array([0.5, 1e300])),),
        "flows": filled(Flows, 1, source=column(0), target=column(1), category=column(0, kind="u2")),
        "event_count": 3,
        "meta": {"deviceProperties": [{"id": 0, "big": 1 << 80}], "none": None, "f": 1e-7},
        "args": lambda event: {"event": event},
    }
    return Trace(**{**made, **changed})


NOTES = (Note("overlap", 3, (Sample(17, "a and \ud812b"), Sample(-1, "")), "more"), Note("unfinished"))
OFFSETS, LENGTHS = column(2, 90, 1 << 33, kind="u8"), column(80, 70, 9, kind="u4")


@pytest.fixture
def written(tmp_path: Path) -> Path:
    path = tmp_path / "a.columns"
    extra = {"encoding": "utf-16", "points": column(1, 2, 3), "nested": {"a": [1, None]}}
    write_columns(
        path, trace=small_trace(), notes=NOTES, offsets=OFFSETS, lengths=LENGTHS, label="of\nwhat", extra=extra
    )
    return path


def same(a: Any, b: Any) -> bool:
    """Whether two values are equal to the type of their numbers; callables aside."""
    if isinstance(a, np.ndarray):
        return a.dtype == b.dtype and np.array_equal(a, b, equal_nan=a.dtype.kind == "f")
    if dataclasses.is_dataclass(a):
        return type(a) is type(b) and all(
            same(getattr(a, field.name), getattr(b, field.name)) for field in dataclasses.fields(a)
        )
    if isinstance(a, tuple):
        return len(a) == len(b) and all(same(x, y) for x, y in zip(a, b, strict=True))
    return callable(a) or (type(a) is type(b) and a == b)


def test_what_was_written_comes_back_to_the_bit(written: Path) -> None:
    stored = read_columns(written)
    assert same(small_trace(), stored.trace)
    assert (stored.notes, stored.label) == (NOTES, "of\nwhat")
    assert same(OFFSETS, stored.offsets)
    assert same(LENGTHS, stored.lengths)
    assert stored.extra["encoding"] == "utf-16"
    assert stored.extra["nested"] == {"a": [1, None]}
    assert stored.extra["points"].tolist() == [1, 2, 3]
    assert stored.trace.args(0) == {}


def test_columns_are_mapped_aligned_and_not_to_be_written_to(written: Path) -> None:
    start = read_columns(written).trace.slices.start_ns
    assert not start.flags.writeable
    assert not start.flags.owndata
    assert start.ctypes.data % 64 == 0


def test_a_file_that_may_vanish_is_read_into_memory(written: Path) -> None:
    stored = read_columns(written, mapped=False)
    data = written.read_bytes()
    written.write_bytes(bytes(len(data)))  # in place, as nothing of ours does it
    assert same(small_trace(), stored.trace)
    assert not stored.trace.slices.start_ns.flags.writeable
    written.write_bytes(data[:-1])
    with pytest.raises(BadColumns):
        read_columns(written, mapped=False)


def test_a_file_that_is_deleted_goes_on_to_be_read(written: Path) -> None:
    stored = read_columns(written)
    if os.name == "nt":
        pytest.skip("Windows does not delete a file that is mapped")
    written.unlink()
    assert same(small_trace(), stored.trace)


@given(st.lists(st.text(st.characters(exclude_categories=())), max_size=20))
def test_any_texts_come_back(texts: list[str]) -> None:
    arrays: list[Any] = []
    trace = small_trace(names=tuple(texts))
    tree = take_apart(trace, arrays)
    assert put_together(Trace, json.loads(json.dumps(tree)), arrays).names == tuple(texts)


def test_an_empty_trace_is_kept_too(tmp_path: Path) -> None:
    empty = dataclasses.replace(
        small_trace(names=(), categories=(), lanes=(), counters=(), event_count=0, meta={}),
        **{
            name: dataclasses.replace(
                group, **{field.name: getattr(group, field.name)[:0] for field in dataclasses.fields(group)}
            )
            for name in ("slices", "gpu", "instants", "flows")
            for group in [getattr(small_trace(), name)]
        },
    )
    write_columns(tmp_path / "a", trace=empty, notes=(), offsets=OFFSETS[:0], lengths=LENGTHS[:0])
    assert same(empty, read_columns(tmp_path / "a").trace)


def test_every_cut_is_refused(written: Path) -> None:
    data = written.read_bytes()
    for size in range(0, len(data), 5):
        written.write_bytes(data[:size])
        with pytest.raises(BadColumns):
            read_columns(written)
    written.write_bytes(data + b"\0")
    with pytest.raises(BadColumns):
        read_columns(written)


def test_every_flipped_byte_is_refused_or_changes_nothing(written: Path) -> None:
    data = bytearray(written.read_bytes())
    refused = 0
    for index in range(len(data)):
        data[index] ^= 0x55
        written.write_bytes(data)
        data[index] ^= 0x55
        try:
            assert same(small_trace(), read_columns(written).trace)  # a byte between two arrays
        except BadColumns:
            refused += 1
    assert refused > len(data) // 2


@pytest.mark.parametrize("place", [0, 333_333, 399_999])
def test_a_single_bit_that_turned_within_a_long_array_is_met(tmp_path: Path, place: int) -> None:
    path, long = tmp_path / "a", np.arange(50_000)
    write_columns(path, trace=small_trace(), notes=(), offsets=OFFSETS, lengths=LENGTHS, extra={"long": long})
    data = bytearray(path.read_bytes())
    data[data.index(long.tobytes()) + place] ^= 4
    path.write_bytes(data)
    with pytest.raises(BadColumns, match="damaged"):
        read_columns(path)


@pytest.mark.parametrize("content", [b"", b"PRFVZCOL", bytes(5000), b'{"traceEvents": []}' * 100, b"PK\x03\x04" * 99])
def test_foreign_files_are_refused(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "a").write_bytes(content)
    with pytest.raises(BadColumns):
        read_columns(tmp_path / "a")


def forged(path: Path, change: Callable[[dict[str, Any]], None]) -> None:
    """Writes another header with the right digest, as somebody might who means harm."""
    data = path.read_bytes()
    size = column_file._PRELUDE.size
    length = column_file._PRELUDE.unpack(data[:size])[3]
    header = json.loads(data[size : size + length])
    body = data[-header["bytes"] :]
    change(header)
    text = json.dumps(header).encode()
    text += b" " * (-(size + len(text)) % 64)
    prelude = column_file._PRELUDE.pack(column_file.MAGIC, column_file.VERSION, 0, len(text), column_file._digest(text))
    path.write_bytes(prelude + text + body)


@pytest.mark.parametrize(
    "entry",
    [
        ["<i8", [1 << 60], 0, 0],
        ["<i8", [2], 1 << 62, 0],
        ["<i8", [2], -64, 0],
        ["<i8", [-2], 0, 0],
        ["<i8", [1 << 33, 1 << 33], 0, 0],
        ["|O", [2], 0, 0],
        ["|V8", [2], 0, 0],
        ["<i8", [2.5], 0, 0],
        ["nonsense", [2], 0, 0],
        [None, None, None, None],
        [],
    ],
)
def test_an_array_that_would_lie_outside_is_never_mapped(written: Path, entry: list[Any]) -> None:
    forged(written, lambda header: header["arrays"].__setitem__(5, entry))
    with pytest.raises(BadColumns):
        read_columns(written)


@pytest.mark.parametrize("tree", [None, [], {}, [1, 2, 3], "text", {"array": 10**9}, [[]] * 8])
def test_a_tree_that_does_not_fit_is_refused(written: Path, tree: Any) -> None:
    forged(written, lambda header: header.__setitem__("tree", tree))
    with pytest.raises(BadColumns):
        read_columns(written)


def test_a_header_as_it_was_is_no_forgery(written: Path) -> None:
    forged(written, lambda header: None)
    assert same(small_trace(), read_columns(written).trace)


@pytest.mark.parametrize(("field", "value"), [("name", 2), ("category", 2), ("lane", 2), ("parent", 2), ("parent", -2)])
def test_an_index_that_leads_nowhere_is_refused(tmp_path: Path, field: str, value: int) -> None:
    slices = small_trace().slices
    changed = np.array([0, value], dtype="i4")
    bad = small_trace(slices=dataclasses.replace(slices, **{field: changed}))
    write_columns(tmp_path / "a", trace=bad, notes=(), offsets=OFFSETS, lengths=LENGTHS)
    with pytest.raises(BadColumns, match="index"):
        read_columns(tmp_path / "a")


def test_a_model_of_another_shape_is_another_version(written: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    @dataclasses.dataclass(frozen=True)
    class More(Slices):
        more: Any = None

    assert shape_of(More) != shape_of(Slices)
    assert shape_of(Slices) == shape_of(Slices)
    monkeypatch.setattr(column_file, "_SHAPE", shape_of(More))
    with pytest.raises(BadColumns, match="version"):
        read_columns(written)


def test_a_write_that_fails_leaves_nothing(tmp_path: Path) -> None:
    bad = small_trace(names=(1, object()))
    with pytest.raises(TypeError):
        write_columns(tmp_path / "a", trace=bad, notes=(), offsets=OFFSETS, lengths=LENGTHS)
    objects = np.array([object()] * 3)
    with pytest.raises(TypeError):
        write_columns(tmp_path / "a", trace=small_trace(), notes=(), offsets=objects, lengths=LENGTHS)
    assert list(tmp_path.iterdir()) == []
    with pytest.raises(OSError):
        write_columns(tmp_path / "no" / "a", trace=small_trace(), notes=(), offsets=OFFSETS, lengths=LENGTHS)


def test_what_stood_there_before_is_replaced_whole(written: Path) -> None:
    before: Stored = read_columns(written)
    write_columns(written, trace=small_trace(title="new"), notes=(), offsets=OFFSETS, lengths=LENGTHS)
    assert read_columns(written).trace.title == "new"
    if os.name != "nt":
        assert same(small_trace(), before.trace)


def test_texts_whose_ends_are_mixed_up_are_refused() -> None:
    blob = np.frombuffer(b"abc", dtype=np.uint8)
    assert texts_of(blob, column(1, 1, 3)) == ("a", "", "bc")
    for ends in ((2, 1, 3), (1, 2), (1, 2, 4), (-1, 3)):
        with pytest.raises(ValueError):
            texts_of(blob, column(*ends))
