"""`profviz info` and `compare` on real captures, tiny files and bad ones."""

from __future__ import annotations

import csv
import gzip
import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

Profviz = Callable[..., Any]
ROOT = Path(__file__).parent.parent.parent

GOLDEN = {  # column of expected.tsv -> key of the JSON's gpu object
    "kernels": "kernels",
    "copies": "copies",
    "kernel_sum_ns": "kernel_sum_ns",
    "gpu_union_ns": "busy_ns",
    "gpu_span_ns": "span_ns",
    "streams": "lanes",
    "distinct_kernels": "distinct_kernels",
    "orphan_gpu": "unlinked",
    "graph_launches": "graph_launches",
}


def small_trace(*durations_us: int) -> dict[str, Any]:
    events = []
    for number, dur in enumerate(durations_us):
        common = {"ph": "X", "ts": number * 100 + 10, "args": {"correlation": number, "device": 0, "stream": 7}}
        launch = {**common, "cat": "cuda_runtime", "name": "cudaLaunchKernel", "pid": 1, "tid": 1, "dur": 2}
        events += [launch, {**common, "cat": "kernel", "name": f"k{number}", "pid": 0, "tid": 7, "dur": dur}]
    return {"traceEvents": events}


@pytest.fixture
def trace(tmp_path: Path) -> Path:
    path = tmp_path / "small.json"
    path.write_text(json.dumps(small_trace(20, 30)))
    return path


@pytest.mark.parametrize("name", ["gpt2.compiled-reduce-overhead.json.gz", "mlp2.eager.json.gz"])
def test_the_json_holds_the_golden_numbers(profviz: Profviz, traces: Path, name: str) -> None:
    with (traces / "expected.tsv").open() as file:
        (expected,) = [row for row in csv.DictReader(file, delimiter="\t") if row["file"] == name]
    ran = profviz("info", traces / name, "--json")
    assert ran.code == 0, ran.err
    told = ran.json
    assert (told["events"], told["slices"]) == (int(expected["events"]), int(expected["X"]))
    assert {key: told["gpu"][key] for key in GOLDEN.values()} == {
        key: int(expected[column]) for column, key in GOLDEN.items()
    }
    assert all({"code", "severity", "count"} <= set(note) for note in told["notes"])


def test_the_breakdown_sums_to_wall_and_says_what_its_parts_are(profviz: Profviz, traces: Path) -> None:
    told = profviz("info", traces / "gpt2.compiled-reduce-overhead.json.gz", "--json").json
    found = told["breakdown"]
    for wall in (found["whole"], found["median_step"], *found["steps"]):
        assert sum(wall["parts_ns"].values()) == wall["wall_ns"] == wall["busy_ns"] + wall["idle_ns"]
        assert set(wall["parts_ns"]) == set(found["parts"])
    assert (found["whole"]["busy_ns"], found["whole"]["wall_ns"]) == (told["gpu"]["busy_ns"], told["span_ns"])
    assert [step["number"] for step in found["steps"]] == [2, 3, 4]
    assert [step["wall_ns"] for step in found["steps"]] == [step["dur_ns"] for step in told["steps"]]
    assert found["median_step"] == found["steps"][1]
    (stream, everything) = found["whole"]["exposures"]
    assert (stream["stream"], everything["stream"]) == ("GPU 0 · stream 7", None)
    assert everything["total_ns"] == everything["exposed_ns"] + everything["overlapped_ns"] > 0
    assert any("graph replays" in note for note in found["notes"])


def test_the_text_says_where_the_median_step_went(profviz: Profviz, traces: Path) -> None:
    (line,) = [line for line in profviz("info", traces / "gpt2.eager.json.gz").out.splitlines() if "wall time" in line]
    assert "20.0 ms of step 3, the median: waiting for the host 67.2 %, compute 30.2 %" in line


def test_without_gpu_work_busy_and_idle_are_unknown(profviz: Profviz) -> None:
    found = profviz("info", ROOT / "tests/defects/cpu_only.json", "--json").json["breakdown"]
    assert (found["whole"]["busy_ns"], found["whole"]["idle_ns"]) == (None, None)
    assert set(found["parts"]) == {"operators", "other"}
    assert sum(found["whole"]["parts_ns"].values()) == found["whole"]["wall_ns"] > 0


def test_a_compile_log_tells_of_breaks(profviz: Profviz, traces: Path) -> None:
    ran = profviz("info", traces / "broken_train.compile-log.txt.gz", "--json")
    assert ran.code == 0, ran.err
    told = ran.json["compile"]
    assert told["graphs"] == 3
    assert {entry["line"] for entry in told["breaks"]} == {40, 43}
    assert all({"file", "line", "reason", "count"} <= set(entry) for entry in told["breaks"])
    assert all(entry["text"] and entry["plain"] and entry["hints"] for entry in told["breaks"])
    assert isinstance(told["recompiles"], int)
    assert told["compile_ns"] > 0


def test_several_files_are_listed_and_one_bad_one_loses_none(profviz: Profviz, trace: Path, tmp_path: Path) -> None:
    (tmp_path / "bad.txt").write_text("just some text\n")
    ran = profviz("info", trace, "bad.txt", trace, "--json")
    assert ran.code == 2
    files = ran.json["files"]
    assert [entry["kind"] for entry in files] == ["trace", "error", "trace"]
    assert "bad.txt" in ran.err
    assert files[0]["gpu"]["busy_ns"] == 50_000


