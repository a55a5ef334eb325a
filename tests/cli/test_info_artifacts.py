"""`profviz info --artifacts`: every text of a compile log as a file, under safe names, overwriting nothing."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

sys.path.insert(0, str(Path(__file__).parent.parent / "formats"))
from log_records import artifact, record

from profviz.formats.export.artifact_files import safe_name

Profviz = Callable[..., Any]


@pytest.fixture
def log(tmp_path: Path) -> Path:
    path = tmp_path / "one.log"
    graph = record({"dynamo_output_graph": {"sizes": {}}}, "class G: pass", frame="0/0", attempt=1)
    odd = artifact("../../etc/CON: <odd>\u2028", '{"a": 1}', frame="0/0")
    path.write_bytes(record({"dynamo_start": {"stack": []}}, frame="0/0") + graph + odd)
    return path


def files_in(folder: Path) -> list[str]:
    return sorted(path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file())


def test_every_text_becomes_a_file_under_a_safe_name(profviz: Profviz, log: Path, tmp_path: Path) -> None:
    out = tmp_path / "out"
    done = profviz("info", log, "--artifacts", out, "--json")
    assert done.code == 0, done.err
    assert files_in(out) == [
        "0_0/0000_dynamo_start.json",
        "0_0/0002_etc_CON_odd.json",
        "0_0_attempt1/0001_dynamo_output_graph.py",
        "index.json",
        "records.jsonl",
    ]
    assert (out / "0_0_attempt1/0001_dynamo_output_graph.py").read_text() == "class G: pass"
    assert [entry["kind"] for entry in json.loads((out / "index.json").read_text())][1] == "dynamo_output_graph"
    assert len((out / "records.jsonl").read_text().splitlines()) == 3
    told = done.json
    assert told["artifacts_written"] == {"folder": str(out), "files": 3, "bytes": 38}
    found = told["compile"]["artifacts"]
    assert (found["count"], found["bytes"]) == (3, log.stat().st_size)
    assert found["kinds"]["dynamo_output_graph"] == 1
    assert list(found["unknown"].values()) == [1]


def test_nothing_is_overwritten(profviz: Profviz, log: Path, tmp_path: Path) -> None:
    out = tmp_path / "out"
    out.mkdir()
    (out / "mine.txt").write_text("keep me")
    done = profviz("info", log, "--artifacts", out)
    assert done.code == 2
    assert "is not empty" in done.err
    assert files_in(out) == ["mine.txt"]


def test_a_place_that_cannot_be_written_to_is_told(profviz: Profviz, log: Path) -> None:
    done = profviz("info", log, "--artifacts", log / "below")
    assert done.code == 2
    assert "could not be written" in done.err
    assert "Traceback" not in done.err


def test_several_files_and_files_without_a_log_are_refused(profviz: Profviz, log: Path, tmp_path: Path) -> None:
    done = profviz("info", log, log, "--artifacts", tmp_path / "out")
    assert done.code == 2
    assert "takes one file" in done.err
    trace = tmp_path / "t.json"
    event = {"ph": "X", "cat": "kernel", "name": "k", "pid": 0, "tid": 7, "ts": 1, "dur": 2}
    trace.write_text(json.dumps({"traceEvents": [event]}))
    done = profviz("info", trace, "--artifacts", tmp_path / "out")
    assert done.code == 2
    assert "holds no compile log" in done.err
    assert not (tmp_path / "out").exists()


def test_a_folder_of_logs_gets_a_folder_each(profviz: Profviz, log: Path, tmp_path: Path) -> None:
    both = tmp_path / "both"
    both.mkdir()
    for name in ("a.log", "b.log"):
        (both / name).write_bytes(log.read_bytes())
    done = profviz("info", both, "--artifacts", tmp_path / "out")
    assert done.code == 0, done.err
    assert sorted(path.name for path in (tmp_path / "out").iterdir()) == ["01_a.log", "02_b.log"]


@pytest.mark.parametrize(
    ("text", "safe"), [("a b", "a_b"), ("..", "unnamed"), ("", "unnamed"), (".hidden", "hidden"), ("é" * 9, "unnamed")]
)
def test_safe_names(text: str, safe: str) -> None:
    assert safe_name(text) == safe
    assert len(safe_name("x" * 900)) < 100


def test_names_do_not_steer_the_terminal(profviz: Profviz, tmp_path: Path) -> None:
    path = tmp_path / "log.txt"
    path.write_bytes(artifact("\x1b[31mred\x07", "1", frame="0/0") + artifact("\u202egpj.py", "1", frame="0/0"))
    done = profviz("info", str(path))
    assert "\ufffd[31mred\ufffd" in done.out
    assert "\ufffdgpj.py" in done.out
    assert not set(done.out) & set("\x1b\x07\u202e")
