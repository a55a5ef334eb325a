"""What is selected is exported, as events or as rows, into a file that is whole or not there."""

from __future__ import annotations

import csv
import gzip
import importlib
import sys
from pathlib import Path
from typing import Any

import pytest
from exported_traces import GPU, PARTS, event, exported, trace_of, without_text

from profviz.formats.document import Cancelled
from profviz.formats.export import EXPORTERS, NothingSelected, export_trace, exporter_of
from profviz.model.errors import UserError
from profviz.model.trace import Trace

HAS_ARROW = importlib.util.find_spec("pyarrow") is not None


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