def test_the_text_for_people_has_units(profviz: Profviz, trace: Path) -> None:
    out = profviz("info", trace).out
    assert "50.0 µs" in out
    assert "k1" in out


@pytest.mark.parametrize(
    "content",
    [b"", b"  \n", gzip.compress(b""), b'{"traceEvents": []}'],
    ids=["no byte", "blank", "gzip of nothing", "no event"],
)
def test_an_empty_file_is_a_condition_that_fell_short(profviz: Profviz, tmp_path: Path, content: bytes) -> None:
    (tmp_path / "empty.json").write_bytes(content)
    ran = profviz("info", "empty.json")
    assert ran.code == 1
    assert "empty" in (ran.out + ran.err).lower()
    assert "Traceback" not in ran.err


@pytest.mark.parametrize("content", [b"\x7fELF\x00\x00", b"hello", b"PK\x03\x04garbage", b"\x80\x04pickle"])
def test_a_file_that_is_none_of_ours(profviz: Profviz, tmp_path: Path, content: bytes) -> None:
    (tmp_path / "file.json").write_bytes(content)
    ran = profviz("info", "file.json")
    assert ran.code == 2
    assert "file.json" in ran.err
    assert "Traceback" not in ran.err
    assert profviz("info", "gone.json").code == 2


def test_compare_lays_two_traces_side_by_side(profviz: Profviz, trace: Path, tmp_path: Path) -> None:
    (tmp_path / "other.json").write_text(json.dumps(small_trace(10, 10, 10)))
    ran = profviz("compare", trace, "other.json", "--json")
    assert ran.code == 0, ran.err
    assert [ran.json[side]["gpu"]["kernels"] for side in "ab"] == [2, 3]
    assert "differences" in ran.json
    text = profviz("compare", trace, "other.json").out
    assert "50.0 µs" in text
    assert "30.0 µs" in text


def test_one_session_compares_its_variants(profviz: Profviz, fake_python: Callable[..., str], tmp_path: Path) -> None:
    (tmp_path / "model.py").write_text("")
    profviz("run", "model.py", "--python", fake_python("normal"), "-o", "s.profviz")
    told = profviz("compare", "s.profviz", "--json").json
    assert [told[side]["id"] for side in "ab"] == ["eager", "default"]
    assert [told[side]["median_ns"] for side in "ab"] == [2_000_000, 1_000_000]
    swapped = profviz("compare", "s.profviz", "--variants", "default,eager", "--json").json
    assert swapped["a"]["id"] == "default"
    ran = profviz("compare", "s.profviz", "--variants", "default,nothing")
    assert ran.code == 2
    assert "nothing" in ran.err


def test_a_single_trace_cannot_be_compared(profviz: Profviz, trace: Path) -> None:
    ran = profviz("compare", trace)
    assert ran.code == 2
    assert "second file" in ran.err
    assert profviz("compare", trace, trace, trace).code == 2


def test_without_a_display_files_are_told_about(profviz: Profviz, trace: Path) -> None:
    assert "50.0 µs" in profviz(trace).out
    assert "GPU busy" in profviz(trace, trace).out
    ran = profviz()
    assert ran.code == 2
    assert "no display" in ran.err


def test_a_reader_that_has_seen_enough_is_no_error(trace: Path) -> None:
    command = f'"{sys.executable}" -m profviz info "{trace}" --json | head -c 1'
    done = subprocess.run(command, shell=True, capture_output=True, text=True, cwd=ROOT, check=False)
    assert done.stderr == ""


def test_a_folder_of_ranks_is_told_rank_by_rank(profviz: Profviz, traces: Path, tmp_path: Path) -> None:
    folder = tmp_path / "ranks"
    folder.mkdir()
    for rank in (1, 0):
        name = f"ddp.eager.rank{rank}.json.gz"
        (folder / name).write_bytes((traces / name).read_bytes())
    told = profviz("info", folder, "--json").json
    assert told["kind"] == "folder"
    assert [(one["title"], one["events"]) for one in told["traces"]] == [
        ("ddp.eager.rank0", 47809),
        ("ddp.eager.rank1", 47337),
    ]


@pytest.mark.skipif(sys.platform != "linux", reason="file names are text there")
@pytest.mark.parametrize("locale", ["C.UTF-8", "POSIX", "en_US.ISO-8859-1"])
def test_a_file_name_that_is_no_text_leaves_the_json_whole(tmp_path: Path, locale: str) -> None:
    path = os.fsencode(tmp_path) + b"/x\xff\xc3\xa9.json"
    Path(os.fsdecode(path)).write_bytes(b'[{"ph":"X","name":"\xf0\x9f\x98\x80","pid":1,"tid":1,"ts":1,"dur":1}]')
    environment = {**os.environ, "LC_ALL": locale, "PYTHONCOERCECLOCALE": "0", "PYTHONUTF8": "0"}
    environment["PYTHONIOENCODING"] = "latin-1" if locale.startswith("en") else ""
    command = [sys.executable, "-m", "profviz", "info", path, "--json"]
    ran = subprocess.run(command, capture_output=True, env=environment, cwd=ROOT, check=False)
    assert (ran.returncode, ran.stderr) == (0, b"")
    assert json.loads(ran.stdout.decode())["file"].endswith(".json")
