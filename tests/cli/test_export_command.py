from __future__ import annotations

import csv
import importlib.util
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from test_info_command import small_trace

Profviz = Callable[..., Any]


@pytest.fixture
def trace(tmp_path: Path) -> Path:
    path = tmp_path / "small.json"
    path.write_text(json.dumps({**small_trace(20, 30), "displayTimeUnit": "ms"}))
    return path


def test_the_whole_as_chrome_trace(profviz: Profviz, trace: Path, tmp_path: Path) -> None:
    path = tmp_path / "again" / "small.json.gz"  # named alike, as findings name the trace
    path.parent.mkdir()
    ran = profviz("export", trace, "-o", str(path), "--json")
    assert ran.code == 0, ran.err
    assert ran.json == {
        "schema": "profviz/1",
        "kind": "export",
        "file": str(trace),
        "output": str(path),
        "format": "chrome",
        "written": 4,
        "slices": 4,
        "bytes": path.stat().st_size,
        "left_out": {},
    }
    before, after = (profviz("info", name, "--json").json for name in (trace, path))
    assert after | {"file": ""} == before | {"file": ""}


def test_a_selection_as_a_table(profviz: Profviz, trace: Path, tmp_path: Path) -> None:
    options = ("--lane", "gpu 0", "--from-ns", "50000", "--to-ns", "200000", "--name", "K1")
    ran = profviz("export", trace, "-o", "out.csv", *options)
    assert ran.code == 0, ran.err
    assert "out.csv: 1 rows" in ran.out
    with (tmp_path / "out.csv").open(newline="") as file:
        (row,) = csv.DictReader(file)
    assert (row["name"], row["start_ns"], row["dur_ns"], row["stream"]) == ("k1", "100000", "30000", "7")


def test_a_lane_by_its_ids(profviz: Profviz, trace: Path) -> None:
    told = profviz("export", trace, "-o", "out.json", "--lane", "1/1", "--json").json
    assert told["slices"] == 2
    ran = profviz("export", trace, "-o", "out.json", "--lane", "nowhere")
    assert ran.code == 2
    assert "GPU 0 · stream 7" in ran.err


def test_nothing_selected_is_a_condition_that_fell_short(profviz: Profviz, trace: Path, tmp_path: Path) -> None:
    ran = profviz("export", trace, "-o", "out.json", "--name", "absent", "--json")
    assert ran.code == 1
    assert ran.json["written"] == 0
    assert "Nothing" in ran.err
    assert not (tmp_path / "out.json").exists()


def test_parquet_or_what_it_takes(profviz: Profviz, trace: Path, tmp_path: Path) -> None:
    ran = profviz("export", trace, "-o", "out.bin", "--format", "parquet")
    if importlib.util.find_spec("pyarrow"):
        assert ran.code == 0, ran.err
        assert (tmp_path / "out.bin").read_bytes()[:4] == b"PAR1"
    else:
        assert ran.code == 2
        assert "pip install 'profviz[export]'" in ran.err


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("small.json", "-o", "out.xyz"), ".parquet"),
        (("small.json", "-o", "out.json", "--format", "xml"), "no export to xml"),
        (("small.json", "-o", "./small.json"), "replace the file"),
        (("gone.json", "-o", "out.json"), "gone.json"),
        (("small.json", "-o", "none/out.json"), "can't be written"),
    ],
)
def test_what_cannot_be_done_says_why(
    profviz: Profviz, trace: Path, tmp_path: Path, arguments: tuple[str, ...], said: str
) -> None:
    before = trace.read_bytes()
    ran = profviz("export", *arguments, "--json")
    assert ran.code == 2
    assert said in ran.err
    assert "Traceback" not in ran.err
    assert ran.json["kind"] == "error"
    assert [path.name for path in tmp_path.iterdir()] == ["small.json"]
    assert trace.read_bytes() == before


def test_of_a_session_the_variant_is_named(profviz: Profviz, fake_python: Callable[..., str], tmp_path: Path) -> None:
    (tmp_path / "model.py").write_text("")
    profviz("run", "model.py", "--python", fake_python("normal"), "-o", "s.profviz")
    ran = profviz("export", "s.profviz", "-o", "out.json")
    assert ran.code == 2
    assert "--variant" in ran.err
    assert "eager" in ran.err
    ran = profviz("export", "s.profviz", "-o", "out.json", "--variant", "eager", "--json")
    assert ran.code == 0, ran.err
    assert ran.json["slices"] == len(
        [event for event in json.loads((tmp_path / "out.json").read_text())["traceEvents"] if event["ph"] == "X"]
    )
    assert profviz("export", "s.profviz", "-o", "out.json", "--variant", "other").code == 2


def test_a_compile_log_is_no_trace(profviz: Profviz, traces: Path) -> None:
    ran = profviz("export", traces / "broken_train.compile-log.txt.gz", "-o", "out.json")
    assert ran.code == 2
    assert "no trace" in ran.err
