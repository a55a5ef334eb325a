"""Independent golden numbers of real captures: every figure must match to the nanosecond."""

from __future__ import annotations

import csv
import gzip
import io
import lzma
import zipfile
from pathlib import Path

import numpy as np
import pytest
import zstandard
from defect_files import SHARED, load_path

from profviz.analysis.linking import category_mask, enclosing_operator
from profviz.analysis.sides import make_side
from profviz.formats.chrome import reader
from profviz.model.categories import is_operator
from profviz.model.results import Side

EXPECTED = SHARED / "expected.tsv"
LINES = EXPECTED.read_text(encoding="utf-8").splitlines() if EXPECTED.exists() else []
ROWS = list(csv.DictReader(LINES, delimiter="\t"))

pytestmark = pytest.mark.skipif(not ROWS, reason="the shared captures are not beside this checkout")


def side_of(path: Path) -> Side:
    trace, notes = load_path(path)
    return make_side(id="a", title=path.name, trace=trace, notes=tuple(notes.values()))


def figures(side: Side) -> dict[str, int]:
    found = side.occupancy
    return {
        "events": side.trace.event_count,
        "X": len(side.trace.slices),
        "kernels": found.kernels,
        "copies": found.copies,
        "kernel_sum_ns": found.kernel_sum_ns,
        "gpu_union_ns": found.busy_ns,
        "gpu_span_ns": found.span_ns,
        "streams": found.lanes,
        "distinct_kernels": found.distinct_kernels,
        "orphan_gpu": found.unlinked,
        "graph_launches": found.graph_launches,
    }


def expected(row: dict[str, str]) -> dict[str, int]:
    return {key: int(value) for key, value in row.items() if key != "file"}


@pytest.fixture(params=["native", "twin"])
def scanner(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    """Which of the two scanners reads."""
    if request.param == "native" and not reader.HAS_NATIVE:
        pytest.skip("the native scanner was not built here")
    monkeypatch.setattr(reader, "HAS_NATIVE", request.param == "native")
    return str(request.param)


@pytest.mark.parametrize("row", ROWS, ids=[row["file"] for row in ROWS])
@pytest.mark.usefixtures("scanner")
def test_every_figure_of_a_real_capture_is_exact(row: dict[str, str]) -> None:
    side = side_of(SHARED / row["file"])
    assert figures(side) == expected(row)
    assert {note.severity.name for note in side.notes if note.code != "overlap"} <= {"INFO"}


@pytest.mark.parametrize("pack", ["plain", "xz", "zst", "zip", "gz_twice", "two_members"])
@pytest.mark.usefixtures("scanner")
def test_packing_changes_nothing(pack: str, tmp_path: Path) -> None:
    row = next(row for row in ROWS if row["file"] == "gpt2.compiled-default.json.gz")
    text = gzip.decompress((SHARED / row["file"]).read_bytes())
    packed = {
        "plain": lambda: text,
        "xz": lambda: lzma.compress(text, preset=0),
        "zst": lambda: zstandard.compress(text),
        "zip": lambda: zipped(text),
        "gz_twice": lambda: gzip.compress(gzip.compress(text)),
        "two_members": lambda: gzip.compress(text[:1000]) + gzip.compress(text[1000:]),
    }[pack]()
    path = tmp_path / "misleading_name.txt"
    path.write_bytes(packed)
    assert figures(side_of(path)) == expected(row)


def zipped(text: bytes) -> bytes:
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("trace.json", text)
    return packed.getvalue()


def test_a_file_cut_in_half_keeps_what_stands_before_the_cut(tmp_path: Path) -> None:
    text = gzip.decompress((SHARED / "gpt2.eager.json.gz").read_bytes())
    whole, _ = load_path(SHARED / "gpt2.eager.json.gz")
    path = tmp_path / "half.json"
    path.write_bytes(text[: len(text) // 2])
    trace, notes = load_path(path)
    assert set(notes) == {"truncated"}
    assert [trace.args(i) for i in range(trace.event_count)] == [whole.args(i) for i in range(trace.event_count)]
    assert 0.4 < trace.event_count / whole.event_count < 0.7


def test_a_byte_spoiled_in_each_of_ten_events_costs_those_events_only(tmp_path: Path) -> None:
    text = bytearray(gzip.decompress((SHARED / "gpt2.eager.json.gz").read_bytes()))
    whole, _ = load_path(SHARED / "gpt2.eager.json.gz")
    at = 5000
    for _ in range(10):
        at = text.index(b'"name": "aten', at + 60_000)
        text[at + 8] = ord("x")  # the opening quote of the name
    path = tmp_path / "spoiled.json"
    path.write_bytes(bytes(text))
    trace, notes = load_path(path)
    assert set(notes) == {"bad_event"}
    assert notes["bad_event"].count == 10
    assert trace.event_count == whole.event_count - 10


@pytest.mark.parametrize("row", ROWS, ids=[row["file"] for row in ROWS])
def test_three_ways_of_linking_agree(row: dict[str, str]) -> None:
    """Correlation ids, the file's own arrows, and external ids against nesting."""
    side = side_of(SHARED / row["file"])
    trace, links = side.trace, side.links
    arrows = np.flatnonzero(trace.flows.category == trace.categories.index("ac2g"))
    target = trace.flows.target[arrows]
    assert set(trace.gpu.slice[links.launch[trace.gpu.slice] >= 0].tolist()) <= set(target.tolist())
    drawn = np.isin(target, trace.gpu.slice)
    assert (links.launch[target[drawn]] == trace.flows.source[arrows][drawn]).all()
    around = enclosing_operator(trace.slices, category_mask(trace, is_operator))
    linked = trace.gpu.slice[links.launch[trace.gpu.slice] >= 0]
    assert (links.op[linked] == around[links.launch[linked]]).all()
