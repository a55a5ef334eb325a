"""Files and names that nobody meant to be opened: each is answered in a sentence, none waited for, none a bug."""

from __future__ import annotations

import gzip
import io
import json
import lzma
import os
import sys
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest
import zstandard

from profviz import cli

EVENT = {"ph": "X", "cat": "cpu_op", "name": "a", "pid": 1, "tid": 1, "ts": 5, "dur": 2}
TRACE = json.dumps({"traceEvents": [EVENT]}).encode()


def zipped(name: str, content: bytes) -> bytes:
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w") as archive:
        archive.writestr(name, content)
    return made.getvalue()


def fifo(path: Path) -> Path:
    if not hasattr(os, "mkfifo"):
        pytest.skip("no named pipes")
    os.mkfifo(path)
    return path


ODD: dict[str, Callable[[Path], Path]] = {
    "long name": lambda folder: folder / ("a" * 5000),
    "no name": lambda folder: Path(),
    "null in name": lambda folder: folder / "a\0b",
    "surrogate in name": lambda folder: folder / "a\udcff.json",
    "below a file": lambda folder: Path(__file__) / "b.json",
    "pipe": lambda folder: fifo(folder / "pipe.json"),
    "endless": lambda folder: Path("/dev/zero"),
    "empty folder": lambda folder: folder,
}


@pytest.mark.parametrize("command", ["info", "export"])
@pytest.mark.parametrize("kind", ODD)
def test_what_is_no_file_is_refused_in_words(
    kind: str, command: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    if kind == "endless" and not Path("/dev/zero").exists():
        pytest.skip("no such device")
    path = str(ODD[kind](tmp_path))
    more = ["-o", str(tmp_path / "out.json")] if command == "export" else []
    assert cli.main([command, "--json", path, *more]) == 2
    said = capsys.readouterr()
    assert json.loads(said.out)["kind"] == "error"
    assert said.err.startswith("profviz: ")
    assert "bug" not in said.err


@pytest.mark.parametrize(
    "content",
    [
        zstandard.compress(zipped("a.json.gz", gzip.compress(TRACE))),
        gzip.compress(zstandard.compress(lzma.compress(TRACE))),
        gzip.compress(json.dumps({"traceEvents": [EVENT]}).encode("utf-16")),
        b"\xef\xbb\xbf" * 2 + TRACE,
    ],
    ids=["gzip in zip in zstd", "xz in zstd in gzip", "UTF-16 in gzip", "two byte order marks"],
)
def test_a_trace_wrapped_in_odd_ways_is_read(
    content: bytes, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / ("odd\nname" if sys.platform != "win32" else "odd name")
    path.write_bytes(content)
    assert cli.main(["info", "--json", str(path)]) == 0
    assert json.loads(capsys.readouterr().out)["slices"] == 1


def test_lines_of_every_kind_cost_only_themselves(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "mixed.json"
    line = json.dumps(EVENT)
    path.write_text("\n".join([line, "", "null", "[1, 2]", "garbage", line, '"text"', "{}", line, '{"ph":"X","na']))
    assert cli.main(["info", "--json", str(path)]) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["slices"] == 3
    assert {note["code"] for note in found["notes"]} == {"bad_event", "truncated"}
